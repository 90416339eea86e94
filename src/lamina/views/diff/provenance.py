"""Provenance: values that stayed the same and now come from another source."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from lamina.engine.provenance import layer_of, origins_of
from lamina.views.diff.change import Cause, Change, ChangeKind, How

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.engine.node import Node
    from lamina.views.diff.compare_values import Comparer
    from lamina.views.diff.match_sources import SourceNames

_MOST = 200_000
"""Values looked at in one output."""


def moved_origins(
    before: Node, after: Node, comparer: Comparer, names: tuple[SourceNames, SourceNames]
) -> Iterator[Change]:
    """A change for every value that is the same on both sides and comes from different sources."""
    for location in islice(comparer.unchanged(before.value, after.value), _MOST):
        old, new = before.at(location.before), after.at(location.after)
        old_origins, new_origins = origins_of(old), origins_of(new)
        if [names[0].of(origin.source) for origin in old_origins] == [
            names[1].of(origin.source) for origin in new_origins
        ]:
            continue
        causes = [Cause(How.NO_LONGER_SET, origin, layer_of(old)) for origin in old_origins[:1]]
        causes += [Cause(How.SET, origin, layer_of(new)) for origin in new_origins[:1]]
        yield Change(
            kind=ChangeKind.PROVENANCE,
            path=location.path,
            at_before=location.before,
            at_after=location.after,
            before=old.value,
            after=new.value,
            causes=tuple(causes),
        )
