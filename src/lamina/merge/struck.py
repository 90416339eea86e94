"""Mappings whose keys may strike others.

struck union   The old mapping's keys in their order, then the new one's own keys in theirs. A key of the old mapping
               that is a marker keeps the key it names from being taken. A marker of the new mapping for a key the old
               one lacks is carried on with no value of its own, so that it strikes what comes later. A key both have
               is settled by the table of clashes; where that goes deeper, the key takes the new side's spelling.
deeper         combine two members by the policy of their own path; with `inherit`, by the policy of the mapping they
               stand in when their path has none of its own. With `wrap` the result of two lists is a list again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.merge.pieces import NEW, OLD, Edit, Gone, Inner, Picks, Piece, View, value_of
from lamina.merge.unpack import Closed
from lamina.merge.whole import KEEP
from lamina.paths import MISSING

if TYPE_CHECKING:
    from lamina.merge.policy import Operator, Policy, Table, Trail
    from lamina.merge.run import Run
    from lamina.merge.strike import Strike


class Deeper:
    """Combine two members of a mapping by a policy of their own, or by the mapping's."""

    __slots__ = ("_fault", "_inherit", "_inherited", "_wrap", "name")

    def __init__(self, *, inherit: bool = False, wrap: bool = False, fault: str = "") -> None:
        self.name = "merge"
        self._inherit = inherit
        self._wrap = wrap
        self._fault = fault
        self._inherited: Operator | None = None

    def inheriting(self, operator: Operator) -> None:
        """What combines two mappings where the policy is inherited; anything but a mapping is then refused."""
        self._inherited = operator

    def policy(self, policy: Policy, key: Any) -> Policy:
        """The policy for the member of that name."""
        return policy.inherit(key) if self._inherit else policy.enter(key)

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: Run) -> Piece:
        if self._inherited is not None and not policy.explicit:
            if not isinstance(new, dict):
                run.refuse(self._fault, old, new, trail)
                return OLD
            return self._inherited.apply(old, new, policy, trail, run)
        delta = policy.combine(old, new, trail, run)
        return _wrapped(delta, value_of(delta, old, new)) if self._wrap else delta


def _wrapped(delta: Piece, value: Any) -> Piece:
    if isinstance(delta, Inner) and (delta.side, delta.path) == ("old", (0,)) and not isinstance(value, list):
        return OLD
    if value is None or (isinstance(value, list) and not isinstance(value, Closed)):
        return delta
    return Picks([value], (delta,))


class StruckUnion:
    """Combine two mappings key by key, with markers among the keys."""

    __slots__ = ("_strike", "clash", "name")

    def __init__(self, clash: Table, strike: Strike) -> None:
        self.name = "union, struck"
        self.clash = clash
        self._strike = strike

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: Run) -> Piece:
        run.spend(len(new))
        target = self._strike.target
        struck = {name: key for key in old if (name := target(key)) is not MISSING}
        entries: dict[Any, Piece] = {}
        under: dict[Any, Policy] = {}
        for key, value in new.items():
            if key in struck:
                # What the old mapping has itself stays, also beside a marker for it.
                entries[key] = OLD if key in old else Gone("knocked out", "old", None, ("old", (struck[key],)))
            elif key in old:
                self._settle(key, old, value, entries, under, policy, trail, run)
            else:
                entries[key] = _added(value, target(key), old)
        return Edit(_edited(old, new, entries, under), entries, under or None)

    def _settle(
        self,
        key: Any,
        old: dict[Any, Any],
        value: Any,
        entries: dict[Any, Piece],
        under: dict[Any, Policy],
        policy: Policy,
        trail: Trail,
        run: Run,
    ) -> None:
        before = old[key]
        name = self._strike.target(key)
        operator = self.clash.pick(before, value)
        if operator is KEEP or not (name is MISSING or name in old):
            entries[key] = OLD
            return
        inner = operator.policy(policy, key) if isinstance(operator, Deeper) else policy
        delta = operator.apply(before, value, inner, (trail, key, key), run)
        entries[key] = delta
        under[key] = inner


def _added(value: Any, name: Any, old: dict[Any, Any]) -> Piece:
    """A key only the new mapping has; a marker that names nothing the old one has goes on without its value."""
    if name is MISSING or name in old or value is None:
        return NEW
    return View(None, "new", "a marker")


def _edited(old: dict[Any, Any], new: dict[Any, Any], entries: dict[Any, Piece], under: dict[Any, Any]) -> Any:
    """The old mapping with the entries put in, those gone deeper in the new spelling."""
    spelt = {key: key for key in new if key in under}
    changed = any(
        entries[key] is not OLD and value_of(entries[key], MISSING, new[key]) is not old.get(key, MISSING)
        for key in entries
    ) or any(str.__ne__(key, spelt[key]) for key in old if key in spelt and isinstance(key, str))
    if not changed:
        return old
    value: dict[Any, Any] = {}
    for key, before in old.items():
        piece = entries.get(key, OLD)
        value[spelt.get(key, key)] = before if piece is OLD else value_of(piece, before, new[key])
    for key, piece in entries.items():
        if key not in old and (after := value_of(piece, MISSING, new[key])) is not MISSING:
            value[key] = after
    return value
