"""What takes long is left to processes: the same question once, ended at the time limit, while all else is answered."""

from __future__ import annotations

import os
import random
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from service.servers import LAYERING_POLICY, Server, document

ASKING = 30
WORKERS = 2


def rows(seed: int, count: int) -> list[Any]:
    chosen = random.Random(seed)
    return [{"name": f"n{at}", "size": chosen.randrange(10), "tags": chosen.choices("abc", k=5)} for at in range(count)]


def children_of(process: int) -> list[int]:
    """The processes that a process has started and that still run."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def put_large(server: Server, count: int) -> None:
    for seed in (1, 2):
        assert server.put("b", LAYERING_POLICY, document("a", f"{{rows: {rows(seed, count)}}}")).status == 200


def test_a_server_asked_for_what_takes_long_answers_others_and_ends_its_work(sqlite: str) -> None:
    with Server(sqlite, "--timeout", "5", "--rate", "0", "--quiet") as server:
        put_large(server, 8000)
        with ThreadPoolExecutor(ASKING) as pool:
            asked = [pool.submit(server.call, "GET", "/revisions/1/deepdiff/2") for _ in range(ASKING)]
            while not all(answer.done() for answer in asked):
                assert server.send("GET", "/health").status == 204
                assert server.call("GET", "/revisions").status == 200
                assert server.put("small", document("s")).status == 200
            replies = [answer.result() for answer in asked]
        assert {reply.status for reply in replies} <= {200, 503}
        assert any("was ended" in reply.body.decode() for reply in replies if reply.status == 503)
        # Others work on, and what was ended was replaced.
        assert len(children_of(server.process.pid)) - WORKERS in (0, 1)  # Python has one to look after the new ones
        ends = monotonic() + 60
        while server.call("GET", "/revisions/1/rendered-documents").status != 200:
            assert monotonic() < ends


def test_a_worker_that_dies_is_replaced(sqlite: str) -> None:
    with Server(sqlite, "--quiet") as server:
        put_large(server, 10)
        expected = server.call("GET", "/revisions/1/rendered-documents")
        assert expected.status == 200
        for child in children_of(server.process.pid):
            os.kill(child, signal.SIGKILL)
        statuses = [server.call("GET", "/revisions/1/rendered-documents").status for _ in range(WORKERS + 1)]
        assert statuses[-1] == 200
        assert set(statuses) <= {200, 503}
        assert server.call("GET", "/revisions/1/rendered-documents").body == expected.body


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_workers_end_with_the_server(sqlite: str, how: str) -> None:
    server = Server(sqlite, "--quiet")
    put_large(server, 10)
    server.call("GET", "/revisions/1/rendered-documents")
    children = children_of(server.process.pid)
    assert len(children) == WORKERS
    getattr(server, how)()
    ends = monotonic() + 60
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert monotonic() < ends
        sleep(0.05)


def test_a_caller_cannot_fill_the_queue(sqlite: str) -> None:
    """Of many questions that differ, from one caller, some are rejected; they say when to come again."""
    with Server(sqlite, "--rate", "0", "--quiet") as server:
        put_large(server, 3000)
        with ThreadPoolExecutor(60) as pool:
            asked = [
                pool.submit(server.call, "GET", f"/revisions/2/rendered-documents?metadata.name=x{at}")
                for at in range(60)
            ]
            replies = [each.result() for each in asked]
    assert {reply.status for reply in replies} <= {200, 503}
    assert all("retry-after" in reply.headers for reply in replies if reply.status == 503)


def test_a_large_body_is_read_by_a_worker_and_stored_as_any_other(server: Server) -> None:
    data = {"text": ["word " * 20] * 20_000}
    reply = server.put("m", document("a", str(data)))
    assert reply.status == 200
    assert server.call("GET", "/revisions/1/documents").one["data"] == data
    assert server.put("m", document("a", str(data)), document("a", str(data))).status == 409


def test_without_workers_threads_do_the_same(sqlite: str) -> None:
    with Server(sqlite, "--workers", "0", "--quiet") as server:
        put_large(server, 10)
        assert children_of(server.process.pid) == []
        assert server.call("GET", "/revisions/1/rendered-documents").status == 200
        assert server.call("GET", "/revisions/1/deepdiff/2").one["b"] == "modified"


def test_a_store_in_memory_is_served_without_workers() -> None:
    with Server("sqlite://", "--quiet") as server:
        put_large(server, 10)
        assert server.call("GET", "/revisions/1/deepdiff/2").one["b"] == "modified"
