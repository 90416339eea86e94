"""Windows has no `O_NONBLOCK`, no `fork`, no `fcntl`: everything that reads and writes files works without them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import support.without_posix

PROJECT = """\
[targets.one]
dialect = "layers"
inputs = ["base.yaml", "one.yaml"]
[targets.two]
dialect = "layers"
inputs = ["base.yaml", "two.yaml"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lamina.toml").write_text(PROJECT)
    (tmp_path / "base.yaml").write_text("a: 1\nb: 2\n")
    (tmp_path / "one.yaml").write_text("b: 3\n")
    (tmp_path / "two.yaml").write_text("a: 1\nb: 4\n")
    return tmp_path


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    """The exit status and all output of a command."""
    environment = {**os.environ, "LAMINA_PURE": "1"}  # C extensions are built for the system they run on
    command = [sys.executable, support.without_posix.__file__, *arguments]
    done = subprocess.run(
        command, check=False, cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("status", "expected", "arguments"),
    [
        (0, "b: 3", ["render", "--dialect", "layers", "base.yaml", "one.yaml"]),
        (0, '"two"', ["render", "--jobs", "2", "--format", "json"]),
        (0, "one.yaml:1:4", ["explain", "b", "--target", "one"]),
        (0, "redundant-value", ["lint"]),
        (1, "3 → 4", ["diff", "--dialect", "layers", "one.yaml", "--to", "two.yaml"]),
        (0, "one.yaml:1", ["find", "3"]),
        (0, "overridden", ["where", "base.yaml:2"]),
        (0, "2 targets: 2 rendered", ["render", "--jobs", "2", "--output-dir", "rendered"]),
        (3, "absent.yaml", ["render", "--dialect", "layers", "absent.yaml"]),
    ],
    ids=lambda item: item[0] if isinstance(item, list) else "",
)
def test_reading(folder: Path, status: int, expected: str, arguments: list[str]) -> None:
    code, output = run(folder, *arguments)
    assert expected in output
    assert code == status


def test_writing(folder: Path) -> None:
    assert run(folder, "render", "--dialect", "layers", "base.yaml", "one.yaml", "-o", "out.yaml")[0] == 0
    assert (folder / "out.yaml").read_text() == "a: 1\nb: 3\n"
    assert run(folder, "report", "--target", "one", "-o", "page.html")[0] == 0
    assert (folder / "page.html").stat().st_size > 10_000
    assert run(folder, "lint", "--fix")[0] == 0
    assert (folder / "two.yaml").read_text() == "b: 4\n"
    assert run(folder, "render", "--output-dir", "nodes")[0] == 0
    assert sorted(path.name for path in (folder / "nodes").glob("*.yaml")) == ["one.yaml", "two.yaml"]


IMPORTS = """\
from importlib import import_module
from pkgutil import walk_packages
from support.without_posix import remove_posix
remove_posix()
import lamina
# What the library for assistants imports depends on the name of the system, which is none of ours to change.
foreign = ("__main__", ".editor.assistant")
names = [each.name for each in walk_packages(lamina.__path__, "lamina.") if not each.name.endswith(foreign)]
print(len([import_module(name) for name in names]))
"""


def test_every_module_can_be_imported() -> None:
    environment = {**os.environ, "LAMINA_PURE": "1", "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, "-c", IMPORTS]
    done = subprocess.run(command, check=True, env=environment, capture_output=True, text=True, timeout=120)
    assert int(done.stdout) > 400
