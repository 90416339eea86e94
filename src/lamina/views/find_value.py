"""Search for a value or a key: all outputs, paths and origins that set it, whether or not they win.

Histories are made only of the values that have what is looked for: in their path, in the result, or in a layer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.engine.history import has_event
from lamina.errors import Diagnostic, UsageError
from lamina.paths import MISSING, leaves, walk
from lamina.views.explain import in_brief, location_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.engine.history import History
    from lamina.engine.node import Node
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.views.result import Result


class FoundValue(NamedTuple):
    """A location where a value or a key is set, with the value; `counts` if the result has it at this path."""

    output: str | None
    path: Path
    value: Any
    origin: Origin | None
    counts: bool

    def __hash__(self) -> int:
        return hash((self.output, self.path, repr(self.value), self.origin, self.counts))


def values_found(result: Result, text: str) -> Iterator[FoundValue]:
    """The locations where a value is set, and those of a key: the values of the result below it."""
    search = _ValueSearch(text)
    named: dict[tuple[str | None, Path], FoundValue] = {}
    for history in result.histories(lambda path, node: _has_key(path, text) or search.may_be_in(node)):
        search.add(history)
        if _has_key(history.path, text):
            origin = history.origins[0] if history.origins else None
            found = FoundValue(history.output, history.path, history.value, origin, True)
            named[history.output, history.path] = found
    yield from (found for found in search.locations if (found.output, found.path) not in named)
    yield from named.values()


def _has_key(path: Path, text: str) -> bool:
    return any(str(step) == text for step in path if not isinstance(step, int))


def find_value(result: Result, text: str) -> tuple[list[FoundValue], list[History]]:
    """The locations where a value is set, and the histories in which they were found."""
    search = _ValueSearch(text)
    histories = [history for history in result.histories(lambda _, node: search.may_be_in(node)) if search.add(history)]
    if not histories:
        hint = "a value is written as in YAML (8080, true, text); lamina explain --all shows every value"
        raise UsageError(Diagnostic(code="no-such-value", message=f"no layer sets the value {text}", hint=hint))
    return search.locations, histories


class _ValueSearch:
    """Searches histories one after the other; a collection that several of them share is searched once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[int, tuple[Any, list[Path]]] = {}
        self._found: dict[tuple[str | None, Path, str], FoundValue] = {}

    def may_be_in(self, node: Node) -> bool:
        """Whether the value is in the history of a node; it may be withheld there."""
        return matches_text(node.value, self._text) or has_event(node, lambda value: bool(self._inside(value)))

    def add(self, history: History) -> bool:
        """Whether the value is in a history; adds its locations to those found."""
        output = history.output
        counts = matches_text(history.value, self._text)
        for origin in history.origins if counts else ():
            location = FoundValue(output, history.path, history.value, origin, True)
            self._found[output, history.path, origin.source] = location
        found = counts
        for event in history.events:
            for inside in self._inside(event.value):
                found = True
                path = (*event.path, *inside)
                source = event.origin.source if event.origin else str(event.layer)
                location = FoundValue(output, path, walk(event.value, inside), event.origin, False)
                self._found.setdefault((output, path, source), location)
        return found

    @property
    def locations(self) -> list[FoundValue]:
        """The locations found; an origin that wins is not reported again for the output it was forwarded from."""
        counting = {location.origin for location in self._found.values() if location.counts}
        return [location for location in self._found.values() if location.counts or location.origin not in counting]

    def _inside(self, value: Any) -> list[Path]:
        """The paths of the value in another one."""
        if not isinstance(value, (dict, list)):
            return [()] if matches_text(value, self._text) else []
        if id(value) not in self._known:
            paths = [path for path in leaves(value) if matches_text(walk(value, path), self._text)]
            self._known[id(value)] = value, paths
        return self._known[id(value)][1]


def matches_text(value: Any, text: str) -> bool:
    """Whether a value matches a text: the string itself, or the YAML scalar written like it."""
    if isinstance(value, (dict, list)) or value is MISSING:
        return False
    return value == text if isinstance(value, str) else text in (in_brief(value), str(value))


def locations_text(locations: Iterable[FoundValue]) -> Iterator[str]:
    """One line for each location."""
    for location in locations:
        where = location.origin or "made by the program"
        yield f"{location_of(location)}: {where}" + ("" if location.counts else ", overridden")
