"""The differences of many targets, each change once with the targets it is in."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from lamina.views.diff.change import Change, ChangeKind
from lamina.views.diff.failures import Failure, grouped_failures, reason_data
from lamina.views.diff.grouping import ChangeGroup, change_key, is_whole_output
from lamina.views.diff.phrases import listed
from lamina.views.diff.value_ids import Numbering

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lamina.errors import Note
    from lamina.views.diff.api import Differences
    from lamina.views.diff.failures import FailureGroup
    from lamina.views.diff.idle_edits import EditEffects, IdleEdit
    from lamina.views.schemas.changes import DiffData


@dataclass(frozen=True, slots=True, eq=False)
class TargetChanges:
    """The differences of one target without the results, so that they can come from another process."""

    noun: str
    groups: Sequence[ChangeGroup]
    failures: Sequence[Failure]
    unused: tuple[int, int]
    system: str
    """The name of the system, such as Deckhand."""
    notes: Sequence[Note] = ()
    """The notes on the comparison."""
    effects: EditEffects | None = None
    """Which edits have no effect, if that was looked for."""

    @classmethod
    def of(
        cls, differences: Differences, notes: Sequence[Note] = (), effects: EditEffects | None = None
    ) -> TargetChanges:
        system = differences.after.dialect.title
        return cls(differences.noun, differences.groups, differences.failed, differences.unused, system, notes, effects)


@dataclass(eq=False)
class TargetDifferences:
    """The changes from one state of a project to another, target by target; true if there are any."""

    many: bool = True
    noun: str = "target"
    names: list[str] = field(default_factory=list)
    """The targets that were compared."""
    failed: list[tuple[str, Failure]] = field(default_factory=list)
    """What could not be compared, of which target."""
    systems: dict[str, None] = field(default_factory=dict)
    """The names of the systems, such as Deckhand, each once."""
    unused: tuple[int, int] = (0, 0)
    """How many parts could not be merged because of errors, before and after."""
    _found: list[tuple[str, str, Sequence[ChangeGroup]]] = field(default_factory=list)
    _added_or_removed: list[Change] = field(default_factory=list)
    _effects: list[EditEffects] = field(default_factory=list)

    def add(self, target: str, changes: TargetChanges | None) -> None:
        """Add the changes of a target; None if it is known to be the same."""
        self.names.append(target)
        if changes is not None:
            self._found.append((target, changes.noun, changes.groups))
            self.failed += [(target, each) for each in changes.failures]
            self._effects += [changes.effects] if changes.effects else []
            self.systems.setdefault(changes.system)
            before, after = self.unused
            self.unused = before + changes.unused[0], after + changes.unused[1]

    def add_target(self, target: str, kind: ChangeKind) -> None:
        """Add a target that was added or removed."""
        self._added_or_removed.append(Change(kind=kind, path=(), at_before=(), at_after=(), output=target))

    def add_failed(self, target: str, findings: Iterable[Note]) -> None:
        """Add a target that one side could not render."""
        self.failed += [(target, Failure(None, "", None, finding)) for finding in findings]

    @cached_property
    def idle(self) -> Sequence[IdleEdit]:
        """Edits without effect in any target; where one could not be rendered, nobody knows."""
        others = set().union(*(each.others for each in self._effects))
        idle = {
            line: edit for each in reversed(self._effects) for line, edit in each.idle.items() if line not in others
        }
        return () if self.failed else tuple(idle.values())

    @cached_property
    def failures(self) -> Sequence[FailureGroup]:
        """What could not be compared, each reason once with the targets."""
        groups = grouped_failures(
            Failure(target, _failed_part(failure), failure.side, failure.note) for target, failure in self.failed
        )
        for group in groups:
            group.outputs = list(dict.fromkeys(group.outputs))
        return groups

    def __bool__(self) -> bool:
        return bool(self._added_or_removed) or any(groups for _, _, groups in self._found)

    @property
    def outputs(self) -> int:
        """How many targets both sides have."""
        return len(self.names)

    @property
    def touched(self) -> int:
        """How many targets of both sides differ."""
        return sum(bool(groups) for _, _, groups in self._found)

    @property
    def changes(self) -> Sequence[Change]:
        """One change for each group: a change that is in many targets counts once."""
        return [group.change for group in self.groups]

    @cached_property
    def groups(self) -> Sequence[ChangeGroup]:
        """The changes grouped by effect and cause, those in most targets first."""
        found: dict[object, ChangeGroup] = {}
        numbering = Numbering()
        for target, noun, groups in self._found:
            for group in groups:
                key = (tuple(group.outputs), change_key(group.change, numbering))
                known = found.setdefault(
                    key, ChangeGroup(group.change, within=_within(group, noun), parts=group.outputs)
                )
                known.outputs.append(target)
        own = [ChangeGroup(change, [change.output or ""]) for change in self._added_or_removed]
        return [*own, *sorted(found.values(), key=lambda group: -len(group.outputs))]


def _within(group: ChangeGroup, noun: str) -> str:
    """The output inside a target that a change is in; empty if a target has only one."""
    if not group.outputs:
        return ""
    return f"{noun} {group.outputs[0]}" if is_whole_output(group.change) else listed(group.outputs)


def _failed_part(failure: Failure) -> str:
    return ": ".join(filter(None, (failure.output, failure.inside)))


def as_data(differences: TargetDifferences) -> DiffData:
    """The differences as plain data, in a versioned format."""
    from lamina.views.diff.data import change_data

    return {
        "version": 1,
        "targets": differences.names,
        "changes": [
            {**change_data(group.change), "outputs": list(group.parts), "targets": group.outputs}
            for group in differences.groups
        ],
        "failed": sorted({target for target, _ in differences.failed}),
        "failures": [{"targets": group.outputs, **reason_data(group.failure)} for group in differences.failures],
        "without_effect": [edit.as_data() for edit in differences.idle],
    }
