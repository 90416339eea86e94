"""Attribution: the layer and line that caused a change.

The first of these that applies:

1. a source that has the new value there, and did not have it before;
2. a source that had the old value there, and no longer has it;
3. for what was removed though it is still written: a source that newly sets something there; for what
   was added though it was written before: a source that no longer sets anything there;
4. a rule that was not applied there before;
5. the origin of the value now (the order of the layers changed).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.paths import MISSING
from lamina.views.diff.change import Cause, How

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.paths import Path
    from lamina.views.diff.change import Change
    from lamina.views.diff.layer_claims import LayerClaim, LayerClaims

_MOST = 3
"""Causes reported for one change."""


class Attribution:
    """The two sides of one output."""

    def __init__(self, before: LayerClaims, after: LayerClaims) -> None:
        self._before = before
        self._after = after

    def causes(self, change: Change) -> tuple[Cause, ...]:
        """What caused a change."""
        for find_causes in (
            self._added_by,
            self._removed_from,
            self._removed_by,
            self._set_free_by,
            self._rule,
            self._unchanged,
        ):
            if found := find_causes(change):
                return tuple(found[:_MOST])
        return ()

    def _added_by(self, change: Change) -> list[Cause]:
        if change.after is MISSING:
            return []
        here, there = change.at_after, change.at_before
        return _causes(
            How.SET,
            (
                claims
                for claims in self._after.claims_at(here)
                if not _known(self._before, claims, there, here, change.path)
            ),
        )

    def _removed_from(self, change: Change) -> list[Cause]:
        if change.before is MISSING:
            return []
        here, there = change.at_before, change.at_after
        return _causes(
            How.NO_LONGER_SET,
            (
                claims
                for claims in self._before.claims_at(here)
                if not _known(self._after, claims, there, here, change.path)
            ),
        )

    def _removed_by(self, change: Change) -> list[Cause]:
        if change.after is not MISSING:
            return []
        there = change.at_before[: len(change.at_after)]
        claims_found = self._after.removing_claims(change.at_after)
        return _causes(How.SET, (claims for claims in claims_found if not self._before.has_claim(claims, there)))

    def _set_free_by(self, change: Change) -> list[Cause]:
        if change.before is not MISSING:
            return []
        there = change.at_after[: len(change.at_before)]
        claims_found = self._before.removing_claims(change.at_before)
        return _causes(
            How.NO_LONGER_SET, (claims for claims in claims_found if not self._after.has_claim(claims, there))
        )

    def _rule(self, change: Change) -> list[Cause]:
        """A rule that is new at the value, or at the list it is an item of."""
        before, after = change.at_before, change.at_after
        ends = [(before, after)] if len(before) == len(after) else []
        if len(before) != len(after) or (after and type(after[-1]) is int):
            size = min(len(before), len(after)) - (len(before) == len(after))
            ends.append((before[:size], after[:size]))
        for old, new in ends:
            known = self._before.rules(old)
            for rule, event in self._after.rules(new).items():
                if rule not in known and event.directive:
                    return [Cause(How.RULE, event.directive.origin, event.layer, event.directive.text)]
        return []

    def _unchanged(self, change: Change) -> list[Cause]:
        if change.after is not MISSING:
            return _causes(How.SET, self._after.claims_at(change.at_after)[:1])
        return _causes(How.NO_LONGER_SET, self._before.claims_at(change.at_before)[:1])


def _known(layer_claims: LayerClaims, claims: LayerClaim, path: Path, other: Path, named: Path) -> bool:
    """Whether a side has a claim of the other; a side that lacks an item has the path of the list instead."""
    return (
        layer_claims.has_listed(claims, path) if len(path) < len(other) else layer_claims.has_claim(claims, path, named)
    )


def _causes(how: How, claims: Iterable[LayerClaim]) -> list[Cause]:
    found = [Cause(how, each.origin, each.layer) for each in claims]
    return list(dict.fromkeys(found)) if len(found) > 1 else found
