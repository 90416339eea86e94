"""The map of the code names modules and functions that exist."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "map-of-the-code.md"
ROOT = Path(__file__).parents[2] / "src" / "lamina"
NAMES = sorted(set(re.findall(r"`(lamina\.[\w.]+)`", PAGE.read_text())))


def exists(name: str) -> bool:
    try:
        import_module(name)
    except ModuleNotFoundError:
        module, _, attribute = name.rpartition(".")
        return hasattr(import_module(module), attribute)
    return True


@pytest.mark.parametrize("name", NAMES)
def test_a_name_on_the_map_exists(name: str) -> None:
    assert exists(name)


def test_every_room_is_on_the_map() -> None:
    rooms = {path.stem for path in ROOT.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    missing = {
        room for room in rooms - {"__init__", "__main__", "version"} if f"`lamina.{room}`" not in PAGE.read_text()
    }
    assert not missing


RULES = dict(re.findall(r"^\| [\w -]+ \| `lamina\.dialects\.(\w+)\.(\w+)` \|", PAGE.read_text(), re.MULTILINE))
"""The module with the merge rules of each dialect."""
SHORTEST = 500
"""Characters: merge rules in prose are longer than a sentence about a module."""


def test_every_system_has_its_merge_rules_on_the_map() -> None:
    assert set(RULES) == {path.parent.name for path in ROOT.glob("dialects/*/dialect.py")}


@pytest.mark.parametrize(("dialect", "name"), RULES.items())
def test_the_merge_rules_of_a_system_are_prose_and_tables_in_one_file(dialect: str, name: str) -> None:
    module = import_module(f"lamina.dialects.{dialect}.{name}")
    assert len(module.__doc__ or "") > SHORTEST
    assert re.search(r"\b(Cases|Policy|Operator|Merge|apply)\b", Path(module.__file__ or "").read_text())
