"""Nothing read is never green: every command, where there is nothing to read, or not everything can be read.

Each command has a row here. A command that has none, since no configuration is its input, is listed with the reason.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from lamina.cli.group import COMMANDS, STORE
from lamina.cli.main import main
from lamina.dialects.registry import BUILT_IN

PROJECT = """[targets.{0}]
dialect = "cloud-init"
inputs = ["{0}.yaml"]
[targets.{1}]
dialect = "cloud-init"
inputs = ["{1}.yaml"]
"""
GOOD = "#cloud-config\nhostname: good\n"
BROKEN = "#cloud-config\nhostname: [\n"

FOLDERS = {
    "empty": {},
    "nothing known": {"README.md": "# Notes\n", "notes.txt": "Nothing of interest.\n"},
    "unreadable": {"a.yaml": "a: [1\n", "b.yaml": "\x00\x01: : :\n"},
}
"""Folders without a project file; they are given as `.`."""
PROJECTS = {
    "all targets fail": {
        "lamina.toml": '[targets.a]\ndialect = "layers"\ninputs = ["a.yaml"]\n'
        '[targets.b]\ndialect = "layers"\ninputs = ["b.yaml"]\n',
        "a.yaml": "a: [1\n",
        "b.yaml": "b: {\n",
    },
    "all targets are dropped": {"lamina.toml": PROJECT.format("a", "b"), "a.yaml": BROKEN, "b.yaml": BROKEN},
    "a broken file among good ones": {
        "lamina.toml": PROJECT.format("a", "b"),
        "a.yaml": GOOD,
        "b.yaml": BROKEN,
    },
    "a broken file among good ones, no project": {"a.yaml": GOOD, "b.yaml": BROKEN},
}
GREEN = ("accepted", "no findings", "no differences\n", "no layer has the", "decides nothing:", "nothing changes")
"""What a command says if it has looked at everything."""

ROWS: dict[str, tuple[str, ...]] = {
    "render": ("render",),
    "explain": ("explain", "hostname"),
    "where": ("where", "a.yaml:1"),
    "find": ("find", "no-such-value"),
    "set": ("set", "hostname", "other"),
    "move": ("move", "hostname", "--to", "a.yaml"),
    "plan": ("plan",),
    "lint": ("lint",),
    "lint --check": ("lint", "--check"),
    "diff": ("diff",),
    "diff --watch": ("diff", "--watch"),
    "report": ("report", "-o", "out"),
    "explore": ("explore",),
    "render --output-dir": ("render", "--output-dir", "out"),
    "targets": ("targets",),
    "init": ("init",),
    "store push": ("store", "push", "bucket"),
    "pack": ("pack",),
}
NO_CONFIGURATION = {
    "store serve": "opens a store",
    "store pull": "reads a server",
    "store revisions": "reads a server",
    "store rollback": "names a revision on a server",
    "store tag": "names a revision on a server",
    "store token": "works on the tokens of a store",
    "store import": "reads a server",
    "store audit": "reads a server",
    "store prune": "works on the revisions of a store",
    "store backup": "copies a store",
    "store restore": "reads a backup",
    "lsp": "answers an editor, which says what is open",
    "mcp": "answers an assistant; each of its answers names what could not be read",
    "rule": "takes a code",
    "schema": "prints a schema",
    "completion": "prints a script",
}
WITHOUT_DIALECT = ("init", "store push", "pack")
FOLLOWING = ("diff --watch", "explore")
"""Commands that go on until they are stopped: they say what cannot be rendered, and follow the files until it can."""
ONLY_NAMES = {
    "targets": "lists targets and the files they have; it opens none and says nothing about them",
    "init": "writes down which files there are; it says that `lamina lint` checks them",
}
"""Commands for which a file that cannot be parsed is a file like others."""


class Ended(NamedTuple):
    """How a command ended: its status, and what it printed."""

    status: int
    stdout: str
    stderr: str


Run = Callable[..., Ended]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in a folder with some files; what waits for saves or requests ends at once."""
    monkeypatch.setattr("lamina.cli.watch.saved_paths", _no_saves)
    monkeypatch.setattr("lamina.cli.explore.run_server", lambda served, request: 0)  # noqa: ARG005 - it would wait

    def ended(files: dict[str, str], *arguments: str) -> Ended:
        folder = tmp_path / "folder"
        folder.mkdir()
        for name, text in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)
        monkeypatch.chdir(folder)
        with pytest.raises(SystemExit) as exited:
            main(list(arguments))
        printed = capfd.readouterr()
        assert isinstance(exited.value.code, int)
        return Ended(exited.value.code, printed.out, printed.err)

    return ended


def _no_saves(root: str) -> Iterator[tuple[str, ...]]:
    del root
    yield ()


def test_every_command_has_a_row_or_a_reason() -> None:
    commands = {*COMMANDS, *(f"store {name}" for name in STORE)} - {"store"}
    assert {row.partition(" --")[0] for row in ROWS} | NO_CONFIGURATION.keys() == commands
    assert not ROWS.keys() & NO_CONFIGURATION.keys()


def is_green(ended: Ended) -> bool:
    return ended.status == 0 or any(phrase in ended.stdout for phrase in GREEN)


def inputs_of(command: str) -> tuple[str, ...]:
    return (".", ".") if command == "diff" else (".",)


@pytest.mark.parametrize("dialect", [None, *BUILT_IN])
@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("command", ROWS)
def test_a_folder_without_anything_is_an_error(command: str, folder: str, dialect: str | None, run: Run) -> None:
    if dialect and command in WITHOUT_DIALECT:
        return
    named = ("--dialect", dialect) if dialect else ()
    ended = run(FOLDERS[folder], *ROWS[command], *inputs_of(command), *named)
    if folder == "unreadable" and command in ONLY_NAMES:
        return
    assert ended.stderr or ended.status == 1, "it says why"
    if not (dialect and command in FOLLOWING):
        assert not is_green(ended), ended
        assert ended.status in (1, 2, 3)
    if dialect is None and command != "store push":
        assert ended.status == 3, ended
        assert "hint: " in ended.stderr


@pytest.mark.parametrize("project", PROJECTS)
@pytest.mark.parametrize("command", ROWS)
def test_what_could_not_be_read_is_said(command: str, project: str, run: Run) -> None:
    files = PROJECTS[project]
    if command in ("pack", "store push"):
        inputs: tuple[str, ...] = ("a.yaml", "b.yaml")
    elif "lamina.toml" in files and command != "diff":
        inputs = ()
    else:
        inputs = inputs_of(command)
    ended = run(files, *ROWS[command], *inputs)
    if command in ONLY_NAMES:
        return
    said = ended.stdout + ended.stderr
    if command in FOLLOWING:
        assert "b.yaml:" in said
        assert not any(phrase in said for phrase in GREEN)
        return
    assert not is_green(ended), ended
    if ended.status != 2:  # these files are not for this command
        assert ".yaml" in said, said


@pytest.mark.parametrize(
    "command",
    [
        "render --all-nodes .",
        "render --output-dir ../out .",
        "render --format jsonl --target n .",
        "find no-such-value",
        "where AllNodes/n.yml:1",
        "plan --all-nodes .",
        "lint .",
    ],
)
def test_a_layer_that_its_system_leaves_out_is_said(command: str, run: Run) -> None:
    files = {
        "Datum.yml": "ResolutionPrecedence: [AllNodes\\$($Node.Name), Base\\all]\n",
        "AllNodes/n.yml": "Name: n\nA: 1\n",
        "Base/all.yml": "A: [\n",
    }
    ended = run(files, *command.split())
    assert not is_green(ended), ended
    assert "Base/all.yml cannot be read" in ended.stdout + ended.stderr


def test_a_diff_of_revisions_that_both_fail_is_not_green(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    files = PROJECTS["all targets fail"]
    assert run(files, "lint").status == 1
    _commit(folder)
    with pytest.raises(SystemExit) as exited:
        main(["diff", "--git", "HEAD"])
    assert exited.value.code == 3


def _commit(folder: Path) -> None:
    identity = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-qm", "x")):
        subprocess.run(["git", *arguments], cwd=folder, env={**os.environ, **identity}, check=True)
