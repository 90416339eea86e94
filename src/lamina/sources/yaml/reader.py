"""Reading YAML: values equal to PyYAML's, with the position of every node.

Text in the plain style is read line by line by the C extension (`fast_reader`), everything else by one loop over
libyaml's events (`event_reader`). Whatever the loop does not resolve (unusual tags, recursive aliases, text on which
PyYAML's two parsers differ, every error) is read again by `pyyaml_reader`. PyYAML is loaded only when it is needed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from lamina.origins import PositionMap
from lamina.sources.document import Document
from lamina.sources.limits import LIMITS, Limits
from lamina.sources.yaml.fast_reader import read_lines
from lamina.sources.yaml.scalars import PYYAML, ScalarTable

if TYPE_CHECKING:
    from lamina.sources.source import Source

Loader = Literal["pure", "c"]

_BOM = b"\xef\xbb\xbf"
_COMMA_IN_TAG = re.compile(rb"![^\s,!]*,")
_COMMENT_ON_BLOCK = re.compile(rb"[|>][-+0-9]*#")


def read(
    source: Source, table: ScalarTable = PYYAML, loader: Loader = "pure", limits: Limits = LIMITS
) -> list[Document]:
    """All documents of the stream, as `yaml.safe_load_all` gives them (`c`: as with CSafeLoader)."""
    return _read(source, table, loader == "pure", limits, single=False)


def read_one(source: Source, table: ScalarTable = PYYAML, loader: Loader = "pure", limits: Limits = LIMITS) -> Document:
    """The one document of the stream; null when there is none; a second one is rejected, as `yaml.safe_load` does."""
    documents = _read(source, table, loader == "pure", limits, single=True)
    if documents:
        return documents[0]
    positions = PositionMap(source.locate)
    positions.add(0, 0)
    return Document(None, positions)


def read_parsed(source: Source, table: ScalarTable, loader: Loader, limits: Limits = LIMITS) -> list[Document]:
    """All documents of a stream that is known not to be in the plain style."""
    limits.check_size(source)
    return _parsed(source, table, loader == "pure", limits, single=False)


def _read(source: Source, table: ScalarTable, pure: bool, limits: Limits, single: bool) -> list[Document]:
    limits.check_size(source)
    if table.merged_repeats and b"<<" in source.data:  # only the thorough way knows what was merged
        from lamina.sources.yaml.pyyaml_reader import FastParser, PureParser, read_nodes

        return read_nodes(source, table, PureParser if pure else FastParser, limits, single)
    if limits.digits >= LIMITS.digits:
        plain = read_lines(source, table, limits)
        if plain is not None and not (single and len(plain) > 1):
            return plain
    return _parsed(source, table, pure, limits, single)


def _parsed(source: Source, table: ScalarTable, pure: bool, limits: Limits, single: bool) -> list[Document]:
    from lamina.sources.yaml.event_reader import read_events
    from lamina.sources.yaml.pyyaml_reader import FastParser, PureParser, read_nodes

    found = None
    if limits.digits >= LIMITS.digits and not (pure and _parsers_differ(source.data)):
        found = read_events(source, table, pure, limits, single)
    if found is None:
        return read_nodes(source, table, PureParser if pure else FastParser, limits, single)
    return found


def _parsers_differ(data: bytes) -> bool:
    """Whether the text contains something that libyaml accepts and PyYAML's own parser rejects or reads differently."""
    # Searching one byte is faster than two, and most texts contain none of these.
    if b"\t" in data:
        return True
    if b"%" in data and (data.startswith(b"%") or b"\n%" in data or b"\r%" in data):
        return True
    if not data.isascii() and (data.startswith((b"\xff\xfe", b"\xfe\xff")) or data.find(_BOM, 1) > 0):
        return True
    if b"!" in data and _COMMA_IN_TAG.search(data):
        return True
    if b"#" not in data or data.count(b"#") == data.count(b" #") + data.count(b"\n#"):
        return False
    return _COMMENT_ON_BLOCK.search(data) is not None
