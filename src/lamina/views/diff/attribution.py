"""Attribution: the layer and line that caused a change.

The first of these that applies; only lines count that were edited:

1. a source that has the new value there, and did not have it before;
2. an error that keeps a source from being used, or did so before;
3. a source that had the old value there, and no longer has it;
4. for what was removed though it is still written: a source that newly sets something there; for what
   was added though it was written before: a source that no longer sets anything there;
5. a rule that was not applied there before, or no longer is;
6. what else the value was made from, such as what it refers to;
7. a rule for something around it;
8. a line that belongs to no layer's values: it decides which layers there are, and how they are merged;
9. what is around the value;
10. anything that was edited.

Sources whose text is not known, such as arguments, count only where no line was edited. Where nothing was edited, the
order of the inputs or an option differs: then it is the origin of the value.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING

from lamina.errors import Severity
from lamina.origins import Origin
from lamina.paths import MISSING
from lamina.views.diff.change import Cause, How

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from lamina.errors import Note
    from lamina.paths import Path
    from lamina.views.diff.change import Change
    from lamina.views.diff.edited_lines import EditedLines
    from lamina.views.diff.layer_claims import LayerClaim, LayerClaims
    from lamina.views.diff.match_sources import SourceNames
    from lamina.views.result import Result

_MOST = 3
"""Causes reported for one change."""
_LOOKED_AT = 20
"""Causes that are made, of which some may read the same."""
_UNREADABLE = "unreadable-file"
"""The code of files that a system leaves out."""


class Errors:
    """The errors that only one of two results has, by the name that their source has on both sides, and the part."""

    def __init__(self, before: Result, after: Result, names: tuple[SourceNames, SourceNames]) -> None:
        sides = [list(_errors(result, own)) for result, own in zip((before, after), names, strict=True)]
        codes = [{(place[0], note.code) for place, note in side} for side in sides]
        self.before, self.after = (
            {place: note for place, note in side if (place[0], note.code) not in codes[1 - at]}
            for at, side in enumerate(sides)
        )


def _errors(rendered: Result, names: SourceNames) -> Iterator[tuple[tuple[str, str | None], Note]]:
    for note in rendered.notes:
        if note.at is not None and (note.severity >= Severity.ERROR or note.code == _UNREADABLE):
            yield (names.of(note.at.source), note.at.part), note


class Attribution:
    """The two sides of one output."""

    def __init__(
        self, before: LayerClaims, after: LayerClaims, errors: Errors, edited: Callable[[], Sequence[Cause]]
    ) -> None:
        """`edited` returns the `edited_places` of the sources."""
        self._before = before
        self._after = after
        self._errors = errors
        self._edited = edited

    def causes(self, change: Change) -> tuple[Cause, ...]:
        """What caused a change."""
        finders: tuple[Callable[[Change], Iterable[Cause]], ...] = (
            self._added_by,
            self._unusable,
            self._removed_from,
            self._removed_by,
            self._set_free_by,
            self._rule,
            self._rule_gone,
            self._made_from,
            self._rule_around,
            self._steering,
            self._around,
            self._any_edit,
        )
        edited = (filter(self._is_text_known, find_causes(change)) for find_causes in finders)
        others = (find_causes(change) for find_causes in (*finders, self._unchanged))
        for causes in chain(edited, others):
            found = {str(cause): cause for cause in islice(causes, _LOOKED_AT)}
            if found:
                return tuple(islice(found.values(), _MOST))
        return ()

    def _is_text_known(self, cause: Cause) -> bool:
        side = self._before if cause.is_gone else self._after
        return cause.origin is None or side.is_text_known(cause.origin.source)

    def _added_by(self, change: Change) -> Iterator[Cause]:
        if change.after is not MISSING:
            here, there = change.at_after, change.at_before
            claims = self._after.claims_at(here)
            added = (each for each in claims if not _known(self._before, each, there, here, change.path))
            yield from _causes(How.SET, added, self._after, here)

    def _removed_from(self, change: Change) -> Iterator[Cause]:
        if change.before is not MISSING:
            here, there = change.at_before, change.at_after
            claims = self._before.claims_at(here)
            removed = (each for each in claims if not _known(self._after, each, there, here, change.path))
            yield from _causes(How.NO_LONGER_SET, removed, self._before, here)

    def _removed_by(self, change: Change) -> Iterator[Cause]:
        if change.after is MISSING:
            here, there = change.at_after, change.at_before[: len(change.at_after)]
            claims = self._after.removing_claims(here)
            removing = (each for each in claims if not self._before.has_claim(each, there))
            yield from _causes(How.SET, removing, self._after, here)

    def _set_free_by(self, change: Change) -> Iterator[Cause]:
        if change.before is MISSING:
            here, there = change.at_before, change.at_after[: len(change.at_before)]
            claims = self._before.removing_claims(here)
            removing = (each for each in claims if not self._after.has_claim(each, there))
            yield from _causes(How.NO_LONGER_SET, removing, self._before, here)

    def _rule(self, change: Change) -> Iterator[Cause]:
        """A rule that is new at the value, or at the list it is an item of."""
        for old, new in _value_and_list(change):
            known = self._before.rules(old)
            yield from _rules(How.RULE, self._after, new, known)

    def _rule_gone(self, change: Change) -> Iterator[Cause]:
        for old, new in _value_and_list(change):
            known = self._after.rules(new)
            yield from _rules(How.RULE_GONE, self._before, old, known)

    def _unusable(self, change: Change) -> Iterator[Cause]:
        """An error in something that the value was made from on the other side."""
        for how, errors, side, path in (
            (How.UNUSABLE, self._errors.after, self._before, change.at_before),
            (How.WAS_UNUSABLE, self._errors.before, self._after, change.at_after),
        ):
            sources = side.sources(path) if errors else ()
            for source in sources:
                if source in errors:
                    yield Cause(how, errors[source].at, text=errors[source].code)

    def _made_from(self, change: Change) -> list[Cause]:
        return self._edited_parts(change, None) or self._edited_parts(change, None, replaced=True)

    def _edited_parts(self, change: Change, size: int | None, *, replaced: bool = False) -> list[Cause]:
        """The edited parts of the value, or of what is around it; those that are gone where there are no others."""
        for how, side, path in self._sides(change):
            if found := [Cause(how, *part) for part in side.edited_parts(path[:size], replaced=replaced)]:
                return found
        return []

    def _sides(self, change: Change) -> Sequence[tuple[How, LayerClaims, Path]]:
        return (
            (How.SET, self._after, change.at_after),
            (How.NO_LONGER_SET, self._before, change.at_before),
        )

    def _rule_around(self, change: Change) -> Iterator[Cause]:
        for how, side, path in self._sides(change):
            for size in range(len(path), -1, -1):
                for event, at in side.directives(path[:size]):
                    assert event.directive is not None
                    yield Cause(How.RULE if how is How.SET else How.RULE_GONE, at, event.layer, event.directive.text)

    def _steering(self, change: Change) -> Iterator[Cause]:  # noqa: ARG002 - it may concern any change
        return iter(self._steering_lines)

    @cached_property
    def _steering_lines(self) -> list[Cause]:
        steering = (cause for cause in self._edited() if not self._is_value(cause))
        return list(islice(steering, _LOOKED_AT))

    def _is_value(self, cause: Cause) -> bool:
        assert cause.origin is not None
        side = self._before if cause.is_gone else self._after
        return side.is_value(cause.origin.source, cause.origin.line)

    def _around(self, change: Change) -> list[Cause]:
        longest = max(len(change.at_before), len(change.at_after))
        return next(filter(None, (self._edited_parts(change, size) for size in range(longest - 1, -1, -1))), [])

    def _any_edit(self, change: Change) -> Iterable[Cause]:  # noqa: ARG002 - likewise
        return self._edited()

    def _unchanged(self, change: Change) -> Iterator[Cause]:
        how, side, path = self._sides(change)[change.after is MISSING]
        return (Cause(how, each.origin, each.layer) for each in side.claims_at(path)[:1])


def edited_places(edits: EditedLines) -> Iterator[Cause]:
    """Everything that was edited, without knowing what it does; comments only if there is nothing else."""
    found = list(edits.all())
    for edit in [each for each in found if not each.is_comment] or found:
        side, source, line = edit.shown
        yield Cause(How.STEERS if side else How.STEERS_GONE, Origin(source, line, 1))


def _value_and_list(change: Change) -> Iterator[tuple[Path, Path]]:
    """The paths of the value, and of the list it is an item of."""
    before, after = change.at_before, change.at_after
    if len(before) == len(after):
        yield before, after
    if len(before) != len(after) or (after and type(after[-1]) is int):
        size = min(len(before), len(after)) - (len(before) == len(after))
        yield before[:size], after[:size]


def _rules(how: How, side: LayerClaims, path: Path, known: Iterable[object]) -> Iterator[Cause]:
    for rule, event in side.rules(path).items():
        if rule not in known and event.directive and event.directive.origin:
            origin = side.edited(path, event.directive.origin)
            if origin is not None:
                yield Cause(how, origin, event.layer, event.directive.text)
                return


def _known(layer_claims: LayerClaims, claims: LayerClaim, path: Path, other: Path, named: Path) -> bool:
    """Whether a side has a claim of the other; a side that lacks an item has the path of the list instead."""
    return (
        layer_claims.has_listed(claims, path) if len(path) < len(other) else layer_claims.has_claim(claims, path, named)
    )


def _causes(how: How, claims: Iterable[LayerClaim], side: LayerClaims, path: Path) -> Iterator[Cause]:
    for each in claims:
        origin = side.edited(path, each.origin)
        if origin is not None:
            yield Cause(how, origin, each.layer)
