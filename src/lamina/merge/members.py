"""Policies by member: each name in a mapping has a policy of its own, which then holds for all that is below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.merge.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.merge.policy import Table


class ByMember(Policy):
    """A table for the mapping itself, and for its members the policy each of them has, or else a common one."""

    __slots__ = ("common", "members")

    def __init__(self, table: Table, members: Mapping[Any, Policy], common: Policy, label: str = "") -> None:
        super().__init__(table, label)
        self.members = members
        self.common = common

    def enter(self, name: Any) -> Policy:
        return self.members.get(name, self.common)
