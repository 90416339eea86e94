"""Regular expressions that are compiled when they are first used: most commands need few of those there are."""

from __future__ import annotations

import re
from typing import Any, cast


class _Late:
    """A pattern to be; once it has been compiled, its methods are found here as fast as on itself."""

    def __init__(self, text: str, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, found)
        return found


def expression(text: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern that is compiled when it is first asked for something."""
    return cast("re.Pattern[str]", _Late(text, flags))
