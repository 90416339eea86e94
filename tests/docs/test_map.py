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
