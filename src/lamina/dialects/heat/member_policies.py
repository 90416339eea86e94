"""Policies by member: each name in a mapping has its own policy, which applies to everything below it.

each   a union in which every member is combined by its own policy, whatever it meets
"""

from __future__ import annotations

from typing import Any

from lamina.plugin import DESCEND, Cases, Policy, Union


class ByMember(Policy):
    """A table for the mapping itself, and for its members the policy each of them has, or else a common one."""

    __slots__ = ("common",)

    def __init__(self, table: Cases, members: dict[Any, Policy], common: Policy, label: str = "") -> None:
        super().__init__(table, label, None, members)
        self.common = common

    def of_member(self, name: Any) -> Policy:
        return self.common


def each() -> Union:
    """Combines two mappings member by member, each by its own policy."""
    return Union(Cases.everywhere(DESCEND), "each")
