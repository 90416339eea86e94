"""Access: who calls, and what they may do.

Roles: `read` looks at everything, with secrets withheld; `secrets` shows those; `write` makes revisions, tags and
results of validations, and may write secrets without reading any; `admin` may do everything, and alone may empty the
store, look at the audit and manage tokens.
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
    buckets: frozenset[str] | None = None
    """The only buckets it may write; None for all. One that is limited writes nothing but documents."""

    def may(self, role: str) -> bool:
        return role in self.roles or "admin" in self.roles

    def require(self, role: str, action: str) -> None:
        """Reject the request unless the caller has a role."""
        if not self.may(role):
            has = ", ".join(each for each in ROLES if each in self.roles) or "no role here"
            raise _forbidden(action, f"The role {role} is needed; {self.name} has {has}.")

    def require_bucket(self, bucket: str, action: str) -> None:
        """Reject the request unless the caller may write a bucket."""
        if self.buckets is not None and bucket not in self.buckets:
            raise _forbidden(action, f"{self.name} may write {self._own()} only, and not the bucket {bucket}.")

    def require_all_buckets(self, action: str) -> None:
        """Reject the request if the caller may write some buckets only."""
        if self.buckets is not None:
            raise _forbidden(action, f"{self.name} may write nothing but documents of {self._own()}.")

    def _own(self) -> str:
        named = sorted(self.buckets or ())
        return f"the bucket{'s' * (len(named) > 1)} {', '.join(named)}"


def _forbidden(action: str, why: str) -> ApiFault:
    return ApiFault(403, "HTTPForbidden", f"Policy doesn't allow deckhand:{action} to be performed. {why}")


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
