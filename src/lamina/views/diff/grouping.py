"""Grouping: the same change in several outputs, reported once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from lamina.views.diff.change import Change, ChangeKind

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from lamina.views.diff.failures import FailureGroup
    from lamina.views.diff.idle_edits import IdleEdit
    from lamina.views.diff.value_ids import Numbering


@dataclass(slots=True, eq=False)
class ChangeGroup:
    """One change and the outputs it is in; the first of its members represents all."""

    change: Change
    outputs: list[str] = field(default_factory=list)
    members: list[int] = field(default_factory=list)
    """The numbers of the changes, counted from zero."""
    within: str | None = None
    """If outputs are targets of a project: the part of the target that changes, such as a document."""
    parts: Sequence[str] = ()
    """Likewise: the outputs of the target that it changes."""

    @property
    def is_whole_output(self) -> bool:
        """Whether a whole output was added or removed."""
        return self.within is None and is_whole_output(self.change)


class ShownDifferences(Protocol):
    """What text, tables and Markdown show: the changes between two results, or those of many targets."""

    @property
    def changes(self) -> Sequence[Change]: ...
    @property
    def groups(self) -> Sequence[ChangeGroup]: ...
    @property
    def failures(self) -> Sequence[FailureGroup]: ...
    @property
    def idle(self) -> Sequence[IdleEdit]: ...
    @property
    def many(self) -> bool: ...
    @property
    def noun(self) -> str: ...
    @property
    def outputs(self) -> int: ...
    @property
    def touched(self) -> int: ...
    @property
    def unused(self) -> tuple[int, int]: ...


def is_whole_output(change: Change) -> bool:
    """Whether a whole output was added or removed."""
    return change.output is not None and not change.path and change.kind in (ChangeKind.ADDED, ChangeKind.REMOVED)


def grouped(changes: Iterable[Change], numbering: Numbering) -> list[ChangeGroup]:
    """The changes grouped by effect and cause, those in most outputs first."""
    groups: dict[object, ChangeGroup] = {}
    changes = list(changes)
    if len(changes) == 1:
        only = changes[0]
        return [ChangeGroup(only, [] if only.output is None else [only.output], [0])]
    for number, change in enumerate(changes):
        whole_output = (
            change.output if not change.path and change.kind in (ChangeKind.ADDED, ChangeKind.REMOVED) else None
        )
        group = groups.setdefault((whole_output, change_key(change, numbering)), ChangeGroup(change))
        group.members.append(number)
        if change.output is not None:
            group.outputs.append(change.output)
    return sorted(groups.values(), key=lambda group: -len(group.outputs))


def change_key(change: Change, numbering: Numbering) -> Hashable:
    """The effect and the causes of a change, independent of the output."""
    return (
        change.kind,
        change.where,
        numbering.of(change.before),
        numbering.of(change.after),
        tuple(map(str, change.causes)),
        (change.at_before[-1:], change.at_after[-1:]) if change.kind is ChangeKind.MOVED else None,
    )
