"""What Heat has for a part of a parameter: `parameter_merge_strategies` in a later environment.

A later environment overwrites a parameter whole. With the strategy deep_merge it sets members of a mapping one by one,
with merge it adds items to a list.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lamina.plugin import MISSING, walk
from lamina.plugin.extensions import Means, Offer, OwnMeans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.plugin.extensions import Rendered, Wanted

_SECTIONS = ("parameter_defaults", "parameters")
_PARAMETER = 2
"""The steps to a parameter: its section and its name."""


def offers(rendered: Rendered, wanted: Wanted) -> Iterator[Offer]:
    """The value in an environment that names a strategy for its parameter, the last environment first."""
    path, value = wanted.path, wanted.value
    if value is MISSING or len(path) < _PARAMETER or path[0] not in _SECTIONS:
        return
    if any(isinstance(step, int) for step in path):
        return
    place = ("parameter_merge_strategies", path[1])
    old = walk(rendered.plain, path)
    for file in reversed(wanted.files):
        if len(path) > _PARAMETER:
            why = f"with the strategy deep_merge, an environment sets a part of {path[1]}"
            yield Offer(file, why, None, path, (Means(place, "deep_merge"),))
        elif isinstance(old, list) and isinstance(value, list) and old and value[: len(old)] == old:
            why = f"with the strategy merge, an environment adds to {path[1]}"
            yield Offer(file, why, None, path, (Means(place, "merge"),), value=json.dumps(value[len(old) :]))


MEANS = OwnMeans(offers)
