"""Reading JSON as Ruby's library does: comments are taken, a byte order mark and an empty file are not."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from lamina import plugin as lp
from lamina.dialects.hiera.psych_reader import reject

_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*"|/\*.*?\*/|//[^\n]*', re.DOTALL)
_BOM: Final = b"\xef\xbb\xbf"


def read(source: lp.Source, run: lp.Run) -> lp.LayerDocument:
    """The value of a JSON file."""
    if source.data.startswith(_BOM):
        reject("parse", "the JSON starts with a byte order mark", source.locate(0, 0), "save the file without it")
    data = _TOKEN.sub(_spaces, source.data) if b"/" in source.data else source.data
    try:
        return lp.read_json(source if data is source.data else replace(source, data=data), run)
    except lp.InputError as error:
        raise lp.InputError(
            *(replace(each, code="parse") if each.code == "invalid-json" else each for each in error.diagnostics)
        ) from None


def _spaces(match: re.Match[bytes]) -> bytes:
    """Spaces in the place of a comment, so that what follows keeps its position."""
    text = match[0]
    return text if text.startswith(b'"') else re.sub(rb"[^\n]", b" ", text)
