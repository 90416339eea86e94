"""Migrations make the tables that the program uses."""

from __future__ import annotations

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from lamina.service.database import Database
from lamina.service.tables import METADATA
from service.postgres import Postgres


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_migrations_and_tables_agree(kind: str, request: pytest.FixtureRequest) -> None:
    url = "sqlite://"
    if kind == "postgresql":
        cluster: Postgres = request.getfixturevalue("postgres")
        url = cluster.database()
    database = Database(url)
    database.upgrade()
    database.upgrade()
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    database.close()
