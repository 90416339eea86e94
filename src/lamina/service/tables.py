"""The tables of a store.

A document is stored once for its content. A write is what one revision did to one bucket: a list of contents in order,
each with the first revision of the run of equal copies it belongs to; the content of a revision follows from the last
write of each bucket up to it. Nothing that was written is changed later, so neither reading nor writing gets slower
with the history.

Numbers are counted in the one row of `counters`, which every transaction that writes locks first. The audit names
revisions, buckets and tokens by what they were called then; it outlives them, so it refers to no other table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    false,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Value = TypeVar("Value")

METADATA = MetaData()
CHUNK = 500
"""How many values one statement compares with."""

_Number = BigInteger().with_variant(Integer, "sqlite")


def _key(name: str) -> Column[int]:
    """A number that the store counts itself."""
    return Column(name, _Number, primary_key=True, autoincrement=False)


def _part_of(name: str, target: str) -> Column[int]:
    """A reference that is part of the key."""
    return Column(name, _Number, ForeignKey(target), primary_key=True, autoincrement=False)


counters = Table(
    "counters",
    METADATA,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("epoch", _Number, nullable=False),  # how often the store was emptied
    Column("revision", _Number, nullable=False),  # the newest one
    Column("document", _Number, nullable=False),
    Column("identity", _Number, nullable=False),
    Column("content", _Number, nullable=False),
    Column("bucket", _Number, nullable=False),
    Column("write", _Number, nullable=False),
    Column("validation", _Number, nullable=False),
    Column("created", String(32), nullable=False),  # when the newest revision was made
    Column("key_check", LargeBinary),  # shows whether the key for secrets is the right one
)

identities = Table(
    "identities",
    METADATA,
    _key("id"),  # in the order of first appearance
    Column("key", LargeBinary, nullable=False, unique=True),
    Column("bucket", _Number, ForeignKey("buckets.id")),  # who holds it now
)

contents = Table(
    "contents",
    METADATA,
    _key("id"),
    Column("key", LargeBinary, nullable=False, unique=True),
    Column("identity", _Number, ForeignKey("identities.id"), nullable=False),
    Column("schema", Text, nullable=False),
    Column("layer", Text),
    Column("name", Text, nullable=False),
    Column("metadata", Text, nullable=False),
    Column("data", Text, nullable=False),
    Column("data_hash", LargeBinary, nullable=False),
    Column("metadata_hash", LargeBinary, nullable=False),
    Column("secret", String(36), ForeignKey("secrets.id")),
    Index("contents_with_secret", "secret"),
)

secrets = Table(
    "secrets",
    METADATA,
    Column("id", String(36), primary_key=True),
    Column("fingerprint", LargeBinary, nullable=False, unique=True),
    Column("sealed", LargeBinary, nullable=False),
)

buckets = Table("buckets", METADATA, _key("id"), Column("name", Text, nullable=False, unique=True))

revisions = Table(
    "revisions",
    METADATA,
    _key("id"),
    Column("created", String(32), nullable=False),
    Column("author", Text),
    Column("message", Text),
    # No longer shown; there as long as a later revision still has what was written in it.
    Column("pruned", Boolean, nullable=False, server_default=false()),
)

writes = Table(
    "writes",
    METADATA,
    _key("id"),
    Column("revision", _Number, ForeignKey("revisions.id"), nullable=False),
    Column("bucket", _Number, ForeignKey("buckets.id"), nullable=False),
    Column("first", _Number, nullable=False),  # the id of its first document; the others follow
    Index("writes_of_bucket", "bucket", "revision"),
    Index("writes_of_revision", "revision"),
)

write_documents = Table(
    "write_documents",
    METADATA,
    _part_of("write", "writes.id"),
    _key("position"),
    Column("content", _Number, ForeignKey("contents.id"), nullable=False),
    Column("since", _Number, nullable=False),  # the first revision of the run of equal copies
    Index("writes_of_content", "content"),
    sqlite_with_rowid=False,
)

write_policies = Table(
    "write_policies",
    METADATA,
    _part_of("write", "writes.id"),
    _part_of("content", "contents.id"),
    Column("kind", String(16), nullable=False),  # layering, or validation: written, or removed
    Index("writes_with_policy", "kind", "write"),
    Index("policies_of_content", "content"),
    sqlite_with_rowid=False,
)

tags = Table(
    "tags",
    METADATA,
    Column("revision", _Number, ForeignKey("revisions.id"), primary_key=True, autoincrement=False),
    Column("name", Text, primary_key=True),
    Column("data", Text, nullable=False),
)

validations = Table(
    "validations",
    METADATA,
    _key("id"),
    Column("revision", _Number, ForeignKey("revisions.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("validator", Text, nullable=False),
    Column("errors", Text, nullable=False),
    Index("validations_of_revision", "revision", "id"),
)

tokens = Table(
    "tokens",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("hash", LargeBinary, nullable=False, unique=True),
    Column("roles", Text, nullable=False),
    Column("created", String(32), nullable=False),
    Column("expires", String(32)),
)

token_buckets = Table(
    "token_buckets",
    METADATA,
    Column("token", Text, ForeignKey("tokens.name"), primary_key=True),
    Column("bucket", Text, primary_key=True),  # by name: it may not be there yet
)

audit = Table(
    "audit",
    METADATA,
    Column("id", _Number, primary_key=True),
    Column("time", String(32), nullable=False),
    Column("epoch", _Number, nullable=False),
    Column("action", String(32), nullable=False),
    Column("author", Text, nullable=False),
    Column("address", Text),
    Column("request", String(64)),
    Column("revision", _Number),
    Column("subject", Text),  # the bucket, tag, validation or token
    Column("message", Text),
)

TABLES_IN_ORDER = (
    validations, tags, write_policies, write_documents, writes, revisions, contents, identities, buckets, secrets,
)  # fmt: skip
"""What is emptied with the revisions, in an order that references allow."""


def chunks(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    """Values in parts that one statement takes."""
    return (values[at : at + CHUNK] for at in range(0, len(values), CHUNK))
