"""Faults: whatever dies, no revision is half written, nothing acknowledged is lost, and numbers have no gaps."""

from __future__ import annotations

import http.client
import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.postgres import Postgres
from service.servers import Server, document
from support.installed import failure_of

ROUNDS = 200 if os.environ.get("LAMINA_FAULTS") == "long" else 20
WRITERS = 4
PATIENCE = 120
"""How many seconds are waited for writes that must come."""
SIZE = 5
"""Documents in a body; all of a body carry the same mark."""


def body(writer: int, mark: int) -> list[str]:
    return [document(f"w{writer}-{number}", f"{{mark: {mark}}}") for number in range(SIZE)]


class Load:
    """Writers that put to their own buckets as fast as they can, and what was acknowledged to them."""

    def __init__(self, server: Server, mark: int) -> None:
        self.acknowledged: dict[int, tuple[int, int]] = {}
        """Writer and mark of each revision."""
        self._server = server
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._write, args=(writer, mark)) for writer in range(WRITERS)]
        for thread in self._threads:
            thread.start()

    def _write(self, writer: int, mark: int) -> None:
        while not self._stop.is_set():
            mark += 1
            try:
                reply = self._server.put(f"b{writer}", *body(writer, mark))
            except (OSError, http.client.HTTPException):
                return
            if reply.status == 200:
                self.acknowledged[reply.documents[0]["status"]["revision"]] = (writer, mark)

    def wait_for(self, count: int) -> None:
        """Wait until so many writes are acknowledged, however fast the machine is."""
        until = time.monotonic() + PATIENCE
        while len(self.acknowledged) < count:
            if time.monotonic() > until:
                self.end()
                pytest.fail(f"{len(self.acknowledged)} of {count} writes in {PATIENCE} s")
            time.sleep(0.002)

    def end(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()


def check(server: Server, acknowledged: dict[int, tuple[int, int]], since: int) -> int:
    """See that everything is there and whole; the newest revision."""
    listed = [each["id"] for each in server.call("GET", "/revisions").one["results"]]
    assert listed == list(range(1, len(listed) + 1))
    assert max(acknowledged, default=0) <= len(listed)
    for revision in range(since + 1, len(listed) + 1):
        found: dict[str, list[int]] = {}
        for each in server.call("GET", f"/revisions/{revision}/documents").documents:
            found.setdefault(each["status"]["bucket"], []).append(each["data"]["mark"])
        assert all(len(marks) == SIZE and len(set(marks)) == 1 for marks in found.values()), revision
        if revision in acknowledged:
            writer, mark = acknowledged[revision]
            assert found[f"b{writer}"][0] == mark
    return len(listed)


@pytest.mark.slow
def test_a_server_killed_under_load_loses_nothing(store: str, shared_server: Server) -> None:
    assert shared_server.call("DELETE", "/revisions").status == 204
    pick = random.Random(7)
    newest, acknowledged = 0, {}
    server = Server(store, "--quiet")
    for number in range(ROUNDS):
        load = Load(server, 1_000_000 * number)
        load.wait_for(pick.randrange(10))
        time.sleep(pick.uniform(0, 0.02))
        server.kill()
        load.end()
        acknowledged.update(load.acknowledged)
        server = Server(store, "--quiet")
        newest = check(server, acknowledged, newest)
    server.stop()
    assert len(acknowledged) > ROUNDS


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_the_file_of_a_stopped_server_holds_everything(sent: signal.Signals, status: int, tmp_path: Path) -> None:
    file, copied = tmp_path / "w.db", tmp_path / "copied.db"
    with Server(f"sqlite:///{file}") as server:
        server.put("b", document("a"), document("c"))
        assert {path.stat().st_mode & 0o777 for path in tmp_path.glob("w.db*")} == {0o600}
        server.process.send_signal(sent)
        assert server.process.wait(60) == status
    assert sorted(path.name for path in tmp_path.iterdir()) == ["w.db"]
    copied.write_bytes(file.read_bytes())
    with Server(f"sqlite:///{copied}") as server:
        assert len(server.call("GET", "/revisions/1/documents").documents) == 2


@pytest.fixture
def own_postgres() -> Iterator[Postgres]:
    found = Postgres()
    yield found
    found.remove()


def test_a_database_that_is_gone_comes_back(own_postgres: Postgres) -> None:
    with Server(own_postgres.database(), "--quiet") as server:
        load = Load(server, 0)
        load.wait_for(2)
        own_postgres.stop("immediate")
        assert server.call("GET", "/health").status == 503
        reply = server.put("b9", *body(9, 1))
        assert reply.status == 503
        assert reply.one["details"]["errorType"] == "StoreUnavailable"
        own_postgres.start()
        load.wait_for(len(load.acknowledged) + 2)
        load.end()
        assert server.call("GET", "/health").status == 204
        assert server.put("b9", *body(9, 2)).status == 200
        check(server, load.acknowledged, 0)


def test_two_servers_share_a_store(postgres: Postgres) -> None:
    url = postgres.database()
    with Server(url, "--quiet") as one, Server(url, "--quiet") as other:
        loads = [Load(one, 0), Load(other, 1_000_000)]
        for load in loads:
            load.wait_for(20)
        for load in loads:
            load.end()
        assert not loads[0].acknowledged.keys() & loads[1].acknowledged.keys()
        acknowledged = {**loads[0].acknowledged, **loads[1].acknowledged}
        newest = check(one, acknowledged, 0)
        assert newest == len(acknowledged)
        assert check(other, acknowledged, 0) == newest
        # What one knows by its number must not outlive a purge by the other.
        one.call("DELETE", "/revisions")
        other.put("m", document("new", "{mark: other}"))
        assert one.call("GET", "/revisions/1/documents").one["data"] == {"mark": "other"}


@pytest.fixture(params=["tmpfs", "limit"])
def small_disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, list[str]]]:
    """A folder with little room, and the command to start a server with; a limit on file sizes acts as a full disk."""
    if request.param == "limit":
        yield tmp_path, ["prlimit", "--fsize=2000000:2000000"]
        return
    as_root = [] if os.geteuid() == 0 else ["sudo", "--non-interactive"]
    failure = failure_of(*as_root, "mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(tmp_path))
    if failure is not None:
        pytest.skip(f"a small disk cannot be mounted here: {failure.strip()}")
    try:
        yield tmp_path, []
    finally:
        subprocess.run([*as_root, "umount", str(tmp_path)], check=True)


def test_a_full_disk_rejects_writes_and_keeps_the_rest(small_disk: tuple[Path, list[str]]) -> None:
    folder, within = small_disk
    big = "x" * 100_000
    with Server(f"sqlite:///{folder}/store.db", "--quiet", within=within) as server:
        statuses = [server.put("m", document("a", f"{{mark: {number}, big: {big}}}")).status for number in range(40)]
        stored = statuses.count(200)
        assert statuses == [200] * stored + [503] * (40 - stored)
        assert 5 < stored < 40
        assert server.call("GET", f"/revisions/{stored}/documents").one["data"]["mark"] == stored - 1
        assert [each["id"] for each in server.call("GET", "/revisions").one["results"]] == list(range(1, stored + 1))
    if within:  # the next server has more room
        with Server(f"sqlite:///{folder}/store.db", "--quiet") as server:
            assert server.put("m", document("a", "{mark: 99}")).one["status"]["revision"] == stored + 1
            assert server.call("GET", f"/revisions/{stored}/documents").one["data"]["mark"] == stored - 1
