"""A store that changes while pages look at it: they learn of new revisions, whichever server wrote them."""

from __future__ import annotations

import asyncio
import http.client
import json
from collections.abc import Iterator
from types import TracebackType
from typing import Any

import pytest

from lamina.service.explorer import announcements
from lamina.service.explorer.announcements import MOST, Announcements
from service.postgres import Postgres
from service.servers import LAYERING_POLICY, Server, document, run_lamina


class Listener:
    """A page that listens."""

    def __init__(self, server: Server, **headers: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        self._connection.request("GET", "/explore/events", headers=given)
        self.response = self._connection.getresponse()

    def __enter__(self) -> Listener:
        assert self.response.status == 200
        assert self.response.readline() == b": listening\n"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.response.close()
        self._connection.close()

    def news(self) -> Iterator[dict[str, Any]]:
        """What is announced, as it comes."""
        for line in self.response:
            if line.startswith(b"data: "):
                yield json.loads(line[6:])

    def until_revision(self, revision: int) -> dict[str, Any]:
        """The announcement that names a revision."""
        return next(found for found in self.news() if str(revision) in found.get("targets", ()))


def generation(server: Server) -> int:
    return int(json.loads(server.send("GET", "/explore/targets").body)["generation"])


def test_a_new_revision_is_announced(store: str, shared_server: Server, server: Server) -> None:
    assert shared_server is server
    server.put("m", LAYERING_POLICY)
    known = generation(server)
    with Server(store, "--quiet") as other, Listener(server) as here, Listener(other) as there:
        server.put("m", LAYERING_POLICY, document("a"))
        for listener in (here, there):
            assert listener.until_revision(2)["generation"] > known
        other.put("n", document("b"))
        latest = {listener.until_revision(3)["generation"] for listener in (here, there)}
        assert latest == {generation(server)} == {generation(other)}


def test_an_emptied_store_is_announced(server: Server) -> None:
    server.put("m", document("a"))
    with Listener(server) as listener:
        known = listener.until_revision(1)["generation"]
        assert server.call("DELETE", "/revisions").status == 204
        found = next(each for each in listener.news() if each["generation"] != known)
        assert found == {"generation": generation(server), "targets": []}
        assert found["generation"] > known


def test_who_listens_must_be_a_reader(tmp_path: Any) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    token = run_lamina("store", "token", "create", "me", "--role", "read", "--role", "write", "--store", url)
    with Server(url, "--quiet", "--auth", "token") as server:
        assert server.send("GET", "/explore/events").status == 401
        assert server.send("GET", "/explore/events", headers={"Authorization": "Bearer nonsense"}).status == 401
        with Listener(server, Authorization=f"Bearer {token}") as listener:
            path = "/buckets/m/documents"
            assert server.call("PUT", path, LAYERING_POLICY, X_Auth_Token=token).status == 200
            assert listener.until_revision(1)["targets"] == ["1"]


def test_only_so_many_pages_listen_to_a_store(server: Server) -> None:
    listeners = [Listener(server).__enter__() for _ in range(MOST)]
    try:
        rejected = server.send("GET", "/explore/events")
        assert rejected.status == 503
        assert rejected.headers["retry-after"]
        assert server.put("m", LAYERING_POLICY).status == 200  # everything else still works
    finally:
        for listener in listeners:
            listener.__exit__(None, None, None)


def test_a_store_that_is_gone_is_announced_once_and_so_is_its_return() -> None:
    cluster = Postgres()
    try:
        with Server(cluster.database(), "--quiet") as server:
            server.put("m", LAYERING_POLICY)
            with Listener(server) as listener:
                known = listener.until_revision(1)["generation"]
                cluster.stop("immediate")
                news = listener.news()
                assert next(news) == {"error": "The store is not available."}
                cluster.start()
                assert next(news)["generation"] == known
    finally:
        cluster.remove()


def test_a_connection_ends_after_a_while_so_that_tokens_are_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(announcements, "_KEEPALIVE_SECONDS", 0.01)
    monkeypatch.setattr(announcements, "_LONGEST", 0.05)
    found = Announcements()

    async def listen() -> list[bytes]:
        return [part async for part in found.stream()]

    parts = asyncio.run(listen())
    assert parts[0] == b": listening\n\n"
    assert set(parts[1:]) == {b": nothing new\n\n"}
    assert not found.has_listeners


def test_a_server_that_stops_ends_the_connections_in_good_order(sqlite: str) -> None:
    server = Server(sqlite, "--quiet")
    with Listener(server) as listener:
        server.stop()
        listener.response.read()  # raises where a connection is cut off
