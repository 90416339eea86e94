"""Counters: the numbers a store has given out, without gaps, held by the transaction that counts on; and who writes in
it, which every revision and the audit keep."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import insert, select, update

from lamina.service.author import ANYBODY, LOCAL
from lamina.service.tables import audit, counters, revisions

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from lamina.service.author import Author


class Counters:
    """The numbers a store has given out; the row is held by the transaction."""

    def __init__(self, connection: Connection, author: Author = LOCAL) -> None:
        self._connection = connection
        self._author = author
        row = connection.execute(select(counters)).one()
        self.epoch: int = row.epoch
        self.revision: int = row.revision
        self.document: int = row.document
        self.identity: int = row.identity
        self.content: int = row.content
        self.bucket: int = row.bucket
        self.write: int = row.write
        self.validation: int = row.validation
        self.created: str = row.created

    def new_revision(self) -> int:
        """A new revision, made later than all others."""
        now = datetime.now(UTC).replace(tzinfo=None)
        if self.created:
            now = max(now, datetime.fromisoformat(self.created) + timedelta(microseconds=1))
        self.created = now.isoformat(timespec="microseconds")
        self.revision += 1
        author = self._author
        self._connection.execute(
            insert(revisions).values(id=self.revision, created=self.created, author=author.name, message=author.message)
        )
        return self.revision

    def record(self, action: str, *, revision: int | None = None, subject: str | None = None) -> None:
        """Note in the audit what is done."""
        record(self._connection, self.epoch, self._author, action, revision=revision, subject=subject)

    def restart(self) -> None:
        """Start counting from zero again."""
        self.epoch += 1
        self.revision = self.document = self.identity = self.content = self.bucket = self.write = self.validation = 0

    def save(self) -> None:
        changed = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        self._connection.execute(update(counters).values(**changed))


def record(
    connection: Connection,
    epoch: int,
    author: Author,
    action: str,
    *,
    revision: int | None = None,
    subject: str | None = None,
) -> None:
    """Note in the audit what a transaction does, and who does it."""
    connection.execute(
        insert(audit).values(
            time=datetime.now(UTC).replace(tzinfo=None).isoformat(timespec="microseconds"),
            epoch=epoch,
            action=action,
            author=author.name or ANYBODY,
            address=author.address,
            request=author.request,
            revision=revision,
            subject=subject,
            message=author.message,
        )
    )
