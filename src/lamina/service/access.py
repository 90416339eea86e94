"""Access: who calls, and what they may do.

Roles: `read` looks at everything but encrypted documents; `secrets` adds those; `write` makes revisions, tags and
results of validations; `admin` may do everything, and alone may empty the store.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from lamina.service.faults import ApiFault

if TYPE_CHECKING:
    from collections.abc import Mapping

ROLES = ("read", "write", "secrets", "admin")
_KEYSTONE_ROLES = {"reader": ("read",), "member": ("read", "write")}


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request."""

    name: str
    roles: frozenset[str]

    def may(self, role: str) -> bool:
        return role in self.roles or "admin" in self.roles

    def require(self, role: str, action: str) -> None:
        """Reject the request unless the caller has a role."""
        if not self.may(role):
            message = f"Policy doesn't allow deckhand:{action} to be performed."
            raise ApiFault(403, "HTTPForbidden", message)


ANYBODY = Caller("anybody", frozenset(ROLES))
"""The caller if access is not restricted."""
NOBODY = Caller("nobody", frozenset())
"""The caller of a route that is open to all."""


class KnownTokens(Protocol):
    """Knows who tokens belong to."""

    def caller(self, token: str) -> Caller | None:
        """Who a token belongs to; None if it is not known."""


def caller_of_headers(headers: Mapping[str, str]) -> Caller | None:
    """Who Keystone's middleware says the caller is, by the headers it adds; None if it does not vouch for them."""
    if headers.get("x-identity-status") != "Confirmed":
        return None
    roles = {role.strip() for role in headers.get("x-roles", "").lower().split(",")}
    granted = {role for name in roles for role in _KEYSTONE_ROLES.get(name, (name,))}
    return Caller(headers.get("x-user-name") or headers.get("x-user-id") or "unnamed", frozenset(granted))
