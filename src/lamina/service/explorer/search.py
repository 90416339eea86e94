"""Search: values by words in their path, their text, and the names of what they are in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina._support.escapes import visible
from lamina.paths import leaves, show, walk
from lamina.views.report.value_text import on_one_line
from lamina.views.report.views import views_aside, views_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.views.result import Result
    from lamina.views.schemas.explorer import FoundValueData, FoundValuesData

MOST = 200
"""How many values are found at most; those that are the same in several targets are one."""
MAX_SEARCHED = 2_000_000
"""How many values are looked at."""


def matches(results: Iterable[tuple[str, Result]], words: str) -> FoundValuesData:
    """The values that have all the words, each once with its targets, and whether there may be more."""
    wanted = words.lower().split()
    found: dict[tuple[str, str, str], list[str]] = {}
    searched, more = 0, False
    for target, result in results if wanted else ():
        for output, path, text in _values(result):
            searched += 1
            if searched > MAX_SEARCHED:
                return _data(found, more=True)
            searched_text = f"{output}\n{path}\n{text}".lower()
            if all(word in searched_text for word in wanted):
                known = (output, path, text) in found
                more = more or (not known and len(found) >= MOST)
                if known or len(found) < MOST:
                    found.setdefault((output, path, text), []).append(visible(target))
    return _data(found, more=more)


def _data(found: dict[tuple[str, str, str], list[str]], *, more: bool) -> FoundValuesData:
    hits: list[FoundValueData] = [
        {"output": output, "path": path, "text": text, "targets": targets}
        for (output, path, text), targets in found.items()
    ]
    return {"more": more, "found": hits}


def _values(result: Result) -> Iterator[tuple[str, str, str]]:
    """The output, the path in it and the text of every value that holds nothing further; secrets are omitted."""
    views = {view.prefix: visible(view.name) for view in views_of(result)}
    shown = result.shown
    length = max(map(len, views), default=0)
    for path in leaves(shown):
        output = views.get(path[:length])
        if output is not None:
            yield output, visible(show(path[length:])), on_one_line(walk(shown, path))
    for view in views_aside(result):
        aside = result.shown_value(view.node)
        for path in leaves(aside):
            yield visible(view.name), visible(show(path)), on_one_line(walk(aside, path))
