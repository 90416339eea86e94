"""Outputs: which output of one result corresponds to which of the other, and what changed in each.

Outputs belong together when they have the same name; where there is only one on each side, whatever it is called. The
entries of a result that is a table by name count as outputs. What one side could not render is a failure, no change.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.budget import check_shown
from lamina.engine.provenance import first_origin, layer_of, source_nodes_behind, source_nodes_of
from lamina.engine.secrecy import is_secret
from lamina.paths import MISSING
from lamina.sources.caseless_keys import CaselessKey, as_written, with_case
from lamina.views.diff.align_lists import Alignment, match
from lamina.views.diff.attribution import Attribution, Errors, edited_places
from lamina.views.diff.change import Cause, Change, ChangeKind, How
from lamina.views.diff.failures import FailedOutputs
from lamina.views.diff.layer_claims import LayerClaims
from lamina.views.diff.provenance import moved_origins

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina._support.progress import Counting
    from lamina.engine.node import Node
    from lamina.views.diff.compare_values import Comparer
    from lamina.views.diff.edited_lines import EditedLines
    from lamina.views.diff.failures import Failure
    from lamina.views.diff.match_sources import SourceNames
    from lamina.views.diff.value_ids import Numbering
    from lamina.views.result import Result


class Unit(NamedTuple):
    """One output, or one entry of a table of them; without a name where there is only one."""

    name: str | None
    node: Node

    @property
    def value(self) -> Any:
        return None if self.node.value is MISSING else self.node.value


def is_many(rendered: Result) -> bool:
    """Whether a result holds several things, each with a name."""
    return rendered.spec.shape != "one"


def units(rendered: Result) -> list[Unit]:
    """What a result holds."""
    if rendered.many:
        return [Unit(folded.output.name, folded.node) for folded in rendered.outputs]
    nodes = [folded.node for folded in rendered.outputs[:1]]
    if is_many(rendered):
        return [Unit(str(key), node.child(key)) for node in nodes for key in node.value or ()]
    return [Unit(None, node) for node in nodes]


def matched(before: list[Unit], after: list[Unit]) -> Alignment:
    """The outputs of two results, side by side."""
    return match([unit.name for unit in before], [unit.name for unit in after])


class Outputs:
    """Two results, compared output by output."""

    def __init__(
        self, before: Result, after: Result, names: tuple[SourceNames, SourceNames], edits: EditedLines
    ) -> None:
        self._units = old, new = units(before), units(after)
        self._alignment = alignment = matched(old, new)
        pairs = sorted([*alignment.kept, *alignment.moved]) if alignment.moved else alignment.kept
        self._differing = [(one, other) for one, other in pairs if old[one].node is not new[other].node]
        """Those on both sides that are not the very same."""
        self._names = names
        self._edits = edits
        self._errors = Errors(before, after, names)
        known = [unit.name for unit in (*old, *new)]
        self._failed = FailedOutputs(before, known, 0), FailedOutputs(after, known, 1)
        self._hides_secrets = after.hides_secrets
        self._caseless = after.spec.key_type is not None

    def check(self) -> None:
        """Reject results that are too large to be compared value by value."""
        before, after = self._units
        old_values = [before[one].value for one in (*(one for one, _ in self._differing), *self._alignment.removed)]
        new_values = [
            after[other].value for other in (*(other for _, other in self._differing), *self._alignment.added)
        ]
        check_shown(old_values, new_values)

    def changes(
        self, comparer: Comparer, numbering: Numbering, *, provenance: bool, counting: Counting
    ) -> Iterator[Change]:
        """All changes: removed outputs, those that differ, and added ones."""
        before, after = self._units
        for one in self._alignment.removed:
            if not self._is_unrendered(before[one], 1):
                yield self._whole_output(before[one], ChangeKind.REMOVED)
        for one, other in counting(self._differing):
            old, new = before[one], after[other]
            sides = self._claims(old, 0, numbering), self._claims(new, 1, numbering)
            attribution = Attribution(*sides, self._errors, lambda: self._edited_places)
            for change in comparer.changes(old.value, new.value):
                if self._is_failure(change, new.name):
                    continue
                yield self._shown(change, attribution.causes(change), sides, new.name)
            if provenance:
                for change in moved_origins(old.node, new.node, comparer, self._names):
                    yield self._shown(change, change.causes, sides, new.name)
        for other in self._alignment.added:
            if not self._is_unrendered(after[other], 0):
                yield self._whole_output(after[other], ChangeKind.ADDED)

    def _claims(self, unit: Unit, side: int, numbering: Numbering) -> LayerClaims:
        return LayerClaims(unit.node, self._names[side], numbering, self._edits, side)

    @property
    def failures(self) -> tuple[Failure, ...]:
        """What could not be compared."""
        return (*self._failed[0], *self._failed[1])

    def _is_unrendered(self, unit: Unit, side: int) -> bool:
        """Whether an output is missing on a side because that failed, or could not read one of its files."""
        failed = self._failed[side]

        def sources() -> set[str]:
            return {self._names[1 - side].of(each.origin().source) for each in source_nodes_behind(unit.node)}

        return failed.holds(unit.name) or failed.lacks(unit.name, sources, self._names[side])

    def _is_failure(self, change: Change, output: str | None) -> bool:
        """Whether a member is on one side only because the other could not render it."""
        if len(change.path) != 1 or change.kind not in (ChangeKind.ADDED, ChangeKind.REMOVED):
            return False
        return self._failed[change.kind is ChangeKind.REMOVED].holds(output, change.path[0])

    def _shown(
        self, change: Change, causes: tuple[Cause, ...], sides: tuple[LayerClaims, LayerClaims], output: str | None
    ) -> Change:
        """The change with its causes and the output it is in, fit to be shown."""
        old, new = sides
        secret = self._hides_secrets and (
            (change.before is not MISSING and is_secret(old.node(change.at_before)))
            or (change.after is not MISSING and is_secret(new.node(change.at_after)))
        )
        shown = replace(change, output=output, causes=causes, secret=secret)
        if not self._caseless:
            return shown
        at_before, at_after = as_written(old.value, change.at_before), as_written(new.value, change.at_after)
        path = tuple(step.text if isinstance(step, CaselessKey) else step for step in change.path)
        return self._with_case(replace(shown, path=path, at_before=at_before, at_after=at_after))

    def _whole_output(self, unit: Unit, kind: ChangeKind) -> Change:
        """The change for an added or removed output."""
        is_added = kind is ChangeKind.ADDED
        parts = ((self._edits.in_extent(is_added, each), each.layer) for each in source_nodes_of(unit.node))
        how = How.SET if is_added else How.NO_LONGER_SET
        edited = (
            Cause(how, origin, layer)
            for origin, layer in parts
            if origin is not None and self._edits.of(is_added, origin.source) is not None
        )
        unedited = Cause(how, first_origin(unit.node), layer_of(unit.node))
        cause = next(edited, None) or next(iter(self._edited_places), unedited)
        return self._with_case(
            Change(
                kind=kind,
                path=(),
                at_before=(),
                at_after=(),
                before=unit.value if kind is ChangeKind.REMOVED else MISSING,
                after=unit.value if kind is ChangeKind.ADDED else MISSING,
                output=unit.name,
                causes=(cause,) if cause.origin else (),
                secret=self._hides_secrets and is_secret(unit.node),
            )
        )

    @cached_property
    def _edited_places(self) -> Sequence[Cause]:
        """The lines that were edited, whatever they do."""
        return list(edited_places(self._edits))

    def _with_case(self, change: Change) -> Change:
        """The change with plain keys, where the dialect's own have no case."""
        if not self._caseless:
            return change
        return replace(change, before=with_case(change.before), after=with_case(change.after))
