"""Linting all targets of a project: each finding once, with the targets it applies to.

What follows from the inputs of a target that were guessed is worth knowing, but no more: it has no fix.

A finding about a whole layer (for example that a value is never used) is right only if it applies to every target that
has the layer, so a file that several targets share is checked over all of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lamina.dialects import registry as dialects
from lamina.errors import LaminaError, Severity
from lamina.project.shared_entries import SharedEntry, in_targets, same_note, shared
from lamina.protocol.extensions import complete_scope
from lamina.views.lint.api import Linted, check_codes, file_order, lint_with
from lamina.views.lint.rules import rules_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from lamina.errors import Note
    from lamina.project.declared import LintSettings
    from lamina.project.target import Target
    from lamina.protocol.dialect import Dialect
    from lamina.protocol.lint import LintRule
    from lamina.sources.inputs import Inputs
    from lamina.views.lint.selection import Selection

    LintRequestOf = Callable[[Target], tuple[Dialect[Any], Inputs, Any]]
    Group = tuple[tuple[str, ...], Target]
    Spread = Callable[[Callable[[Group], Linted], Sequence[Group]], Iterable[Linted | LaminaError]]


def one_by_one(lint: Callable[[Group], Linted], groups: Sequence[Group]) -> Iterator[Linted | LaminaError]:
    """The findings of each group in turn, or the error it raises."""
    for group in groups:
        try:
            yield lint(group)
        except LaminaError as error:
            yield error


def lint_targets(
    targets: Sequence[Target],
    request_of: LintRequestOf,
    selection: Selection,
    settings: LintSettings,
    spread: Spread = one_by_one,
    *,
    complete: bool = True,
) -> Linted:
    """The findings of all targets; `request_of` gives the dialect, the inputs and the options of one.

    `spread` returns the result of a function for each item, or the error it raises, in order; it may use several
    processes.

    `complete` says that all targets of the project are included. Otherwise unused values are not reported: another
    target may use them.
    """
    if all(target.dialect in dialects.BUILT_IN for target in targets):
        check_codes((*selection.select, *selection.ignore, *settings.severity))
    many = complete and len(targets) > 1
    groups = list(lint_groups(targets))
    outcomes = spread(lambda each: _linted(each[1], request_of, selection, many=many), groups)
    if len(targets) == 1:
        return _of_one(targets[0], next(iter(outcomes)), selection, settings)
    runs = [(names, _with_errors(outcome)) for (names, _), outcome in zip(groups, outcomes, strict=True)]
    selected = {target.name: _selected(target) for target in targets}
    entries = [
        (name, note)
        for names, linted in runs
        for note in linted.findings
        for name in _affected_targets(names, note, selected)
    ]
    systems = {target.dialect: target.system for target in targets}
    rules = {rule.code: rule for system in systems.values() for rule in rules_for(system)}
    readers = _readers(runs)
    guesses = {target.name: target.guess for target in targets if target.guess is not None}
    found: dict[Note, tuple[str, ...]] = {
        settings.weighed(note): (name,) for name, note in guesses.items() if selection.wants(note.code)
    }
    for group in shared(entries, same_note):
        where = readers.get(group.entry.at.source, ()) if group.entry.at else tuple(each.name for each in targets)
        if _holds(group, where, rules):
            guess = guesses.get(group.targets[0]) if guesses.keys() >= set(group.targets) else None
            note = _without_fix(group.entry, guess)
            found[_with_targets(SharedEntry(note, group.targets), where, settings)] = tuple(group.targets)
    return Linted(tuple(sorted(found, key=file_order)), tuple(rules.values()), frozenset(readers), found)


def _of_one(target: Target, outcome: Linted | LaminaError, selection: Selection, settings: LintSettings) -> Linted:
    """The findings of the only target there is; what stopped it stops the command."""
    if isinstance(outcome, LaminaError):
        raise outcome
    guess = [target.guess] if target.guess is not None and selection.wants(target.guess.code) else []
    notes = [_without_fix(note, target.guess) for note in outcome.findings]
    findings = tuple(map(settings.weighed, (*guess, *notes)))
    return replace(
        outcome,
        findings=tuple(sorted(findings, key=file_order)),
        rules=tuple(rules_for(target.system)),
        targets=dict.fromkeys(findings, (target.name,)),
    )


def _selected(target: Target) -> str | None:
    """The node that its options select in its inputs."""
    options = target.options.items() if target.common is not None else ()
    return next((str(value) for name, value in options if name not in (target.common or {})), None)


def _affected_targets(names: Sequence[str], note: Note, selected: Mapping[str, str | None]) -> Sequence[str]:
    """The targets that a finding is about: for a finding without a file, the target of its node."""
    one = [name for name in names if note.at is None and note.subject is not None and selected[name] == note.subject]
    return one or names


def lint_groups(targets: Sequence[Target]) -> Iterator[Group]:
    """The targets one by one, but the nodes of one folder as a group, for which there are additional rules."""
    by_key: dict[object, list[Target]] = {}
    for target in targets:
        key = target.name if target.common is None else (target.dialect, target.inputs, repr(target.common))
        by_key.setdefault(key, []).append(target)
    for same in by_key.values():
        first = same[0]
        if first.common is not None and _has_complete_scope(first):
            yield tuple(each.name for each in same), replace(first, options=first.common)
        else:
            yield from (((each.name,), each) for each in same)


def _has_complete_scope(target: Target) -> bool:
    chosen = target.system
    return complete_scope(chosen, dialects.make_options(chosen, target.common or {})) is not None


def _linted(target: Target, request_of: LintRequestOf, selection: Selection, *, many: bool) -> Linted:
    # Rules contain functions, which cannot be pickled; all targets of a dialect have the same rules.
    return replace(lint_with(*request_of(target), selection, one_of_many=many), rules=())


def _with_errors(outcome: Linted | LaminaError) -> Linted:
    """The findings; an error that stopped a target is a finding too."""
    return Linted(outcome.diagnostics, ()) if isinstance(outcome, LaminaError) else outcome


def _readers(runs: Sequence[tuple[tuple[str, ...], Linted]]) -> dict[str, tuple[str, ...]]:
    """The targets that read each file."""
    readers: dict[str, list[str]] = {}
    for names, linted in runs:
        for source in linted.sources:
            readers.setdefault(source, []).extend(names)
    return {source: tuple(names) for source, names in readers.items()}


def _holds(group: SharedEntry[Note], readers: Sequence[str], rules: dict[str, LintRule]) -> bool:
    """Whether a finding is right for the project: one about a whole layer must apply to all targets that have it."""
    rule = rules.get(group.entry.code)
    return rule is None or not rule.of_all or set(readers) <= set(group.targets)


def _without_fix(note: Note, guess: Note | None) -> Note:
    """A finding that rests on a guess, without its fix; others as they are."""
    if guess is None or note.fix is None:
        return note
    hint = f"no fix is offered, since the order of the layers is a guess ({guess.at}); if it is right: {note.hint}"
    return replace(note, fix=None, hint=hint, severity=min(note.severity, Severity.INFO))


def _with_targets(group: SharedEntry[Note], readers: Sequence[str], settings: LintSettings) -> Note:
    """A finding with the project's severity, and with its targets if the file does not tell which."""
    note = settings.weighed(group.entry)
    if set(group.targets) == set(readers):
        return note
    return replace(note, message=f"{note.message} (in {in_targets(group.targets, len(group.targets) + 1)})")
