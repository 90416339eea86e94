"""Fixes: findings with one safe fix, applied in memory and checked before anything is written.

All fixes of a pass are tried together. If the results are then not exactly what the fixes are meant to give, they are
tried in halves, down to single ones; one that fails alone is not applied, and the reason is kept. What overlaps
another edit waits for the next pass, in which everything is linted again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from lamina.errors import Severity
from lamina.paths import MISSING, show, walk
from lamina.values import same
from lamina.views.lint.text_edits import EditableText

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from lamina.errors import Effect, Fix, Note
    from lamina.paths import Path
    from lamina.sources.source import Source
    from lamina.views.lint.api import Linted
    from lamina.views.lint.text_edits import Edit

PASSES: Final = 10
MAX_TRIALS: Final = 500
"""How often the results are rendered to check fixes."""
_MAX_SHOWN_TRIALS: Final = 50
"""The same where findings are only shown; what would take more is shown without its edit."""
_NOT_CHECKED: Final = "its effect cannot be checked"


class FixOutcome(NamedTuple):
    """What rendering gives: the value of each output of each run, and how many warnings of each code."""

    values: Mapping[tuple[int, str], Any]
    warnings: Counter[str]
    served: frozenset[tuple[int, str]] = frozenset()
    """The changed files that each run read."""


class Runs(Protocol):
    """What is linted, and can be linted and rendered again with some files changed."""

    def linted(self, changed: Mapping[str, bytes]) -> Linted: ...

    def outcome(self, changed: Mapping[str, bytes]) -> FixOutcome: ...


@dataclass(slots=True)
class Fixed:
    """The outcome of fixing: the new content of files, and the remaining findings."""

    remaining: Linted
    before: dict[str, bytes] = field(default_factory=dict)
    after: dict[str, bytes] = field(default_factory=dict)
    applied: list[Note] = field(default_factory=list)
    rejected: dict[tuple[object, ...], tuple[Note, str]] = field(default_factory=dict)
    """Findings whose fix was not applied, with the reason."""


class _FixChange(NamedTuple):
    """One edit, and the findings it is for."""

    edit: Edit
    notes: tuple[Note, ...]

    def effects(self) -> Iterator[Effect]:
        return (effect for note in self.notes if note.fix for effect in note.fix.effects)


def edit_of(note: Note, text: Callable[[str], EditableText | None]) -> Edit | None:
    """The edit that fixes a finding; None if its place cannot be edited."""
    fix: Fix | None = note.fix
    if fix is None or fix.at.part is not None:
        return None
    editable = text(fix.at.source)
    return editable.edit(fix) if editable else None


class PlacedEdit(NamedTuple):
    """An edit by lines and columns, counted from one; columns count characters."""

    title: str
    source: str
    start: tuple[int, int]
    end: tuple[int, int]
    text: str


def with_edits(linted: Linted, runs: Runs, editable: Callable[[str], Source | None]) -> Linted:
    """The findings with the edits that fix them, as far as the first pass of `--fix` would make them."""
    trials = _Trials(runs, Fixed(linted), editable, _MAX_SHOWN_TRIALS)
    return replace(linted, edits=dict(trials.placed()))


def fixed(runs: Runs, editable: Callable[[str], Source | None]) -> Fixed:
    """Apply every safe fix; `editable` gives a file as it is on disk, if it may be changed."""
    report = Fixed(runs.linted({}))
    trials = _Trials(runs, report, editable)
    for _ in range(PASSES):
        if not trials.run_pass():
            break
        report.remaining = runs.linted(report.after)
    return report


class _Trials:
    """The state of one run of fixing."""

    def __init__(
        self, runs: Runs, report: Fixed, editable: Callable[[str], Source | None], trials: int = MAX_TRIALS
    ) -> None:
        self._runs, self._report, self._editable = runs, report, editable
        self._texts: dict[str, EditableText | None] = {}
        self._left = trials

    def placed(self) -> Iterator[tuple[Note, PlacedEdit]]:
        """The changes of a pass that work together, by the findings they are for."""
        for edit, notes in self._working_changes():
            text = self._text(edit.source)
            for note in notes:
                if text is not None and note.fix is not None:
                    span = text.position(edit.start), text.position(edit.end)
                    yield note, PlacedEdit(note.fix.title, edit.source, *span, edit.text)

    def _working_changes(self) -> list[_FixChange]:
        """All changes that work together."""
        changes = list(_without_overlaps(self._changes()))
        return self._accepted(changes, [], self._runs.outcome(self._report.after))[0] if changes else []

    def run_pass(self) -> bool:
        """Apply all changes that work together; returns whether there were any."""
        self._texts = {}
        done = self._working_changes()
        for name in {change.edit.source for change in done}:
            source = self._editable(name)
            if source is not None:
                self._report.before.setdefault(name, source.data)
        self._report.after = self._with(done)
        self._report.applied += [note for change in done for note in change.notes]
        return bool(done)

    def _changes(self) -> list[_FixChange]:
        """The edits of this pass, each with all findings that ask for it."""
        wanted: dict[Edit, list[Note]] = {}
        for note in self._report.remaining.findings:
            if note.fix is not None and _key(note) not in self._report.rejected:
                edit = edit_of(note, self._text)
                if edit is not None:
                    wanted.setdefault(edit, []).append(note)
        return [_FixChange(edit, tuple(notes)) for edit, notes in sorted(wanted.items(), key=lambda each: each[0])]

    def _text(self, name: str) -> EditableText | None:
        if name not in self._texts:
            source = self._editable(name)
            changed = self._report.after.get(name)
            if source is not None and changed is not None:
                source = type(source)(name, changed)
            self._texts[name] = EditableText.of(source) if source is not None else None
        return self._texts[name]

    def _with(self, changes: Iterable[_FixChange]) -> dict[str, bytes]:
        """All changed files, with these edits made to what they are at the start of the pass."""
        edits: dict[str, list[Edit]] = {}
        for change in changes:
            edits.setdefault(change.edit.source, []).append(change.edit)
        files = dict(self._report.after)
        for name, each in edits.items():
            text = self._text(name)
            if text is not None:
                files[name] = text.edited(each)
        return files

    def _accepted(
        self, changes: Sequence[_FixChange], done: list[_FixChange], before: FixOutcome
    ) -> tuple[list[_FixChange], FixOutcome]:
        """The changes made so far with those of these that do what they should, and what rendering gives then."""
        reason: str | None = "there are too many fixes to check; run it again"
        if self._left > 0:
            self._left -= 1
            all_changes = [*done, *changes]
            after = self._runs.outcome(self._with(all_changes))
            reason = _side_effect(before, after, changes)
            if reason is None:
                return all_changes, after
        if len(changes) == 1 or self._left <= 0:
            for note in (note for change in changes for note in change.notes):
                self._report.rejected[_key(note)] = (note, reason or "")
            return done, before
        middle = len(changes) // 2
        done, before = self._accepted(changes[:middle], done, before)
        return self._accepted(changes[middle:], done, before)


def _key(note: Note) -> tuple[object, ...]:
    """Identifies a finding independent of its line."""
    return note.code, note.at.source if note.at else None, note.path, note.message


def _without_overlaps(changes: Iterable[_FixChange]) -> Iterator[_FixChange]:
    """The changes that do not overlap one before them, in the order of files and lines."""
    last: Edit | None = None
    for change in changes:
        edit = change.edit
        if last is None or edit.source != last.source or edit.start > last.end or (edit.start == last.end < edit.end):
            last = edit
            yield change


def _side_effect(before: FixOutcome, after: FixOutcome, changes: Sequence[_FixChange]) -> str | None:
    """Why what rendering gives with the changes is not what they are for; None if it is."""
    if not {change.edit.source for change in changes} <= {source for _, source in after.served}:
        return _NOT_CHECKED
    more = after.warnings - before.warnings
    if more:
        return f"it would add a finding: {min(more)}"
    if before.values.keys() != after.values.keys():
        return "it would change which documents there are"
    effects = [(change.edit.source, effect) for change in changes for effect in change.effects()]
    for (run, output), value in before.values.items():
        found = after.values[run, output]
        expected_effects = [
            effect for source, effect in effects if effect.output == output and (run, source) in after.served
        ]
        wanted = _with_effects(value, found, expected_effects)
        difference = _difference(wanted, found, {effect.path[:-1] for effect in expected_effects})
        if difference is not None:
            what, path = difference
            return f"it would also change {what}{show(path) if path else 'the result'}"
    return None


def _with_effects(value: Any, found: Any, effects: Iterable[Effect]) -> Any:
    """A result as it should be after the fixes."""
    for effect in effects:
        if same(walk(value, effect.path), effect.before):
            value = _replaced(value, effect.path, effect.after if effect.exactly else walk(found, effect.path))
    return value


def _replaced(value: Any, path: Path, new: Any) -> Any:
    """A value with another one at a path, which is removed where that is MISSING."""
    if not path:
        return new
    key, rest = path[0], path[1:]
    if isinstance(value, list):
        return [_replaced(item, rest, new) if index == key else item for index, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    changed = dict(value)
    inner = _replaced(value.get(key, MISSING), rest, new)
    if inner is MISSING:
        changed.pop(key, None)
    else:
        changed[key] = inner
    return changed


def _difference(wanted: Any, found: Any, changed_paths: Collection[Path]) -> tuple[str, Path] | None:
    """What of the first value that is not as wanted; only in mappings that are touched may keys change order."""
    stack: list[tuple[Path, Any, Any]] = [((), wanted, found)]
    while stack:
        path, one, other = stack.pop()
        if one is other:
            continue
        if isinstance(one, dict) and isinstance(other, dict):
            keys = list(one)
            if keys != list(other) and (path not in changed_paths or set(keys) != set(other)):
                differing_keys = sorted(set(keys) ^ set(other), key=repr)
                return ("", (*path, differing_keys[0])) if differing_keys else ("the order of the keys of ", path)
            stack.extend(((*path, key), one[key], other[key]) for key in reversed(keys))
        elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            stack.extend(((*path, at), one[at], other[at]) for at in reversed(range(len(one))))
        elif not same(one, other):
            return "", path
    return None


def outcome_of(run: int, outputs: Iterable[tuple[str, Any]], notes: Iterable[Note]) -> FixOutcome:
    """What one render gives."""
    warnings = Counter(note.code for note in notes if note.severity >= Severity.WARNING)
    return FixOutcome({(run, name): value for name, value in outputs}, warnings)
