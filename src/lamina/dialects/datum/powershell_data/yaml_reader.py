"""YAML and JSON as PowerShell reads them: the first document, with keys that compare without case."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lamina.errors import InputError
from lamina.origins import PositionMap
from lamina.sources.caseless_keys import SPELLINGS
from lamina.sources.document import Document
from lamina.sources.source import Source
from lamina.sources.yaml.fast_reader import read_lines
from lamina.sources.yaml.scalars import YAMLDOTNET

if TYPE_CHECKING:
    from lamina.sources.limits import Limits


def read_yaml(source: Source, limits: Limits) -> Document:
    """The first document of a source; null if there is none."""
    limits.check_size(source)
    documents = read_lines(source, YAMLDOTNET, limits, SPELLINGS)
    return documents[0] if documents else _parsed(source, limits)


def _parsed(source: Source, limits: Limits) -> Document:
    from lamina.dialects.datum.powershell_data.caseless_document import without_case
    from lamina.dialects.datum.powershell_data.columns import check_columns
    from lamina.dialects.datum.powershell_data.dotnet_parser import DotNetParser
    from lamina.sources.yaml.pyyaml_reader import FastParser, read_nodes

    source = _with_joined_surrogates(source)
    parser = FastParser
    try:
        documents = read_nodes(source, YAMLDOTNET, parser, limits, single=False)
    except InputError as error:
        parser = DotNetParser
        try:
            documents = read_nodes(source, YAMLDOTNET, parser, limits, single=False)
        except InputError:
            raise error from None
    check_columns(source, parser)
    if documents:
        return without_case(documents[0])
    positions = PositionMap(source.locate)
    positions.add(0, 0)
    return Document(None, positions)


def _with_joined_surrogates(source: Source) -> Source:
    """The source with escaped surrogate pairs, which JSON writes and libyaml rejects, as one escaped character."""
    if b"\\ud" not in source.data and b"\\uD" not in source.data:
        return source

    def joined(match: re.Match[bytes]) -> bytes:
        if not match[1]:
            return match[0]
        code = 0x10000 + ((int(match[1], 16) - 0xD800) << 10) + (int(match[2], 16) - 0xDC00)
        return b"\\U%08x" % code

    pair = rb"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\[^u]"
    return Source(source.name, re.sub(pair, joined, source.data, flags=re.DOTALL))
