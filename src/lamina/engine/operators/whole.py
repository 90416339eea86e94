"""Operators for values of any type: keep the old one, take the new one, delete, reject, or merge deeper.

keep       the old value stays; the new one is dropped
take       the new value replaces the old one
delete     there is no value any more
descend    combine by the policy for this path; in a mapping's table of cases this is "merge deeper"
reject     the two cannot be combined; the fault names the reason, and each dialect has its own code for it
warn       another operator, with a note for the user
switch     another operator, selected by a table
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.engine.delta import NEW, OLD, Delta, Removed, value_of
from lamina.values import COUNT, classify

if TYPE_CHECKING:
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.policy import Cases, Operator, Policy, Trail


class Whole:
    """One outcome whatever the two values are: one of them, or none."""

    __slots__ = ("delta", "name")
    ignores_types: Final = True

    def __init__(self, name: str, delta: Delta) -> None:
        self.name = name
        self.delta = delta

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        return self.delta

    def value(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Any:
        return value_of(self.delta, old, new)


class Descend:
    """Combine by the policy one level deeper."""

    name = "merge"
    ignores_types: Final = True

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        return policy.combine(old, new, trail, run)

    def value(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Any:
        return policy.value(old, new, trail, run)


KEEP: Final = Whole("keep", OLD)
TAKE: Final = Whole("take", NEW)
DELETE: Final = Whole("delete", Removed())
DESCEND: Final = Descend()


class RejectPair:
    """Rejects two values; the old one is used until the step fails."""

    __slots__ = ("fault", "name")

    def __init__(self, fault: str) -> None:
        self.name = f"reject({fault})"
        self.fault = fault

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        run.reject(self.fault, old, new, trail)
        return OLD


class Warn:
    """An operator with a note for the user."""

    __slots__ = ("_remark", "name", "operator")

    def __init__(self, operator: Operator, remark: str) -> None:
        self.name = operator.name
        self.operator = operator
        self._remark = remark

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        run.remark(self._remark, old, new, trail)
        return self.operator.apply(old, new, policy, trail, run)


class Switch:
    """Selects an operator by a table."""

    __slots__ = ("_table", "name")

    def __init__(self, table: Cases) -> None:
        self.name = "by type"
        self._table = table

    def choose(self, old: Any, new: Any) -> Operator:
        """The operator for two values."""
        return self._table.pick(old, new)

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        return self.choose(old, new).apply(old, new, policy, trail, run)

    def value(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Any:
        return self._table.forms[classify(old) * COUNT + classify(new)](old, new, policy, trail, run)
