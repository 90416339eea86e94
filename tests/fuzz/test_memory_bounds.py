"""No input takes more memory than two gibibytes or goes on for ever: it is rendered, or rejected with a message."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.bombs import bombs, shown_bombs
from support.mutations import LONG, fuzzing, mutated_case
from support.seeds import DIALECTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

MEMORY = 2 * 1024**3
LIMITED = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))"
SECONDS = 600
BOMBS = dict(bombs(all_of_them=LONG))
SLOW = ("parts that add to a long text", "many lines")
VIEWS = [["render"], ["render", "--format", "json"], ["report", "-o", "report.html"]]
SHOWN = dict(shown_bombs())
EXPLAIN = ["explain", "--all"]
QUICK = [(name, [*EXPLAIN, "--format", "json"]) for name in SHOWN]
QUICK.append(("many values below a long key", EXPLAIN))
SLOW_VIEWS = [
    ["report", "-o", "report.html"],
    ["plan"],
    ["plan", "--format", "json"],
    ["lint"],
    ["lint", "--format", "json"],
    ["render", "--annotate"],
]


def run(folder: Path, command: list[str], dialect: str, names: list[str]) -> subprocess.CompletedProcess[str]:
    """Run Lamina in a process of its own that gets no more memory than that."""
    line = [sys.executable, "-c", f"{LIMITED}; from lamina.cli.main import main; main()", *command]
    line += ["--dialect", dialect, *names, *(["--lookup", "a"] if dialect == "datum" else [])]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    with (folder / "out").open("w") as out:
        return subprocess.run(
            line,
            cwd=folder,
            env=environment,
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            timeout=SECONDS,
            check=False,
        )


def written(folder: Path, files: Mapping[str, str | bytes]) -> list[str]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(files)


def _cases() -> Iterator[Any]:
    """Every bomb with every view, or with one of them where there is less time."""
    for name in BOMBS:
        for view in VIEWS if LONG else VIEWS[:1]:
            yield pytest.param(name, view, marks=[pytest.mark.slow] * (name in SLOW))
    if not LONG:
        yield pytest.param("a text that grows when written", VIEWS[1])


@pytest.mark.parametrize(("name", "view"), list(_cases()))
def test_a_bomb_is_rendered_or_rejected(name: str, view: list[str], tmp_path: Path) -> None:
    dialect, files = BOMBS[name]
    done = run(tmp_path, view, dialect, written(tmp_path, files))
    if done.returncode:
        assert (done.returncode, "Lamina's limit" in done.stderr) == (3, True), done.stderr[-2000:]
        assert (tmp_path / "out").read_text() == ""


@pytest.mark.parametrize(
    ("name", "command"), [*QUICK, *((name, view) for name in SHOWN for view in [EXPLAIN, *SLOW_VIEWS] if LONG)]
)
def test_what_is_shown_of_a_result_is_bounded(name: str, command: list[str], tmp_path: Path) -> None:
    done = run(tmp_path, command, "cloud-init", written(tmp_path, SHOWN[name]))
    if command[0] == "explain":
        assert (done.returncode, "MiB, which is Lamina's limit" in done.stderr) == (3, True), done.stderr[-500:]
    assert done.returncode in (0, 1, 3)
    assert "out of memory" not in done.stderr
    assert done.returncode != 3 or (tmp_path / "out").read_text() == ""


@pytest.mark.parametrize("form", ["text", "json", "json-patch", "markdown"])
def test_changes_below_a_long_key_are_bounded(form: str, tmp_path: Path) -> None:
    names = written(tmp_path, SHOWN["many values below a long key"])
    done = run(tmp_path, ["diff", "--format", form], "cloud-init", names)
    assert (done.returncode, "Lamina's limit" in done.stderr) == (3, True), done.stderr[-500:]
    assert (tmp_path / "out").read_text() == ""


@pytest.mark.parametrize("dialect", DIALECTS)
@given(data=st.data())
@settings(fuzzing, max_examples=200 if LONG else 2)
def test_a_mutated_input_ends_in_time(
    dialect: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    case, files = data.draw(mutated_case(dialect))
    folder = tmp_path_factory.mktemp("spoilt")
    named = {f"{number}": text for number, text in enumerate(files.values())}
    done = run(folder, ["render"], dialect, written(folder, named))
    assert done.returncode in (0, 1, 2, 3), (case.id, done.stderr[-2000:])


def test_the_bound_is_one() -> None:
    """What takes more than the processes of these tests may have is stopped."""
    line = [sys.executable, "-c", f"{LIMITED}; bytearray({MEMORY})"]
    assert "MemoryError" in subprocess.run(line, capture_output=True, text=True, check=False).stderr
