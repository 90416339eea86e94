"""Custom mergers as operators: functions of two plain values, without provenance of the parts of the result.

They get copies, so that they cannot change values in use; the result comes from both sides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.engine.delta import OLD, Computed, Delta, value_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lamina.engine.merge_context import MergeContext
    from lamina.engine.policy import Operator, Policy, Trail


class Root:
    """The object with which a custom merger can merge deeper, by the policy it was called from."""

    def __init__(self) -> None:
        self._merge: Callable[[Any, Any], Any] | None = None

    def merge(self, old: Any, new: Any) -> Any:
        """Combine two plain values by the whole policy."""
        if self._merge is None:
            raise RuntimeError("merge can only be called while merging")
        return self._merge(old, new)

    def within(
        self, policy: Policy, trail: Trail, run: MergeContext, call: Callable[[Any, Any], Any]
    ) -> Callable[..., Any]:
        """Call a function; during the call, `merge` uses this policy and position."""

        def merge(old: Any, new: Any) -> Any:
            return value_of(policy.combine(old, new, trail, run), old, new)

        def bound(old: Any, new: Any) -> Any:
            before, self._merge = self._merge, merge
            try:
                return call(old, new)
            finally:
                self._merge = before

        return bound


class Foreign:
    """Combine by calling a function with copies of both values; any exception rejects them."""

    __slots__ = ("_call", "_fault", "_root", "name")

    def __init__(self, name: str, call: Callable[[Any, Any], Any], root: Root, fault: str) -> None:
        self.name = name
        self._call = call
        self._root = root
        self._fault = fault

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        from copy import deepcopy

        call = self._root.within(policy, trail, run, self._call)
        try:
            return Computed(call(deepcopy(old), deepcopy(new)), self.name)
        except Exception as error:  # custom code may raise anything, which rejects the values
            run.reject(self._fault, old, new, trail, f"{self.name}: {error}")
            return OLD


class FirstThatHandles:
    """Combine with the operator of the first handler that has one for the old value."""

    __slots__ = ("_handlers", "_last", "name")

    def __init__(self, handlers: Sequence[Callable[[Any], Operator | None]], last: Operator) -> None:
        self.name = "first that handles it"
        self._handlers = handlers
        self._last = last

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        for handler in self._handlers:
            operator = handler(old)
            if operator is not None:
                return operator.apply(old, new, policy, trail, run)
        return self._last.apply(old, new, policy, trail, run)
