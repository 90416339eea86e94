"""Rows in place of packed numbers, references everywhere, and who did what: authors, messages, the audit, and tokens
that expire or that may write some buckets only.
"""

from __future__ import annotations

import sys
from array import array
from typing import TYPE_CHECKING, Any

from alembic import op
from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Integer, String, Text, bindparam, false, text

if TYPE_CHECKING:
    from collections.abc import Iterable

revision = "0002"
down_revision = "0001"

_NUMBER = BigInteger().with_variant(Integer, "sqlite")
_CHUNK = 1000


def upgrade() -> None:
    """Bring the tables to this form; every packed list becomes rows."""
    _create()
    _unpack()
    op.drop_index("writes_with_policy", "writes")
    with op.batch_alter_table("writes") as writes:
        for name in ("contents", "since", "removed", "layering_policy", "validation_policies"):
            writes.drop_column(name)
    with op.batch_alter_table("buckets") as buckets:
        buckets.drop_column("write")
    op.create_index("writes_with_policy", "write_policies", ["kind", "write"])
    with op.batch_alter_table("identities") as identities:
        identities.create_foreign_key("identities_bucket", "buckets", ["bucket"], ["id"])
    with op.batch_alter_table("contents") as contents:
        contents.create_foreign_key("contents_identity", "identities", ["identity"], ["id"])
        contents.create_foreign_key("contents_secret", "secrets", ["secret"], ["id"])
    op.create_index("contents_with_secret", "contents", ["secret"])
    op.add_column("revisions", Column("author", Text))
    op.add_column("revisions", Column("message", Text))
    op.add_column("revisions", Column("pruned", Boolean, nullable=False, server_default=false()))
    op.add_column("tokens", Column("expires", String(32)))


def _part_of(name: str, target: str) -> Column[int]:
    return Column(name, _NUMBER, ForeignKey(target), primary_key=True, autoincrement=False)


def _create() -> None:
    op.create_table(
        "write_documents",
        _part_of("write", "writes.id"),
        Column("position", _NUMBER, primary_key=True, autoincrement=False),
        Column("content", _NUMBER, ForeignKey("contents.id"), nullable=False),
        Column("since", _NUMBER, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("writes_of_content", "write_documents", ["content"])
    op.create_table(
        "write_policies",
        _part_of("write", "writes.id"),
        _part_of("content", "contents.id"),
        Column("kind", String(16), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("policies_of_content", "write_policies", ["content"])
    op.create_table(
        "token_buckets",
        Column("token", Text, ForeignKey("tokens.name"), primary_key=True),
        Column("bucket", Text, primary_key=True),
    )
    op.create_table(
        "audit",
        Column("id", _NUMBER, primary_key=True),
        Column("time", String(32), nullable=False),
        Column("epoch", _NUMBER, nullable=False),
        Column("action", String(32), nullable=False),
        Column("author", Text, nullable=False),
        Column("address", Text),
        Column("request", String(64)),
        Column("revision", _NUMBER),
        Column("subject", Text),
        Column("message", Text),
    )


def _unpack() -> None:
    """The lists of all writes as rows; a few writes at a time, since there may be many."""
    connection = op.get_bind()
    last = 0
    while True:
        rows = connection.execute(
            text(
                "SELECT id, contents, since, layering_policy, validation_policies FROM writes WHERE id > :last"
                " ORDER BY id LIMIT 100"
            ),
            {"last": last},
        ).all()
        if not rows:
            return
        last = rows[-1].id
        _insert(
            "write_documents",
            (
                {"write": row.id, "position": at, "content": content, "since": since}
                for row in rows
                for at, (content, since) in enumerate(zip(_numbers(row.contents), _numbers(row.since), strict=True))
            ),
        )
        _insert("write_policies", (policy for row in rows for policy in _policies(row)))


def _policies(row: Any) -> Iterable[dict[str, Any]]:
    if row.layering_policy is not None:
        yield {"write": row.id, "content": row.layering_policy, "kind": "layering"}
    for content in _numbers(row.validation_policies):
        yield {"write": row.id, "content": content, "kind": "validation"}


def _insert(table: str, rows: Iterable[dict[str, Any]]) -> None:
    listed = list(rows)
    for at in range(0, len(listed), _CHUNK):
        some = listed[at : at + _CHUNK]
        columns = list(some[0])
        statement = text(
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join(f':{name}' for name in columns)})"
        ).bindparams(*(bindparam(name) for name in columns))
        op.get_bind().execute(statement, some)


def _numbers(packed: bytes) -> array[int]:
    """Numbers of eight bytes each, the smallest byte first."""
    numbers = array("q")
    numbers.frombytes(packed)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
