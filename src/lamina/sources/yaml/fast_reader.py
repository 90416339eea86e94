"""Reading YAML line by line: the plain style that most configuration is written in.

A line of it is blank, a comment, `---`, or an indent, an optional dash, an optional key, and an optional value that
ends with the line: a plain string, a quoted string without escapes, a simple flow collection, or the start of a literal
block. Such text needs no YAML parser, only a stack of indents, and the C extension reads it many times as fast.
Everything else is left to `pyyaml_reader`, which returns the same values and positions; it reads everything if the
extension was not built.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina._support.native import compiled
from lamina.origins import PackedPositionMap
from lamina.sources.document import Document, order_of_lines
from lamina.sources.limits import LIMITS
from lamina.sources.yaml.scalars import MergeKeyError, OddScalarError

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.sources.limits import Limits
    from lamina.sources.source import Source
    from lamina.sources.yaml.scalars import ScalarTable

    Plain = tuple[Any, bytes, bytes, dict[int, int] | None, list[tuple[int, list[Any]]] | None, bool]
    """A document: its value, the packed positions of its nodes and sizes of its collections, its aliases, if there are
    any, the mappings with repeated or merge keys, if there are any (the record and all keys of each), and whether it
    holds only what JSON has."""
    Reader = Callable[[bytes, dict[str, Any], "dict[str, Any] | None", str, int, int], "list[Plain] | None"]

_compiled = compiled("lamina.sources.yaml._yaml")
READER: Reader | None = None if _compiled is None else _compiled.read_yaml
"""The C extension; None if it was not built or is disabled."""


def read_lines(
    source: Source,
    table: ScalarTable,
    limits: Limits,
    keys: dict[str, Any] | None = None,
    reader: Reader | None = READER,
) -> list[Document] | None:
    """The documents of a source in the plain style; None if a parser has to read it.

    `keys`, if given, converts the text of keys; keys that are then equal count as repeated.
    """
    aliased = limits is not LIMITS and b"*" in source.data
    if reader is None or aliased:
        return None  # the C extension has the default limits on aliases built in
    if keys is None and not table.text_keys:
        keys = table.cache
    try:
        found = reader(source.data, table.cache, keys, table.starts, limits.depth, limits.nodes)
    except (OddScalarError, MergeKeyError, ValueError, TypeError, KeyError, OverflowError):
        return None
    return None if found is None else [_document(source, *each) for each in found]


def _document(
    source: Source,
    value: Any,
    places: bytes,
    sizes: bytes,
    aliases: dict[int, int] | None,
    special_mappings: list[tuple[int, list[Any]]] | None,
    only_json: bool,
) -> Document:
    positions = PackedPositionMap(source, places, sizes)
    document = Document(value, positions)
    if only_json:
        document.only_json = True
    if aliases is not None:
        positions.aliases = aliases
    if special_mappings is not None:
        from lamina.sources.yaml.mapping_members import record_members

        for index, keys in special_mappings:
            record_members(document, index, keys)
        document.notes.sort(key=order_of_lines)
    return document
