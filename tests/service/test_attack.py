"""An attack: comparisons, heads and bodies that never end, and many clients at once; everybody else is answered.

Run alone with all of its load by `make faults`; otherwise with a tenth of it.
"""

from __future__ import annotations

import os
import random
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic, sleep

import pytest

from service.servers import LAYERING_POLICY, Server, document
from service.test_workers import children_of, rows

FULL = os.environ.get("LAMINA_FAULTS") == "long"
COMPARISONS, HEADS, BODIES, CLIENTS, REQUESTS = (40, 400, 60, 16, 2400) if FULL else (8, 40, 6, 4, 120)
MEMORY = 1024 * 1024 * 1024
REVISIONS = 6
DOCUMENTS = 200
WRITING = b"PUT /api/v1.0/buckets/x/documents HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-yaml\r\n"


def memory_of(process: int) -> int:
    """The memory of a process and of those it started, in bytes; what they share is counted once for each."""
    found = 0
    for each in (process, *children_of(process)):
        try:
            status = Path(f"/proc/{each}/status").read_text()
        except OSError:  # it has just ended
            continue
        found += sum(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("RssAnon"))
    return found


@contextmanager
def silent(port: int, sent: bytes) -> Iterator[None]:
    """A connection on which something began and nothing follows."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(sent)
        yield


def put_revisions(server: Server) -> None:
    for seed in range(REVISIONS):
        own = [document(f"d{at}", f"{{rows: {rows(seed * DOCUMENTS + at, 12)}}}") for at in range(DOCUMENTS)]
        assert server.put("site", LAYERING_POLICY, *own).status == 200


@pytest.mark.slow
def test_whoever_attacks_others_are_answered(sqlite: str) -> None:
    taken: list[float] = []
    statuses: Counter[int] = Counter()
    most = 0
    with Server(sqlite, "--rate", "0", "--timeout", "20", "--quiet") as server, ExitStack() as open_connections:
        put_revisions(server)
        for _ in range(HEADS):
            open_connections.enter_context(silent(server.port, b"GET /api/v1.0/revisions HTTP/1.1\r\nHost: 127"))
        for _ in range(BODIES):
            head = WRITING + b"Content-Length: 1000000\r\n\r\nschema: "
            open_connections.enter_context(silent(server.port, head))
        ends = threading.Event()

        def compare(number: int) -> int:
            first, second = 1 + number % REVISIONS, 1 + (number // REVISIONS) % REVISIONS
            return server.call("GET", f"/revisions/{first}/deepdiff/{second}").status

        def ask(number: int) -> int:
            chosen = random.Random(number)
            path = chosen.choice(("/health", "/revisions?newest=5", "/revisions/2", "/revisions/2/tags"))
            began = monotonic()
            reply = server.call("GET", path)
            taken.append(monotonic() - began)
            return reply.status

        def watch() -> None:
            nonlocal most
            while not ends.wait(0.2):
                most = max(most, memory_of(server.process.pid))

        with ThreadPoolExecutor(COMPARISONS) as attackers, ThreadPoolExecutor(CLIENTS) as clients:
            watching = threading.Thread(target=watch)
            watching.start()
            attacks = [attackers.submit(compare, number) for number in range(COMPARISONS)]
            for status in clients.map(ask, range(REQUESTS)):
                statuses[status] += 1
            assert {each.result() for each in attacks} <= {200, 503}
            ends.set()
            watching.join()
        assert set(statuses) <= {200, 204}, statuses
        assert most < MEMORY
        slow = sorted(taken)[int(len(taken) * 0.95)]
        print(f"{len(taken)} requests, 95% within {slow:.3f} s; {most / 1024 / 1024:.0f} MiB at most")
        assert server.put("after", document("after")).status == 200


def test_a_body_that_stalls_is_cut_off(sqlite: str) -> None:
    with Server(sqlite, "--quiet") as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=120) as connection:
            connection.sendall(WRITING + b"Content-Length: 1000000\r\n\r\nschema: ")
            sleep(0.1)
            assert connection.recv(100).startswith(b"HTTP/1.1 408 ")
        assert server.put("m", document("a")).status == 200
