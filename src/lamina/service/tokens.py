"""TokenStore: who may use a store over the network, in which roles, until when. Only hashes of tokens are stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, insert, select

from lamina.errors import Diagnostic, UsageError
from lamina.service.access import ROLES, Caller
from lamina.service.author import LOCAL
from lamina.service.counters import record
from lamina.service.faults import ApiFault
from lamina.service.tables import counters, token_buckets, tokens

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Connection, Row

    from lamina.service.author import Author
    from lamina.service.database import Database

_PREFIX = "lamina_"
_LONGEST_NAME = 100
LONGEST_DAYS = 3650


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is listed: not itself."""

    name: str
    roles: tuple[str, ...]
    created: str
    expires: str | None = None
    buckets: tuple[str, ...] = ()
    """The only buckets it may write; all, if there are none."""

    @property
    def is_expired(self) -> bool:
        return self.expires is not None and self.expires <= _now()


class TokenStore:
    """The tokens of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(
        self,
        name: str,
        roles: Collection[str],
        *,
        buckets: Collection[str] = (),
        days: int | None = None,
        author: Author = LOCAL,
    ) -> str:
        """A new token; it cannot be shown again. `buckets` are the only ones it may write, after `days` it expires."""
        _check_name(name)
        chosen = [role for role in ROLES if role in roles]
        if buckets and ("write" not in chosen or "admin" in chosen):
            raise UsageError(
                Diagnostic(
                    code="invalid-token-buckets",
                    message="buckets limit what a token may write: it needs the role write, and not the role admin",
                    hint="give it the role write, or leave out the buckets",
                )
            )
        token = _PREFIX + token_urlsafe(32)
        with self._database.writing() as connection:
            if connection.execute(select(tokens.c.name).where(tokens.c.name == name)).first() is not None:
                raise UsageError(
                    Diagnostic(
                        code="token-exists",
                        message=f"there is a token {name!r} already",
                        hint="choose another name, or revoke it first",
                    )
                )
            row = {"name": name, "hash": _hashed(token), "roles": " ".join(chosen), "created": _now()}
            connection.execute(insert(tokens).values(**row, expires=None if days is None else _now(days)))
            for bucket in sorted(set(buckets)):
                connection.execute(insert(token_buckets).values(token=name, bucket=bucket))
            _record(connection, author, "create token", name)
        return token

    def all(self) -> list[Token]:
        with self._database.reading() as connection:
            return [_listed(connection, row) for row in connection.execute(select(tokens).order_by(tokens.c.name))]

    def revoke(self, name: str, author: Author = LOCAL) -> None:
        with self._database.writing() as connection:
            connection.execute(delete(token_buckets).where(token_buckets.c.token == name))
            if connection.execute(delete(tokens).where(tokens.c.name == name)).rowcount == 0:
                raise UsageError(
                    Diagnostic(
                        code="no-such-token",
                        message=f"there is no token {name!r}",
                        hint="'lamina store token list' lists them",
                    )
                )
            _record(connection, author, "revoke token", name)

    def caller(self, token: str) -> Caller | None:
        """Who a token belongs to; None if it is not known."""
        with self._database.reading() as connection:
            # Looked up by hash: how long that takes says nothing about the token.
            row = connection.execute(select(tokens).where(tokens.c.hash == _hashed(token))).first()
            if row is None:
                return None
            found = _listed(connection, row)
        if found.is_expired:
            message = f"The token {found.name} expired at {found.expires} UTC."
            raise ApiFault(401, "HTTPUnauthorized", message, headers={"WWW-Authenticate": "Bearer"})
        return Caller(found.name, frozenset(found.roles), frozenset(found.buckets) if found.buckets else None)


def _listed(connection: Connection, row: Row[*tuple[Any, ...]]) -> Token:
    query = select(token_buckets.c.bucket).where(token_buckets.c.token == row.name).order_by(token_buckets.c.bucket)
    own = connection.execute(query).scalars()
    return Token(row.name, tuple(row.roles.split()), row.created, row.expires, tuple(own))


def _check_name(name: str) -> None:
    if not name.isprintable() or not 0 < len(name.strip()) <= _LONGEST_NAME:
        raise UsageError(
            Diagnostic(
                code="invalid-token-name",
                message=f"{name[:_LONGEST_NAME]!r} cannot be the name of a token",
                hint=f"choose 1 to {_LONGEST_NAME} printable characters",
            )
        )


def _record(connection: Connection, author: Author, action: str, name: str) -> None:
    epoch = connection.execute(select(counters.c.epoch)).scalar_one()
    record(connection, epoch, author, action, subject=name)


def _now(days: int = 0) -> str:
    """The time, or that in some days."""
    return (datetime.now(UTC).replace(tzinfo=None) + timedelta(days=days)).isoformat(timespec="seconds")


def _hashed(token: str) -> bytes:
    """The hash of a token; it is random and long enough that a fast hash does."""
    return sha256(token.encode()).digest()
