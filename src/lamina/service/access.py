"""Access: who calls, and what they may do.

Roles: `read` looks at everything but encrypted documents; `secrets` adds those; `write` makes revisions, tags and
results of validations; `admin` may do everything, and alone may empty the store.
"""

from __future__ import annotations

from dataclasses import dataclass

from lamina.service.faults import ApiFault

ROLES = ("read", "write", "secrets", "admin")


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
