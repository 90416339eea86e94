"""Search for a value: all paths and origins that set it, whether or not they win."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.errors import Diagnostic, UsageError
from lamina.paths import MISSING, leaves, walk
from lamina.views.explain import in_brief

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.engine.history import History
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.views.result import Result


class ValueLocation(NamedTuple):
    """A location where the value is set."""

    path: Path
    origin: Origin | None
    counts: bool
    """Whether the result has it at this path."""


class FoundValue(NamedTuple):
    """A location where a value or a key is set, with the value."""

    path: Path
    value: Any
    origin: Origin | None
    counts: bool

    def __hash__(self) -> int:
        return hash((self.path, repr(self.value), self.origin, self.counts))


def values_found(result: Result, text: str) -> Iterator[FoundValue]:
    """The locations where a value is set, and those of a key: the values of the result below it."""
    search = _ValueSearch(text)
    named: dict[Path, FoundValue] = {}
    for history in result.explain_all():
        search.add(history)
        if any(str(step) == text for step in history.path if not isinstance(step, int)):
            origin = history.origins[0] if history.origins else None
            named[history.path] = FoundValue(history.path, history.value, origin, True)
    for location in search.locations:
        if location.path not in named:
            yield FoundValue(location.path, text, location.origin, location.counts)
    yield from named.values()


def find_value(result: Result, text: str) -> tuple[list[ValueLocation], list[History]]:
    """The locations where a value is set, and the histories in which they were found."""
    search = _ValueSearch(text)
    histories = [history for history in result.explain_all() if search.add(history)]
    if not histories:
        hint = "a value is written as in YAML (8080, true, text); lamina explain --all shows every value"
        raise UsageError(Diagnostic(code="no-such-value", message=f"no layer sets the value {text}", hint=hint))
    return search.locations, histories


class _ValueSearch:
    """Searches histories one after the other; a collection that several of them share is searched once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[int, tuple[Any, list[Path]]] = {}
        self.found: dict[tuple[Path, str], ValueLocation] = {}

    def add(self, history: History) -> bool:
        """Whether the value is in a history; adds its locations to those found."""
        counts = matches_text(history.value, self._text)
        for origin in history.origins if counts else ():
            self.found[history.path, origin.source] = ValueLocation(history.path, origin, True)
        found = counts
        for event in history.events:
            for inside in self._inside(event.value):
                found = True
                path = (*event.path, *inside)
                source = event.origin.source if event.origin else str(event.layer)
                self.found.setdefault((path, source), ValueLocation(path, event.origin, False))
        return found

    @property
    def locations(self) -> list[ValueLocation]:
        """The locations found; an origin that wins is not reported again for the output it was forwarded from."""
        counting = {location.origin for location in self.found.values() if location.counts}
        return [location for location in self.found.values() if location.counts or location.origin not in counting]

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


def locations_text(locations: Iterable[ValueLocation]) -> Iterable[str]:
    """One line for each location."""
    from lamina.paths import show

    for location in locations:
        where = location.origin or "made by the program"
        yield f"{show(location.path)}: {where}" + ("" if location.counts else ", overridden")
