"""The step that merges in place: a container with several holders (aliases) changes in all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lamina.engine import fold
from lamina.engine.alias_map import has_aliases
from lamina.engine.plan import Merge

if TYPE_CHECKING:
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.node import Node
    from lamina.engine.step_context import StepContext


@dataclass(slots=True, kw_only=True, eq=False)
class MergeInPlace(Merge):
    """Merge a value, changing containers in place: one with two holders changes in both."""

    def apply(self, context: StepContext) -> Node:
        from lamina.dialects.heat.cells import merge_at_path

        old, new = context.node, context.take(self.take)

        def merged(run: MergeContext) -> Node:
            if not has_aliases(old.value):
                return fold.merged(self, context.ref, old, new, run)
            return merge_at_path(old, new, self.path, self.policy, run, context.ref)

        return context.merged(old, new, merged)
