"""Text from inputs in Markdown: as code, so that nothing of it is read as Markdown, a link or HTML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lamina._support.escapes import one_line
from lamina.sources.json.brief import in_brief

if TYPE_CHECKING:
    from typing import Any

_WIDTH: Final = 100
_MARKS: Final = re.compile(r"([\\`*_{}\[\]<>|~&])")


def code(text: str) -> str:
    """A text as code on one line."""
    shown = one_line(text)
    ticks = "`" * (1 + max(map(len, re.findall("`+", shown)), default=0))
    space = " " if shown[:1] == "`" or shown[-1:] == "`" or not shown.strip() else ""
    return f"{ticks}{space}{shown}{space}{ticks}"


def value(given: Any) -> str:
    """A value in brief, as code."""
    return code(in_brief(given, _WIDTH))


def plain(text: str) -> str:
    """A text as it is."""
    return _MARKS.sub(r"\\\1", one_line(text))


def link(text: str, uri: str) -> str:
    """A link that shows a text."""
    return f"[{plain(text)}]({uri.replace('(', '%28').replace(')', '%29')})"
