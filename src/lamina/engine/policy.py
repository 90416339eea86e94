"""Policies: which operator combines two values.

A `Cases` maps (class of the old value, class of the new value) to an operator and is compiled once to a flat lookup.
A `Policy` is a table that holds everywhere; a `PathPolicy` picks the table by the path, by exact names first and then
by patterns in order. Paths hold member names, never positions: the items of a list have the path of the list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from lamina.values import ALL, COUNT, classify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from lamina.engine.delta import Delta
    from lamina.engine.merge_context import MergeContext
    from lamina.origins import Origin

Trail: TypeAlias = "tuple[Trail, Any, Any] | None"
"""How deep a merge is: the trail so far, and the last step on the old and on the new side."""

Names: TypeAlias = tuple[Any, ...]


class Operator(Protocol):
    """One way to combine two values; answers with a delta that says which side each part comes from."""

    name: str

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta: ...


def is_quiet(operator: Operator, old: Any, new: Any, policy: Policy) -> bool:
    """Fast path: whether an operator knows that it has no error and no note for two values."""
    tell: Callable[[Any, Any, Policy], bool] | None = getattr(operator, "quiet", None)
    return tell is not None and tell(old, new, policy)


class Cases:
    """An ordered table from classes of values to operators; the first row that fits counts."""

    __slots__ = ("cells", "rows")

    def __init__(self, *rows: tuple[Iterable[int], Iterable[int], Operator]) -> None:
        self.rows = tuple((tuple(olds), tuple(news), operator) for olds, news, operator in rows)
        cells: list[Operator | None] = [None] * (COUNT * COUNT)
        for olds, news, operator in self.rows:
            for old in olds:
                for new in news:
                    if cells[old * COUNT + new] is None:
                        cells[old * COUNT + new] = operator
        if None in cells:
            at = cells.index(None)
            raise ValueError(f"the table has no operator for classes {divmod(at, COUNT)}")
        self.cells: list[Operator] = [cell for cell in cells if cell is not None]

    @classmethod
    def everywhere(cls, operator: Operator) -> Cases:
        """One operator for all pairs."""
        return cls((ALL, ALL, operator))

    def pick(self, old: Any, new: Any) -> Operator:
        """The operator for two values."""
        return self.cells[classify(old) * COUNT + classify(new)]

    def fresh(self, new: Any) -> Operator:
        """The operator for a value that meets nothing."""
        return self.cells[classify(new)]


class Policy:
    """A table that holds everywhere. `label` is how people know it; `origin` is where it was written."""

    __slots__ = ("everywhere", "heirs", "known", "label", "origin", "table")
    explicit: bool = False
    """Whether something was said for this very place."""

    def __init__(self, table: Cases, label: str = "", origin: Origin | None = None) -> None:
        self.table = table
        self.label = label
        self.origin = origin
        self.everywhere = type(self) is Policy
        """Whether it holds for all that is below, too."""
        self.known: Mapping[Any, Policy] = {}
        """What `enter` is known to answer, to be looked up before it is asked."""
        self.heirs: Mapping[Any, Policy] = {}
        """The same for `inherit`."""

    def enter(self, name: Any) -> Policy:
        """The policy for the member of that name."""
        return self

    def inherit(self, name: Any) -> Policy:
        """The policy for the member of that name: one of its own, else this one."""
        return self

    def quiet(self, old: Any, new: Any) -> bool:
        """Fast path: whether combining two values cannot give a note or an error."""
        return is_quiet(self.table.pick(old, new), old, new, self)

    def combine(self, old: Any, new: Any, trail: Trail, run: MergeContext) -> Delta:
        """Combine two values by the operator the table gives."""
        return self.table.pick(old, new).apply(old, new, self, trail, run)


class PathRule:
    """One entry of a PathPolicy: a test on the member names, and the table to use where it holds."""

    __slots__ = ("label", "matches", "origin", "table")

    def __init__(
        self, matches: Callable[[Names], bool], table: Cases, label: str = "", origin: Origin | None = None
    ) -> None:
        self.matches = matches
        self.table = table
        self.label = label
        self.origin = origin


class PathPolicy(Policy):
    """Tables by path: the first rule that matches, else the default. `explicit` is whether a rule matched."""

    __slots__ = ("_default", "explicit", "names", "rules")
    known: dict[Any, PathPolicy]  # it is filled here
    heirs: dict[Any, PathPolicy]

    def __init__(
        self, rules: Sequence[PathRule], default: Policy, names: Names = (), inherited: Policy | None = None
    ) -> None:
        """`inherited` is what holds where no rule matches, if not the default."""
        found = next((rule for rule in rules if rule.matches(names)), None)
        chosen = found or inherited or default
        super().__init__(chosen.table, chosen.label, chosen.origin)
        self.explicit = found is not None
        self.rules = rules
        self.names = names
        self._default = default

    def enter(self, name: Any) -> PathPolicy:
        known = self.known.get(name)
        if known is None:
            known = self.known[name] = PathPolicy(self.rules, self._default, (*self.names, name))
        return known

    def inherit(self, name: Any) -> PathPolicy:
        known = self.heirs.get(name)
        if known is None:
            known = PathPolicy(self.rules, self._default, (*self.names, name), inherited=self)
            self.heirs[name] = known
        return known

    def reached(self) -> Iterator[PathPolicy]:
        """The policies of the members that were asked for so far."""
        yield from self.known.values()
        yield from self.heirs.values()
