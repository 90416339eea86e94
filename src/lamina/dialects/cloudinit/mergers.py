"""Mergers: what each name in a rule means, as policies.

To merge, cloud-init uses only the type of the old value and looks for the first merger in the rule that handles it. If
none does, the old value stays and the new one is dropped silently. Null, booleans, numbers, dates, bytes and sets have
no merger: such an old value always stays.

dict   Old mapping, new not a mapping: old stays. Otherwise each key of the new mapping in turn. A key not there yet is
       added, null included. A key both have: with `allow_delete` a new null removes it; with `replace` the new value
       is taken whole; otherwise a new mapping is merged deeper, a new list only with `recurse_list` (`recurse_array`),
       a new text only with `recurse_str`, and everything else leaves the old value. Whether to go deeper is thus
       decided by the new value, and what happens there by the old one.
list   `append`, `prepend`, `replace`, `no_replace`: the first of them, in this order, that is given; `replace` if none.
       `replace` goes position by position: the old tail stays, extra new items are dropped; an item that is a mapping
       (`recurse_dict`), a list (`recurse_list`) or a string (`recurse_str`) is merged deeper. A new value that is not
       a list takes the place of the old one. `append` and `prepend` take whatever can be traversed: the characters
       of a string, the keys of a mapping. `no_replace` leaves the old list, and fails on a mapping (unless it or the
       old list is empty) and on anything without a length.
str    The new value, whatever it is; with `append` both strings joined, and a failure if the new value is not text.

Where cloud-init's manual (001) and the program disagree is described in `manual_rules`. See Merging in
docs/reference/cloud-init.md; golden cases in mergers.json and generated.json.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.cloudinit import messages
from lamina.dialects.cloudinit.merge_rule import BadRule, Merger, MergeRule, parse_text
from lamina.engine.delta import NEW, Compose, Delta, ListDelta, MapDelta, Ref, Removed, Slice, value_of
from lamina.engine.operators.mapping import Union
from lamina.engine.operators.whole import DELETE, DESCEND, KEEP, TAKE, RejectPair, Switch, Warn
from lamina.engine.policy import Cases, Policy
from lamina.values import ABSENT, ALL, COUNT, EMPTY_LIST, EMPTY_MAP, LISTS, MAP, MAPS, NULL, OTHER, TEXTS, classify

if TYPE_CHECKING:
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.policy import Operator, Trail
    from lamina.errors import Diagnostic
    from lamina.origins import Origin

Row = tuple[tuple[int, ...], tuple[int, ...], "Operator"]

REJECT: Final = RejectPair("clash")

PART_DEFAULT: Final = parse_text("dict(replace)+list()+str()")
"""The rule between user-data parts when none is given."""
LAYER_DEFAULT: Final = parse_text("list()+dict()+str()")
"""The rule everywhere else when none is given."""


class CopiedMapping(Union):
    """Combine two mappings key by key, into a new mapping even if nothing changes."""

    __slots__ = ()

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        delta = super().apply(old, new, policy, trail, run)
        if isinstance(delta, MapDelta) and (delta.value is old or delta.value is new):
            return MapDelta(dict(delta.value), delta.entries, delta.under)
        return delta


class CopiedList:
    """Keep the old list, as a copy."""

    __slots__ = ("name",)

    def __init__(self) -> None:
        self.name = "keep"

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        del new, policy, trail
        run.spend(len(old))
        return ListDelta(list(old), (Slice("old", 0, len(old)),))


def dict_rows(merger: Merger, remarks: Iterable[Row] = (), union: type[Union] = Union) -> list[Row]:
    """The table rows of `dict`; `remarks` are rows for pairs where the old value stays and a note is due."""
    cases: list[Row] = [((ABSENT,), ALL, TAKE)]
    if merger.has("allow_delete"):
        cases.append((ALL, (NULL,), DELETE))
    if merger.has("replace"):
        cases.append((ALL, ALL, TAKE))
    else:
        cases.append((ALL, MAPS, DESCEND))
        cases.extend(_recursions(merger))
        cases.extend(remarks)
        cases.append((ALL, ALL, KEEP))
    return [(MAPS, MAPS, union(Cases(*cases))), (MAPS, ALL, KEEP)]


def _recursions(merger: Merger) -> list[Row]:
    rows: list[Row] = []
    if merger.has("recurse_list") or merger.has("recurse_array"):
        rows.append((ALL, LISTS, DESCEND))
    if merger.has("recurse_str"):
        rows.append((ALL, TEXTS, DESCEND))
    return rows


def list_rows(merger: Merger, keep: Operator = KEEP) -> list[Row]:
    """The table rows of `list`."""
    method = next((name for name in ("append", "prepend", "replace", "no_replace") if merger.has(name)), "replace")
    if method == "replace":
        cases: list[Row] = [(ALL, MAPS, DESCEND)] if merger.has("recurse_dict") else []
        cases.extend(_recursions(merger))
        return [(LISTS, LISTS, Overlay(Cases(*cases, (ALL, ALL, TAKE)))), (LISTS, ALL, TAKE)]
    if method == "no_replace":
        return [
            (LISTS, (*LISTS, *TEXTS, EMPTY_MAP), keep),
            ((EMPTY_LIST,), (MAP,), keep),
            (LISTS, ALL, REJECT),
        ]
    from lamina.engine.operators.convert import ITEMS, Convert
    from lamina.engine.operators.sequence import JoinLists

    join = JoinLists("old" if method == "append" else "new")
    flattened = Convert(join, new=ITEMS, fault="clash")
    return [
        (LISTS, LISTS, join),
        (LISTS, TEXTS, Warn(flattened, "letters")),
        (LISTS, MAPS, Warn(flattened, "keys")),
        (LISTS, (OTHER,), flattened),
        (LISTS, ALL, REJECT),
    ]


def str_rows(merger: Merger) -> list[Row]:
    """The table rows of `str`."""
    if merger.has("append"):
        from lamina.engine.operators.text import JoinStrings

        return [(TEXTS, TEXTS, JoinStrings()), (TEXTS, ALL, REJECT)]
    return [(TEXTS, ALL, TAKE)]


BUILT_IN: Final[Mapping[str, Callable[[Merger], list[Row]]]] = {
    "dict": dict_rows,
    "list": list_rows,
    "str": str_rows,
}

COPYING: Final[Mapping[str, Callable[[Merger], list[Row]]]] = {
    "dict": lambda merger: dict_rows(merger, union=CopiedMapping),
    "list": lambda merger: list_rows(merger, CopiedList()),
    "str": str_rows,
}
"""The same where a JSON patch may follow. The program copies what it merges, so that an alias no longer shares it, even
if nothing in it changed; only a patch makes the difference visible."""

KNOWN_OPTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "dict": ("replace", "no_replace", "allow_delete", "recurse_dict", "recurse_list", "recurse_array", "recurse_str"),
    "list": (
        *("append", "prepend", "replace", "no_replace"),
        *("recurse_dict", "recurse_list", "recurse_array", "recurse_str"),
    ),
    "str": ("append",),
}


NULL_IS_EMPTY: Final = Policy(Cases(((NULL,), ALL, TAKE), (ALL, ALL, KEEP)), "null is treated as an empty mapping")
"""The step before every part that follows a patch, which may have made the whole result null."""


Mergers = Mapping[str, Callable[["Merger"], list["Row"]]]


def policy_of(rule: MergeRule, built_in: Mergers = BUILT_IN) -> Policy:
    """The policy of a rule; all names are looked up before any merger is built, as the program does."""
    named = [(base_name(merger.name), merger) for merger in rule.mergers]
    customs = _customs(named, built_in, rule.origin)
    try:
        table = _custom(named, built_in, customs) if customs else _table(named, built_in)
    except _BadOptions as bad:
        raise BadRule(_bad_options(bad.merger, bad.why, rule.origin)) from None
    return Policy(table, str(rule), rule.origin)


def _customs(named: Sequence[tuple[str, Merger]], built_in: Mergers, origin: Origin | None) -> dict[str, Any]:
    """The classes of the custom mergers among those of a rule."""
    custom = {name: merger for name, merger in named if name not in built_in}
    if not custom:
        return {}
    from lamina.dialects.cloudinit import plugins

    classes = {name: plugins.load(name) for name in custom}
    for name, merger in named:
        if name in custom and classes[name] is None:
            raise BadRule(_unknown(merger.name, built_in, origin))
    return classes


class _BadOptions(Exception):
    def __init__(self, merger: Merger, why: str) -> None:
        super().__init__(why)
        self.merger = merger
        self.why = why


def _table(named: Sequence[tuple[str, Merger]], built_in: Mergers) -> Cases:
    rows: list[Row] = []
    remarks = _remarks(named)
    for name, merger in named:
        if name == "dict" and remarks and built_in is BUILT_IN:
            rows.extend(_rows(lambda given: dict_rows(given, remarks), merger))
        elif name == "dict" and remarks and built_in is COPYING:
            rows.extend(_rows(lambda given: dict_rows(given, remarks, CopiedMapping), merger))
        else:
            rows.extend(_rows(built_in[name], merger))
    return Cases(*rows, (ALL, ALL, KEEP))


def _remarks(named: Sequence[tuple[str, Merger]]) -> list[Row]:
    """If a rule joins lists or strings but `dict` never recurses that far, keeping the old value deserves a note."""
    firsts = dict(reversed(named))
    remarks: list[Row] = []
    try:
        if "list" in firsts and (firsts["list"].has("append") or firsts["list"].has("prepend")):
            remarks.append((LISTS, LISTS, Warn(KEEP, "unjoined")))
        if "str" in firsts and firsts["str"].has("append"):
            remarks.append((TEXTS, TEXTS, Warn(KEEP, "unappended")))
    except TypeError:  # settings of a kind that holds nothing, rejected when the merger is made
        return []
    return remarks


def _rows(make: Callable[[Merger], list[Row]], merger: Merger) -> list[Row]:
    try:
        return make(merger)
    except TypeError as error:
        raise _BadOptions(merger, str(error)) from None


def _custom(named: list[tuple[str, Merger]], built_in: Mergers, customs: Mapping[str, Any]) -> Cases:
    """The table of a rule with custom mergers: each is tried in turn."""
    from lamina.dialects.cloudinit import plugins
    from lamina.dialects.cloudinit.custom_mergers import FirstThatHandles, Root

    root = Root()
    handlers: list[Callable[[Any], Operator | None]] = []
    for name, merger in named:
        if name in built_in:
            handlers.append(_handler(_rows(built_in[name], merger)))
            continue
        try:
            handlers.append(plugins.handler(customs[name], name, root, merger.options))
        except Exception as error:  # foreign code may raise anything
            raise _BadOptions(merger, str(error) or type(error).__name__) from error
    return Cases.everywhere(FirstThatHandles(handlers, KEEP))


def _handler(rows: list[Row]) -> Callable[[Any], Operator | None]:
    """A built-in merger as a handler, for rules with custom ones."""
    handled = {kind for old_kinds, _, _ in rows for kind in old_kinds}
    inside = Switch(Cases(*rows, (ALL, ALL, KEEP)))
    return lambda old: inside if classify(old) in handled else None


def base_name(name: Any) -> str:
    """A merger's name without the optional prefix `m_`."""
    return str(name).removeprefix("m_")


def _unknown(name: Any, built_in: Iterable[str], origin: Origin | None) -> Diagnostic:
    from lamina._support import suggestions
    from lamina.dialects.cloudinit import plugins

    known = [*built_in, *sorted(point.name for point in plugins.installed())]
    is_character = isinstance(name, str) and len(name) == 1
    hint = f"known mergers: {', '.join(known)}"
    if is_character:
        hint += "; a list of strings is read character by character: write one string, or {name: ..., settings: [...]}"
    elif isinstance(name, str) and base_name(name.lower()) in known:
        hint += f"; merger names are lower case: {base_name(name.lower())}"
    else:
        hint = suggestions.did_you_mean(str(name).lower(), known) + hint
    return messages.UNKNOWN_MERGER.at(origin, hint=hint, name=name)


def _bad_options(merger: Merger, error: str, origin: Origin | None) -> Diagnostic:
    return messages.BAD_MERGER_SETTINGS.at(origin, name=merger.name, options=merger.options, error=error)


class Overlay:
    """Combine two lists position by position; the result is as long as the old one.

    Where both have an item, the table of cases decides. Further items of the new list are dropped.
    """

    __slots__ = ("_taking", "cases", "name")

    def __init__(self, cases: Cases) -> None:
        self.name = "overlay"
        self.cases = cases
        self._taking = all(cell is TAKE for cell in cases.cells)
        """Whether every item is taken, whatever the old one is."""

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        value = list(old)
        items: list[Slice | Delta] = []
        common = min(len(old), len(new))
        cells = self.cases.cells
        for i in range(common):
            before, after = old[i], new[i]
            operator = cells[classify(before) * COUNT + classify(after)]
            if operator is TAKE:
                delta: Delta = NEW
                value[i] = after
            else:
                delta = operator.apply(before, after, policy, (trail, i, i), run)
                value[i] = value_of(delta, before, after)
            items.append(_pair(i, before, after, value[i], delta))
        items.append(Slice("old", common, len(old)))
        lost = tuple(Removed("ignored", item=("new", i)) for i in range(common, len(new)))
        return ListDelta(value, tuple(items), lost)

    def value(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Any:
        if self._taking:
            return [*new[: len(old)], *old[len(new) :]]
        forms = self.cases.forms
        pairs = enumerate(zip(old, new, strict=False))
        common = [
            forms[classify(before) * COUNT + classify(after)](before, after, policy, (trail, i, i), run)
            for i, (before, after) in pairs
        ]
        return [*common, *old[len(common) :]]


def _pair(position: int, before: Any, after: Any, value: Any, delta: Delta) -> Compose:
    """The items of both lists at a position, combined."""
    return Compose(value, Ref(before, "old", (position,)), Ref(after, "new", (position,)), delta)
