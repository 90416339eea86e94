"""`lamina move`: a value is written elsewhere and no result changes, or it is said what would."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lamina import Workspace
from lamina.cli.group import lamina as program

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(program, arguments, standalone_mode=False)


@pytest.fixture
def hiera(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "hiera"
    shutil.copytree(ROOT / "tests/lint/same-in-every-child/bad", folder)
    monkeypatch.chdir(folder)
    return folder


def values(folder: Path) -> dict[str, Any]:
    with Workspace(folder) as workspace:
        return {name: workspace.result(name).value for name in workspace.targets}


def test_what_all_children_set_goes_up(hiera: Path) -> None:
    before = values(hiera)
    done = run("move", "ntp::server", "--to", "data/common.yaml", "--write", ".")
    assert done.return_value == 0
    assert "3 of 3 targets read these files, and every result stays the same" in done.stdout
    assert (hiera / "data/common.yaml").read_text() == "motd: hello\nntp::server: 10.0.0.1\n"
    assert (hiera / "data/nodes/oats.yaml").read_text() == "oven::number: 2\n"
    assert values(hiera) == before


def test_a_shared_value_goes_down(hiera: Path) -> None:
    before = values(hiera)
    nodes = [f"data/nodes/{name}.yaml" for name in ("barley", "oats", "rye")]
    done = run("move", "motd", *(word for node in nodes for word in ("--to", node)), "--format", "json", ".")
    data = json.loads(done.stdout)
    assert data["added"] == nodes
    assert [each["source"].removeprefix("./") for each in data["removed"]] == ["data/common.yaml"]
    assert data["checked"] == 3
    assert values(hiera) == before, "nothing is written unless asked"


def test_a_move_that_would_change_a_result_is_rejected(hiera: Path) -> None:
    done = run("move", "motd", "--to", "data/nodes/oats.yaml", ".")
    assert "[no-move]" in str(done.exception)
    assert "in barley, motd changes, too" in str(done.exception)


def test_values_that_differ_are_not_moved(hiera: Path) -> None:
    done = run("move", "oven::number", "--to", "data/common.yaml", ".")
    assert "is not set alike" in str(done.exception)
    assert "data/nodes/barley.yaml:2:15" in str(done.exception)


def test_a_move_is_of_all_targets(hiera: Path) -> None:
    assert hiera.is_dir()
    assert "--target cannot be used here" in str(run("move", "motd", "--to", "x", "--target", "rye").exception)
