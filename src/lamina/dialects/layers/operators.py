"""Operators that rules name and the engine does not have: lists in several ways, sums, locks.

Every operator may also be asked with nothing, or null, on the old side: markers and duplicates are then removed from
the only list there is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from lamina import plugin as lp
from lamina.dialects.layers.documents import identity_of
from lamina.plugin import formats as lpf
from lamina.plugin import operators as lpo

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

Side = Literal["old", "new"]
_ITEM = 8
"""What an item of a list takes, in bytes."""


def rule_of(policy: lp.Policy) -> str:
    """The rule that holds, as messages name it."""
    return f"{policy.label} at {policy.origin}" if policy.origin else policy.label


class KeyedMember(lpo.MemberOperator):
    """Combine two members of a mapping by the policy of their own path."""

    __slots__ = ()
    name = "merge"
    ignores_types: Final = True

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, run: lpo.MergeContext) -> lpo.Delta:
        return policy.combine(old, new, trail, run)


class NewValue:
    """A mapping where none was: its members are looked at one by one, since rules may hold for them."""

    name = "take"

    def __init__(self, union: lpo.Operator) -> None:
        self._union = union

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, run: lpo.MergeContext) -> lpo.Delta:
        return self._union.apply({}, new, policy, trail, run)


class KnockoutByPrefix:
    """Combine two mappings key by key; a key of the new one that begins with the prefix removes the key it names.

    What a layer removes and sets at once takes the old value's place as it is written.
    """

    def __init__(self, union: lpo.Operator, prefix: str, *, deletes: bool) -> None:
        self.name = "merge, with knockout"
        self._union = union
        self._prefix = prefix
        self._deletes = deletes

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, run: lpo.MergeContext) -> lpo.Delta:
        size = len(self._prefix)
        markers = {key[size:]: key for key in new if isinstance(key, str) and key.startswith(self._prefix)}
        if not markers:
            return self._union.apply(old, new, policy, trail, run)
        run.build(len(old) + len(new), (len(old) + len(new)) * _ITEM)
        own = set(markers.values())
        left = {key: value for key, value in old.items() if key not in markers}
        added = {key: value for key, value in new.items() if key not in own and key not in markers}
        replaced = {
            key: new[key]
            for key in markers
            if key in new and key not in own and not (self._deletes and new[key] is None)
        }
        merged = self._union.apply(left, added, policy, trail, run)
        assert isinstance(merged, lpo.MapDelta)
        deleted = {
            name: lpo.Removed("knocked out", None, ("new", (marker,)))
            for name, marker in markers.items()
            if name in old and name not in replaced
        }
        entries: dict[Any, lpo.Delta] = {**merged.entries, **dict.fromkeys(replaced, lpo.NEW), **deleted}
        value = {**merged.value, **replaced}
        order = dict.fromkeys((*left, *new))
        return lpo.MapDelta({key: value[key] for key in order if key in value}, entries, merged.under)


class RuleListJoin:
    """The items of both lists in one; perhaps each only once, and without what the new list knocks out."""

    def __init__(self, first: Side = "old", *, unique: bool = False, prefix: str | None = None) -> None:
        self.name = "unique" if unique else "append" if first == "old" else "prepend"
        self._first = first
        self._unique = unique
        self._prefix = prefix
        self.compared = _itself if unique or prefix is not None else None

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, run: lpo.MergeContext) -> lpo.Delta:
        old = old or ()
        run.build(len(old) + len(new), (len(old) + len(new)) * _ITEM)
        targets = _targets(new, self._prefix)
        built = _ListBuilder()
        seen: dict[Hashable, tuple[Side, int]] = {}
        sides: list[tuple[Side, Any]] = [("old", old), ("new", new)]
        for side, items in sides if self._first == "old" else sides[::-1]:
            for position, item in enumerate(items):
                if side == "new" and _marked(item, self._prefix) is not None:
                    continue
                if side == "old" and isinstance(item, str) and item in targets:
                    built.remove(side, position, "knocked out", ("new", targets[item]))
                    continue
                known = seen.setdefault(identity_of(item, run), (side, position)) if self._unique else (side, position)
                if known == (side, position):
                    built.keep(side, position, item)
                else:
                    built.remove(side, position, "dropped", known)
        return built.delta()


def _itself(item: Any) -> Any:
    return item


def _marked(item: Any, prefix: str | None) -> str | None:
    """What a marker names; None for what is not one."""
    if prefix is None or not isinstance(item, str) or not item.startswith(prefix) or item == prefix:
        return None
    return item[len(prefix) :]


def _targets(new: Iterable[Any], prefix: str | None) -> dict[str, int]:
    """What the markers among items name, with the position of each."""
    if prefix is None:
        return {}
    named = ((position, _marked(item, prefix)) for position, item in enumerate(new))
    return {name: position for position, name in named if name is not None}


class _ListBuilder:
    """A list under construction, from items of both sides."""

    def __init__(self) -> None:
        self._value: list[Any] = []
        self._items: list[lpo.Slice | lpo.Delta] = []
        self._removed: list[lpo.Removed] = []

    def keep(self, side: Side, position: int, item: Any) -> None:
        last = self._items[-1] if self._items else None
        self._value.append(item)
        if isinstance(last, lpo.Slice) and last.side == side and last.stop == position:
            last.stop += 1
        else:
            self._items.append(lpo.Slice(side, position, position + 1))

    def add(self, delta: lpo.Delta, item: Any) -> None:
        self._value.append(item)
        self._items.append(delta)

    def remove(self, side: Side, position: int, verdict: str, by: tuple[Side, int]) -> None:
        self._removed.append(lpo.Removed(verdict, marker=(by[0], (by[1],)), item=(side, position)))

    def delta(self) -> lpo.Delta:
        return lpo.ListDelta(self._value, tuple(self._items), tuple(self._removed))


class _MemberEntry:
    """One item of a list that is merged by keys: where it is from, and what was merged into it."""

    __slots__ = ("delta", "is_removed", "latest", "position", "side", "value")

    def __init__(self, side: Side, position: int, value: Any) -> None:
        self.side, self.position, self.value = side, position, value
        self.latest = position if side == "new" else None
        """The position in the new list of what is in it first, if anything is."""
        self.delta: lpo.Delta | None = None
        self.is_removed = False

    @property
    def by_new(self) -> tuple[bool, int]:
        """Its place where the order of the new list comes first."""
        return (True, self.position) if self.latest is None else (False, self.latest)

    def as_delta(self) -> lpo.Delta:
        return self.delta or lpo.Ref(self.value, self.side, (self.position,))


class _KeylessItem(Exception):
    """An item does not have what it is known by."""


def by_fields(fields: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Items are mappings, known by the values of some keys."""

    def key_of(item: Any) -> tuple[Any, ...]:
        if not isinstance(item, dict):
            raise _KeylessItem(f"an item is {lp.word_for(item)}, not a mapping with {', '.join(fields)}")
        for field in fields:
            if item.get(field) is None or isinstance(item[field], (dict, list)):
                raise _KeylessItem(f"an item has no usable value for {field}")
        return tuple(item[field] for field in fields)

    def compared(item: Any) -> Any:
        return [item.get(field) for field in fields] if isinstance(item, dict) else item

    key_of.compared = compared  # type: ignore[attr-defined]
    return key_of


def by_part(separator: str, part: int) -> Callable[[Any], tuple[Any, ...]]:
    """Items are strings or numbers, known by one of their parts; by the last one where they have fewer."""

    def key_of(item: Any) -> tuple[Any, ...]:
        if not _is_short(item):
            raise _KeylessItem(f"an item is {lp.word_for(item)}, not a string with parts between {separator!r}")
        parts = str(item).split(separator)
        return (parts[min(part, len(parts)) - 1],)

    return key_of


def by_form(fields: tuple[str, ...], short: str, otherwise: dict[str, str]) -> Callable[[Any], tuple[Any, ...]]:
    """Items are mappings, or strings that a pattern reads as one; they are known by the text of some of their keys.

    `otherwise` has what is meant where an item does not have a key; other keys of the item may be in it, in braces.
    """
    pattern = lpf.SafePattern(rf"\A(?:{short})\Z")

    def key_of(item: Any) -> tuple[Any, ...]:
        long = item
        if _is_short(item):
            match = pattern.search(str(item))
            if match is None:
                raise _KeylessItem(f"an item is {str(item)!r}, which is not written as it should be")
            long = {name: text for name, text in match.groupdict().items() if text is not None}
        if not isinstance(long, dict):
            raise _KeylessItem(f"an item is {lp.word_for(item)}, not a string or a mapping")
        texts = {name: str(value) for name, value in long.items() if _is_short(value)}
        texts = {name: _filled_in(text, texts) for name, text in otherwise.items()} | texts
        if not all(texts.get(field) is not None for field in fields):
            missing = next(field for field in fields if texts.get(field) is None)
            raise _KeylessItem(f"an item has no usable value for {missing}")
        return tuple(texts[field] for field in fields)

    return key_of


def _filled_in(text: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _is_short(item: Any) -> bool:
    return isinstance(item, (str, int, float)) and not isinstance(item, bool)


def as_mapping(separator: str, member: Any) -> lpo.Cast:
    """Reads strings as the entries of a mapping: the key is before the separator; without one the value is `member`."""

    def change(items: Any) -> dict[str, Any]:
        if not all(map(_is_short, items)):
            raise ValueError("an item is not a string, so the list cannot be read as a mapping")
        pairs = (str(item).partition(separator) for item in items)
        return {key: value if found else member for key, found, value in pairs}

    return lpo.Cast("the items as a mapping", change)


class TakeAnyForm:
    """Take the later of two items that are the same thing, one perhaps in the short and one in the long form."""

    name = "take"
    _other_form = lpo.Convert(lp.TAKE, old=lpo.Cast("in another form", lambda item: item))

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, run: lpo.MergeContext) -> lpo.Delta:
        if isinstance(old, dict) == isinstance(new, dict):
            return lpo.NEW
        return self._other_form.apply(old, new, policy, trail, run)


AS_LIST: Final = lpo.Cast("a list of one", lambda value: [value])


class MatchByKey:
    """Items of the two lists that are known by the same key are merged; what only the other list has follows."""

    def __init__(
        self,
        key_of: Callable[[Any], tuple[Any, ...]],
        items: lpo.Operator,
        prefix: str | None = None,
        first: Side = "old",
    ) -> None:
        self.name = "by key"
        self.compared: Callable[[Any], Any] = getattr(key_of, "compared", _itself)
        self._key_of = key_of
        self._items = items
        self._prefix = prefix
        self._first = first

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, run: lpo.MergeContext) -> lpo.Delta:
        old = old or ()
        run.build(len(old) + len(new), (len(old) + len(new)) * _ITEM)
        built = _ListBuilder()
        entries: dict[Hashable, list[_MemberEntry]] = {}
        order: list[_MemberEntry] = []
        try:
            for entry in _both(old, new):
                key = self._key_of(entry.value)
                target = self._knocked_out(key) if entry.side == "new" else None
                if target is None:
                    known = entries.setdefault(identity_of(list(key), run), [])
                    self._add(entry, known, order, policy, trail, run)
                    continue
                for deleted in entries.pop(identity_of(list(target), run), ()):
                    deleted.is_removed = True
                    built.remove(deleted.side, deleted.position, "knocked out", ("new", entry.position))
        except _KeylessItem as reason:
            run.reject("no-key", old, new, trail, f"{reason} ({rule_of(policy)})")
            return lpo.OLD
        for entry in order if self._first == "old" else sorted(order, key=lambda each: each.by_new):
            if entry.is_removed:
                continue
            if entry.delta is None:
                built.keep(entry.side, entry.position, entry.value)
            else:
                built.add(entry.delta, entry.value)
        return built.delta()

    def _add(
        self,
        entry: _MemberEntry,
        known: list[_MemberEntry],
        order: list[_MemberEntry],
        policy: lp.Policy,
        trail: lpo.Trail,
        run: lpo.MergeContext,
    ) -> None:
        """An item added to the list, or merged into the first one that has its key."""
        if not known or entry.side == "old":  # what the old list has twice stays so
            known.append(entry)
            order.append(entry)
            return
        first = known[0]
        delta = self._items.apply(first.value, entry.value, policy, (trail, first.position, entry.position), run)
        value = first.value if delta is lpo.OLD else entry.value if delta is lpo.NEW else delta.value
        first.delta = lpo.Compose(value, first.as_delta(), entry.as_delta(), delta)
        first.value = value
        first.latest = entry.position if first.latest is None else first.latest

    def _knocked_out(self, key: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The key that an item knocks out: the same without the prefix."""
        named = [_marked(part, self._prefix) for part in key]
        if not any(name is not None for name in named):
            return None
        return tuple(part if name is None else name for part, name in zip(key, named, strict=True))


def _both(old: Any, new: Any) -> Iterator[_MemberEntry]:
    sides: tuple[tuple[Side, Any], ...] = (("old", old), ("new", new))
    return (_MemberEntry(side, position, item) for side, items in sides for position, item in enumerate(items))


class Sum:
    """The sum of two numbers."""

    name = "sum"

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, run: lpo.MergeContext) -> lpo.Delta:
        try:
            return lpo.computed(old + new, "sum")
        except OverflowError:  # an integer beyond all floats, and a float
            run.reject("wrong-type", old, new, trail, rule_of(policy))
            return lpo.OLD


class SameOnly:
    """The old value, if the new one is the same; everything else is a conflict."""

    def __init__(self, fault: str, *, deletes: bool) -> None:
        self.name = fault
        self._fault = fault
        self._deletes = deletes

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, run: lpo.MergeContext) -> lpo.Delta:
        if lpo.holds_unknown(old) or lpo.holds_unknown(new):
            return lpo.OLD
        wanted = _without_nulls(new) if self._deletes else new
        if identity_of(old, run) != identity_of(wanted, run):
            run.reject(self._fault, old, new, trail, rule_of(policy))
        return lpo.OLD


def _without_nulls(value: Any) -> Any:
    """A value as it is where nulls delete: no mapping in it has one, those in lists aside."""
    if not isinstance(value, dict):
        return value
    return {key: _without_nulls(each) for key, each in value.items() if each is not None}


class WrongType:
    """Values of types that a rule does not combine."""

    name = "reject(wrong-type)"

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, run: lpo.MergeContext) -> lpo.Delta:
        run.reject("wrong-type", old, new, trail, rule_of(policy))
        return lpo.OLD


class Recursive:
    """Two mappings merged by one table at every depth, whatever other rules say."""

    def __init__(self, union: lpo.Operator, others: lpo.Operator) -> None:
        self.name = others.name
        self._union = union
        self._cases = lp.Cases((lp.MAPS, lp.MAPS, union), (lp.ALL, lp.ALL, others))

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, run: lpo.MergeContext) -> lpo.Delta:
        inner_policy = lp.Policy(self._cases, policy.label, policy.origin)
        return self._union.apply(old, new, inner_policy, trail, run)
