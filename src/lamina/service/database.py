"""The database of a store: SQLite or PostgreSQL, its transactions, and the migrations that bring it up to date.

A transaction that writes holds the lock of the store from its first statement to its end (SQLite's write lock, or the
row of counters in PostgreSQL), so writes come one after the other, from however many threads and processes.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from sqlalchemy import create_engine, event, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import QueuePool, StaticPool

from lamina.errors import Diagnostic, InputError, UsageError
from lamina.service.faults import StoreUnavailable
from lamina.service.tables import counters

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from alembic.config import Config
    from sqlalchemy import URL, Connection, Engine

_BUSY_SECONDS = 60
"""How long a write waits for the writes of other processes."""
_SILENT = 60
"""After how many seconds a PostgreSQL is given up from which nothing comes, where the system can tell."""
_MIGRATION_LOCK = 0x6C616D696E61
_BEGIN = "lamina_begin"


class Database:
    """A database that holds one store."""

    def __init__(self, url: str, *, connections: int = 16, seconds: float | None = None) -> None:
        """`seconds` is how long a statement may take, where the database can end it."""
        self.url = _parsed(url)
        self.sqlite = self.url.get_backend_name() == "sqlite"
        self.in_memory = self.sqlite and self.url.database in (None, "", ":memory:")
        self._one_at_a_time: RLock | None = RLock() if self.in_memory else None
        # Threads of one process wait here, first come first served, rather than at the database.
        self._writing = RLock()
        self.engine = self._connected(connections, seconds)

    def _connected(self, connections: int, seconds: float | None) -> Engine:
        if self.in_memory:
            # One connection: each of them would be its own database.
            engine = create_engine(self.url, poolclass=StaticPool, connect_args={"check_same_thread": False})
        elif self.sqlite:
            arguments = {"timeout": _BUSY_SECONDS, "check_same_thread": False}
            engine = create_engine(self.url, pool_size=connections, max_overflow=0, connect_args=arguments)
        else:
            limit = {} if seconds is None else {"options": f"-c statement_timeout={int(seconds * 1000)}"}
            engine = create_engine(
                self.url,
                pool_size=connections,
                max_overflow=0,
                pool_pre_ping=True,
                connect_args={"connect_timeout": 10, "tcp_user_timeout": _SILENT * 1000, **limit},
            )
        if self.sqlite:
            event.listen(engine, "connect", _configure_sqlite)
            event.listen(engine, "begin", _begin_sqlite)
        return engine

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that reads one state of the store."""
        with self._exclusive(), _failures():
            options: dict[str, Any] = {_BEGIN: "BEGIN"}
            if not self.sqlite:
                options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
            with self.engine.connect().execution_options(**options) as connection, connection.begin():
                yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that writes, alone in the store; it is undone when anything goes wrong."""
        with self._writing, self._exclusive(), _failures(), self._begun() as connection:
            if not self.sqlite:
                connection.execute(select(counters.c.id).with_for_update())
            yield connection

    @contextmanager
    def _begun(self, *, references: bool = True) -> Iterator[Connection]:
        """A transaction; SQLite changes a table by making it anew, for which its references must not be checked."""
        with self.engine.connect().execution_options(**{_BEGIN: "BEGIN IMMEDIATE"}) as connection:
            if self.sqlite and not references:
                _check_references(connection, "OFF")
            try:
                with connection.begin():
                    yield connection
            finally:
                if self.sqlite and not references:
                    _check_references(connection, "ON")

    def _exclusive(self) -> AbstractContextManager[Any]:
        return self._one_at_a_time or nullcontext()

    def upgrade(self) -> None:
        """Create the tables, or bring them up to date."""
        from alembic import command
        from alembic.util.exc import CommandError

        self._make_file()
        config = _migrations()
        try:
            with self._exclusive(), self._begun(references=False) as connection:
                if not self.sqlite:
                    # Two servers may start at once.
                    connection.execute(text(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})"))
                config.attributes["connection"] = connection
                command.upgrade(config, "head")
        except CommandError:
            raise self._newer() from None
        except SQLAlchemyError as error:
            hint = "check that the database is there, is running, and may be written to"
            raise self._unusable(_first_line(error), hint) from None

    def require_current(self) -> None:
        """Reject a store that is not there, or whose tables another version made: servers on it are not disturbed."""
        if not self.is_current():
            hint = "use the version of Lamina that its server has, or start the server of this version first"
            raise self._unusable("an older version of Lamina made its tables", hint)

    def is_current(self) -> bool:
        """Whether its tables are those of this version; those of a newer one are rejected, and so is what has none."""
        from alembic.script import ScriptDirectory

        known = [script.revision for script in ScriptDirectory.from_config(_migrations()).walk_revisions()]
        found = self._form()
        if found is None:
            raise self._unusable("there is no store in it", "'lamina store serve' makes one")
        if found not in known:
            raise self._newer()
        return found == known[0]

    def is_empty(self) -> bool:
        """Whether there are no tables yet, in a database that can be reached."""
        if self.in_memory:
            return True
        if self.sqlite and not Path(self.url.database or "").is_file():
            self._require_folder()
            return True
        return self._form() is None

    def _newer(self) -> InputError:
        hint = "use the version that made it, or a newer one; nothing was changed"
        return self._unusable("a newer version of Lamina made its tables", hint)

    def _form(self) -> str | None:
        """The form of its tables, by the number of the last migration; None if there are none."""
        from alembic.migration import MigrationContext

        if self.sqlite and not self.in_memory and not Path(self.url.database or "").is_file():
            raise self._unusable(f"there is no file {self.url.database}", "check the path")
        try:
            with self.engine.connect() as connection:
                return MigrationContext.configure(connection).get_current_revision()
        except SQLAlchemyError as error:
            raise self._unusable(_first_line(error), "check that the database is there and is running") from None

    def _require_folder(self) -> None:
        folder = Path(self.url.database or "").parent
        if not folder.is_dir():
            raise self._unusable(f"there is no folder {folder}", "make the folder, or correct the path")

    def _make_file(self) -> None:
        """Make the file of a new store, which only its owner can read, like the key beside it; SQLite would let
        everybody read it, and gives the files it makes beside it the mode of this one."""
        if not self.sqlite or self.in_memory:
            return
        self._require_folder()
        file = Path(self.url.database or "")
        with suppress(OSError):  # there is one, or SQLite has something to say about it
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))

    def _unusable(self, why: str, hint: str) -> InputError:
        message = f"the store {self.name} cannot be opened: {why}"
        return InputError(Diagnostic(code="store-unavailable", message=message, hint=hint))

    def size(self) -> int:
        """How many bytes it takes on disk, about."""
        if self.in_memory:
            return 0
        if self.sqlite:
            files = [Path(f"{self.url.database}{end}") for end in ("", "-wal")]
            return sum(file.stat().st_size for file in files if file.exists())
        with self.reading() as connection:
            return int(connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one())

    @property
    def connections_used(self) -> int:
        """How many connections are in use."""
        pool = self.engine.pool
        return pool.checkedout() if isinstance(pool, QueuePool) else 1

    @property
    def name(self) -> str:
        """The address without the password."""
        return self.url.set(drivername=self.url.get_backend_name()).render_as_string(hide_password=True)


def _migrations() -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "lamina.service:migrations")
    return config


def _parsed(url: str) -> URL:
    """The address of a database, with the driver that is used for it."""
    try:
        parsed = make_url(url)
        backend = parsed.get_backend_name()
    except (ArgumentError, NoSuchModuleError, ValueError):
        backend = ""
    if backend == "sqlite" and not parsed.query:
        return parsed.set(drivername="sqlite+pysqlite")
    if backend in ("postgresql", "postgres"):
        return parsed.set(drivername="postgresql+psycopg")
    raise UsageError(
        Diagnostic(
            code="unknown-store",
            message="the store must be a SQLite or PostgreSQL database",
            hint=_suggested(url),
        )
    )


def _suggested(url: str) -> str:
    if url and "://" not in url:
        return f"write sqlite:///{url} for a file of that name"
    if url.startswith("sqlite:"):
        return "write sqlite:///FILE, without anything behind a question mark"
    return "write sqlite:///FILE, sqlite:// for one in memory, or postgresql://USER@HOST/NAME"


def _configure_sqlite(connection: Any, _record: Any) -> None:
    """Set up a new connection: what was acknowledged survives a crash, and readers do not wait for the writer."""
    connection.isolation_level = None  # transactions begin where the store begins them
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get(_BEGIN, "BEGIN"))


def _check_references(connection: Connection, whether: str) -> None:
    """Have SQLite check references, or not; possible only between transactions."""
    driver: Any = connection.connection.driver_connection
    driver.execute(f"PRAGMA foreign_keys = {whether}")


@contextmanager
def _failures() -> Iterator[None]:
    """Errors of the database as one kind, without the statement and its values."""
    try:
        yield
    except DBAPIError as error:
        raise StoreUnavailable(_first_line(error)) from error
    except SQLAlchemyError as error:
        raise StoreUnavailable(type(error).__name__) from error


def _first_line(error: SQLAlchemyError) -> str:
    """What the driver said, without the statement."""
    message = str(getattr(error, "orig", None) or error)
    return message.strip().split("\n")[0]
