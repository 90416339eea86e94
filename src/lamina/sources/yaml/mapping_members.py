"""Members of mappings with repeated keys or merge keys: where each one was written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.sources.document import duplicate_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.origins import PositionMap
    from lamina.sources.document import Document

    Members = dict[Any, tuple[int, int]]


def record_members(document: Document, index: int, keys: Sequence[Any]) -> None:
    """Record the members of such a mapping, and note each repeated key.

    All keys are given in the order they were written; a merge key as a tuple with its value.
    """
    positions = document.positions
    records = positions.children(index)
    merged: Members = {}
    written: Members = {}
    first: dict[Any, int] = {}
    for key, at, value_at in zip(keys, records[::2], records[1::2], strict=True):
        if type(key) is tuple:
            _merge(positions, key[0], value_at, merged)
            continue
        if key in first:
            document.notes.append(duplicate_key(key, positions.origin(first[key]), positions.origin(at)))
        first.setdefault(key, at)
        written[key] = (at, value_at)
    positions.members[index] = merged | written


def _merge(positions: PositionMap, source: Any, record: int, members: Members) -> None:
    """Add the members of the mapping that is the value of a merge key, or of a list of mappings, last one first."""
    record = positions.resolve(record)
    layers = [(source, record)]
    if isinstance(source, list):
        layers = list(zip(source, positions.children(record), strict=True))[::-1]
    for mapping, at in layers:
        members.update(positions.pairs(positions.resolve(at), mapping))
