"""What an operator can promise, so that what is inside mappings is merged without calling it.

Promises are made by decorating the class, and apply to that class only, not to its subclasses. They are all that
the C extension
knows of operators.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from lamina.engine.delta import Delta, SideName
    from lamina.engine.policy import Operator, Policy

Class = TypeVar("Class", bound=type[Any])

BY_TABLE: set[type] = set()
"""The classes of operators that combine mappings by a table."""
OWN_POLICY: set[type] = set()
"""The classes of operators that combine the members of a mapping by the members' own policies."""
TEXT_JOINS: set[type] = set()
"""The classes of operators that join two strings."""
LIST_JOINS: set[type] = set()
"""The classes of operators that join two lists."""


class TableOperator(Protocol):
    """Combines two mappings key by key, by the cells of a table.

    That applies to mappings none of whose keys contains `guard`: to all if it is empty, to none if it is None. For the
    others `apply` is called. With `spends`, the keys of the new mapping are counted against the budget first.
    """

    cells: list[Operator]
    guard: str | None
    spends: bool


class MemberOperator(Protocol):
    """Combines two members of a mapping by the policy that `policy` returns for their key.

    That is `policy.inherit(key)` with `inherits`, else `policy.enter(key)`. Where the policy is not explicit, two
    mappings are combined by `mappings`, if it is set; for everything else `apply` is called.
    """

    inherits: bool
    mappings: TableOperator | None

    def policy(self, policy: Policy, key: Any) -> Policy: ...


class TextJoiner(Protocol):
    """Makes of two strings the old one, the separator and the new one, which are the `parts` of the delta."""

    separator: str
    parts: tuple[Delta | str, ...]


class ListJoiner(Protocol):
    """Puts the items of two lists in one, those of the side `first` before the others."""

    first: SideName


def by_table(kind: Class) -> Class:
    """Class decorator: operators of this class are a TableOperator."""
    BY_TABLE.add(kind)
    return kind


def with_own_policy(kind: Class) -> Class:
    """Class decorator: operators of this class are a MemberOperator."""
    OWN_POLICY.add(kind)
    return kind


def joins_texts(kind: Class) -> Class:
    """A decorator: operators of this class are as TextJoiner says."""
    TEXT_JOINS.add(kind)
    return kind


def joins_lists(kind: Class) -> Class:
    """A decorator: operators of this class are as ListJoiner says."""
    LIST_JOINS.add(kind)
    return kind
