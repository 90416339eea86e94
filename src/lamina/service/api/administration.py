"""Routes for who administers a store: tokens, and the audit."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field
from starlette.responses import Response
from typing_extensions import TypedDict

from lamina.errors import UsageError
from lamina.service.api.parameters import API, KnownName, StoreService
from lamina.service.dependencies import OwnAuthor, body_of, requires, takes
from lamina.service.faults import ApiFault
from lamina.service.filters import FromOne
from lamina.service.tokens import LONGEST_DAYS
from lamina.service.wire import YamlResponse

_STATUSES = {"token-exists": 409, "no-such-token": 404}
_MOST_ENTRIES = 1000
"""How many entries of the audit one answer has."""

router = APIRouter(prefix=API, default_response_class=YamlResponse)


class ListedToken(TypedDict):
    name: str
    roles: list[str]
    buckets: list[str]
    createdAt: str
    expiresAt: str | None
    expired: bool


class Tokens(TypedDict):
    count: int
    results: list[ListedToken]


class WantedToken(BaseModel, extra="forbid"):
    """What a token may do, the buckets it may write if not all, and the days it is valid."""

    roles: Annotated[list[Literal["read", "write", "secrets", "admin"]], Field(min_length=1)]
    buckets: list[str] | None = None
    days: Annotated[int, Field(ge=1, le=LONGEST_DAYS)] | None = None


class NewToken(TypedDict):
    """A token, which cannot be shown again."""

    name: str
    token: str


class Audit(TypedDict):
    """What was done, the newest first."""

    count: int
    results: list[dict[str, Any]]


@router.get("/tokens", dependencies=[requires("admin", "list_tokens")])
def list_tokens(service: StoreService) -> Tokens:
    """All tokens."""
    found: list[ListedToken] = [
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
    return {"count": len(found), "results": found}


@router.post(
    "/tokens/{token}",
    status_code=201,
    openapi_extra=takes(WantedToken),
    dependencies=[requires("admin", "create_token")],
)
def create_token(
    token: KnownName,
    wanted: Annotated[WantedToken, Depends(body_of(WantedToken))],
    service: StoreService,
    author: OwnAuthor,
) -> NewToken:
    """Make a token, which is shown once."""
    buckets = wanted.buckets or ()
    try:
        made = service.tokens.create(token, wanted.roles, buckets=buckets, days=wanted.days, author=author)
    except UsageError as error:
        raise _fault(error) from None
    return {"name": token, "token": made}


@router.delete("/tokens/{token}", status_code=204, dependencies=[requires("admin", "revoke_token")])
def revoke_token(token: KnownName, service: StoreService, author: OwnAuthor) -> Response:
    """Revoke a token."""
    try:
        service.tokens.revoke(token, author)
    except UsageError as error:
        raise _fault(error) from None
    return Response(status_code=204)


def _fault(error: UsageError) -> ApiFault:
    found = error.diagnostic
    kind = "".join(word.capitalize() for word in found.code.split("-"))
    return ApiFault(_STATUSES.get(found.code, 400), kind, f"{found.message[:1].upper()}{found.message[1:]}.")


@router.get("/audit", dependencies=[requires("admin", "show_audit")])
def show_audit(service: StoreService, limit: FromOne = None, before: FromOne = None) -> Audit:
    """What was done to the store, the newest first."""
    found = service.store.audit(min(limit or _MOST_ENTRIES, _MOST_ENTRIES), before)
    return {"count": len(found), "results": found}
