"""`--jobs`: worker processes change how long a command takes, and nothing else.

Each run is a process of its own: one with further threads, as the one that runs tests may be, is never copied.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "repositories"
AT_ONCE = """
import lamina.cli.target_workers as workers
from lamina.cli.main import main
workers.SEQUENTIAL_SECONDS = 0
main()
"""
"""A command that copies its process before it works on any target."""

COMMANDS = (
    ("render",),
    ("render", "--format", "json"),
    ("render", "--format", "jsonl"),
    ("lint",),
    ("lint", "--format", "sarif"),
    ("explain", "--all"),
    ("explain", "--all", "--format", "json"),
    ("plan",),
)
KEYS = {"cloud-init": "packages", "datum": "NodeName", "pegleg": "."}

needs_copies = pytest.mark.skipif(sys.platform == "win32", reason="no process can be copied there")


def lamina(folder: Path, *arguments: str) -> tuple[str, str, int]:
    """What a command prints, and its status."""
    done = subprocess.run(
        [sys.executable, "-c", AT_ONCE, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.stdout, done.stderr, done.returncode


@pytest.fixture(scope="module", params=sorted(KEYS))
def repository(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository in which one target cannot be read."""
    root: Path = tmp_path_factory.mktemp("jobs") / request.param
    shutil.copytree(EXAMPLES / request.param, root)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-C", str(root)]
    for step in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "as it was"]):
        subprocess.run([*git, *step], check=True)
    files = [path for path in sorted(root.rglob("*")) if path.suffix in (".yml", ".yaml") and path.name != "Datum.yml"]
    files[-1].write_text("a: [\n")
    files[0].write_text(files[0].read_text() + "\n# one line more\nAdded: 1\n")
    return root


@needs_copies
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_gives_the_same_with_workers(command: tuple[str, ...], repository: Path) -> None:
    alone = lamina(repository, *command)
    assert alone[0]
    assert lamina(repository, *command, "--jobs", "2") == alone


@needs_copies
@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_a_comparison_of_revisions_gives_the_same_with_workers(form: str, repository: Path) -> None:
    """Every worker has a git of its own to read from."""
    command = ("diff", "--git", "HEAD", "--format", form)
    alone = lamina(repository, *command)
    assert alone[2] in (1, 3)
    assert lamina(repository, *command, "--jobs", "2") == alone


@needs_copies
def test_values_of_a_key_are_the_same_with_workers(repository: Path) -> None:
    command = ("explain", KEYS[repository.name], "--all")
    assert lamina(repository, *command, "--jobs", "2") == lamina(repository, *command)


@needs_copies
@pytest.mark.parametrize("command", ["render --output-dir", "report -o"])
def test_workers_write_the_same_files(command: str, repository: Path, tmp_path: Path) -> None:
    written = []
    for jobs in ("1", "3"):
        out = tmp_path / jobs
        printed = lamina(repository, *command.split(), str(out), "-j", jobs)
        files = {path.relative_to(out): path.read_bytes() for path in out.rglob("*") if path.is_file()}
        assert files
        written.append((files, printed[1].replace(str(out), "OUT"), printed[2]))
    assert written[0] == written[1]


def test_inputs_are_one_piece_of_work_for_one_process(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("#cloud-config\na: 1\n")
    assert lamina(tmp_path, "render", "a.yaml", "--jobs", "4") == lamina(tmp_path, "render", "a.yaml")


SPREAD = """
import os, sys, time
from contextlib import nullcontext
import lamina.cli.target_workers as workers
from lamina.errors import LaminaError

workers.SEQUENTIAL_SECONDS = 0
parent = os.getpid()

def work(number):
{body}

def plainly(made):
    return made.diagnostic.code if isinstance(made, LaminaError) else made

watched = lambda: nullcontext(lambda items: items)
print([plainly(each) for each in workers.spread(work, range(9), 3, watched)])
"""


def spread(*body: str) -> str:
    program = SPREAD.format(body="\n".join(f"    {line}" for line in body))
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()


@needs_copies
def test_results_come_in_order_and_from_other_processes() -> None:
    made = spread("time.sleep(0.05 if number % 3 == 0 else 0)", "return number, os.getpid() == parent")
    assert made == str([(number, False) for number in range(9)])


@needs_copies
def test_a_target_that_kills_its_worker_fails_alone() -> None:
    made = spread("if number == 4: os._exit(9)", "return number")
    assert made == str([0, 1, 2, 3, "worker-died", 5, 6, 7, 8])


@needs_copies
def test_what_cannot_travel_is_made_here() -> None:
    made = spread("function = lambda: os.getpid()", "function.__repr__", "return function if number == 4 else number")
    assert "<function work.<locals>.<lambda>" in made
    assert made.startswith("[0, 1, 2, 3, <")
