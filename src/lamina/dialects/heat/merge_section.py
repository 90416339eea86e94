"""The steps that merge a section of an environment.

Each member of a section has a directive of its own: the line that names its strategy. Where a file has aliases the
section is merged in place: a container with several holders changes in all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lamina.engine.alias_map import has_aliases
from lamina.plugin import Merge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.plugin import Directive, Node, Path
    from lamina.plugin.operators import StepContext


@dataclass(slots=True, kw_only=True, eq=False)
class MergeSection(Merge):
    """Merge a section; `directives` are those of its members, where they differ from the step's directive."""

    directives: Mapping[Any, Directive] = field(default_factory=dict)

    def directive_at(self, path: Path) -> Directive:
        size = len(self.path)
        return self.directives.get(path[size], self.directive) if len(path) > size else self.directive


@dataclass(slots=True, kw_only=True, eq=False)
class MergeInPlace(MergeSection):
    """Merge a section, changing containers in place: one with two holders changes in both."""

    def apply(self, context: StepContext) -> Node:
        from lamina.dialects.heat.merge_in_place import merge_at_path

        old, new = context.node, context.take(self.take)
        if not has_aliases(old.value):
            return Merge.apply(self, context)
        return context.merged(old, new, lambda run: merge_at_path(old, new, self.path, self.policy, run, context.ref))
