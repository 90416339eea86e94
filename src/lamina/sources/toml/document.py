"""A TOML file as a document: its plain value, and the line and column of every key and value."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

from lamina.origins import PositionMap
from lamina.sources.document import Document
from lamina.sources.toml.reader import read_toml

if TYPE_CHECKING:
    from lamina.sources.source import Source
    from lamina.sources.toml.reader import Steps, TomlDocument


def toml_document(source: Source) -> Document:
    """The document of a TOML file; a time of day without a date, which no other format has, is a string."""
    written = read_toml(source)
    positions = PositionMap(source.locate)
    return Document(_recorded(written, written.value, (), (0, 0), positions), positions)


def _recorded(written: TomlDocument, value: Any, steps: Steps, at: tuple[int, int], positions: PositionMap) -> Any:
    """The value at these steps; records its position and those of everything in it."""
    index = positions.add(*written.values.get(steps, at))
    if isinstance(value, datetime.time):
        return value.isoformat()
    if not isinstance(value, (dict, list)):
        return value
    made: Any
    if isinstance(value, dict):
        made = {key: _member(written, inner, (*steps, key), at, positions) for key, inner in value.items()}
    else:
        paths = [((*steps, number), item) for number, item in enumerate(value)]
        made = [_recorded(written, item, path, _position(written, path, at), positions) for path, item in paths]
    positions.close(index)
    return made


def _member(written: TomlDocument, value: Any, steps: Steps, at: tuple[int, int], positions: PositionMap) -> Any:
    key_at = _position(written, steps, at)
    positions.add(*key_at)
    return _recorded(written, value, steps, key_at, positions)


def _position(written: TomlDocument, steps: Steps, otherwise: tuple[int, int]) -> tuple[int, int]:
    """Where a key or item is written."""
    return written.positions.get(steps, otherwise)
