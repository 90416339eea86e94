"""Going deeper: two members of a table merged by the policy of their own path.

With `inherit`, the policy of the table applies if the path of the member has none of its own. With `wrap`, the result
of two lists is a list again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.engine.delta import OLD, Delta, ListDelta, Ref, value_of
from lamina.engine.operators.mapping import MemberOperator
from lamina.engine.policy import PathPolicy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.dialects.datum.operators.tables import KnockoutUnion
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.policy import Names, PathRule, Policy, Trail


class TablePolicy(PathPolicy):
    """The policy of a table: its members have their own, or inherit it."""

    __slots__ = ("_inheriting",)

    def __init__(
        self, rules: Sequence[PathRule], default: Policy, names: Names = (), inherited: Policy | None = None
    ) -> None:
        super().__init__(rules, default, names, inherited)
        self._inheriting: dict[Any, TablePolicy] = {}

    def inherit(self, name: Any) -> TablePolicy:
        """The policy for the member of that name: its own if there is one, else this one."""
        known = self._inheriting.get(name)
        if known is None:
            known = self._inheriting[name] = self._made(name, self)
        return known

    def visited(self) -> Iterator[PathPolicy]:
        yield from super().visited()
        yield from self._inheriting.values()


def member_policy(policy: Policy, key: Any, *, inherit: bool) -> Policy:
    """The policy for a member of a table that is merged by a policy."""
    return policy.inherit(key) if inherit and isinstance(policy, TablePolicy) else policy.enter(key)


def is_explicit(policy: Policy) -> bool:
    """Whether a rule names the very path that a policy is for."""
    return isinstance(policy, TablePolicy) and policy.explicit


class Deeper(MemberOperator):
    """Combine two members of a mapping by their own policy, or by the mapping's."""

    __slots__ = ("_fault", "_inherit", "_wrap", "mappings", "name")

    def __init__(self, *, inherit: bool = False, wrap: bool = False, fault: str = "") -> None:
        self.name = "merge"
        self._inherit = inherit
        self._wrap = wrap
        self._fault = fault
        self.mappings: KnockoutUnion | None = None
        """What combines two mappings where the policy is inherited; anything but a mapping is then rejected."""

    def policy(self, policy: Policy, key: Any) -> Policy:
        """The policy for the member of that name."""
        return member_policy(policy, key, inherit=self._inherit)

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        if self.mappings is not None and not is_explicit(policy):
            if not isinstance(new, dict):
                run.reject(self._fault, old, new, trail)
                return OLD
            return self.mappings.apply(old, new, policy, trail, run)
        delta = policy.combine(old, new, trail, run)
        return _wrapped(delta, value_of(delta, old, new)) if self._wrap else delta

    def value(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Any:
        if self.mappings is not None and not is_explicit(policy):
            if not isinstance(new, dict):
                run.reject(self._fault, old, new, trail)
                return old
            return self.mappings.value(old, new, policy, trail, run)
        value = policy.value(old, new, trail, run)
        if not self._wrap or value is None or type(value) is list:
            return value
        return old if isinstance(old, list) and len(old) == 1 and value is old[0] else [value]


def _wrapped(delta: Delta, value: Any) -> Delta:
    if isinstance(delta, Ref) and (delta.side, delta.path) == ("old", (0,)) and not isinstance(value, list):
        return OLD
    if value is None or type(value) is list:
        return delta
    return ListDelta([value], (delta,))
