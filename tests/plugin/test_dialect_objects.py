"""A dialect that is installed nowhere can be passed itself, wherever the library takes the name of one."""

from __future__ import annotations

from pathlib import Path

import pytest
from orchard import DIALECT

import lamina

FILES = {
    "orchard.yaml": "trees: 10\nsoil: loam\n",
    "rows/east.yaml": "trees: 4\nharvest: 3\n",
    "rows/west.yaml": "soil: clay\n",
}
EAST = {"trees": 4, "soil": "loam", "harvest": 3}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_its_name_is_unknown(folder: Path) -> None:
    with pytest.raises(lamina.UsageError, match="orchard"):
        lamina.render(folder, dialect="orchard")


def test_the_functions_take_it(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert lamina.render(folder, dialect=DIALECT, row="east").value == EAST
    assert [stage.title for stage in lamina.plan(folder, DIALECT).stages] == ["east", "west"]
    assert [note.code for note in lamina.lint(folder, DIALECT)] == ["unripe-row"]
    other = tmp_path_factory.mktemp("other")
    for name, text in FILES.items():
        (other / name).parent.mkdir(exist_ok=True)
        (other / name).write_text(text.replace("clay", "sand"))
    (change,) = lamina.diff(folder, other, DIALECT).changes
    assert (change.output, change.before, change.after) == ("west", "clay", "sand")


def test_a_workspace_takes_it(folder: Path) -> None:
    with lamina.Workspace(folder, DIALECT) as workspace:
        assert workspace.targets == ("east", "west")
        assert workspace.result("east").value == EAST
        impact = workspace.update({"orchard.yaml": "trees: 10\nsoil: peat\n"})
        assert (impact.targets, impact.rendered) == (["east"], 2)
        assert [use.target for use in workspace.where("orchard.yaml", 2)] == ["east", "west"]
