"""First lines that are almost ones cloud-init knows, and what was likely meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lamina.dialects.cloudinit.content_types import BEGINNINGS, sniff

if TYPE_CHECKING:
    from lamina.sources.inputs import Inputs

_BOM: Final = b"\xef\xbb\xbf"
_FIRST_WORD: Final = re.compile(r"\s*#[ \t]*([\w-]+)")
_WORDS: Final = [start for start in BEGINNINGS if start.startswith("#cloud-")]
_ALIKE: Final = 0.8


def resembles_user_data(inputs: Inputs) -> bool:
    """Whether a file begins almost as user-data does."""
    return any(
        (source.data.startswith(_BOM) and sniff(_text(source.data))) or meant(source.data) for source in inputs.sources
    )


def meant(data: bytes) -> str | None:
    """The first line that was likely meant by one that cloud-init does not know."""
    from difflib import get_close_matches

    text = _text(data)
    found = _FIRST_WORD.match(text)
    if found is None or sniff(text):
        return None
    near = get_close_matches(f"#{found[1].lower()}", _WORDS, n=1, cutoff=_ALIKE)
    return near[0] if near else None


def _text(data: bytes) -> str:
    return data[:4096].removeprefix(_BOM).decode("utf-8", "replace")
