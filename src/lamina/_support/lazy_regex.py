"""Regular expressions that are compiled on first use: most commands need only a few of them."""

from __future__ import annotations

import re
from typing import Any, cast


class _LazyPattern:
    """A pattern that is not compiled yet; afterwards the methods of the compiled pattern are attributes here."""

    def __init__(self, text: str, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, found)
        return found


def expression(text: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern that is compiled on first use."""
    return cast("re.Pattern[str]", _LazyPattern(text, flags))
