"""The tables of a store.

A document is stored once for its content. A write is what one revision did to one bucket: a list of references to
contents, in order; the content of a revision follows from the last write of each bucket up to it. Nothing that was
written is changed later, so neither reading nor writing gets slower with the history.

Numbers are counted in the one row of `counters`, which every transaction that writes locks first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import (
    BigInteger,
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
    Column("bucket", _Number),  # who holds it now
)

contents = Table(
    "contents",
    METADATA,
    _key("id"),
    Column("key", LargeBinary, nullable=False, unique=True),
    Column("identity", _Number, nullable=False),
    Column("schema", Text, nullable=False),
    Column("layer", Text),
    Column("name", Text, nullable=False),
    Column("metadata", Text, nullable=False),
    Column("data", Text, nullable=False),
    Column("data_hash", LargeBinary, nullable=False),
    Column("metadata_hash", LargeBinary, nullable=False),
    Column("secret", String(36)),
)

secrets = Table(
    "secrets",
    METADATA,
    Column("id", String(36), primary_key=True),
    Column("fingerprint", LargeBinary, nullable=False, unique=True),
    Column("sealed", LargeBinary, nullable=False),
)

buckets = Table(
    "buckets",
    METADATA,
    _key("id"),
    Column("name", Text, nullable=False, unique=True),
    Column("write", _Number, nullable=False),  # its last one
)

revisions = Table("revisions", METADATA, _key("id"), Column("created", String(32), nullable=False))

writes = Table(
    "writes",
    METADATA,
    _key("id"),
    Column("revision", _Number, ForeignKey("revisions.id"), nullable=False),
    Column("bucket", _Number, ForeignKey("buckets.id"), nullable=False),
    Column("first", _Number, nullable=False),  # the id of its first document; the others follow
    Column("contents", LargeBinary, nullable=False),  # packed numbers
    Column("since", LargeBinary, nullable=False),  # for each, the first revision of the run of equal copies
    Column("removed", LargeBinary, nullable=False),  # contents that the bucket held before
    Column("layering_policy", _Number),
    Column("validation_policies", LargeBinary, nullable=False),  # contents written or removed that are such policies
    Index("writes_of_bucket", "bucket", "revision"),
    Index("writes_of_revision", "revision"),
)

# The newest LayeringPolicy of all is looked for when a revision has none.
Index("writes_with_policy", writes.c.id, sqlite_where=writes.c.layering_policy.is_not(None),
      postgresql_where=writes.c.layering_policy.is_not(None))  # fmt: skip

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
)

TABLES_IN_ORDER = (validations, tags, writes, revisions, buckets, contents, identities, secrets)
"""What is emptied with the revisions, in an order that references allow."""


def chunks(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    """Values in parts that one statement takes."""
    return (values[at : at + CHUNK] for at in range(0, len(values), CHUNK))
