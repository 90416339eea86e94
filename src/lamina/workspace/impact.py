"""The impact of a change: which targets it reaches, what changes in them, and what is found or no longer found."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lamina.origins import data_or_none
from lamina.project.shared_entries import same_note, shared
from lamina.project.target_differences import TargetDifferences
from lamina.views.diff.change import with_own_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.errors import Note
    from lamina.project.shared_entries import SharedEntry
    from lamina.views.diff.grouping import ChangeGroup
    from lamina.views.schemas.changes import ImpactData, ImpactFindingData


@dataclass(eq=False)
class Impact:
    """What an update changed; true when anything did."""

    targets: list[str] = field(default_factory=list)
    """The targets whose result, notes or error changed, in their order; those that went come last."""
    files: list[str] = field(default_factory=list)
    """The files that changed, as paths from the root."""
    rendered: int = 0
    """How many targets were rendered again."""
    differences: TargetDifferences = field(default_factory=TargetDifferences)
    _found: list[tuple[str, Note]] = field(default_factory=list)
    _resolved_notes: list[tuple[str, Note]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.targets)

    @property
    def changes(self) -> Sequence[ChangeGroup]:
        """The changes of values with their causes, each once with the targets it is in (`outputs`)."""
        groups = self.differences.groups
        changes = with_own_values(group.change for group in groups)
        return [replace(group, change=change) for group, change in zip(groups, changes, strict=True)]

    @property
    def findings(self) -> Sequence[SharedEntry[Note]]:
        """The notes and errors that are new, each once with its targets."""
        return shared(self._found, same_note)

    @property
    def findings_by_file(self) -> dict[str, list[SharedEntry[Note]]]:
        """The same by the file that each is in; of those in no file, the empty name."""
        found: dict[str, list[SharedEntry[Note]]] = {}
        for each in self.findings:
            found.setdefault(each.entry.at.source if each.entry.at else "", []).append(each)
        return found

    @property
    def resolved(self) -> Sequence[SharedEntry[Note]]:
        """The notes and errors that are gone, each once with its targets."""
        return shared(self._resolved_notes, same_note)

    def add_findings(self, target: str, before: Sequence[Note], after: Sequence[Note]) -> bool:
        """Add what is found of a target now and was not before, and the reverse; whether there is any."""
        if tuple(before) == tuple(after):
            return False
        old, new = ({str(note): note for note in notes} for notes in (before, after))
        self._found += [(target, note) for text, note in new.items() if text not in old]
        self._resolved_notes += [(target, note) for text, note in old.items() if text not in new]
        return old.keys() != new.keys()

    def as_data(self) -> ImpactData:
        """The impact as plain data; its form is versioned."""
        from lamina.project.target_differences import as_data

        return {
            "version": 1,
            "files": self.files,
            "targets": self.targets,
            "changes": deepcopy(as_data(self.differences)["changes"]),
            "findings": [_note_data(each) for each in self.findings],
            "resolved": [_note_data(each) for each in self.resolved],
        }


def _note_data(entry: SharedEntry[Note]) -> ImpactFindingData:
    note = entry.entry
    return {
        "code": note.code,
        "severity": note.severity.word,
        "message": note.message,
        "at": data_or_none(note.at),
        "targets": entry.targets,
    }
