"""What an operator can promise, so that what is inside mappings is merged without asking it.

Promises are made by decorating the class, and hold for that very class, not for those derived from it. The C extension
knows operators only by them.
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
"""The classes of operators that combine the members of a mapping by a policy of their own."""
TEXT_JOINS: set[type] = set()
"""The classes of operators that join two strings."""
LIST_JOINS: set[type] = set()
"""The classes of operators that join two lists."""


class TableOperator(Protocol):
    """Combines two mappings key by key, as the cells of a table say.

    That holds for mappings no key of which contains `guard`: for all where it is empty, for none where it is None. For
    the others `apply` is asked. With `spends`, the keys of the new mapping are counted against the budget first.
    """

    cells: list[Operator]
    guard: str | None
    spends: bool


class MemberOperator(Protocol):
    """Combines two members of a mapping by the policy that `policy` gives for their key.

    That is `policy.inherit(key)` with `inherits`, else `policy.enter(key)`. Where the policy is not explicit, two
    mappings are combined by `mappings`, if there is one; for everything else `apply` is asked.
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
    """A decorator: operators of this class are as TableOperator says."""
    BY_TABLE.add(kind)
    return kind


def with_own_policy(kind: Class) -> Class:
    """A decorator: operators of this class are as MemberOperator says."""
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
