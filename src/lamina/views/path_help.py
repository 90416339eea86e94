"""Help with a path without a value: similar paths, and what could not be used."""

from __future__ import annotations

from collections import deque
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from lamina._support import suggestions
from lamina.errors import Diagnostic, Severity
from lamina.paths import MISSING, Path, resolve_path, show, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.views.result import Result

_MAX_VISITED: Final = 200_000
"""How many values are looked at for one that ends with the path asked for."""
_MAX_SUGGESTED: Final = 3
_NAMED: Final = 5


def path_not_found(result: Result, path: Path) -> Diagnostic:
    """The finding for a path that no layer sets, or that is missing in a result because of errors."""
    errors = [(note.message, note.at) for note in result.notes if note.severity >= Severity.ERROR and note.at]
    message = f"{show(path)} is not in the result, which is incomplete because of errors"
    return Diagnostic(
        code="no-such-path",
        message=message if errors else f"no layer sets {show(path)}",
        related=tuple(list(dict.fromkeys(errors))[:_NAMED]),
        hint=_hint(result, result.forms_of(path)[-1]),
    )


def _hint(result: Result, path: Path) -> str:
    found = list(_ending_with(result.plain, path)) if path else []
    if found:
        shown = " or ".join(show(each) for each in found[:_MAX_SUGGESTED])
        more = ", or elsewhere" if len(found) > _MAX_SUGGESTED else ""
        return f"did you mean {shown}{more}?{_one_output(result, found[0])}"
    for end in range(len(path), 0, -1):
        parent = walk(result.plain, resolve_path(path[: end - 1], result.plain))
        if parent is MISSING:
            continue
        near = _nearest(path[end - 1], parent) if isinstance(parent, dict) else None
        if near is not None:
            return f"did you mean {show((*path[: end - 1], near))}?"
        if end == 1 and result.many:
            return f"start with a position: {_numbered(result)}{_one_output(result, ())}"
        return _known_keys(parent, path[: end - 1])
    return "the result is empty; lamina plan shows what was read"


def _ending_with(value: Any, path: Path) -> Iterator[Path]:
    """The paths of values that end with the steps asked for, the shortest first, and a few at most."""
    waiting: deque[tuple[Path, Any]] = deque([((), value)])
    visited = found = 0
    while waiting and visited < _MAX_VISITED and found <= _MAX_SUGGESTED:
        at, inner = waiting.popleft()
        visited += 1
        if at and walk(inner, resolve_path(path, inner)) is not MISSING:
            found += 1
            yield (*at, *resolve_path(path, inner))
        children = inner.items() if isinstance(inner, dict) else enumerate(inner) if isinstance(inner, list) else ()
        waiting.extend(((*at, key), child) for key, child in children if isinstance(child, (dict, list)))


def _one_output(result: Result, path: Path) -> str:
    """How one of many outputs is singled out, where the dialect has an option for it."""
    noun = result.spec.noun
    flag = next((each.metadata.get("flag") for each in fields(result.options) if each.name == noun), None)
    if not result.many or flag is None:
        return ""
    name = result.outputs[path[0]].output.name if path and type(path[0]) is int else "NAME"
    rest = f", and then {show(path[1:])}" if len(path) > 1 else ""
    return f" {flag} {name} selects one {noun}{rest}" if path else f"; {flag} {name} selects one {noun}"


def _numbered(result: Result) -> str:
    """The outputs with the positions that paths name them by, the first of many."""
    outputs = result.outputs
    listed = ", ".join(f"[{at}] is {folded.output.name}" for at, folded in enumerate(outputs[:_NAMED]))
    return listed + (", …" if len(outputs) > _NAMED else "")


def _nearest(key: Any, known: dict[Any, Any]) -> Any:
    by_text = {str(each): each for each in known}
    near = suggestions.nearest(key, by_text)
    return None if near is None else by_text[near]


def _known_keys(parent: Any, path: Path) -> str:
    where = show(path) if path else "the result"
    if isinstance(parent, dict):
        keys = [str(key) for key in parent]
        listed = ", ".join(keys[:8]) + (", …" if len(keys) > 8 else "")
        return f"{where} has the keys {listed}" if keys else f"{where} is empty"
    if isinstance(parent, list):
        count = len(parent)
        ends = f", from {show((*path, 0))} to {show((*path, count - 1))}" if count else ""
        return f"{where} has {count} {'item' if count == 1 else 'items'}{ends}"
    return f"{where} is neither a mapping nor a list, so nothing is inside it"
