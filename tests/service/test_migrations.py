"""Migrations make the tables that the program uses, and a store that an older version wrote is the same afterwards."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from lamina.errors import InputError
from lamina.service.database import Database
from lamina.service.tables import METADATA
from service.postgres import Postgres
from service.servers import Server, document

FIRST = Path(__file__).parent / "stores/first"
_REFERENCE = re.compile(r"secrets/[0-9a-f-]{36}")


@pytest.fixture(params=["sqlite", "postgresql"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/store.db"
    cluster: Postgres = request.getfixturevalue("postgres")
    return cluster.database()


@pytest.fixture
def first(empty: str) -> tuple[str, dict[str, Any]]:
    """A store as the first version wrote it, and what that version answered."""
    kind = empty.partition(":")[0]
    written = (FIRST / f"{kind}.sql").read_text(encoding="utf-8")
    if kind == "sqlite":
        with sqlite3.connect(empty.removeprefix("sqlite:///")) as connection:
            connection.executescript(written)
        connection.close()
    else:
        with psycopg.connect(empty) as found:
            found.execute(written.encode())
    return empty, json.loads((FIRST / f"{kind}.json").read_text(encoding="utf-8"))


def test_migrations_and_tables_agree(empty: str) -> None:
    database = Database(empty)
    database.upgrade()
    database.upgrade()
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    database.close()


def test_a_store_of_the_first_version_answers_as_before(first: tuple[str, dict[str, Any]]) -> None:
    url, known = first
    with Server(url, "--quiet", "--auth", "token", environment={"LAMINA_SERVICE_KEY": known["key"]}) as server:
        token = known["tokens"]["boss"]
        for path, (status, body) in known["answers"].items():
            reply = server.call("GET", path, X_Auth_Token=token)
            assert reply.status == status, path
            assert reply.body.decode() == known["bodies"][body], path
        reader, writer = (known["tokens"][name] for name in ("reader", "writer"))
        assert server.call("GET", "/revisions", X_Auth_Token=reader).status == 200
        path = "/buckets/new/documents"
        assert server.call("PUT", path, document("new"), X_Auth_Token=reader).status == 403
        (stored,) = server.call("PUT", path, document("new"), X_Auth_Token=writer).documents
        assert stored["status"]["revision"] == 14
        # An unchanged secret is still found again.
        secret = document("s", "{pw: correct-pony-battery}", policy="encrypted")
        (again,) = server.call("PUT", "/buckets/secret/documents", secret, X_Auth_Token=token).documents
        assert _REFERENCE.search(again["data"])
        assert again["data"] in known["bodies"][known["answers"]["/revisions/13/documents"][1]]


def test_every_reference_of_a_migrated_store_leads_somewhere(first: tuple[str, dict[str, Any]]) -> None:
    database = Database(first[0])
    database.upgrade()
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
        if database.sqlite:
            assert connection.execute(text("PRAGMA foreign_key_check")).all() == []
            assert connection.execute(text("PRAGMA foreign_keys")).scalar() == 1
    database.close()


def test_the_tables_of_a_newer_version_are_rejected(empty: str) -> None:
    database = Database(empty)
    database.upgrade()
    with database.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(InputError, match="a newer version of Lamina made its tables"):
        database.upgrade()
    database.close()
