"""Entries that many targets share, as one entry with the list of targets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from lamina.errors import causes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from lamina.errors import Note

Entry = TypeVar("Entry")

_NAMED = 8
"""How many targets of an entry are named."""


@dataclass(slots=True, eq=False)
class SharedEntry(Generic[Entry]):
    """An entry and the targets it applies to; the first of equal ones represents all."""

    entry: Entry
    targets: list[str] = field(default_factory=list)


def shared(
    entries: Iterable[tuple[str, Entry]], alike: Callable[[Entry], Hashable] = lambda entry: entry
) -> list[SharedEntry[Entry]]:
    """Entries with their targets, equal ones grouped, in the order of their first occurrence."""
    found: dict[Hashable, SharedEntry[Entry]] = {}
    for target, entry in entries:
        group = found.setdefault(alike(entry), SharedEntry(entry))
        if not group.targets or group.targets[-1] != target:
            group.targets.append(target)
    return list(found.values())


def same_note(note: Note) -> Hashable:
    """The key by which notes of several targets are equal: all but the position of the output in the result."""
    return note.code, note.message, note.at, note.related, note.hint, note.severity


def causes(groups: Sequence[SharedEntry[Note]]) -> list[SharedEntry[Note]]:
    """The notes that follow from no other among them, each with what follows from it."""
    shown = causes_of([group.entry for group in groups])
    return [SharedEntry(note, groups[position].targets) for position, note in shown.items()]


def in_targets(names: Sequence[str], total: int) -> str:
    """Targets as text: all of them, or the first ones by name."""
    if len(names) == total > 1:
        return f"all {total:,} targets"
    shown = ", ".join(names[:_NAMED])
    return f"{shown} and {len(names) - _NAMED:,} more" if len(names) > _NAMED else shown
