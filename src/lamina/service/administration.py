"""The operations for who administers a store: tokens, and the audit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.errors import UsageError
from lamina.service import filters, wire
from lamina.service.access import ROLES
from lamina.service.faults import ApiFault, bad_request
from lamina.service.submission import one_value
from lamina.service.tokens import LONGEST_DAYS
from lamina.service.wire import Answer

if TYPE_CHECKING:
    from lamina.service.operations import Service
    from lamina.service.request import Request

_STATUSES = {"token-exists": 409, "no-such-token": 404}
_MOST_ENTRIES = 1000
"""How many entries of the audit one answer has."""


def list_tokens(service: Service, _request: Request) -> Answer:
    found = [
        {
            "name": each.name,
            "roles": list(each.roles),
            "buckets": list(each.buckets),
            "createdAt": each.created,
            "expiresAt": each.expires,
            "expired": each.is_expired,
        }
        for each in service.tokens.all()
    ]
    return wire.mapping({"count": len(found), "results": found})


def create_token(service: Service, request: Request) -> Answer:
    """Make a token as the body says: its roles, and perhaps the buckets it may write and the days it is valid."""
    wanted = one_value(request.body, service.session)
    if not isinstance(wanted, dict) or wanted.keys() - {"roles", "buckets", "days"}:
        raise bad_request("The body must be a mapping with roles, and perhaps buckets and days.")
    roles, buckets, days = _texts(wanted, "roles"), _texts(wanted, "buckets"), wanted.get("days")
    if not roles or set(roles) - set(ROLES):
        raise bad_request(f"The roles must be a list of some of {', '.join(ROLES)}.")
    if days is not None and not (type(days) is int and 0 < days <= LONGEST_DAYS):
        raise bad_request(f"The days must be a whole number from 1 to {LONGEST_DAYS}.")
    name = request.parts[0]
    try:
        token = service.tokens.create(name, roles, buckets=buckets, days=days, author=request.author)
    except UsageError as error:
        raise _fault(error) from None
    return wire.mapping({"name": name, "token": token}, 201)


def _texts(wanted: dict[str, Any], name: str) -> list[str]:
    found = wanted.get(name) or []
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise bad_request(f"The {name} must be a list of texts.")
    return found


def revoke_token(service: Service, request: Request) -> Answer:
    try:
        service.tokens.revoke(request.parts[0], request.author)
    except UsageError as error:
        raise _fault(error) from None
    return Answer(204)


def _fault(error: UsageError) -> ApiFault:
    found = error.diagnostic
    kind = "".join(word.capitalize() for word in found.code.split("-"))
    return ApiFault(_STATUSES.get(found.code, 400), kind, f"{found.message[:1].upper()}{found.message[1:]}.")


def show_audit(service: Service, request: Request) -> Answer:
    """What was done to the store, the newest first."""
    limit = min(filters.limit_of(request.query) or _MOST_ENTRIES, _MOST_ENTRIES)
    found = service.store.audit(limit, filters.number_of(request.query, "before"))
    return wire.mapping({"count": len(found), "results": found})
