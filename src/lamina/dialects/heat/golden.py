"""What a golden case of Heat compares: the merged environment, with the sections it does not have filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.heat.sections import EMPTY
from lamina.plugin.extensions import Golden

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.protocol.rendered import Rendered


def observe(rendered: Rendered) -> Mapping[str, Any]:
    """The outcome of a render in the terms of the cases; the client's result is the merged mapping as it is."""
    client = rendered.plan.stages[0].facts.rule_set == "deep-update"
    return {"value": rendered.plain if client else {**EMPTY, **rendered.plain}}


GOLDEN = Golden(
    observe=observe,
    words={"surface": ("rule_set", {"shipped": "strategies", "client": "deep-update"})},
)
