"""The service: CPU time of the server for one request, against what the real service was measured to take.

The real figures are recorded (Deckhand 1.1 on PostgreSQL 15, 400 documents of 234 KB with 40 abstract parents, and 20
revisions for the list of them): it needs a set-up that a benchmark cannot install. They were taken on another machine
of the same kind, so read them as orders of magnitude. Ours is SQLite, over HTTP.

python bench/serving.py [--quick] [--rows] [--million]     the last writes 1,000,000 documents in 10,000 revisions
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

from rows import Row, is_quick, of_pairs, print_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCUMENTS = 400
PARENTS = 40
RECORDED = {"put": 4.0, "again": 3.7, "list": 0.18, "cold": 2.0, "warm": 0.05, "deepdiff": 0.5, "small": 0.08}
"""Seconds of CPU that the real service and its database took, the least of what was measured; ours include SQLite."""


class Server:
    """`lamina store serve` on a store of its own."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "lamina", "store", "serve", "--quiet", "--rate", "0"]
        command += ["--listen", "127.0.0.1:0"]
        self._process = subprocess.Popen(
            [*command, "--store", f"sqlite:///{folder}/store.db"], stderr=subprocess.PIPE, text=True
        )
        assert self._process.stderr is not None
        found = re.search(r"http://\S+", self._process.stderr.readline())
        assert found, "the server did not start"
        self._url = f"{found[0]}/api/v1.0"

    def cpu(self) -> float:
        """How many seconds of CPU it and its workers took up to now; exactly, where ticks of a clock would guess."""
        tasks = list(Path(f"/proc/{self._process.pid}/task").iterdir())
        children = [child for task in tasks for child in (task / "children").read_text().split()]
        tasks += [task for child in children for task in Path(f"/proc/{child}/task").iterdir()]
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    def send(self, method: str, path: str, body: bytes | None = None) -> bytes:
        headers = {"Content-Type": "application/x-yaml"}
        request = urllib.request.Request(self._url + path, data=body, method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=600) as response:
            found: bytes = response.read()
            return found

    def took(self, method: str, path: str, body: bytes | None = None, *, times: int = 1) -> float:
        """The CPU time of one request, over so many."""
        before = self.cpu()
        for _ in range(times):
            self.send(method, path, body)
        return (self.cpu() - before) / times

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()


def _document(number: int, mark: int) -> str:
    parent = number < PARENTS
    layering = (
        "abstract: true, layer: global"
        if parent
        else f"layer: site, parentSelector: {{p: p{number % PARENTS}}}, actions: [{{method: merge, path: .}}]"
    )
    labels = f", labels: {{p: p{number}}}" if parent else ""
    values = "".join(f"  key{each}: {{host: node{number}-{each}.example, port: {8000 + each}}}\n" for each in range(6))
    return (
        f"---\nschema: example/Kind/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: d{number}\n"
        f"  storagePolicy: cleartext\n  layeringDefinition: {{{layering}}}\n"
        + (f"  labels: {labels.removeprefix(', labels: ')}\n" if labels else "")
        + f"data:\n  mark: {mark}\n{values}"
    )


_POLICY = (
    "---\nschema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: layering-policy}\n"
    "data: {layerOrder: [global, site]}\n"
)


def body(mark: int, count: int = DOCUMENTS) -> bytes:
    return (_POLICY + "".join(_document(number, mark) for number in range(count))).encode()


def rows(*, quick: bool) -> Iterator[Row]:
    found: dict[str, list[float]] = {name: [] for name in RECORDED}
    for _ in range(1 if quick else 3):
        with tempfile.TemporaryDirectory() as folder:
            server = Server(Path(folder))
            try:
                _measure(server, found, times=5 if quick else 20)
            finally:
                server.stop()
    targets = {"put": 100, "again": 500, "cold": 80, "list": 60}
    titles = {
        "put": f"PUT of {DOCUMENTS} documents, first",
        "again": f"PUT of {DOCUMENTS} documents, unchanged",
        "list": "GET documents",
        "cold": "GET rendered-documents, first",
        "warm": "GET rendered-documents, again",
        "deepdiff": "GET deepdiff",
        "small": "PUT of 2 documents",
    }
    for name, times in found.items():
        pairs = [(RECORDED[name], each) for each in times]
        yield of_pairs(titles[name], "Deckhand, recorded", pairs, target=targets.get(name))
    yield growth(200 if quick else 1000)


def _measure(server: Server, found: dict[str, list[float]], *, times: int) -> None:
    server.send("PUT", "/buckets/warm/documents", (_POLICY + _document(1, 0)).encode())
    server.send("GET", "/revisions/1/documents")
    server.send("PUT", "/buckets/warm/documents", b"# nothing\n")
    for revision in (1, 2):  # each is a subject of another worker, which opens the store when it is first asked
        server.send("GET", f"/revisions/{revision}/rendered-documents")
    found["put"].append(server.took("PUT", "/buckets/m/documents", body(1)))
    found["again"].append(server.took("PUT", "/buckets/m/documents", body(1), times=times))
    found["list"].append(server.took("GET", "/revisions/3/documents", times=times))
    found["cold"].append(_cold(server, times=max(3, times // 4)))
    server.send("GET", "/revisions/3/rendered-documents")
    found["warm"].append(server.took("GET", "/revisions/3/rendered-documents", times=times))
    found["deepdiff"].append(server.took("GET", "/revisions/3/deepdiff/4", times=times))
    small = _POLICY.encode()
    server.send("DELETE", "/revisions")
    found["small"].append(server.took("PUT", "/buckets/s/documents", small + _document(1, 1).encode(), times=times * 5))


def _cold(server: Server, *, times: int) -> float:
    """The CPU time of rendering documents of which none was rendered before, each in a revision of its own."""
    took = 0.0
    for number in range(times):
        answer = server.send("PUT", "/buckets/m/documents", body(2 + number))
        revision = int(answer.rsplit(b"revision: ", 1)[1])
        took += server.took("GET", f"/revisions/{revision}/rendered-documents")
    return took / times


def growth(revisions: int) -> Row:
    """The cost of a PUT late in a history against one early in it; each changes one document of 100."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        bodies = [body(0, 100).replace(b"mark: 0", b"mark: %d" % mark, 1) for mark in range(revisions + 40)]
        first = _puts(server, bodies[:40])
        for each in bodies[40:revisions]:
            server.send("PUT", "/buckets/m/documents", each)
        last = _puts(server, bodies[revisions:])
        server.stop()
    job = f"PUT at revision {revisions:,} against one at revision 1"
    return of_pairs(job, "itself", [(last, first)], target=1.2, at_most=True)


def _puts(server: Server, bodies: list[bytes]) -> float:
    before = server.cpu()
    for each in bodies:
        server.send("PUT", "/buckets/m/documents", each)
    return (server.cpu() - before) / len(bodies)


def million(revisions: int = 10_000, count: int = 100) -> None:
    """Write many documents, all different, and say what requests take then."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        began, marks = time.monotonic(), {1, 100, 1_000, revisions}
        for number in range(1, revisions + 1):
            documents = "".join(_document(PARENTS + at, number * count + at) for at in range(count))
            request = ("PUT", f"/buckets/b{number % 10}/documents", _renamed(documents, number % 10))
            took = server.took(*request)
            if number in marks:
                print(f"revision {number:,}: PUT of {count} {took * 1000:.0f} ms of CPU", flush=True)
        print(f"{revisions * count:,} documents in {time.monotonic() - began:.0f} s")
        for path in ("/revisions", f"/revisions/{revisions}/documents", "/revisions/10/documents"):
            print(
                f"GET {path}: {server.took('GET', path) * 1000:.0f} ms, again {server.took('GET', path) * 1000:.0f} ms"
            )
        server.stop()
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
        print(f"the store takes {size / 1e6:,.0f} MB")


def _renamed(documents: str, bucket: int) -> bytes:
    return documents.replace("  name: d", f"  name: b{bucket}-d").encode()


if __name__ == "__main__":
    if "--million" in sys.argv:
        million()
    else:
        print_rows(rows(quick=is_quick()))
