"""Grouping: the same change in several outputs, reported once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lamina.views.diff.change import Change, ChangeKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.views.diff.value_ids import Numbering


@dataclass(slots=True, eq=False)
class ChangeGroup:
    """One change and the outputs it is in; the first of its members stands for all."""

    change: Change
    outputs: list[str] = field(default_factory=list)
    members: list[int] = field(default_factory=list)
    """The numbers of the changes, counted from zero."""


def grouped(changes: Iterable[Change], numbering: Numbering) -> list[ChangeGroup]:
    """The changes by what they do and why, those in most outputs first."""
    groups: dict[object, ChangeGroup] = {}
    for number, change in enumerate(changes):
        whole = change.output if not change.path and change.kind in (ChangeKind.ADDED, ChangeKind.REMOVED) else None
        alike = (
            whole,
            change.kind,
            change.where,
            numbering.of(change.before),
            numbering.of(change.after),
            tuple(map(str, change.causes)),
            (change.at_before[-1:], change.at_after[-1:]) if change.kind is ChangeKind.MOVED else None,
        )
        group = groups.setdefault(alike, ChangeGroup(change))
        group.members.append(number)
        if change.output is not None:
            group.outputs.append(change.output)
    return sorted(groups.values(), key=lambda group: -len(group.outputs))
