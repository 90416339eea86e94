"""Lists of mappings whose items are identified by the values of some fields.

keyed   Items of the two lists match if their fields are equal. With an item operator every old item is merged with all
        new items that match it, in order, and new items without a match follow. Without one, an item is added only if
        there is no equal one yet; that includes old items among themselves.

Markers among the old items knock out new ones. Fields that are not named are guessed: all keys of the first or of the
last old item. A null in a field is rejected, in old items where fields are named and in new items always.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from lamina.dialects.datum.equality_index import ByFields, EqualityIndex, Incomparable
from lamina.dialects.datum.operators.knockout import COMPARISON, marker_of, targets_of
from lamina.dialects.datum.operators.lists import spans
from lamina.engine.delta import OLD, Compose, Delta, ListDelta, Ref, Removed, SideName, Slice, value_of
from lamina.paths import MISSING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lamina.dialects.datum.equality_index import Equality
    from lamina.dialects.datum.operators.knockout import Knockout
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.policy import Operator, Policy, Trail


class _NullField(Exception):
    """An item has a null in an identifying field."""


class Fields:
    """The identifying fields: named or guessed, how a field is looked up and how values are compared."""

    __slots__ = ("_equality", "_guess", "_raw_read", "_read", "named")

    def __init__(
        self,
        named: tuple[str, ...],
        equality: Equality,
        read: Callable[[Any, str], Any],
        guess: Literal["first", "last"] = "first",
        *,
        raw_read: Callable[[Any, str], Any] | None = None,
    ) -> None:
        """`raw_read` looks a field up where only a null matters, if that is not `read`."""
        self.named = named
        self._equality = equality
        self._read = read
        self._raw_read = raw_read or read
        self._guess = guess

    def relation(self, items: list[Any]) -> ByFields:
        """The relation between items, given the old ones."""
        guessed = () if self.named or not items else items[0 if self._guess == "first" else -1]
        return ByFields(self.named or tuple(guessed or ()), self._equality, self._read, MISSING)

    def of(self, item: Any) -> Any:
        """What of an item identifies it; all of it where fields are guessed."""
        return [self._raw_read(item, name) for name in self.named] if self.named else item

    def check(self, items: Iterable[Any], names: tuple[str, ...]) -> None:
        """Reject a null in any of the fields."""
        for item in items:
            if any(self._raw_read(item, name) is None for name in names):
                raise _NullField


class Joined:
    """Two lists of mappings in one, one after the other; `knockout` lets old items knock out new ones."""

    __slots__ = ("_fields", "_knockout", "_null_fault", "name")

    def __init__(self, fields: Fields, null_fault: str, knockout: Knockout | None = None) -> None:
        self.name = "join(old first)"
        self._fields = fields
        self._null_fault = null_fault
        self._knockout = knockout

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        try:
            self._fields.check(old, self._fields.named)
        except _NullField:
            run.reject(self._null_fault, old, new, trail)
            return OLD
        result = _MergedRecords(old, new, targets_of(self._knockout, old), self._knockout, run)
        for position in range(len(old)):
            result.keep("old", position)
        for position in range(len(new)):
            if not result.is_knocked_out(position):
                result.keep("new", position)
        return result.as_delta()


class Keyed:
    """Combine two lists of mappings item by item, matched by fields."""

    __slots__ = ("_as_compared", "_conflict_fault", "_fields", "_knockout", "_null_fault", "_then", "name")

    def __init__(
        self,
        fields: Fields,
        *,
        then: Operator | None,
        null_fault: str,
        conflict_fault: str,
        knockout: Knockout | None = None,
        as_compared: Callable[[Any], Any] = lambda item: item,
    ) -> None:
        """`as_compared` gives an item in the form in which it is compared with others, if that is not its own."""
        self._as_compared = as_compared
        self.name = "match items" if then else "match items, add what is new"
        self._fields = fields
        self._then = then
        self._null_fault = null_fault
        self._conflict_fault = conflict_fault
        self._knockout = knockout

    def compared(self, item: Any) -> Any:
        """What of an item decides which others it belongs to."""
        return self._fields.of(self._as_compared(item))

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        compared = [self._as_compared(item) for item in new]
        targets = targets_of(self._knockout, [self._as_compared(item) for item in old])
        result = _MergedRecords(old, new, targets, self._knockout, run, compared)
        try:
            self._fields.check(old, self._fields.named)
            relation = self._fields.relation(old)
            if self._then is None:
                self._add(relation, result)
            else:
                self._merge(relation, result, self._then, policy, trail, run)
        except _NullField:
            run.reject(self._null_fault, old, new, trail)
            return OLD
        except Incomparable as error:
            run.reject(self._conflict_fault, old, new, trail, str(error))
            return OLD
        return result.as_delta()

    def _add(self, relation: ByFields, result: _MergedRecords) -> None:
        """Add every item that is not there yet."""
        index: EqualityIndex[tuple[SideName, int]] = EqualityIndex(
            relation if relation.all_plain((*result.old, *result.compared)) else relation.one_by_one()
        )
        for position, item in enumerate(result.old):
            self._fields.check((item,), relation.fields)
            _add_once(index, "old", position, self._as_compared(item), result)
        for position, item in enumerate(result.compared):
            self._fields.check((item,), relation.fields)
            if not result.is_knocked_out(position):
                _add_once(index, "new", position, item, result)

    def _merge(
        self,
        relation: ByFields,
        result: _MergedRecords,
        then: Operator,
        policy: Policy,
        trail: Trail,
        run: MergeContext,
    ) -> None:
        """Every old item with all new ones that match it, then the rest of the new ones."""
        used: set[int] = set()
        matches = self._finder(relation, result, used)
        for position, item in enumerate(result.old):
            as_delta: Delta = Ref(item, "old", (position,))
            value = item
            for match in matches(item):
                used.add(match)
                other = result.new[match]
                delta = then.apply(value, other, policy, (trail, position, match), run)
                value = value_of(delta, value, other)
                as_delta = Compose(value, as_delta, Ref(other, "new", (match,)), delta)
            result.take(position, as_delta, value)
        for position in range(len(result.new)):
            if position not in used:
                result.keep("new", position)

    def _finder(self, relation: ByFields, result: _MergedRecords, used: set[int]) -> Callable[[Any], Iterable[int]]:
        """Finds the new items that match an old one; what is knocked out never matches and counts as used."""
        if not relation.all_plain((*result.old, *result.compared)):
            return lambda item: self._one_by_one(item, relation, result, used)
        index: EqualityIndex[int] = EqualityIndex(relation)
        for position, item in enumerate(result.compared):
            self._fields.check((item,), relation.fields)
            if result.is_knocked_out(position):
                used.add(position)
            else:
                index.add(item, position)
        return index.find

    def _one_by_one(self, item: Any, relation: ByFields, result: _MergedRecords, used: set[int]) -> list[int]:
        """The same if some values may not be comparable: one by one, so that the first rejection is the right one."""
        result.spend(len(result.new) * COMPARISON)
        found: list[int] = []
        for position, other in enumerate(result.compared):
            self._fields.check((other,), relation.fields)
            if result.is_knocked_out(position):
                used.add(position)
            elif relation.same(item, other):
                found.append(position)
        return found


def _add_once(
    index: EqualityIndex[tuple[SideName, int]], side: SideName, position: int, item: Any, result: _MergedRecords
) -> None:
    same = next(index.find(item), None)
    if same is not None:
        kept, at = same
        result.lost.append(Removed("ignored", marker=(kept, (at,)), item=(side, position)))
        return
    index.add((result.old if side == "old" else result.new)[position], (side, position))
    result.keep(side, position)


class _MergedRecords:
    """The list under construction."""

    def __init__(
        self,
        old: list[Any],
        new: list[Any],
        targets: list[tuple[int, Any]],
        knockout: Knockout | None,
        run: MergeContext,
        compared: list[Any] | None = None,
    ) -> None:
        self.spend = run.spend
        self.spend((len(old) + len(new)) * (1 + COMPARISON * len(targets)))
        self.old = old
        self.new = new
        self.compared = new if compared is None else compared
        """The new items as they are compared."""
        self.lost: list[Removed] = []
        self._targets = targets
        self._knockout = knockout
        self._value: list[Any] = []
        self._items: list[tuple[SideName, int] | Delta] = []
        self._known: dict[int, bool] = {}

    def is_knocked_out(self, position: int) -> bool:
        """Whether a marker knocks out a new item; remembers by which."""
        if position not in self._known:
            by = marker_of(self._knockout, self._targets, self.compared[position])
            self._known[position] = by is not None
            if by is not None:
                self.lost.append(Removed("knocked out", marker=("old", (by,)), item=("new", position)))
        return self._known[position]

    def keep(self, side: SideName, position: int) -> None:
        """An item as it is."""
        self._value.append((self.old if side == "old" else self.new)[position])
        self._items.append((side, position))

    def take(self, position: int, as_delta: Delta, value: Any) -> None:
        """An old item with what was merged into it."""
        if isinstance(as_delta, Compose):
            self._value.append(value)
            self._items.append(as_delta)
        else:
            self.keep("old", position)

    def as_delta(self) -> Delta:
        items: list[Slice | Delta] = []
        run: list[tuple[SideName, int]] = []
        for item in self._items:
            if isinstance(item, tuple):
                run.append(item)
                continue
            items.extend(spans(run))
            run = []
            items.append(item)
        items.extend(spans(run))
        return ListDelta(self._value, tuple(items), tuple(self.lost))
