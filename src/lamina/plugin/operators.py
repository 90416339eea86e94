"""For operators and steps of your own: what they return, and what they are given.

The operators that are there, and the tables that name them, are in `lamina.plugin`.
"""

from __future__ import annotations

from lamina.engine.delta import NEW, OLD, Compose, Delta, ListDelta, MapDelta, Ref, Removed, Slice
from lamina.engine.merge_context import MergeContext
from lamina.engine.operators.convert import Cast, Convert
from lamina.engine.operators.mapping import MemberOperator
from lamina.engine.plan import Step
from lamina.engine.policy import Operator, Trail
from lamina.engine.step_context import StepContext, StepFailure
from lamina.plugin.toolkit import computed, merged_into, removed
from lamina.values import holds_unknown, unknown_values

__all__ = [
    "NEW",
    "OLD",
    "Cast",
    "Compose",
    "Convert",
    "Delta",
    "ListDelta",
    "MapDelta",
    "MemberOperator",
    "MergeContext",
    "Operator",
    "Ref",
    "Removed",
    "Slice",
    "Step",
    "StepContext",
    "StepFailure",
    "Trail",
    "computed",
    "holds_unknown",
    "merged_into",
    "removed",
    "unknown_values",
]
