"""`lamina diff` for the targets of a project: at two revisions, or of two fleet manifests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lamina._support.escapes import text_of
from lamina.cli.diff import new_notes
from lamina.cli.spinner import patience
from lamina.errors import LaminaError
from lamina.project.option_files import check_option_files
from lamina.project.target_differences import TargetDifferences, as_data
from lamina.views.diff.api import compare
from lamina.views.diff.change import ChangeKind
from lamina.views.diff.match_sources import names_between
from lamina.views.diff.phrases import count, listed

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from lamina.cli.asked_targets import AskedTargets, Spoken
    from lamina.project.file_view import FileView
    from lamina.project.target import Target
    from lamina.sources.inputs import Inputs
    from lamina.views.diff.api import Differences
    from lamina.views.result import Result


class Side:
    """One side of a comparison: the targets there, and what it is called in messages."""

    def __init__(
        self,
        asked: AskedTargets,
        view: FileView,
        about: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self.asked = asked
        self.view = view
        self.about = about
        with about():
            self.targets = {target.name: target for target in asked.targets(view, check=False)}


def compared(before: Side, after: Side, *, provenance: bool, spoken: Spoken) -> TargetDifferences:
    """What changes in which target; one that fails does not stop the others."""
    found = TargetDifferences()
    names = [*after.targets, *(name for name in before.targets if name not in after.targets)]
    before.asked.project.check_selection(before.asked.wanted, names)
    with patience("comparing", "target") as counting:
        for name in counting(names):
            old, new = before.targets.get(name), after.targets.get(name)
            try:
                _add(found, name, (before, old), (after, new), provenance=provenance, spoken=spoken)
            except LaminaError as error:
                spoken.fail(name, error)
                found.failed += [(name, finding) for finding in error.diagnostics]
    return found


def _add(
    found: TargetDifferences,
    name: str,
    old: tuple[Side, Target | None],
    new: tuple[Side, Target | None],
    *,
    provenance: bool,
    spoken: Spoken,
) -> None:
    there = [target is not None and _has_inputs(side, target) for side, target in (old, new)]
    if not any(there):
        return
    if there[0] and there[1]:
        differences = _differences(old, new, provenance)
        found.add(name, differences)
        if differences is not None:
            spoken.note(name, new_notes(differences))
    else:
        found.add_whole(name, ChangeKind.REMOVED if there[0] else ChangeKind.ADDED)


def _has_inputs(side: Side, target: Target) -> bool:
    with side.about():
        return target.gathered(side.view) is not None


def _differences(
    old: tuple[Side, Target | None], new: tuple[Side, Target | None], provenance: bool
) -> Differences | None:
    """What changes in a target; None if everything that was read is the same on both sides."""
    before = _rendered(*old)
    same = new[1] == old[1] and new[0].asked.project is old[0].asked.project
    if same and new[1] is not None and old[0].view.record(new[1].inputs).holds_in(new[0].view):
        return None
    after = _rendered(*new)
    return compare(before[0], after[0], names_between(before[1], after[1]), provenance=provenance)


def _rendered(side: Side, target: Target | None) -> tuple[Result, Inputs]:
    assert target is not None  # it was looked for
    with side.about():
        asked = side.asked.of(target, side.view)
        assert asked is not None  # likewise
        result = asked.result(whole=True)
        seen = side.view.record(target.inputs).seen
        check_option_files(target, side.view, side.asked.project.view, seen)
        return result, asked.inputs


def written(found: TargetDifferences, form: str, for_people: Callable[[Any], str]) -> str:
    """The differences in the form asked for."""
    if form == "json-patch":
        raise click.UsageError("--format json-patch works on one result; name inputs, or use --format json.")
    if form == "html":
        raise click.UsageError("--format html works on one result; name inputs, or use --format markdown.")
    if form == "json":
        from lamina.sources.json.writer import dump

        return dump(as_data(found))
    failed = list(dict.fromkeys(target for target, _ in found.failed))
    said = f"{count(len(failed), 'target')} could not be compared: {listed(failed)}" if failed else ""
    if form == "markdown":
        from lamina.views.diff.markdown import as_markdown, code

        return (as_markdown(found) if found or not said else "") + (f"\n{code(said)}\n" if said else "")
    return (for_people(found) if found or not said else "") + (text_of([said]) if said else "")
