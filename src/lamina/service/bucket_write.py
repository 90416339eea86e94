"""Writing buckets: from submitted documents, or from the content of an older revision, to a new revision."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from sqlalchemy import insert, select, update

from lamina.service.faults import duplicate_document, second_policy
from lamina.service.packed import pack, unpack
from lamina.service.submission import LAYERING_POLICY, VALIDATION_POLICY, content_key, json_hash
from lamina.service.tables import buckets, chunks, contents, identities, secrets, writes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from sqlalchemy import Connection, Row

    from lamina.service.counters import Counters
    from lamina.service.encryption import Seal
    from lamina.service.submission import Submitted


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


@dataclass(frozen=True, slots=True)
class BucketChange:
    """A write that was made, as it is read again later."""

    revision: int
    first: int
    bucket_name: str
    contents: bytes
    since: bytes


def put(
    connection: Connection, count: Counters, seal: Seal, name: str, documents: Sequence[Submitted]
) -> BucketChange | None:
    """Make documents the whole content of a bucket."""
    bucket = _bucket(connection, name)
    if bucket is None and not documents:
        return None
    _check_policies(connection, documents)
    entries = [_entry(connection, seal, document) for document in documents]
    _find(connection, entries)
    own = bucket.id if bucket else None
    _check_owners(connection, entries, own, name)
    _store_new(connection, count, entries)
    newest = count.revision
    count.new_revision()
    return _write(connection, count, newest, name, bucket, entries)


def _bucket(connection: Connection, name: str) -> Row[*tuple[Any, ...]] | None:
    """A bucket with its last write."""
    return connection.execute(
        select(buckets.c.id, writes.c.revision, writes.c.contents, writes.c.since)
        .join(writes, writes.c.id == buckets.c.write)
        .where(buckets.c.name == name)
    ).first()


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
    query = (
        select(contents.c.schema, contents.c.layer, contents.c.name)
        .join(writes, writes.c.layering_policy == contents.c.id)
        .join(buckets, buckets.c.write == writes.c.id)
    )
    stored = {(row.schema, row.layer, row.name) for row in connection.execute(query)}
    for document in new:
        identity = (document.schema, document.layer, document.name)
        others = stored - {identity}
        if others:
            schema, layer, name = min(others, key=str)
            raise second_policy(f"[{schema}, {layer}] {name}", document.title)
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
            raise duplicate_document(*identity, owner)
    for entry in entries:
        document = entry.document
        identity = (document.schema, document.layer, document.name)
        if identity in seen:
            raise duplicate_document(*identity, name)
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
    connection: Connection,
    count: Counters,
    newest: int,
    name: str,
    bucket: Row[*tuple[Any, ...]] | None,
    entries: Sequence[BucketEntry],
) -> BucketChange:
    """Write a bucket in the revision that was just made; `newest` is the one before it."""
    revision = count.revision
    # Only the newest revision is looked at, as in Deckhand: a run of equal copies ends with any write elsewhere.
    run = dict(zip(unpack(bucket.contents), unpack(bucket.since), strict=True)) if bucket else {}
    since = [run.get(entry.content, revision) for entry in entries] if bucket and bucket.revision == newest else None
    number = bucket.id if bucket else _new_bucket(connection, count, name)
    stored = {entry.identity for entry in entries}
    removed = _removed(connection, set(run) - {entry.content for entry in entries}, stored)
    _own(connection, [entry.identity for entry in entries if entry.owner != number], number)
    _own(connection, [row.identity for row in removed], None)
    policies = [entry.content for entry in entries if entry.document.schema.startswith(LAYERING_POLICY)]
    results = [entry.content for entry in entries if entry.document.schema.startswith(VALIDATION_POLICY)]
    results += [row.id for row in removed if row.schema.startswith(VALIDATION_POLICY)]
    change = BucketChange(
        revision,
        count.document + 1,
        name,
        pack(entry.content for entry in entries),
        pack([revision] * len(entries) if since is None else since),
    )
    count.document += len(entries)
    _insert_write(connection, count, number, change, removed, policies, results)
    return change


def _new_bucket(connection: Connection, count: Counters, name: str) -> int:
    count.bucket += 1
    connection.execute(insert(buckets).values(id=count.bucket, name=name, write=0))
    return count.bucket


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
    bucket: int,
    change: BucketChange,
    removed: Sequence[Row[*tuple[Any, ...]]],
    layering_policies: Sequence[int],
    validation_policies: Sequence[int],
) -> None:
    count.write += 1
    connection.execute(
        insert(writes).values(
            id=count.write,
            revision=change.revision,
            bucket=bucket,
            first=change.first,
            contents=change.contents,
            since=change.since,
            removed=pack(row.id for row in removed),
            layering_policy=layering_policies[0] if layering_policies else None,
            validation_policies=pack(validation_policies),
        )
    )
    connection.execute(update(buckets).where(buckets.c.id == bucket).values(write=count.write))


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
    count.new_revision()
    numbers = {}
    for name, some in entries.items():
        bucket = _bucket(connection, name)
        same = bucket is not None and list(unpack(bucket.contents)) == [entry.content for entry in some]
        if name in written or not (same or (bucket is None and not some)):
            _write(connection, count, newest, name, bucket, some)
        found = _bucket(connection, name)
        numbers[name] = found.id if found else 0
    # What moved between buckets was taken from one after it was given to the other.
    for name, some in entries.items():
        _own(connection, [entry.identity for entry in some], numbers[name])


def restore(
    connection: Connection,
    count: Counters,
    target: int,
    wanted: Sequence[Row[*tuple[Any, ...]]],
    stored: Sequence[Row[*tuple[Any, ...]]],
) -> int:
    """Make a revision of which every bucket has what it had in the target."""
    revision = count.new_revision()
    to_remove = {number for row in stored for number in unpack(row.contents)}
    connection.execute(update(identities).where(identities.c.bucket.is_not(None)).values(bucket=None))
    current = {row.bucket: row for row in stored}
    then = {row.bucket: row for row in wanted}
    for bucket in dict.fromkeys([*then, *current]):
        numbers = list(unpack(then[bucket].contents)) if bucket in then else []
        before = list(unpack(current[bucket].contents))
        if not numbers and not before:
            continue
        described = _described(connection, {*numbers, *before})
        own = {row.id: row for row in described}
        kept_identities = {own[number].identity for number in numbers}
        removed = [own[number] for number in before if own[number].identity not in kept_identities]
        _own(connection, sorted(kept_identities), bucket)
        since = [target if number in to_remove else revision for number in numbers]
        change = BucketChange(revision, count.document + 1, "", pack(numbers), pack(since))
        count.document += len(numbers)
        policies = [number for number in numbers if own[number].schema.startswith(LAYERING_POLICY)]
        results = [number for number in numbers if own[number].schema.startswith(VALIDATION_POLICY)]
        results += [row.id for row in removed if row.schema.startswith(VALIDATION_POLICY)]
        _insert_write(connection, count, bucket, change, removed, policies, results)
    return revision
