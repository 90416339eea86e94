"""For operators and steps of your own: what they return, and what they are given; and operators for single types.

The operators for values of any type, and the tables that name them, are in `lamina.plugin`.
"""

from __future__ import annotations

from lamina.engine.delta import NEW, OLD, Compose, Delta, ListDelta, MapDelta, Ref, Removed, Slice
from lamina.engine.merge_context import MergeContext
from lamina.engine.operators.convert import Cast, Convert
from lamina.engine.operators.mapping import MemberOperator
from lamina.engine.operators.sequence import JoinLists
from lamina.engine.operators.text import JoinStrings
from lamina.engine.operators.whole import RejectPair
from lamina.engine.operators.whole import Warn as WarnOf
from lamina.engine.plan import Step
from lamina.engine.policy import Operator, Trail
from lamina.engine.step_context import StepContext, StepFailure
from lamina.plugin.rules import UniqueItems
from lamina.plugin.toolkit import computed, merged_into, removed
from lamina.values import BOOLS, TEXTS, holds_unknown, unknown_values

STRINGS = TEXTS
"""The types of strings, empty or not."""

__all__ = [
    "BOOLS",
    "NEW",
    "OLD",
    "STRINGS",
    "Cast",
    "Compose",
    "Convert",
    "Delta",
    "JoinLists",
    "JoinStrings",
    "ListDelta",
    "MapDelta",
    "MemberOperator",
    "MergeContext",
    "Operator",
    "Ref",
    "RejectPair",
    "Removed",
    "Slice",
    "Step",
    "StepContext",
    "StepFailure",
    "Trail",
    "UniqueItems",
    "WarnOf",
    "computed",
    "holds_unknown",
    "merged_into",
    "removed",
    "unknown_values",
]
