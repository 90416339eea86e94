"""Policies by member: each name in a mapping has a policy of its own, which then holds for all that is below it.

each   a union in which every member is combined by its own policy, whatever it meets
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.merge.mapping import Union, edited
from lamina.merge.pieces import Edit, Piece
from lamina.merge.policy import Policy, Table
from lamina.merge.whole import DESCEND
from lamina.paths import MISSING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.merge.policy import Trail
    from lamina.merge.run import Run


class ByMember(Policy):
    """A table for the mapping itself, and for its members the policy each of them has, or else a common one."""

    __slots__ = ("common", "members")

    def __init__(self, table: Table, members: Mapping[Any, Policy], common: Policy, label: str = "") -> None:
        super().__init__(table, label)
        self.members = members
        self.common = common

    def enter(self, name: Any) -> Policy:
        return self.members.get(name, self.common)


class Each(Union):
    """Combine two mappings member by member, each by its own policy."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(Table.everywhere(DESCEND))
        self.name = "each"

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: Run) -> Piece:
        entries: dict[Any, Piece] = {
            key: policy.enter(key).combine(old.get(key, MISSING), value, (trail, key, key), run)
            for key, value in new.items()
        }
        return Edit(edited(old, new, entries), entries)
