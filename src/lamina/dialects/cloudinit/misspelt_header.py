"""First lines that are similar to one that cloud-init knows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lamina.dialects.cloudinit.content_types import FIRST_WORDS, sniff

if TYPE_CHECKING:
    from lamina.sources.inputs import Inputs

_BOM: Final = b"\xef\xbb\xbf"
_FIRST_WORD: Final = re.compile(r"\s*#[ \t]*([\w-]+)")
_WORDS: Final = [start for start in FIRST_WORDS if start.startswith("#cloud-")]
_MIN_SIMILARITY: Final = 0.8


def resembles_user_data(inputs: Inputs) -> bool:
    """Whether a file starts almost like user-data, or a folder that no other system claims has files of user-data."""
    if any(
        (source.data.startswith(_BOM) and sniff(_text(source.data))) or intended_header(source.data)
        for source in inputs.sources
    ):
        return True
    from lamina.dialects.cloudinit.folder import separate_files

    return any(True for folder in inputs.folders for _ in separate_files(folder, unreadable=False))


def intended_header(data: bytes) -> str | None:
    """The known first line that an unknown one is probably a misspelling of."""
    from difflib import get_close_matches

    text = _text(data)
    found = _FIRST_WORD.match(text)
    if found is None or sniff(text):
        return None
    matches = get_close_matches(f"#{found[1].lower()}", _WORDS, n=1, cutoff=_MIN_SIMILARITY)
    return matches[0] if matches else None


def _text(data: bytes) -> str:
    return data[:4096].removeprefix(_BOM).decode("utf-8", "replace")
