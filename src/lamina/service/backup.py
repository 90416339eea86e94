"""Backups: a whole store in one file, taken in one state while servers write, and put back into a new store.

A backup is a store on SQLite itself, whatever database it was taken from and is restored into, so it also moves a store
from one database to another. Secrets are in it as they are stored, encrypted; the key is not.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from cryptography.exceptions import InvalidTag
from sqlalchemy import delete, func, insert, select, text, update

from lamina.errors import Diagnostic, InputError
from lamina.service.author import local_user
from lamina.service.counters import Counters
from lamina.service.database import Database
from lamina.service.faults import StoreUnavailable
from lamina.service.tables import METADATA, audit, counters, revisions, secrets, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Table

    from lamina.service.encryption import Seal

_ROWS = 1000
"""How many rows are copied at a time."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What a backup has."""

    revisions: int
    secrets: int


def backup(database: Database, file: Path) -> Copied:
    """Write a store to a file; it is there under its name only once it is whole and was checked."""
    if file.exists():
        raise _unusable(f"there is a file {file} already", "choose another name; a backup overwrites nothing")
    try:
        with TemporaryDirectory(prefix=f".{file.name}.", dir=file.parent) as folder:
            written = Path(folder) / "backup.db"
            with _opened(written) as copy:
                copy.upgrade()
                with database.reading() as source, copy.writing() as target:
                    found = _copy(source, target)
                _check(copy)
                _as_one_file(copy)
            os.link(written, file)
            return found
    except FileExistsError:
        raise _unusable(f"there is a file {file} already", "choose another name; a backup overwrites nothing") from None
    except OSError as error:
        raise _unusable(f"the backup cannot be written to {file}: {error.strerror}", "check the folder") from None


def restore(file: Path, database: Database, seal: Seal | None) -> Copied:
    """Put a backup into a new store, in one transaction. The key must be that of the backup, if it has secrets."""
    if not file.is_file():
        raise _unusable(f"there is no file {file}", "check the path")
    with TemporaryDirectory(prefix="lamina-restore-") as folder:
        own = Path(folder) / "backup.db"  # it may be of an older version, and is not changed
        shutil.copyfile(file, own)
        with _opened(own) as copy:
            try:
                copy.is_current()
                copy.upgrade()
                _check(copy)
            except (InputError, StoreUnavailable):
                hint = "give a file that 'lamina store backup' of this version or an older one wrote"
                raise _unusable(f"{file} is not a backup that can be read", hint) from None
            database.upgrade()
            with copy.reading() as source, database.writing() as target:
                _require_new(target, database)
                _check_secrets(source, seal, file)
                found = _copy(source, target)
                if not found.secrets:  # any key will do
                    target.execute(update(counters).values(key_check=None if seal is None else seal.check()))
                if not database.sqlite:
                    target.execute(_NEXT_ENTRY)
                Counters(target, local_user()).record("restore", subject=file.name)
            return found


_NEXT_ENTRY = text("SELECT setval(pg_get_serial_sequence('audit', 'id'), (SELECT max(id) + 1 FROM audit), false)")
"""PostgreSQL counts the entries of the audit itself."""


@contextmanager
def _opened(path: Path) -> Iterator[Database]:
    database = Database(f"sqlite:///{path}", connections=2)
    try:
        yield database
    finally:
        database.close()


def _copy(source: Connection, target: Connection) -> Copied:
    """Copy all rows; the target has none but that of the counters."""
    target.execute(delete(counters))
    counted: dict[Table, int] = {}
    for table in METADATA.sorted_tables:
        counted[table] = 0
        # Not all of a large store at once.
        found = source.execute(select(table).order_by(*table.primary_key).execution_options(yield_per=_ROWS))
        for rows in found.mappings().partitions(_ROWS):
            target.execute(insert(table), [dict(row) for row in rows])
            counted[table] += len(rows)
    for table, number in counted.items():
        if target.execute(select(func.count()).select_from(table)).scalar_one() != number:
            raise _unusable(f"the table {table.name} was not copied whole", "try again, on another disk")
    shown = select(func.count()).select_from(revisions).where(revisions.c.pruned.is_(False))
    return Copied(target.execute(shown).scalar_one(), counted[secrets])


def _check(database: Database) -> None:
    """See that every page of a file can be read, and that every reference leads somewhere."""
    with database.reading() as connection:
        whole = connection.execute(text("PRAGMA integrity_check")).scalars().all() == ["ok"]
        if not whole or connection.execute(text("PRAGMA foreign_key_check")).all():
            raise _unusable("the backup is damaged", "try again, on another disk")


def _as_one_file(database: Database) -> None:
    """Have SQLite write everything to the one file, which needs no other beside it then."""
    database.close()
    connection: Any = database.engine.raw_connection()
    connection.driver_connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()
    database.close()


def _require_new(target: Connection, database: Database) -> None:
    for table in (revisions, tokens, audit):
        if target.execute(select(func.count()).select_from(table)).scalar_one():
            raise InputError(
                Diagnostic(
                    code="store-not-empty",
                    message=f"the store {database.name} was used already: it has {table.name}",
                    hint="restore into a new store, and start the servers on that one",
                )
            )


def _check_secrets(source: Connection, seal: Seal | None, file: Path) -> None:
    """See that every secret can be decrypted."""
    rows = source.execute(select(secrets.c.id, secrets.c.sealed))
    for row in rows:
        try:
            if seal is None:
                raise InvalidTag
            seal.unseal(row.sealed, row.id)
        except InvalidTag:
            why = "has secrets" if seal is None else "has secrets that were encrypted with another key"
            hint = "give the key of the store it was taken from: --key-file, or LAMINA_SERVICE_KEY"
            raise InputError(Diagnostic(code="wrong-key", message=f"{file} {why}", hint=hint)) from None


def _unusable(message: str, hint: str) -> InputError:
    return InputError(Diagnostic(code="unusable-backup", message=message, hint=hint))
