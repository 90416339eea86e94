"""`lamina diff` for the targets of a project: at two revisions, or of two fleet manifests."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import click

from lamina.cli.diff import new_notes
from lamina.cli.selected_targets import no_targets
from lamina.errors import Diagnostic, InputError, LaminaError, UsageError
from lamina.project.option_files import check_option_files
from lamina.project.target_differences import TargetChanges, TargetDifferences, as_data
from lamina.views.diff.api import compare
from lamina.views.diff.change import ChangeKind
from lamina.views.diff.edited_lines import EditedLines, rendered_on_record
from lamina.views.diff.match_sources import names_between
from lamina.workspace.idle_edits import edit_effects

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from lamina.cli.selected_targets import SelectedTargets, TargetMessages
    from lamina.project.file_view import FileView
    from lamina.project.target import Target
    from lamina.sources.inputs import Inputs
    from lamina.views.diff.api import Differences
    from lamina.views.diff.edited_lines import ReadSources
    from lamina.views.report.source_links import SourceLinks
    from lamina.views.result import Result

    Links = tuple[SourceLinks, SourceLinks]

    Outcome = TargetChanges | ChangeKind | Literal["absent"] | None
    """The outcome for a target: its changes, none, added or removed as a whole, or on neither side."""


ABSENT: Literal["absent"] = "absent"
_LINES = 2_000
"""Edited lines of all targets that are looked at for whether they have an effect."""
_FEWEST_LINES = 5
"""The least of one target."""


class Side:
    """One side of a comparison: the targets there, and what it is called in messages."""

    def __init__(
        self,
        selected: SelectedTargets,
        view: FileView,
        context: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self.selected = selected
        self.view = view
        self.context = context
        with context():
            self.targets = {target.name: target for target in selected.targets(view, check=False)}


def compared(before: Side, after: Side, *, provenance: bool, messages: TargetMessages) -> TargetDifferences:
    """What changes in which target; one that fails does not stop the others."""
    found = TargetDifferences()
    names = [*after.targets, *(name for name in before.targets if name not in after.targets)]
    before.selected.project.check_selection(before.selected.wanted, names)

    lines = max(_FEWEST_LINES, _LINES // max(1, len(names)))

    def outcome(name: str) -> Outcome:
        return _compared((before, before.targets.get(name)), (after, after.targets.get(name)), provenance, lines)

    absent = 0
    for name, each in zip(names, after.selected.spread("comparing", outcome, names), strict=True):
        if isinstance(each, LaminaError):
            messages.fail(name, each)
            found.add_failed(name, each.diagnostics)
        elif isinstance(each, ChangeKind):
            found.add_target(name, each)
        elif each == ABSENT:
            absent += 1
        else:
            found.add(name, each)
            target = after.targets.get(name) or before.targets[name]
            messages.note(name, (*target.notes, *(each.notes if each is not None else ())))
    if not names:
        raise InputError(no_targets(after.selected.project, after.selected.request["dialect"]))
    if absent == len(names):
        raise UsageError(_nothing_to_compare())
    return found


def _nothing_to_compare() -> Diagnostic:
    return Diagnostic(
        code="no-targets",
        message="neither side of the comparison has targets",
        hint="commit the files of the targets; without a second revision, the files on disk are compared",
    )


def _compared(
    old: tuple[Side, Target | None], new: tuple[Side, Target | None], provenance: bool, lines: int
) -> Outcome:
    there = [target is not None and _has_inputs(side, target) for side, target in (old, new)]
    if not any(there):
        return ABSENT
    if not all(there):
        return ChangeKind.REMOVED if there[0] else ChangeKind.ADDED
    differences = _differences(old, new, provenance)
    if differences is None:
        return None
    return TargetChanges.of(differences, new_notes(differences), edit_effects(differences, lines))


def _has_inputs(side: Side, target: Target) -> bool:
    with side.context():
        return target.gathered(side.view) is not None


def _differences(
    old: tuple[Side, Target | None], new: tuple[Side, Target | None], provenance: bool
) -> Differences | None:
    """What changes in a target; None if everything that was read is the same on both sides."""
    before = _rendered(*old)
    same = new[1] == old[1] and new[0].selected.project is old[0].selected.project
    if same and new[1] is not None and old[0].view.record(new[1].inputs).holds_in(new[0].view):
        return None
    after = _rendered(*new)
    names = names_between(before[1], after[1])
    return compare(before[0], after[0], names, EditedLines(before[2], after[2], names), provenance=provenance)


def _rendered(side: Side, target: Target | None) -> tuple[Result, Inputs, ReadSources]:
    assert target is not None  # it was looked for
    with side.context():
        selected = side.selected.of(target, side.view)
        assert selected is not None  # likewise
        result, sources = rendered_on_record(
            selected.inputs, lambda inputs: replace(selected, inputs=inputs).result(whole=True)
        )
        record = side.view.record(target.inputs)
        seen = record.seen
        check_option_files(target, side.view, side.selected.project.view, seen)
        return result, selected.inputs, sources._replace(more=lambda: filter(None, record.read.values()))


def written(
    found: TargetDifferences, form: str, labels: tuple[str, str], links: Links, as_text: Callable[[Any], str]
) -> str:
    """The differences in the form asked for; the labels name the two sides."""
    if form == "json-patch":
        raise click.UsageError("--format json-patch works on one result; name inputs, or use --format json.")
    if form == "html":
        from lamina.views.diff.html import DiffHeading, as_html

        title, system = " → ".join(labels), ", ".join(found.systems)
        return as_html(found, DiffHeading(title=title, system=system, labels=labels, links=links))
    if form == "json":
        from lamina.sources.json.writer import dump

        return dump(as_data(found))
    if form == "markdown":
        from lamina.views.diff.markdown import as_markdown

        return as_markdown(found)
    return as_text(found)
