"""What cloud-init has where the default rule does not do: `merge_how` in a later part.

By default a later part replaces what is at the top and does not look into it. A rule of the part itself can add keys to
a mapping, replace strings in it one by one, add items to a list, or delete a key with a null. It holds for all of the
part, so it is offered for parts that have none, and tried.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lamina.plugin import MISSING, walk
from lamina.plugin.extensions import Means, Offer, OwnMeans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.plugin.extensions import Rendered, Wanted

_KEY = ("merge_how",)
_ADDS = "dict(no_replace)+list()+str()"
_STRINGS = "dict(recurse_str)+list()+str()"
_APPENDS = "dict(recurse_list)+list(append)+str()"
_DELETES = "dict(allow_delete)+list()+str()"
_REPLACES = "dict(replace)+list()+str()"


def offers(rendered: Rendered, wanted: Wanted) -> Iterator[Offer]:
    """The value in a part with a rule of its own, the last part first."""
    path, value = wanted.path, wanted.value
    if any(isinstance(step, int) for step in path):
        return
    old = walk(rendered.plain, path)
    for file in reversed(wanted.files):
        if value is MISSING:
            yield _offer(file, path, _DELETES, "a null in it deletes a key", "null")
            continue
        if isinstance(old, list) and isinstance(value, list) and old and value[: len(old)] == old:
            added = json.dumps(value[len(old) :])
            yield _offer(file, path, _APPENDS, "lists of it are appended", added)
        if isinstance(value, str) and len(path) > 1:
            yield _offer(file, path, _STRINGS, "its strings replace those in a mapping one by one")
        if len(path) > 1:
            yield _offer(file, path, _ADDS, "its keys are added to a mapping that is there")
        yield _offer(file, path, _REPLACES, "its values replace earlier ones")


def _offer(file: str, path: tuple[str | int, ...], rule: str, effect: str, value: str = "") -> Offer:
    return Offer(file, f"with this merge_how in the part, {effect}", None, path, (Means(_KEY, rule),), value=value)


MEANS = OwnMeans(offers)
