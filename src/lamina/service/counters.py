"""Counters: the numbers a store has given out, without gaps, held by the transaction that counts on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import insert, select, update

from lamina.service.tables import counters, revisions

if TYPE_CHECKING:
    from sqlalchemy import Connection


class Counters:
    """The numbers a store has given out; the row is held by the transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
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
        self._connection.execute(insert(revisions).values(id=self.revision, created=self.created))
        return self.revision

    def restart(self) -> None:
        """Start counting from zero again."""
        self.epoch += 1
        self.revision = self.document = self.identity = self.content = self.bucket = self.write = self.validation = 0

    def save(self) -> None:
        changed = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        self._connection.execute(update(counters).values(**changed))
