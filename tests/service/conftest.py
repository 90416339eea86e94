"""Stores and servers for the tests of the service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.postgres import Postgres
from service.servers import Server


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    found = Postgres()
    yield found
    found.remove()


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of an empty store, once for each database."""
    if request.param == "postgresql":
        cluster: Postgres = request.getfixturevalue("postgres")
        return cluster.database()
    return sqlite_in(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="session")
def shared_server(store: str) -> Iterator[Server]:
    """A server for all tests that begin by emptying it."""
    with Server(store, "--quiet", "--rate", "0") as server:  # tests are one caller, and a fast one
        yield server


@pytest.fixture
def server(shared_server: Server) -> Server:
    """A server with an empty store."""
    assert shared_server.call("DELETE", "/revisions").status == 204
    return shared_server


@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    return sqlite_in(tmp_path)


def sqlite_in(folder: Path) -> str:
    return f"sqlite:///{folder / 'store.db'}"
