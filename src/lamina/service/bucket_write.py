"""Writing buckets: from submitted documents, or from the content of an older revision, to a new revision."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from sqlalchemy import insert, select, update

from lamina.service.errors import DocumentExists, SecondPolicy
from lamina.service.submission import LAYERING_POLICY, VALIDATION_POLICY, content_key, json_hash
from lamina.service.tables import (
    buckets,
    chunks,
    contents,
    identities,
    secrets,
    write_documents,
    write_policies,
    writes,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Any

    from sqlalchemy import Connection, Row, Select

    from lamina.service.counters import Counters
    from lamina.service.encryption import Seal
    from lamina.service.submission import Submitted


LAYERING = "layering"
VALIDATION = "validation"
"""The kinds of policies."""


@dataclass(slots=True)
class BucketEntry:
    """A submitted document on its way into the store."""

    document: Submitted
    key: bytes
    data_json: str
    data_hash: bytes
    secret: str | None
    content: int = 0
    identity: int = 0
    owner: int | None = None
    """The bucket that holds the document now."""


class DocumentPlace(NamedTuple):
    """A document of a write."""

    content: int
    since: int
    """The first revision of the run of equal copies it belongs to."""


@dataclass(frozen=True, slots=True)
class BucketChange:
    """A write: what one revision made of one bucket."""

    write: int
    revision: int
    bucket: int
    bucket_name: str
    first: int
    """The id of its first document; the others follow."""
    documents: Sequence[DocumentPlace]


def put(
    connection: Connection, count: Counters, seal: Seal, name: str, documents: Sequence[Submitted]
) -> BucketChange | None:
    """Make documents the whole content of a bucket."""
    bucket = connection.execute(select(buckets.c.id).where(buckets.c.name == name)).scalar()
    if bucket is None and not documents:
        return None
    _check_policies(connection, documents)
    entries = [_entry(connection, seal, document) for document in documents]
    _find(connection, entries)
    _check_owners(connection, entries, bucket, name)
    _store_new(connection, count, entries)
    newest = count.revision
    count.new_revision()
    before = _new_bucket(connection, count, name) if bucket is None else changes(connection, [bucket], None)[0]
    return _write(connection, count, newest, before, entries)


def changes(connection: Connection, which: Collection[int] | None, revision: int | None) -> list[BucketChange]:
    """The last write of each bucket, or of some, up to a revision or of all; in the order they were made."""
    query = last_writes(revision)
    rows = connection.execute(query if which is None else query.where(writes.c.bucket.in_(which))).all()
    return with_documents(connection, rows)


def last_writes(revision: int | None = None) -> Select[Any]:
    """The last write of each bucket up to a revision, or of all."""
    earlier = writes.alias()
    of_bucket = select(earlier.c.id).where(earlier.c.bucket == buckets.c.id)
    if revision is not None:
        of_bucket = of_bucket.where(earlier.c.revision <= revision)
    last = of_bucket.order_by(earlier.c.revision.desc()).limit(1).scalar_subquery()
    columns = (writes.c.id, writes.c.revision, writes.c.bucket, buckets.c.name.label("bucket_name"), writes.c.first)
    return select(*columns).select_from(buckets).join(writes, writes.c.id == last).order_by(writes.c.id)


def with_documents(connection: Connection, rows: Sequence[Row[*tuple[Any, ...]]]) -> list[BucketChange]:
    """Writes with their documents."""
    listed: dict[int, list[DocumentPlace]] = {row.id: [] for row in rows}
    query = select(write_documents.c.write, write_documents.c.content, write_documents.c.since)
    for some in chunks(list(listed)):
        ordered = query.where(write_documents.c.write.in_(some)).order_by(
            write_documents.c.write, write_documents.c.position
        )
        for write, content, since in connection.execute(ordered):
            listed[write].append(DocumentPlace(content, since))
    return [BucketChange(row.id, row.revision, row.bucket, row.bucket_name, row.first, listed[row.id]) for row in rows]


def _entry(connection: Connection, seal: Seal, document: Submitted) -> BucketEntry:
    """The document with its data, or with a reference to it if it is to be encrypted."""
    if not document.encrypted:
        key = content_key(document.schema, document.data_hash, document.metadata_hash)
        return BucketEntry(document, key, document.data_json, document.data_hash, None)
    secret = _sealed(connection, seal, document)
    reference = f"https://lamina/secrets/{secret}"
    hashed = json_hash(reference)
    key = content_key(document.schema, hashed, document.metadata_hash)
    return BucketEntry(document, key, json.dumps(reference), hashed, secret)


def _sealed(connection: Connection, seal: Seal, document: Submitted) -> str:
    """The id of the secret that a document holds; a document that is written again unchanged keeps it."""
    fingerprint = seal.fingerprint(document.identity + document.data_hash)
    known = connection.execute(select(secrets.c.id).where(secrets.c.fingerprint == fingerprint)).scalar()
    if known is not None:
        return str(known)
    name = str(uuid4())
    sealed = seal.seal(document.data_json.encode(), name)
    connection.execute(insert(secrets).values(id=name, fingerprint=fingerprint, sealed=sealed))
    return name


def _check_policies(connection: Connection, documents: Sequence[Submitted]) -> None:
    """There is one LayeringPolicy at most; to rename it, it must be removed first."""
    new = [document for document in documents if document.schema.startswith(LAYERING_POLICY)]
    if not new:
        return
    last = last_writes().subquery()
    query = (
        select(contents.c.schema, contents.c.layer, contents.c.name)
        .join(write_policies, write_policies.c.content == contents.c.id)
        .join(last, last.c.id == write_policies.c.write)
        .where(write_policies.c.kind == LAYERING)
    )
    stored = {(row.schema, row.layer, row.name) for row in connection.execute(query)}
    for document in new:
        identity = (document.schema, document.layer, document.name)
        others = stored - {identity}
        if others:
            schema, layer, name = min(others, key=str)
            raise SecondPolicy(f"[{schema}, {layer}] {name}", document.title)
        stored.add(identity)


def _find(connection: Connection, entries: Sequence[BucketEntry]) -> None:
    """Look up what the store knows of the documents."""
    by_key: dict[bytes, list[BucketEntry]] = {}
    for entry in entries:
        by_key.setdefault(entry.key, []).append(entry)
    joined = select(contents.c.key, contents.c.id, contents.c.identity, identities.c.bucket).join(
        identities, identities.c.id == contents.c.identity
    )
    for some in chunks(list(by_key)):
        for row in connection.execute(joined.where(contents.c.key.in_(some))):
            for entry in by_key[row.key]:
                entry.content, entry.identity, entry.owner = row.id, row.identity, row.bucket
    by_identity: dict[bytes, list[BucketEntry]] = {}
    for entry in entries:
        if not entry.content:
            by_identity.setdefault(entry.document.identity, []).append(entry)
    for some in chunks(list(by_identity)):
        for row in connection.execute(select(identities).where(identities.c.key.in_(some))):
            for entry in by_identity[row.key]:
                entry.identity, entry.owner = row.id, row.bucket


def _check_owners(connection: Connection, entries: Iterable[BucketEntry], bucket: int | None, name: str) -> None:
    """A document belongs to one bucket, and is there once."""
    seen: set[tuple[str, str | None, str]] = set()
    for entry in entries:
        document = entry.document
        identity = (document.schema, document.layer, document.name)
        if entry.owner is not None and entry.owner != bucket:
            owner = connection.execute(select(buckets.c.name).where(buckets.c.id == entry.owner)).scalar_one()
            raise DocumentExists(*identity, owner)
    for entry in entries:
        document = entry.document
        identity = (document.schema, document.layer, document.name)
        if identity in seen:
            raise DocumentExists(*identity, name)
        seen.add(identity)


def _store_new(connection: Connection, count: Counters, entries: Iterable[BucketEntry]) -> None:
    """Store documents, and contents of documents, that the store did not have."""
    new_identities, new_contents = [], []
    for entry in entries:
        document = entry.document
        if not entry.identity:
            count.identity += 1
            entry.identity = count.identity
            new_identities.append({"id": entry.identity, "key": document.identity})
        if not entry.content:
            count.content += 1
            entry.content = count.content
            new_contents.append(
                {
                    "id": entry.content,
                    "key": entry.key,
                    "identity": entry.identity,
                    "schema": document.schema,
                    "layer": document.layer,
                    "name": document.name,
                    "metadata": document.metadata_json,
                    "data": entry.data_json,
                    "data_hash": entry.data_hash,
                    "metadata_hash": document.metadata_hash,
                    "secret": entry.secret,
                }
            )
    if new_identities:
        connection.execute(insert(identities), new_identities)
    if new_contents:
        connection.execute(insert(contents), new_contents)


def _write(
    connection: Connection, count: Counters, newest: int, before: BucketChange, entries: Sequence[BucketEntry]
) -> BucketChange:
    """Write a bucket in the revision that was just made; `newest` is the one before it."""
    revision, number = count.revision, before.bucket
    # Only the newest revision is looked at, as in Deckhand: a run of equal copies ends with any write elsewhere.
    run = dict(before.documents) if before.revision == newest else {}
    stored = {entry.identity for entry in entries}
    dropped = {each.content for each in before.documents} - {entry.content for entry in entries}
    removed = _removed(connection, dropped, stored)
    _own(connection, [entry.identity for entry in entries if entry.owner != number], number)
    _own(connection, [row.identity for row in removed], None)
    documents = [DocumentPlace(entry.content, run.get(entry.content, revision)) for entry in entries]
    held = [(entry.content, entry.document.schema) for entry in entries]
    return _insert_write(connection, count, before, documents, _policies(held, removed))


def _policies(held: Iterable[tuple[int, str]], removed: Iterable[Row[*tuple[Any, ...]]]) -> dict[int, str]:
    """The kinds of the policies that a write has, and of those that it takes away and that are reported."""
    kinds = {content: VALIDATION for content, schema in held if schema.startswith(VALIDATION_POLICY)}
    kinds |= {content: LAYERING for content, schema in held if schema.startswith(LAYERING_POLICY)}
    return kinds | {row.id: VALIDATION for row in removed if row.schema.startswith(VALIDATION_POLICY)}


def _new_bucket(connection: Connection, count: Counters, name: str) -> BucketChange:
    """A bucket as it is before its first write."""
    count.bucket += 1
    connection.execute(insert(buckets).values(id=count.bucket, name=name))
    return BucketChange(0, 0, count.bucket, name, 0, ())


def _removed(connection: Connection, dropped: set[int], stored: Collection[int]) -> list[Row[*tuple[Any, ...]]]:
    """Of the contents that a bucket no longer has, those of documents that it no longer has."""
    return [row for row in _described(connection, dropped) if row.identity not in stored]


def _described(connection: Connection, numbers: Iterable[int]) -> list[Row[*tuple[Any, ...]]]:
    query = select(contents.c.id, contents.c.identity, contents.c.schema).order_by(contents.c.id)
    return [row for some in chunks(sorted(numbers)) for row in connection.execute(query.where(contents.c.id.in_(some)))]


def _own(connection: Connection, documents: Sequence[int], bucket: int | None) -> None:
    """Say which bucket holds documents."""
    for some in chunks(documents):
        connection.execute(update(identities).where(identities.c.id.in_(some)).values(bucket=bucket))


def _insert_write(
    connection: Connection,
    count: Counters,
    before: BucketChange,
    documents: Sequence[DocumentPlace],
    policies: Mapping[int, str],
) -> BucketChange:
    count.write += 1
    change = BucketChange(count.write, count.revision, before.bucket, before.bucket_name, count.document + 1, documents)
    count.document += len(documents)
    connection.execute(
        insert(writes).values(id=change.write, revision=change.revision, bucket=change.bucket, first=change.first)
    )
    if documents:
        rows = [
            {"write": change.write, "position": at, "content": content, "since": since}
            for at, (content, since) in enumerate(documents)
        ]
        connection.execute(insert(write_documents), rows)
    if policies:
        kinds = [{"write": change.write, "content": content, "kind": kind} for content, kind in policies.items()]
        connection.execute(insert(write_policies), kinds)
    return change


def replace(
    connection: Connection,
    count: Counters,
    seal: Seal,
    content: Mapping[str, Sequence[Submitted]],
    written: Collection[str],
) -> None:
    """Make a revision that has this content and no other, and that writes these buckets, changed or not."""
    names = dict.fromkeys([*written, *content, *connection.execute(select(buckets.c.name)).scalars()])
    entries = {name: [_entry(connection, seal, each) for each in content.get(name, ())] for name in names}
    everything = [entry for some in entries.values() for entry in some]
    _find(connection, everything)
    _store_new(connection, count, everything)
    newest = count.revision
    before = {each.bucket_name: each for each in changes(connection, None, None)}
    count.new_revision()
    numbers = {}
    for name, some in entries.items():
        last = before.get(name)
        same = last is not None and [each.content for each in last.documents] == [entry.content for entry in some]
        if name in written or not (same or (last is None and not some)):
            last = _write(connection, count, newest, last or _new_bucket(connection, count, name), some)
        numbers[name] = last.bucket if last else 0
    # What moved between buckets was taken from one after it was given to the other.
    for name, some in entries.items():
        _own(connection, [entry.identity for entry in some], numbers[name])


def restore(connection: Connection, count: Counters, target: int) -> int:
    """Make a revision of which every bucket has what it had in the target; 0 means nothing."""
    current = {each.bucket: each for each in changes(connection, None, None)}
    then = {each.bucket: each for each in changes(connection, None, target)}
    revision = count.new_revision()
    held = {each.content for change in current.values() for each in change.documents}
    connection.execute(update(identities).where(identities.c.bucket.is_not(None)).values(bucket=None))
    for bucket in dict.fromkeys([*then, *current]):
        numbers = [each.content for each in then[bucket].documents] if bucket in then else []
        before = [each.content for each in current[bucket].documents]
        if not numbers and not before:
            continue
        own = {row.id: row for row in _described(connection, {*numbers, *before})}
        kept = {own[number].identity for number in numbers}
        removed = [own[number] for number in before if own[number].identity not in kept]
        _own(connection, sorted(kept), bucket)
        documents = [DocumentPlace(number, target if number in held else revision) for number in numbers]
        policies = _policies([(number, own[number].schema) for number in numbers], removed)
        _insert_write(connection, count, current[bucket], documents, policies)
    return revision
