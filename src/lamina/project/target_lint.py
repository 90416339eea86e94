"""Linting all targets of a project: each finding once, with the targets it holds for.

What a rule says of a layer as a whole (that nothing uses a value of it) is right only if it holds for every target that
has the layer: a file that several targets share is judged over all of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lamina.dialects import registry as dialects
from lamina.dialects.extensions import whole_scope
from lamina.errors import LaminaError
from lamina.project.shared_entries import in_targets, same_note, shared
from lamina.views.lint.api import Linted, check_codes, file_order, lint_with
from lamina.views.lint.rules import rules_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from lamina.dialects.base import Dialect
    from lamina.errors import Note
    from lamina.project.project_file import LintSettings
    from lamina.project.shared_entries import SharedEntry
    from lamina.project.target import Target
    from lamina.sources.inputs import Inputs
    from lamina.views.lint.rule import LintRule
    from lamina.views.lint.selection import Selection

    Asked = Callable[[Target], tuple[Dialect[Any], Inputs, Any]]
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
    asked: Asked,
    selection: Selection,
    settings: LintSettings,
    spread: Spread = one_by_one,
    *,
    complete: bool = True,
) -> Linted:
    """The findings of all targets; `asked` gives the dialect, the inputs and the options of one.

    `spread` gives what a function makes of each item, or the error it raises, in their order; in several processes, if
    so it was asked.

    `complete` says that no target of the project was left out. Of a part, as of one target alone, what is unused in it
    is not reported: another target may use it.
    """
    if all(target.dialect in dialects.BUILT_IN for target in targets):
        check_codes((*selection.select, *selection.ignore, *settings.severity))
    many = complete and len(targets) > 1
    together = list(linted_together(targets))
    outcomes = spread(lambda each: _linted(each[1], asked, selection, many=many), together)
    runs = [(names, _with_errors(outcome)) for (names, _), outcome in zip(together, outcomes, strict=True)]
    selected = {target.name: _selected(target) for target in targets}
    entries = [
        (name, note) for names, linted in runs for note in linted.findings for name in _concerned(names, note, selected)
    ]
    used = dict.fromkeys(target.dialect for target in targets)
    rules = {rule.code: rule for name in used for rule in rules_for(dialects.find(name))}
    readers = _readers(runs)
    found: dict[Note, tuple[str, ...]] = {}
    for group in shared(entries, same_note):
        where = readers.get(group.entry.at.source, ()) if group.entry.at else tuple(each.name for each in targets)
        if _holds(group, where, rules):
            found[_worded(group, where, settings)] = tuple(group.targets)
    return Linted(tuple(sorted(found, key=file_order)), tuple(rules.values()), frozenset(readers), found)


def _selected(target: Target) -> str | None:
    """What its options select of the nodes in its inputs."""
    options = target.options.items() if target.common is not None else ()
    return next((str(value) for name, value in options if name not in (target.common or {})), None)


def _concerned(names: Sequence[str], note: Note, selected: Mapping[str, str | None]) -> Sequence[str]:
    """The targets that a finding is about: where no file says so, the one it is about may be known by its node."""
    one = [name for name in names if note.at is None and note.subject is not None and selected[name] == note.subject]
    return one or names


def linted_together(targets: Sequence[Target]) -> Iterator[Group]:
    """The targets one by one; the nodes of one folder together, as a whole that has rules of its own."""
    alone: dict[object, list[Target]] = {}
    for target in targets:
        key = target.name if target.common is None else (target.dialect, target.inputs, repr(target.common))
        alone.setdefault(key, []).append(target)
    for same in alone.values():
        first = same[0]
        if first.common is not None and _has_whole(first):
            yield tuple(each.name for each in same), replace(first, options=first.common)
        else:
            yield from (((each.name,), each) for each in same)


def _has_whole(target: Target) -> bool:
    chosen = dialects.find(target.dialect)
    return whole_scope(chosen, dialects.make_options(chosen, target.common or {})) is not None


def _linted(target: Target, asked: Asked, selection: Selection, *, many: bool) -> Linted:
    # Rules hold functions, which cannot travel between processes; all targets of a dialect have the same ones.
    return replace(lint_with(*asked(target), selection, one_of_many=many), rules=())


def _with_errors(outcome: Linted | LaminaError) -> Linted:
    """What was found; what kept a target from being linted is a finding too."""
    return Linted(outcome.diagnostics, ()) if isinstance(outcome, LaminaError) else outcome


def _readers(runs: Sequence[tuple[tuple[str, ...], Linted]]) -> dict[str, tuple[str, ...]]:
    """The targets that read each file."""
    readers: dict[str, list[str]] = {}
    for names, linted in runs:
        for source in linted.sources:
            readers.setdefault(source, []).extend(names)
    return {source: tuple(names) for source, names in readers.items()}


def _holds(group: SharedEntry[Note], readers: Sequence[str], rules: dict[str, LintRule]) -> bool:
    """Whether a finding is right for the project: one about a whole layer must hold for all that have the layer."""
    rule = rules.get(group.entry.code)
    return rule is None or not rule.of_all or set(readers) <= set(group.targets)


def _worded(group: SharedEntry[Note], readers: Sequence[str], settings: LintSettings) -> Note:
    """A finding with the severity the project gives it, and with its targets where the file does not say which."""
    note = settings.weighed(group.entry)
    if set(group.targets) == set(readers):
        return note
    return replace(note, message=f"{note.message} (in {in_targets(group.targets, len(group.targets) + 1)})")
