"""What compiling yields besides the steps, for the views and lint rules of this dialect."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.dialects.heat.environment import Environment
    from lamina.dialects.heat.spec_strategies import Slots
    from lamina.dialects.heat.strategies import FixedStrategy
    from lamina.dialects.heat.template import Types
    from lamina.dialects.heat.template_tree import TemplateTree
    from lamina.plugin import Plan


@dataclass(frozen=True, slots=True)
class Facts:
    """The rule set, the files, the declared types, and what holds for each parameter."""

    rule_set: str
    environments: list[Environment]
    types: Types
    has_template: bool = False
    tree: TemplateTree | None = None
    fixed: Mapping[str, FixedStrategy] = field(default_factory=dict)
    """The strategy of each parameter, by Heat's own rules."""
    slots: Slots | None = None


def facts_of(plan: Plan) -> Facts:
    """The facts of a plan of this dialect."""
    facts = plan.stages[0].facts
    assert isinstance(facts, Facts)
    return facts
