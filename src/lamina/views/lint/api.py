"""The public API for linting."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina._support import suggestions
from lamina._support.progress import unwatched
from lamina.budget import check_shown
from lamina.dialects import registry as dialects
from lamina.errors import Diagnostic, InputError, MergeError, Severity, UsageError, causes_of
from lamina.protocol.extensions import complete_scope
from lamina.run import Run
from lamina.views.compat_check import CODE as COMPAT
from lamina.views.compat_check import compat_notes
from lamina.views.lint.codes import CODES
from lamina.views.lint.collect import findings_of, folded
from lamina.views.lint.context import Survey
from lamina.views.lint.rules import rules_for
from lamina.views.lint.selection import Selection, fits
from lamina.views.lint.suppressions import without_ignored
from lamina.views.lint.tracked_inputs import recorded
from lamina.views.render import chosen_inputs, notes_of, render_with, result_of, run
from lamina.views.unknown import CODE as UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lamina._support.progress import Counting
    from lamina.errors import Note
    from lamina.protocol.dialect import Dialect
    from lamina.protocol.lint import LintRule
    from lamina.session import Session
    from lamina.sources.inputs import Folders, Given, Inputs
    from lamina.views.lint.fixes import PlacedEdit
    from lamina.views.lint.tracked_inputs import Record
    from lamina.views.result import Result


@dataclass(frozen=True, slots=True)
class Linted:
    """The result of linting: the findings, by file and line, and the rules that were checked."""

    findings: tuple[Note, ...]
    rules: tuple[LintRule, ...]
    sources: frozenset[str] = frozenset()
    """The names of all files that were read."""
    targets: Mapping[Note, tuple[str, ...]] | None = None
    """The targets each finding applies to, if many were linted."""
    edits: Mapping[Note, PlacedEdit] | None = None
    """The edits that fix findings, if they were requested."""
    known: int = 0
    """How many findings are omitted because a baseline has them."""

    @property
    def causes(self) -> list[Note]:
        """The findings that follow from no other, each with what follows from it."""
        return [*causes_of(self.findings).values()]


def lint(
    inputs: Iterable[Given] | Given | Inputs,
    dialect: str | Dialect[Any] | None = None,
    compat: str = "program",
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    allow_paths: Folders = (),
    session: Session | None = None,
    **options: Any,
) -> list[Note]:
    """Probable mistakes in layered configuration, by file and line.

    `select` and `ignore` name codes or prefixes of codes. The findings include the notes of rendering, and errors
    if the inputs cannot be rendered.
    """
    chosen, gathered = chosen_inputs(inputs, dialect, allow_paths, options, Run(session))
    resolved = dialects.make_options(chosen, {"compat": compat, **options})
    found = lint_with(chosen, gathered, resolved, Selection(tuple(select), tuple(ignore))).findings
    return [_with_own_values(note) for note in found]


def _with_own_values(note: Note) -> Note:
    """A finding for a caller, who may change the values in its fix."""
    return note if note.fix is None else replace(note, fix=replace(note.fix, effects=deepcopy(note.fix.effects)))


def lint_with(
    chosen: Dialect[Any],
    inputs: Inputs,
    options: Any,
    selection: Selection,
    counting: Counting = unwatched,
    *,
    one_of_many: bool = False,
) -> Linted:
    """Lint by a dialect with its options; if these select nothing in particular, everything.

    `one_of_many` says that this is one target of several, whose findings are assembled afterwards.
    """
    rules, complete_options = rules_for(chosen), complete_scope(chosen, options)
    _check_selection(selection, chosen, rules)
    tracked, record = recorded(inputs)
    wanted = [rule for rule in rules if selection.wants_rule(rule) and not (rule.of_all and complete_options is None)]
    needs_many = [] if one_of_many else [rule for rule in wanted if rule.of_all and not selection.names(rule.code)]
    found = _found(
        chosen,
        tracked,
        options if complete_options is None else complete_options,
        record,
        _WantedRules(wanted, needs_many, counting),
    )
    reported = without_ignored((note for note in found if selection.wants(note.code)), record.source)
    return Linted(tuple(sorted(reported, key=file_order)), rules, frozenset(record.sources))


def _check_selection(selection: Selection, chosen: Dialect[Any], rules: Iterable[LintRule]) -> None:
    """Reject words that fit no code; a dialect that was installed may have more codes than are known here."""
    if chosen.name in dialects.BUILT_IN:
        check_codes((*selection.select, *selection.ignore), rules)


def check_codes(words: Iterable[str], rules: Iterable[LintRule] = ()) -> None:
    """Reject words that are neither a code nor the prefix of one."""
    known = [*(rule.code for rule in rules), *CODES]
    unknown = [word for word in words if not any(fits(code, (word,)) for code in known)]
    if unknown:
        raise UsageError.of(_no_such_rule(word, known) for word in unknown)


def _no_such_rule(word: str, known: Iterable[str]) -> Diagnostic:
    hint = suggestions.did_you_mean(
        word, known, "lamina rule lists the rules; codes of other findings are in the manual"
    )
    return Diagnostic(code="unknown-rule", message=f"there is no lint rule {word!r}", hint=hint)


class _WantedRules(NamedTuple):
    """The selected rules."""

    rules: Sequence[LintRule]
    needs_many: Sequence[LintRule]
    """Those that are not checked for a single target: another target may use what it does not."""
    counting: Counting

    def of(self, result: Result) -> Sequence[LintRule]:
        """The rules for a result: all of them where it has a value for each of many nodes."""
        many = result.spec.shape == "table"
        return self.rules if many else [rule for rule in self.rules if rule not in self.needs_many]


_MOST_VALUES = 10_000_000
"""How many values the results of one call may have; rules look at those that say something."""


def _found(chosen: Dialect[Any], inputs: Inputs, options: Any, record: Record, wanted: _WantedRules) -> Iterable[Note]:
    try:
        work = run(chosen, inputs, options)
    except (InputError, MergeError) as error:
        if any(finding.at is None for finding in error.diagnostics):
            raise
        return error.diagnostics
    record.close()
    faults = [fault for folded in work.results.values() for fault in folded.faults]
    if faults and not work.plan.result.partial:
        # Rules would report everything that was not rendered as unused.
        return folded([*faults, *notes_of(work)])
    survey = Survey(result_of(chosen, options, work), work, inputs, record)
    check_shown(survey.rendered.plain, most=_MOST_VALUES)
    rules = wanted.of(survey.rendered)
    differs = any(rule.code == COMPAT for rule in rules)
    compat = compat_notes(survey.rendered, inputs, render_with) if differs else ()
    notes = map(_without_blame, survey.rendered.notes)
    return findings_of(rules, survey, [*notes, *compat], wanted.counting)


def _without_blame(note: Note) -> Note:
    """A note as a finding: that a value is not known is no mistake in the files."""
    return replace(note, severity=Severity.INFO) if note.code == UNKNOWN else note


def file_order(note: Note) -> tuple[Any, ...]:
    """What findings are sorted by: file, line and column."""
    at = note.at
    return (at is None, at.source if at else "", at.line if at else 0, at.column if at else 0, note.code, note.message)
