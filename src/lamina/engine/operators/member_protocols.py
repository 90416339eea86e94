"""What an operator can promise about mappings, so that nested mappings are merged without calling it.

Both promises are made by decorating the class, and apply to that class only, not to its subclasses. They are all that
the C extension knows of operators.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from lamina.engine.policy import Operator, Policy

Class = TypeVar("Class", bound=type[Any])

BY_TABLE: set[type] = set()
"""The classes of operators that combine mappings by a table."""
OWN_POLICY: set[type] = set()
"""The classes of operators that combine the members of a mapping by the members' own policies."""


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


def by_table(kind: Class) -> Class:
    """Class decorator: operators of this class are a TableOperator."""
    BY_TABLE.add(kind)
    return kind


def with_own_policy(kind: Class) -> Class:
    """Class decorator: operators of this class are a MemberOperator."""
    OWN_POLICY.add(kind)
    return kind
