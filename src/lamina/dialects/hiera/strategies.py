"""Merge strategies: how the values that levels have for one key become one value.

Levels are gone through from the highest down: old is what higher ones gave, new is what a lower one has. The files of
a level are merged first, then the levels of a layer, then the layers (global, environment, module).

first     The highest value there is, null included; nothing below it is looked at.
unique    The items of all values, those of the highest first, lists in lists opened, each item once. A single value
          counts as a list of one. Null and a mapping in a lower level are rejected. Even a value that meets no other
          is opened into a list, unless there could be no other.
hash      The keys of all mappings, those of the lowest first. Where two have a key, the higher value is taken whole.
          Anything but mappings whose keys are all strings is rejected.
deep      What Ruby's deep_merge makes of both. Mappings are merged key by key at every depth; two lists are joined,
          the lower one's items first, each item once; elsewhere the higher value is taken. Null in a higher level
          gives way to the lower value, null and false in a lower level to the higher one. A list inside a mapping
          that meets nothing loses its duplicates, too. `knockout_prefix`: an item such as `--x` removes x and itself,
          `--` alone empties the list. `sort_merged_arrays` sorts joined lists. `merge_hash_arrays` merges mappings in
          lists by their position.
unconstrained_deep, reverse_deep
          The same with all options of the library, `overwrite_arrays` among them (the higher list is taken), and for
          reverse_deep with higher and lower exchanged.

1, 1.0 and true are different items, as for Ruby's `eql?`. The deep merge itself is in `deep_merge`; which side a part
comes from is found here, by equality. See lookup_options in docs/reference/hiera.md; golden cases in deep.json.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from lamina import plugin as lp
from lamina.dialects.hiera import messages
from lamina.dialects.hiera.deep_merge import DeepMerge, DeepOptions, NotSortableError, eql, unique
from lamina.dialects.hiera.interpolation import HieraFound
from lamina.plugin import formats as lpf
from lamina.plugin import operators as lpo

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_NAMES: Final = ("first", "default", "unique", "hash", "deep", "unconstrained_deep", "reverse_deep")
_SWITCHES: Final = ("sort_merged_arrays", "merge_hash_arrays", "merge_debug")
_NOT_BUILT: Final = ("unpack_arrays", "extend_existing_arrays", "preserve_unmergeables", "debug_indent")
"""Options of the deep_merge library that only strategies for Puppet's own use let through."""
FAULTS: Final[Mapping[str, lp.Message]] = {
    "hash-type": lp.Message(
        code="merge-type",
        message="cannot merge {new_kind} in {layer} with {old_kind}: the strategy hash needs mappings with string keys",
        hint="use mappings in both, or choose another strategy in lookup_options",
    ),
    "unique-type": lp.Message(
        code="merge-type",
        message="cannot merge {new_kind} in {layer}: the strategy unique needs lists or single values",
        hint="use a list, or choose another strategy in lookup_options",
    ),
    "empty-prefix": lp.Message(
        code="merge-option",
        message="the knockout_prefix is empty",
        hint="set a prefix such as '--', or remove the option",
    ),
    "bad-prefix": lp.Message(
        code="merge-option", message="invalid knockout_prefix: {detail}", hint="use a prefix such as '--'"
    ),
    "not-sortable": lp.Message(
        code="not-sortable",
        message="sort_merged_arrays cannot sort the merged list: its items cannot be compared",
        hint="do not mix strings and numbers, or remove sort_merged_arrays",
    ),
}

_STRINGS: Final = frozenset((str,))
_SCALARS: Final = frozenset((str, int, bool))

_Flat: TypeAlias = "list[tuple[Any, lp.Path]]"


def _flat(value: Any) -> _Flat:
    """The items of lists in lists, with their paths; any other value is one item."""
    if not isinstance(value, list):
        return [(value, ())]
    found: _Flat = []
    pending: list[tuple[Any, lp.Path]] = [(value, ())]
    while pending:
        current, path = pending.pop()
        if isinstance(current, list):
            pending.extend((current[at], (*path, at)) for at in range(len(current) - 1, -1, -1))
        else:
            found.append((current, path))
    return found


def first_unknown(*values: Any) -> lp.Unknown | None:
    """The first thing in values that is not known: what compares items can then not be told."""
    return next((unknown for value in values for _, unknown in lpo.unknown_values(value)), None)


def has_number_keys(value: Any) -> bool:
    """Whether a mapping in a value has a key that is not a string."""
    pending = [value]
    while pending:
        current = pending.pop()
        if isinstance(current, dict):
            if any(not isinstance(key, str) for key in current):
                return True
            pending.extend(current.values())
        elif isinstance(current, list):
            pending.extend(current)
    return False


class Hash:
    """Keys of both; where both have one, the higher level's value. The lower level's keys come first."""

    name = "hash"

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, context: lpo.MergeContext) -> lpo.Delta:
        if not all(isinstance(side, dict) and not has_number_keys(side) for side in (old, new)):
            context.reject("hash-type", old, new, trail)
            return lpo.OLD
        context.build(len(old) + len(new))
        entries: dict[Any, lpo.Delta] = {key: lpo.OLD if key in old else lpo.NEW for key in new}
        return lpo.MapDelta({**new, **old}, entries)


class Unique:
    """The items of both, lists in lists opened, each once."""

    name = "unique"

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, context: lpo.MergeContext) -> lpo.Delta:
        if (unknown := first_unknown(old, new)) is not None:
            return lpo.computed(unknown, "unknown")
        if new is None or isinstance(new, dict) or has_number_keys(new) or has_number_keys(old):
            context.reject("unique-type", old, new, trail)
            return lpo.OLD
        sides = [("old", *each) for each in _flat(old)]
        if new is not lp.MISSING:
            sides += [("new", *each) for each in _flat(new)]
        context.build(len(sides))
        unique_items = unique([item for _, item, _ in sides])
        pieces = tuple(lpo.Ref(item, side, path) for side, item, path in (sides[at] for at in unique_items))  # type: ignore[arg-type]
        return lpo.ListDelta([part.value for part in pieces], pieces)


class Distinct:
    """A list alone: each item once, nothing opened."""

    name = "distinct"

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, context: lpo.MergeContext) -> lpo.Delta:
        if (unknown := first_unknown(old)) is not None:
            return lpo.computed(unknown, "unknown")
        if not isinstance(old, list):
            return lpo.OLD
        unique_items = unique(old)
        return lpo.ListDelta(
            [old[at] for at in unique_items], tuple(lpo.Slice("old", at, at + 1) for at in unique_items)
        )


class Deep:
    """What the deep_merge library makes of two values; which side a part comes from is found by equality."""

    def __init__(self, options: DeepOptions, *, reverse: bool = False) -> None:
        self.name = "reverse_deep" if reverse else "deep"
        self.options = options
        self._reverse = reverse

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, context: lpo.MergeContext) -> lpo.Delta:
        if self.options.prefix == "":
            context.reject("empty-prefix", old, new, trail)
            return lpo.OLD
        if (unknown := first_unknown(old, new)) is not None:
            return lpo.computed(unknown, "unknown")
        higher, lower = (new, old) if self._reverse else (old, new)
        try:
            result = DeepMerge(self.options).merged(higher, lower)
        except lpf.BadPattern as error:
            context.reject("bad-prefix", old, new, trail, str(error))
            return lpo.OLD
        except NotSortableError:
            context.reject("not-sortable", old, new, trail)
            return lpo.OLD
        return _delta(old, new, result, context, first="old" if self._reverse else "new")


def _delta(old: Any, new: Any, result: Any, context: lpo.MergeContext, first: str) -> lpo.Delta:
    """Which side each part of a result is equal to; `first` is the side whose items of lists come first."""
    context.spend(1)
    if isinstance(result, dict) and isinstance(old, dict) and isinstance(new, dict):
        return _map_delta(old, new, result, context, first)
    if isinstance(result, list) and (isinstance(old, list) or isinstance(new, list)):
        return _list_delta(old, new, result, context, first)
    if result is old:
        return lpo.OLD
    if type(result) in _SCALARS:
        if type(old) is type(result) and old == result:
            return lpo.OLD
        return lpo.NEW if type(new) is type(result) and new == result else lpo.computed(result, "deep merge")
    form = eql(result)
    if form == eql(old):
        return lpo.OLD
    return lpo.NEW if form == eql(new) else lpo.computed(result, "deep merge")


def _map_delta(
    old: dict[Any, Any], new: dict[Any, Any], result: dict[Any, Any], context: lpo.MergeContext, first: str
) -> lpo.Delta:
    context.build(len(result))
    entries: dict[Any, lpo.Delta] = {}
    for key, value in result.items():
        entry = _delta(old.get(key, lp.MISSING), new.get(key, lp.MISSING), value, context, first)
        if key in new or entry is not lpo.OLD:
            entries[key] = entry
    return lpo.MapDelta(result, entries)


def _list_delta(old: Any, new: Any, result: list[Any], context: lpo.MergeContext, first: str) -> lpo.Delta:
    if not isinstance(new, list) and eql(result) == eql(old):
        return lpo.OLD
    if not isinstance(old, list) and eql(result) == eql(new):
        return lpo.NEW
    sides = {"old": old if isinstance(old, list) else [], "new": new if isinstance(new, list) else []}
    context.spend(len(sides["old"]) + len(sides["new"]))
    context.build(len(result))
    all_strings = _STRINGS.issuperset(type(item) for items in (*sides.values(), result) for item in items)
    forms = {side: items if all_strings else list(map(eql, items)) for side, items in sides.items()}
    positions: dict[Any, tuple[str, int]] = {}
    for side in (first, "new" if first == "old" else "old"):
        for at, form in enumerate(forms[side]):
            positions.setdefault(form, (side, at))
    pieces: list[Any] = []
    taken: set[tuple[str, int]] = set()
    for at, item in enumerate(result):
        position = positions.get(item if all_strings else eql(item))
        if position is not None:
            taken.add(position)
            pieces.append(lpo.Slice(position[0], position[1], position[1] + 1))  # type: ignore[arg-type]
            continue
        pieces.append(_merged_item(sides, at, item, context, first))
        taken.update((side, at) for side in sides if at < len(sides[side]))
    if result == old and all(part == ("old", at) for at, part in enumerate(_order(pieces))):
        return lpo.OLD
    return lpo.ListDelta(result, tuple(pieces), tuple(_removed_items(forms, taken, positions)))


def _merged_item(
    sides: Mapping[str, list[Any]], at: int, item: Any, context: lpo.MergeContext, first: str
) -> lpo.Delta:
    """An item that neither side has: made of the two mappings at its position, by merge_hash_arrays."""
    if not all(at < len(items) and isinstance(items[at], dict) for items in sides.values()):
        return lpo.computed(item, "deep merge")
    old, new = sides["old"][at], sides["new"][at]
    inside = _delta(old, new, item, context, first)
    return lpo.Compose(item, lpo.Ref(old, "old", (at,)), lpo.Ref(new, "new", (at,)), inside)


def _order(pieces: Sequence[Any]) -> Iterator[tuple[str, int] | None]:
    for part in pieces:
        yield (part.side, part.start) if isinstance(part, lpo.Slice) else None


def _removed_items(
    forms: Mapping[str, list[Any]], taken: set[tuple[str, int]], positions: Mapping[Any, tuple[str, int]]
) -> Iterator[lpo.Removed]:
    """Items that are not in the result, by the forms of all items; an equal item from elsewhere counts as the item."""
    for side, items in forms.items():
        for at, form in enumerate(items):
            if (side, at) not in taken and positions[form] == (side, at):
                yield lpo.Removed("removed", item=(side, at))  # type: ignore[arg-type]


def _everywhere(operator: Any) -> lp.Cases:
    return lp.Cases((lp.ALL, lp.ALL, operator))


@dataclass(frozen=True, slots=True)
class LookupRule:
    """How the values of a key are merged, and where that is said."""

    strategy: str
    operator: lpo.Operator | None
    label: str
    at: lp.Origin | None = None

    @property
    def first(self) -> bool:
        return self.operator is None

    def merged(
        self, name: str, hits: Sequence[HieraFound], run: lp.Run, *, is_only: bool, path: lp.Path = ()
    ) -> HieraFound:
        """The values of a level, a layer or all layers, the highest first; `is_only`: there could be no other.

        What is merged is an output of that name.
        """
        if self.operator is None:
            return hits[0]
        directive = lp.Directive(self.label, self.at)
        steps: list[Any] = [lp.Start(directive=directive, take=hits[0].take, forwards=True)]
        steps.extend(self._step(hit.take, self.operator) for hit in hits[1:])
        if self.strategy == "unique":
            steps.extend(self._single(hits, is_only=is_only))
        if len(steps) == 1:
            return hits[0]
        node = lp.folded(name, *steps, run=run, path=path)
        output = lp.Output(name=name, steps=tuple(steps), hidden=True)

        def outputs() -> Iterator[lp.Output]:
            for hit in hits:
                yield from hit.outputs()
            yield output

        return HieraFound(node.value, node, name, outputs, may_be_secret=any(hit.may_be_secret for hit in hits))

    def _single(self, hits: Sequence[HieraFound], *, is_only: bool) -> Iterator[lp.Merge]:
        """What happens to a value that no other is merged with."""
        value = hits[0].value
        missing = lp.From(source=lp.LiteralNode(lp.MISSING, ()))
        if is_only:
            if isinstance(value, list) and len(unique(value)) < len(value):
                yield self._step(missing, Distinct())
        elif len(hits) == 1 and (not isinstance(value, list) or _nested(value)):
            yield self._step(missing, Flatten())

    def _step(self, take: lp.From, operator: lpo.Operator) -> lp.Merge:
        policy = lp.Policy(_everywhere(operator), self.label, self.at)
        return lp.Merge(
            directive=lp.Directive(self.label, self.at),
            take=take,
            policy=policy,
            faults=FAULTS,
            forwards=True,
        )


class Flatten:
    """A value alone as a list: lists in lists are opened."""

    name = "unique"

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, context: lpo.MergeContext) -> lpo.Delta:
        pieces = tuple(lpo.Ref(item, "old", path) for item, path in _flat(old))
        return lpo.ListDelta([part.value for part in pieces], pieces)


def _nested(value: list[Any]) -> bool:
    return any(isinstance(item, list) for item in value)


_OPERATORS: Final[Mapping[str, lpo.Operator]] = {"unique": Unique(), "hash": Hash()}
FIRST: Final = LookupRule("first", None, "first")
HASH: Final = LookupRule("hash", Hash(), "hash")


def rule_of(value: Any, at: lp.Origin | None, source: str) -> LookupRule:
    """The rule that a merge names: a string, or a mapping with a strategy and its options."""
    if value is None or value is False:
        return LookupRule("first", None, f"first ({source})", at) if at else FIRST
    name, options = (value.get("strategy"), value) if isinstance(value, dict) else (value, {})
    if not isinstance(name, str) or name not in _NAMES:
        hint = lp.did_you_mean(str(name), _NAMES)
        raise lp.Reject(messages.UNKNOWN_MERGE.at(at, hint=hint, name=name, place=source))
    given = {key: item for key, item in options.items() if key != "strategy"}
    label = f"{name} ({source})"
    if name in ("first", "default", "unique", "hash"):
        for key in given:
            hint = "remove it, or use deep"
            raise lp.Reject(messages.UNKNOWN_MERGE_OPTION.at(at, hint=hint, strategy=name, option=key))
        return LookupRule(name, _OPERATORS.get(name), label, at)
    if name == "deep":
        _check_deep(given, at)
    else:
        _check_unconstrained(str(name), given, at)
    deep = DeepOptions(
        prefix=given["knockout_prefix"] if _on(given.get("knockout_prefix")) else None,
        sort=_on(given.get("sort_merged_arrays")),
        merge_hashes=_on(given.get("merge_hash_arrays")),
        overwrite_arrays=_on(given.get("overwrite_arrays")),
    )
    return LookupRule("deep", Deep(deep, reverse=name == "reverse_deep"), label, at)


def _on(value: Any) -> bool:
    """Whether Ruby takes a value for true: all but null and false."""
    return value is not None and value is not False


def _check_deep(options: Mapping[Any, Any], at: lp.Origin | None) -> None:
    known = ("knockout_prefix", *_SWITCHES)
    for key, value in options.items():
        if key not in known:
            hint = lp.did_you_mean(str(key), known)
            raise lp.Reject(messages.UNKNOWN_MERGE_OPTION.at(at, hint=hint, strategy="deep", option=key))
        expected = str if key == "knockout_prefix" else bool
        if value is not None and not isinstance(value, expected):
            word = "a string" if expected is str else "true or false"
            kind = lp.word_for(value)
            raise lp.Reject(messages.MERGE_OPTION_TYPE.at(at, option=key, expected=word, kind=kind))


def _check_unconstrained(name: str, options: Mapping[Any, Any], at: lp.Origin | None) -> None:
    """Puppet forwards every option to the deep_merge library, which ignores those it does not know."""
    for key, value in options.items():
        if not isinstance(key, str) or not key:
            raise lp.Reject(messages.MERGE_OPTION_NAME.at(at, strategy=name, option=key))
        if key in _NOT_BUILT and _on(value):
            hint = f"remove it; supported: {', '.join(('knockout_prefix', *_SWITCHES, 'overwrite_arrays'))}"
            raise lp.Reject(messages.UNSUPPORTED_MERGE_OPTION.at(at, hint=hint, option=key, strategy=name))
        if key == "knockout_prefix" and _on(value) and not isinstance(value, str):
            kind = lp.word_for(value)
            raise lp.Reject(messages.MERGE_OPTION_TYPE.at(at, option=key, expected="a string", kind=kind))
