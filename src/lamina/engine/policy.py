"""Policies: which operator combines two values.

A `Cases` maps (class of the old value, class of the new value) to an operator and is compiled once to a flat lookup.
A `Policy` uses one table at every path; a `PathPolicy` selects the table by path, by the first rule that matches.
Paths consist of member names, never positions: the items of a list have the path of the list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol, Self, TypeAlias

from lamina.engine.delta import Computed, value_of
from lamina.values import ALL, COUNT, LISTS, MAP, NULL, UNKNOWN, Unknown, classify, unknown_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from lamina.engine.delta import Delta
    from lamina.engine.merge_context import MergeContext
    from lamina.origins import Origin

Trail: TypeAlias = "tuple[Trail, Any, Any] | None"
"""The position of a merge in both values, as a linked list: the parent's trail, the old side's key, the new side's."""

Names: TypeAlias = tuple[Any, ...]


_MAPPINGS: Final = MAP * COUNT + MAP
"""The cell of two mappings that are not empty."""


class Operator(Protocol):
    """One way to combine two values; returns a delta that says which side each part comes from."""

    name: str

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta: ...


ValueForm: TypeAlias = "Callable[[Any, Any, Policy, Trail, MergeContext], Any]"
"""What an operator makes of two values, without the delta."""


def value_form(operator: Operator) -> ValueForm:
    """The value form of an operator: its own, a method `value`, else what it applies."""
    own: ValueForm | None = getattr(operator, "value", None)
    if own is not None:
        return own

    def applied(old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Any:
        return value_of(operator.apply(old, new, policy, trail, run), old, new)

    return applied


class Undecided:
    """The operator for a value that is not known, where its type decides what happens: the result is not known."""

    name = "unknown"

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        return Computed(self.value(old, new, policy, trail, run), self.name)

    def value(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Any:
        return new if isinstance(new, Unknown) else old


UNDECIDED: Final = Undecided()


class IfItemsKnown:
    """An operator that compares the items of lists: where what it compares is not known, neither is the result.

    The operator has an attribute `compared`, a function that returns what it compares of an item.
    """

    def __init__(self, operator: Operator, compared: Callable[[Any], Any]) -> None:
        self.name = operator.name
        self._operator = operator
        self._form = value_form(operator)
        self._compared = compared

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        unknown = self._unknown(old) or self._unknown(new)
        return Computed(unknown, UNDECIDED.name) if unknown else self._operator.apply(old, new, policy, trail, run)

    def value(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Any:
        return self._unknown(old) or self._unknown(new) or self._form(old, new, policy, trail, run)

    def _unknown(self, items: Any) -> Unknown | None:
        """What the result is because of one of two lists, if it is unknown."""
        for item in items if isinstance(items, (list, tuple)) else ():
            for _, first in unknown_values(self._compared(item)):
                return Unknown(f"an item that is compared with others is unknown: {first.description}", first.at)
        return None


class Cases:
    """An ordered table from classes of values to operators; the first matching row applies.

    Few tables have a row for unknown values. Otherwise, where the operator is one and the same for whatever the value
    may be, and only keeps, takes or deletes, that one holds; everywhere else what comes of an unknown value is unknown.
    """

    __slots__ = ("cells", "forms", "rows")

    def __init__(self, *rows: tuple[Iterable[int], Iterable[int], Operator]) -> None:
        self.rows = tuple((tuple(olds), tuple(news), operator) for olds, news, operator in rows)
        cells: list[Any] = [None] * (COUNT * COUNT)
        for olds, news, operator in reversed(self.rows):  # so that the first one stays
            cell, of_lists = _cell(operator), _of_lists(operator)
            for old in olds:
                row = old * COUNT
                if news == ALL and of_lists is None:  # as most are
                    cells[row : row + UNKNOWN] = [cell] * UNKNOWN
                    continue
                for new in news:
                    cells[row + new] = of_lists if of_lists and (old in LISTS or new in LISTS) else cell
        for old in ALL:
            row = old * COUNT
            if None in cells[row : row + UNKNOWN]:
                at = cells.index(None, row)
                raise ValueError(f"the table has no operator for classes {divmod(at, COUNT)}")
            cells[row + UNKNOWN] = cells[row + UNKNOWN] or _if_all_one(cells[row + NULL : row + UNKNOWN])
        for new in (*ALL, UNKNOWN):
            column = cells[NULL * COUNT + new : UNKNOWN * COUNT : COUNT]
            cells[UNKNOWN * COUNT + new] = _if_all_one(column)
        self.cells: tuple[Operator, ...]
        self.forms: tuple[ValueForm, ...]
        self.cells, self.forms = zip(*cells, strict=True)
        """The value form of each cell."""

    @classmethod
    def everywhere(cls, operator: Operator) -> Cases:
        """A table with one operator for all pairs."""
        return cls((ALL, ALL, operator))

    def pick(self, old: Any, new: Any) -> Operator:
        """The operator for two values."""
        return self.cells[classify(old) * COUNT + classify(new)]


_Cell: TypeAlias = "tuple[Operator, ValueForm]"


def _cell(operator: Operator) -> _Cell:
    """An operator with its value form."""
    return operator, value_form(operator)


_UNDECIDED: Final = _cell(UNDECIDED)


def _of_lists(operator: Operator) -> _Cell | None:
    """What stands where a list is merged by an operator that compares items: it is asked if all of them are known."""
    compared = getattr(operator, "compared", None)
    return None if compared is None else _cell(IfItemsKnown(operator, compared))


def _if_all_one(cells: list[_Cell]) -> _Cell:
    """What stands for a value whose class is not known, from what stands for all classes."""
    only = cells[0]
    return only if getattr(only[0], "ignores_types", False) and cells.count(only) == len(cells) else _UNDECIDED


class Policy:
    """One table for every path. `label` is its name for users; `origin` is where it is defined."""

    __slots__ = ("label", "members", "origin", "table")

    def __init__(
        self,
        table: Cases,
        label: str = "",
        origin: Origin | None = None,
        members: dict[Any, Policy] | None = None,
    ) -> None:
        self.table = table
        self.label = label
        self.origin = origin
        self.members = members
        """The policies of the members that were met so far; without, this one applies to everything below."""

    def enter(self, name: Any) -> Policy:
        """The policy for the member of that name."""
        return self if self.members is None else self.members.get(name) or self.of_member(name)

    def of_member(self, name: Any) -> Policy:
        """The policy for a member that was not met before; for policies that have `members`."""
        raise NotImplementedError(type(self).__name__)

    def entered(self, name: Any) -> Policy:
        """What `enter` returned for a member, for histories; without a label if no rule names that path."""
        return self

    def combine(self, old: Any, new: Any, trail: Trail, run: MergeContext) -> Delta:
        """Combine two values with the operator from the table."""
        if type(old) is dict and type(new) is dict and old and new:  # as most are
            return self.table.cells[_MAPPINGS].apply(old, new, self, trail, run)
        return self.table.pick(old, new).apply(old, new, self, trail, run)

    def value(self, old: Any, new: Any, trail: Trail, run: MergeContext) -> Any:
        """What `combine` gives, without the delta."""
        return self.table.forms[classify(old) * COUNT + classify(new)](old, new, self, trail, run)


class PathRule:
    """One rule of a PathPolicy: a test on the member names, and the table to use where it passes."""

    __slots__ = ("label", "matches", "origin", "table")

    def __init__(
        self, matches: Callable[[Names], bool], table: Cases, label: str = "", origin: Origin | None = None
    ) -> None:
        self.matches = matches
        self.table = table
        self.label = label
        self.origin = origin


class PathPolicy(Policy):
    """Selects the table by path: that of the first rule that matches, else the default. `explicit`: a rule matched."""

    __slots__ = ("_default", "_entered", "explicit", "names", "rules")

    def __init__(
        self, rules: Sequence[PathRule], default: Policy, names: Names = (), inherited: Policy | None = None
    ) -> None:
        """`inherited` applies where no rule matches; without it, the default does."""
        found = next((rule for rule in rules if rule.matches(names)), None)
        chosen = found or inherited or default
        super().__init__(chosen.table, chosen.label, chosen.origin, {})
        self.explicit = found is not None
        """Whether a rule names this very path."""
        self.rules = rules
        self.names = names
        self._default = default
        self._entered: dict[Any, PathPolicy] = {}

    def of_member(self, name: Any) -> PathPolicy:
        made = self._made(name)
        assert self.members is not None
        self.members[name] = made
        return made

    def _made(self, name: Any, inherited: Policy | None = None) -> Self:
        return type(self)(self.rules, self._default, (*self.names, name), inherited)

    def entered(self, name: Any) -> PathPolicy:
        # Not with `enter`: `visited` is about what merges looked up, not histories.
        known = self._entered.get(name)
        if known is None:
            known = self._entered[name] = self._made(name)
            known.label = known.label if known.explicit else ""
        return known

    def visited(self) -> Iterator[PathPolicy]:
        """The policies of the members that were looked up so far."""
        yield from (each for each in (self.members or {}).values() if isinstance(each, PathPolicy))
