"""Whose defect an exception is: that of a plug-in, if its code was running, else that of Lamina."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

_GROUPS = "lamina."
"""What the names of all entry-point groups for plug-ins start with."""
_RENDERING = "while rendering by the dialect "
"""The start of the note that an exception gets from a dialect that does not come with Lamina."""


class Defect(NamedTuple):
    """An exception as a message and a hint."""

    message: str
    hint: str


def note_dialect(error: Exception, name: str) -> None:
    """Add to an exception that it came up with a plug-in, whose code may not have been running any more."""
    error.add_note(_RENDERING + name)


def defect_of(error: BaseException) -> Defect:
    """What to say of an exception that nobody raised on purpose."""
    raised = f"{type(error).__name__}: {error}"
    calls = list(_calls(error.__traceback__))
    plugins = _installed()
    by_plugin = [(name, line) for name, line in calls if _package(name) in plugins]
    if not by_plugin:
        for note in getattr(error, "__notes__", ()):
            if note.startswith(_RENDERING):
                dialect = f"the dialect {note.removeprefix(_RENDERING)}"
                return Defect(f"{dialect} failed: {raised}", f"this is a bug in {dialect}{_OR_LAMINA}")
        return Defect(f"internal error: {raised}", "this is a bug in Lamina")
    module, line = by_plugin[-1]
    inside = _package(calls[-1][0]) == "lamina"  # it may have been called with what it cannot work with
    message = f"the plug-in {plugins[_package(module)]} failed in {module}, line {line}: {raised}"
    return Defect(message, f"this is a bug in the plug-in{_OR_LAMINA if inside else ''}")


_OR_LAMINA = ", or in Lamina"


def _calls(trace: TracebackType | None) -> Iterator[tuple[str, int]]:
    """The module and the line of every call on the way to an exception, the innermost last."""
    while trace is not None:
        yield str(trace.tb_frame.f_globals.get("__name__", "")), trace.tb_lineno
        trace = trace.tb_next


def _installed() -> dict[str, str]:
    """The packages that plug-ins are in, each with the name and release it was installed as."""
    from importlib.metadata import entry_points

    groups: Iterable[str] = entry_points().groups
    points = [point for group in groups if group.startswith(_GROUPS) for point in entry_points(group=group)]
    return {
        _package(point.value): f"{point.dist.name} {point.dist.version}" if point.dist else _package(point.value)
        for point in points
        if _package(point.value) != "lamina"
    }


def _package(name: str) -> str:
    return name.partition(":")[0].partition(".")[0]
