"""The store: revisions of buckets of documents, in a database.

Reading methods give one state of the store each; writing methods do all they do, or nothing.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from cryptography.exceptions import InvalidTag
from sqlalchemy import delete, func, insert, select, update

from lamina.errors import Diagnostic, InputError
from lamina.service import bucket_write
from lamina.service.author import LOCAL, local_user
from lamina.service.counters import Counters, record
from lamina.service.errors import RevisionNotFound, TagNotFound
from lamina.service.faults import StoreUnavailable
from lamina.service.key_change import change_key
from lamina.service.records import Content, Placed, Revision, StoreState, Validation
from lamina.service.tables import (
    TABLES_IN_ORDER,
    audit,
    buckets,
    chunks,
    contents,
    counters,
    revisions,
    secrets,
    tags,
    validations,
    write_policies,
    writes,
)
from lamina.session import WeighedCache

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import ColumnElement, Connection, Row

    from lamina.service.author import Author
    from lamina.service.database import Database
    from lamina.service.encryption import Seal
    from lamina.service.submission import Submitted

_LISTED = select(revisions).where(revisions.c.pruned.is_(False)).order_by(revisions.c.id.desc())
IMPORT = "import"
"""What the audit calls the copy of a revision from another store."""
_CACHED = 128 * 1024 * 1024
"""How many bytes of contents are kept in memory."""


class Store:
    """One store, for any number of threads; the database is up to date."""

    def __init__(self, database: Database, seal: Seal, *, old: Seal | None = None, memory: int = _CACHED) -> None:
        """With `old`, secrets that were encrypted with that key are encrypted again with the other one."""
        self.database = database
        self.seal = seal
        self._contents = WeighedCache(memory)
        self._check_key(old)

    def _check_key(self, old: Seal | None) -> None:
        """See that secrets of the store can be opened; the first key given is the one."""
        with self.database.writing() as connection:
            check = connection.execute(select(counters.c.key_check)).scalar_one()
            if check is None:
                connection.execute(update(counters).values(key_check=self.seal.check()))
            elif self.seal.opens(check):
                return
            elif old is not None and old.opens(check):
                change_key(connection, old, self.seal)
                record(connection, self._epoch(connection), local_user(), "key")
            else:
                raise self._wrong_key(both=old is not None)

    def _wrong_key(self, *, both: bool) -> InputError:
        what = "is encrypted with neither of these keys" if both else "was made with another key for secrets"
        return InputError(
            Diagnostic(
                code="wrong-key",
                message=f"the store {self.database.name} {what}",
                hint="give the key it was made with; without it its secrets cannot be read",
            )
        )

    def _check_same_key(self, connection: Connection) -> None:
        """Reject a secret if another server has changed the key: it could not be read with that one."""
        if not self.seal.opens(connection.execute(select(counters.c.key_check)).scalar_one()):
            raise StoreUnavailable("the key for secrets was changed; start this server with the new one")

    # Writing

    def put(
        self, bucket: str, documents: Sequence[Submitted], author: Author = LOCAL
    ) -> tuple[int, list[Placed]] | None:
        """Make documents the whole content of a bucket: the new revision, and the documents with their ids.

        None if the bucket was never used and nothing is put there.
        """
        loaded: list[Content] = []
        with self.database.writing() as connection:
            if any(document.encrypted for document in documents):
                self._check_same_key(connection)
            count = Counters(connection, author)
            made = bucket_write.put(connection, count, self.seal, bucket, documents)
            if made is None:
                return None
            count.record("put", revision=made.revision, subject=bucket)
            count.save()
            placed = self._placed(connection, count.epoch, [made], loaded)
        # Not before the end of the transaction: if that fails, other contents get these numbers.
        self._remember(loaded)
        return made.revision, placed

    def rollback(self, target: int, author: Author = LOCAL) -> int:
        """Make a new revision with the content of an older one; 0 means no content."""
        with self.database.writing() as connection:
            count = Counters(connection, author)
            if target:
                self._require(connection, target)
            revision = bucket_write.restore(connection, count, target)
            count.record("rollback", revision=revision, subject=str(target))
            count.save()
            return revision

    def repeat_revision(self, source: str) -> None:
        """Make a revision that writes nothing, in place of one that a source lacks: with the content of the one
        before."""
        with self.database.writing() as connection:
            count = Counters(connection)
            number = count.new_revision()
            record(connection, count.epoch, local_user(), IMPORT, revision=number, subject=source)
            count.save()

    def import_revision(
        self,
        number: int,
        content: dict[str, list[Submitted]],
        written: Sequence[str],
        tagged: dict[str, Any],
        source: str,
        author: Author,
    ) -> None:
        """Make a revision that has this content and no other, and tags; it must be the next one."""
        with self.database.writing() as connection:
            count = Counters(connection, author)
            if number != count.revision + 1:
                raise _gap(number, count.revision)
            record(connection, count.epoch, local_user(), IMPORT, revision=number, subject=source)
            bucket_write.replace(connection, count, self.seal, content, written)
            for name, data in tagged.items():
                connection.execute(insert(tags).values(revision=number, name=name, data=json.dumps(data)))
            count.save()

    def purge(self, author: Author = LOCAL) -> None:
        """Empty the store; numbers start again from 1. The audit stays."""
        with self.database.writing() as connection:
            count = Counters(connection, author)
            count.record("purge", revision=count.revision)
            for table in TABLES_IN_ORDER:
                connection.execute(delete(table))
            count.restart()
            count.save()
        self._contents.clear()

    def set_tag(self, revision: int, name: str, data: Any, author: Author = LOCAL) -> None:
        """Tag a revision, or change the data of its tag."""
        with self.database.writing() as connection:
            self._require(connection, revision)
            record(connection, self._epoch(connection), author, "tag", revision=revision, subject=name)
            where = (tags.c.revision == revision, tags.c.name == name)
            connection.execute(delete(tags).where(*where))
            connection.execute(insert(tags).values(revision=revision, name=name, data=json.dumps(data)))

    def delete_tag(self, revision: int, name: str, author: Author = LOCAL) -> None:
        with self.database.writing() as connection:
            self._require(connection, revision)
            done = connection.execute(delete(tags).where(tags.c.revision == revision, tags.c.name == name))
            if done.rowcount == 0:
                raise TagNotFound(revision, name)
            record(connection, self._epoch(connection), author, "untag", revision=revision, subject=name)

    def delete_tags(self, revision: int, author: Author = LOCAL) -> None:
        with self.database.writing() as connection:
            self._require(connection, revision)
            for name in self._tags(connection, revision):
                record(connection, self._epoch(connection), author, "untag", revision=revision, subject=name)
            connection.execute(delete(tags).where(tags.c.revision == revision))

    def add_validation(self, revision: int, found: Validation, author: Author = LOCAL) -> None:
        """Keep the result of a validation."""
        with self.database.writing() as connection:
            count = Counters(connection, author)
            self._require(connection, revision)
            count.record("validation", revision=revision, subject=found.name)
            count.validation += 1
            connection.execute(
                insert(validations).values(
                    id=count.validation,
                    revision=revision,
                    name=found.name,
                    status=found.status,
                    validator=json.dumps(found.validator),
                    errors=json.dumps(found.errors),
                )
            )
            count.save()

    # Reading

    def state(self) -> StoreState:
        """How far the store has come; fails where it does not answer."""
        with self.database.reading() as connection:
            epoch, revision = connection.execute(select(counters.c.epoch, counters.c.revision)).one()
            return StoreState(epoch, revision)

    def revisions(self, *, newest: int | None = None, before: int | None = None) -> list[Revision]:
        """Revisions, the oldest first: all, or so many of the newest, of those before a number."""
        query = _LISTED if before is None else _LISTED.where(revisions.c.id < before)
        with self.database.reading() as connection:
            found = connection.execute(query.limit(newest)).all()[::-1]
            if not found:
                return []
            first, last = found[0].id, found[-1].id
            named: dict[int, list[str]] = {}
            joined = select(writes.c.revision, buckets.c.name).join(buckets, buckets.c.id == writes.c.bucket)
            for number, name in connection.execute(joined.where(writes.c.revision.between(first, last))):
                named.setdefault(number, []).append(name)
            tagged: dict[int, dict[str, Any]] = {}
            with_tags = select(tags.c.revision, tags.c.name).where(tags.c.revision.between(first, last))
            for number, name in connection.execute(with_tags):
                tagged.setdefault(number, {})[name] = None
        return [
            Revision(
                row.id,
                row.created,
                sorted(named.get(row.id, ())),
                tagged.get(row.id, {}),
                author=row.author,
                message=row.message,
            )
            for row in found
        ]

    def audit(self, limit: int, before: int | None = None) -> list[dict[str, Any]]:
        """What was done to the store, the newest first: so many entries, of those before a number."""
        query = select(audit).order_by(audit.c.id.desc()).limit(limit)
        with self.database.reading() as connection:
            rows = connection.execute(query if before is None else query.where(audit.c.id < before)).mappings()
            return [{name: value for name, value in row.items() if value is not None} for row in rows]

    def revision(self, number: int) -> Revision:
        """One revision, with the data of its tags."""
        with self.database.reading() as connection:
            row = connection.execute(select(revisions).where(*_shown(number))).first()
            if row is None:
                raise RevisionNotFound(number)
            written = writes.c.revision == number
            joined = select(buckets.c.name).join(writes, buckets.c.id == writes.c.bucket).where(written)
            names = connection.execute(joined).scalars().all()
            with_policy = (
                select(write_policies.c.content)
                .join(writes, writes.c.id == write_policies.c.write)
                .where(written, write_policies.c.kind == bucket_write.VALIDATION)
                .order_by(writes.c.id, write_policies.c.content)
            )
            policies = connection.execute(with_policy).scalars().all()
            epoch = self._epoch(connection)
            found = self._loaded(connection, epoch, policies)
            return Revision(
                number,
                row.created,
                sorted(names),
                self._tags(connection, number),
                [found[each] for each in policies],
                author=row.author,
                message=row.message,
            )

    def tags(self, revision: int) -> dict[str, Any]:
        """The tags of a revision with their data, sorted by name."""
        with self.database.reading() as connection:
            self._require(connection, revision)
            return self._tags(connection, revision)

    def tag(self, revision: int, name: str) -> Any:
        found = self.tags(revision)
        if name not in found:
            raise TagNotFound(revision, name)
        return found[name]

    def validations(self, revision: int) -> list[Validation]:
        """The results of validations posted for a revision, in that order."""
        with self.database.reading() as connection:
            self._require(connection, revision)
            rows = connection.execute(
                select(validations).where(validations.c.revision == revision).order_by(validations.c.id)
            )
            return [Validation(row.name, row.status, json.loads(row.validator), json.loads(row.errors)) for row in rows]

    def documents(self, revision: int) -> list[Placed]:
        """The documents of a revision, in the order they were written; none for revision 0."""
        with self.database.reading() as connection:
            if revision:
                self._require(connection, revision)
            return self._placed(connection, self._epoch(connection), bucket_write.changes(connection, None, revision))

    def newest_policy(self) -> Placed | None:
        """The LayeringPolicy that was written last in any revision."""
        with self.database.reading() as connection:
            query = (
                select(writes.c.id, writes.c.revision, writes.c.bucket, writes.c.first, write_policies.c.content)
                .add_columns(buckets.c.name.label("bucket_name"))
                .join(write_policies, write_policies.c.write == writes.c.id)
                .join(buckets, buckets.c.id == writes.c.bucket)
                .where(write_policies.c.kind == bucket_write.LAYERING)
                .order_by(writes.c.id.desc())
                .limit(1)
            )
            row = connection.execute(query).first()
            if row is None:
                return None
            made = bucket_write.with_documents(connection, [row])
            found = self._placed(connection, self._epoch(connection), made)
            policy = next(each for each in found if each.content.number == row.content)
            return Placed(policy.number, policy.content, policy.bucket, row.revision, row.revision)

    def secrets_of(self, found: Iterable[Content]) -> dict[int, Any]:
        """The data of those documents that are stored encrypted, by the numbers of their contents."""
        sealed = {content.secret: content for content in found if content.secret is not None}
        if not sealed:
            return {}
        opened: dict[int, Any] = {}
        with self.database.reading() as connection:
            for some in chunks(list(sealed)):
                for row in connection.execute(select(secrets.c.id, secrets.c.sealed).where(secrets.c.id.in_(some))):
                    opened[sealed[row.id].number] = json.loads(self._opened(row))
        return opened

    def _opened(self, row: Row[*tuple[Any, ...]]) -> bytes:
        try:
            return self.seal.unseal(row.sealed, row.id)
        except InvalidTag:
            raise StoreUnavailable("a secret cannot be decrypted with the key") from None

    # Parts

    def _placed(
        self,
        connection: Connection,
        epoch: int,
        changes: Sequence[bucket_write.BucketChange],
        loaded: list[Content] | None = None,
    ) -> list[Placed]:
        """The documents of some writes."""
        numbers = {each.content for change in changes for each in change.documents}
        found = self._loaded(connection, epoch, numbers, loaded)
        return [
            Placed(change.first + at, found[content], change.bucket_name, since, change.revision)
            for change in changes
            for at, (content, since) in enumerate(change.documents)
        ]

    def _loaded(
        self, connection: Connection, epoch: int, numbers: Iterable[int], loaded: list[Content] | None = None
    ) -> dict[int, Content]:
        """Contents by their numbers, from memory as far as they are there.

        A transaction that writes gives a list: what was read is added to it, to be remembered after the transaction.
        """
        found: dict[int, Content] = {}
        missing = []
        for number in numbers:
            content = self._contents.find((epoch, number))
            if content is None:
                missing.append(number)
            else:
                found[number] = content
        new = [
            Content(row, epoch)
            for some in chunks(missing)
            for row in connection.execute(select(contents).where(contents.c.id.in_(some)))
        ]
        found.update((content.number, content) for content in new)
        if loaded is None:
            self._remember(new)
        else:
            loaded += new
        return found

    def _remember(self, loaded: Iterable[Content]) -> None:
        """Keep contents that are in the database for good."""
        for content in loaded:
            self._contents.keep((content.epoch, content.number), content, content.weight)

    @staticmethod
    def _epoch(connection: Connection) -> int:
        return int(connection.execute(select(counters.c.epoch)).scalar_one())

    @staticmethod
    def _tags(connection: Connection, revision: int) -> dict[str, Any]:
        rows = connection.execute(select(tags.c.name, tags.c.data).where(tags.c.revision == revision))
        return dict(sorted((row.name, json.loads(row.data)) for row in rows))

    @staticmethod
    def _require(connection: Connection, revision: int) -> None:
        query = select(func.count()).select_from(revisions).where(*_shown(revision))
        if not connection.execute(query).scalar_one():
            raise RevisionNotFound(revision)


def _shown(revision: int) -> tuple[ColumnElement[bool], ...]:
    """That a revision is this one, and was not pruned."""
    return revisions.c.id == revision, revisions.c.pruned.is_(False)


def _gap(number: int, newest: int) -> InputError:
    return InputError(
        Diagnostic(
            code="cannot-import",
            message=f"revision {number} follows {newest}, but revisions are numbered without gaps",
            hint="push the newest documents from their files instead; history is then not kept",
        )
    )
