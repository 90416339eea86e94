"""Operators for values of any type: keep the old one, take the new one, remove, reject, or go deeper.

keep       the old value stays; the new one is dropped
take       the new value replaces the old one
delete     nothing is left
descend    combine by the policy for this path; inside a mapping's table of clashes this is "merge deeper"
refuse     the two cannot be combined; the reason is named in general words and each dialect gives it its own code
remarked   another operator, with a remark for the user
switch     another operator, chosen by a table of its own
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.engine.delta import NEW, OLD, Delta, Removed

if TYPE_CHECKING:
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.policy import Cases, Operator, Policy, Trail


class Keep:
    """The old value stays; the new one is dropped."""

    name = "keep"

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        return OLD

    def quiet(self, old: Any, new: Any, policy: Policy) -> bool:
        return True


class Take:
    """The new value replaces the old one."""

    name = "take"

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        return NEW


class Delete:
    """Nothing is left."""

    name = "delete"

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        return Removed()


class Descend:
    """Combine by the policy one level deeper."""

    name = "merge"

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        return policy.combine(old, new, trail, run)


KEEP: Final = Keep()
TAKE: Final = Take()
DELETE: Final = Delete()
DESCEND: Final = Descend()


class RejectPair:
    """Two values that cannot be combined; the old one is used until the step is given up."""

    __slots__ = ("fault", "name")

    def __init__(self, fault: str) -> None:
        self.name = f"reject({fault})"
        self.fault = fault

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        run.refuse(self.fault, old, new, trail)
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
    """Chooses an operator by a table of its own."""

    __slots__ = ("_table", "name")

    def __init__(self, table: Cases) -> None:
        self.name = "by type"
        self._table = table

    def choose(self, old: Any, new: Any) -> Operator:
        """The operator for two values."""
        return self._table.pick(old, new)

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        return self.choose(old, new).apply(old, new, policy, trail, run)
