"""Knockouts as edits: what a layer writes to remove an item or a key that a layer below it has."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from lamina.errors import UsageError
from lamina.paths import MISSING, walk
from lamina.protocol.extensions import Offer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.paths import Path
    from lamina.protocol.extensions import Wanted
    from lamina.protocol.rendered import Rendered

_PREFIX = re.compile(r"knockout_prefix\W+?['\"]?([^\s'\",}]+)")


def offer_knockouts(rendered: Rendered, wanted: Wanted, *, usual: str = "--", keys: bool = False) -> Iterator[Offer]:
    """The marker for a value that is to go, in each layer of the target; `keys`, for keys of mappings, too."""
    if wanted.value is not MISSING or not wanted.path:
        return
    *above, last = wanted.path
    container: Path = tuple(above)
    prefix = _prefix_at(rendered, container) or usual
    why = f"{prefix!r} removes what a layer below sets"
    if isinstance(last, int):
        item = walk(rendered.plain, wanted.path)
        if isinstance(item, str) and not any(isinstance(step, int) for step in container):
            for file in reversed(wanted.files):
                yield Offer(file, why, inner=container, value=json.dumps([prefix + item]))
    elif keys and not any(isinstance(step, int) for step in container):
        for file in reversed(wanted.files):
            yield Offer(file, why, inner=(*container, prefix + last), value="null")


def _prefix_at(rendered: Rendered, path: Path) -> str | None:
    """The prefix that the rule on a path names."""
    try:
        events = rendered.history_at(path).events
    except UsageError:
        return None
    found = (_PREFIX.search(str(event.directive)) for event in events)
    return next((match[1] for match in found if match), None)
