"""Rule sets: whose rules apply.

Without an option, the rule set is detected from the sections: `merge_strategy` is the specification's, everything else
is Heat's own. A run with both sections is rejected, since no program reads both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.dialects.heat import messages
from lamina.dialects.heat.sections import SHIPPED_STRATEGIES, SPEC_STRATEGIES
from lamina.plugin import Diagnostic, MergeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.dialects.heat.environment import Environment
    from lamina.dialects.heat.options import HeatOptions


def rule_set_of(environments: Sequence[Environment], options: HeatOptions) -> str:
    """The rule set asked for, or else the one the sections belong to."""
    if options.rule_set:
        return options.rule_set
    spec = _first_with(environments, SPEC_STRATEGIES)
    if spec is None:
        return "strategies"
    shipped = _first_with(environments, SHIPPED_STRATEGIES)
    if shipped is not None:
        raise MergeError(_mixed(spec, shipped))
    return "spec"


def _first_with(environments: Sequence[Environment], section: str) -> Environment | None:
    return next((environment for environment in environments if section in environment.node.value), None)


def _mixed(spec: Environment, shipped: Environment) -> Diagnostic:
    at = shipped.origin_of(SHIPPED_STRATEGIES)
    return messages.MIXED_RULE_SETS.at(
        spec.origin_of(SPEC_STRATEGIES),
        (SPEC_STRATEGIES,),
        subject=spec.name,
        related=[("the other section is here", at)],
        shipped=shipped.name,
    )
