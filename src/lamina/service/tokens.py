"""TokenStore: who may use a store over the network, and in which roles. Only their hashes are stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from secrets import token_urlsafe
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select

from lamina.errors import Diagnostic, UsageError
from lamina.service.access import ROLES, Caller
from lamina.service.tables import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.service.database import Database

_PREFIX = "lamina_"
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it is listed: not itself."""

    name: str
    roles: tuple[str, ...]
    created: str


class TokenStore:
    """The tokens of a store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, name: str, roles: Iterable[str]) -> str:
        """A new token; it cannot be shown again."""
        if not name.isprintable() or not 0 < len(name.strip()) <= _LONGEST_NAME:
            raise UsageError(
                Diagnostic(
                    code="invalid-token-name",
                    message=f"{name[:_LONGEST_NAME]!r} cannot be the name of a token",
                    hint=f"choose 1 to {_LONGEST_NAME} printable characters",
                )
            )
        chosen = [role for role in ROLES if role in set(roles)]
        token = _PREFIX + token_urlsafe(32)
        created = datetime.now(UTC).replace(tzinfo=None).isoformat(timespec="seconds")
        with self._database.writing() as connection:
            if connection.execute(select(tokens.c.name).where(tokens.c.name == name)).first() is not None:
                raise UsageError(
                    Diagnostic(
                        code="token-exists",
                        message=f"there is a token {name!r} already",
                        hint="choose another name, or revoke it first",
                    )
                )
            connection.execute(
                insert(tokens).values(name=name, hash=_hashed(token), roles=" ".join(chosen), created=created)
            )
        return token

    def all(self) -> list[Token]:
        with self._database.reading() as connection:
            rows = connection.execute(select(tokens).order_by(tokens.c.name))
            return [Token(row.name, tuple(row.roles.split()), row.created) for row in rows]

    def revoke(self, name: str) -> None:
        with self._database.writing() as connection:
            if connection.execute(delete(tokens).where(tokens.c.name == name)).rowcount == 0:
                raise UsageError(
                    Diagnostic(
                        code="no-such-token",
                        message=f"there is no token {name!r}",
                        hint="'lamina store token list' lists them",
                    )
                )

    def caller(self, token: str) -> Caller | None:
        """Who a token belongs to; None if it is not known."""
        with self._database.reading() as connection:
            # Looked up by hash: how long that takes says nothing about the token.
            row = connection.execute(select(tokens).where(tokens.c.hash == _hashed(token))).first()
        return None if row is None else Caller(row.name, frozenset(row.roles.split()))


def _hashed(token: str) -> bytes:
    """The hash of a token; it is random and long enough that a fast hash does."""
    return sha256(token.encode()).digest()
