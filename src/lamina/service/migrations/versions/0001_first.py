"""The first form of a store."""

from __future__ import annotations

from alembic import op
from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Integer,
    LargeBinary,
    SmallInteger,
    String,
    Text,
    text,
)

revision = "0001"
down_revision = None

_NUMBER = BigInteger().with_variant(Integer, "sqlite")


def _key(name: str) -> Column[int]:
    return Column(name, _NUMBER, primary_key=True, autoincrement=False)


def _number(name: str, *, nullable: bool = False) -> Column[int]:
    return Column(name, _NUMBER, nullable=nullable)


def _bytes(name: str, *, unique: bool = False, nullable: bool = False) -> Column[bytes]:
    return Column(name, LargeBinary, nullable=nullable, unique=unique)


def _text(name: str, *, nullable: bool = False, unique: bool = False) -> Column[str]:
    return Column(name, Text, nullable=nullable, unique=unique)


def _of_revision() -> Column[int]:
    return Column("revision", _NUMBER, ForeignKey("revisions.id"), nullable=False)


def upgrade() -> None:
    """Create the tables."""
    counted = ("epoch", "revision", "document", "identity", "content", "bucket", "write", "validation")
    op.create_table(
        "counters",
        Column("id", SmallInteger, primary_key=True, autoincrement=False),
        *map(_number, counted),
        Column("created", String(32), nullable=False),
        _bytes("key_check", nullable=True),
    )
    op.execute(text(f"INSERT INTO counters (id, {', '.join(counted)}, created) VALUES (1{', 0' * len(counted)}, '')"))
    _create_documents()
    _create_revisions()
    op.create_table(
        "tokens",
        Column("name", Text, primary_key=True),
        _bytes("hash", unique=True),
        _text("roles"),
        Column("created", String(32), nullable=False),
    )


def _create_documents() -> None:
    op.create_table("identities", _key("id"), _bytes("key", unique=True), _number("bucket", nullable=True))
    op.create_table(
        "contents",
        _key("id"),
        _bytes("key", unique=True),
        _number("identity"),
        _text("schema"),
        _text("layer", nullable=True),
        _text("name"),
        _text("metadata"),
        _text("data"),
        _bytes("data_hash"),
        _bytes("metadata_hash"),
        Column("secret", String(36)),
    )
    op.create_table(
        "secrets",
        Column("id", String(36), primary_key=True),
        _bytes("fingerprint", unique=True),
        _bytes("sealed"),
    )


def _create_revisions() -> None:
    op.create_table("buckets", _key("id"), _text("name", unique=True), _number("write"))
    op.create_table("revisions", _key("id"), Column("created", String(32), nullable=False))
    op.create_table(
        "writes",
        _key("id"),
        _of_revision(),
        Column("bucket", _NUMBER, ForeignKey("buckets.id"), nullable=False),
        _number("first"),
        _bytes("contents"),
        _bytes("since"),
        _bytes("removed"),
        _number("layering_policy", nullable=True),
        _bytes("validation_policies"),
    )
    op.create_index("writes_of_bucket", "writes", ["bucket", "revision"])
    op.create_index("writes_of_revision", "writes", ["revision"])
    with_policy = text("layering_policy IS NOT NULL")
    op.create_index("writes_with_policy", "writes", ["id"], sqlite_where=with_policy, postgresql_where=with_policy)
    op.create_table(
        "tags",
        Column("revision", _NUMBER, ForeignKey("revisions.id"), primary_key=True, autoincrement=False),
        Column("name", Text, primary_key=True),
        _text("data"),
    )
    op.create_table(
        "validations",
        _key("id"),
        _of_revision(),
        *map(_text, ("name", "status", "validator", "errors")),
    )
    op.create_index("validations_of_revision", "validations", ["revision", "id"])
