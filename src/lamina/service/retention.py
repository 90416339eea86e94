"""Retention: revisions that are no longer needed are removed, with everything that only they have.

The content of a revision is the last write of each bucket up to it. So a write stays as long as a revision that stays
needs it, and the row of a revision that was removed stays, marked, as long as a write refers to it.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import delete, exists, func, not_, select, update

from lamina.service import bucket_write
from lamina.service.counters import Counters
from lamina.service.tables import (
    chunks,
    contents,
    identities,
    revisions,
    secrets,
    tags,
    validations,
    write_documents,
    write_policies,
    writes,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from lamina.service.author import Author
    from lamina.service.database import Database


@dataclass(frozen=True, slots=True)
class Retention:
    """What is kept: a revision that any of these names, and always the newest."""

    newest: int = 1
    """So many of the newest."""
    days: int | None = None
    """Those that were made in so many days."""
    tagged: bool = False
    """Those with a tag."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was removed."""

    revisions: int
    contents: int
    kept: int
    """How many revisions are left."""


def prune(database: Database, retention: Retention, author: Author, *, dry_run: bool = False) -> Pruned:
    """Remove what is not to be kept, in one transaction; revisions that stay are as they were."""
    with database.writing() as connection:
        kept, dropped = _divided(connection, retention)
        if dry_run or not dropped:
            return Pruned(len(dropped), 0, len(kept))
        for some in chunks(dropped):
            connection.execute(delete(tags).where(tags.c.revision.in_(some)))
            connection.execute(delete(validations).where(validations.c.revision.in_(some)))
            connection.execute(update(revisions).where(revisions.c.id.in_(some)).values(pruned=True))
        for some in chunks(_unneeded_writes(connection, kept)):
            connection.execute(delete(write_documents).where(write_documents.c.write.in_(some)))
            connection.execute(delete(write_policies).where(write_policies.c.write.in_(some)))
            connection.execute(delete(writes).where(writes.c.id.in_(some)))
        removed = _remove_unreferenced(connection)
        count = Counters(connection, author)
        count.record("prune", subject=f"{len(dropped)} revisions")
        return Pruned(len(dropped), removed, len(kept))


def _divided(connection: Connection, retention: Retention) -> tuple[list[int], list[int]]:
    """The revisions that stay and those that go, in order."""
    query = select(revisions.c.id, revisions.c.created).where(revisions.c.pruned.is_(False)).order_by(revisions.c.id)
    found = connection.execute(query).all()
    keeping = {row.id for row in found[-max(retention.newest, 1) :]}
    if retention.days is not None:
        earliest = (datetime.now(UTC).replace(tzinfo=None) - timedelta(days=retention.days)).isoformat()
        keeping |= {row.id for row in found if row.created >= earliest}
    if retention.tagged:
        keeping |= set(connection.execute(select(tags.c.revision).distinct()).scalars())
    return [row.id for row in found if row.id in keeping], [row.id for row in found if row.id not in keeping]


def _unneeded_writes(connection: Connection, kept: Sequence[int]) -> list[int]:
    """The writes that are the last of their bucket for no revision that stays."""
    policy = select(func.max(write_policies.c.write)).where(write_policies.c.kind == bucket_write.LAYERING)
    # A revision without a LayeringPolicy is rendered with the newest one of all.
    needed = connection.execute(policy).scalar()
    rows = connection.execute(
        select(writes.c.id, writes.c.revision, writes.c.bucket).order_by(writes.c.bucket, writes.c.revision)
    ).all()
    unneeded = []
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        is_last = following is None or following.bucket != row.bucket
        first_kept = bisect_left(kept, row.revision)
        is_used = is_last or (
            first_kept < len(kept) and following is not None and kept[first_kept] < following.revision
        )
        if not is_used and row.id != needed:
            unneeded.append(row.id)
    return unneeded


def _remove_unreferenced(connection: Connection) -> int:
    """Remove what no write has any more; how many contents that were."""
    is_written = exists().where(write_documents.c.content == contents.c.id)
    is_policy = exists().where(write_policies.c.content == contents.c.id)
    removed = connection.execute(delete(contents).where(not_(is_written), not_(is_policy))).rowcount
    connection.execute(delete(secrets).where(not_(exists().where(contents.c.secret == secrets.c.id))))
    connection.execute(delete(identities).where(not_(exists().where(contents.c.identity == identities.c.id))))
    connection.execute(
        delete(revisions).where(revisions.c.pruned, not_(exists().where(writes.c.revision == revisions.c.id)))
    )
    return removed
