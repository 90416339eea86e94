"""Fleets on a Dask cluster: a real scheduler and two real workers, one of which is killed while it works."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from lamina.errors import UsageError
from lamina.fleet.batches import Pace
from support.fleet_files import lamina, rendered, texts, write_fleet

pytest.importorskip("distributed")

from lamina.fleet import dask_executor
from lamina.fleet.dask_executor import Cluster

COUNT = 1200


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Machines:
    """A scheduler and two workers, each a process of its own."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._stack = stack
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self._start("scheduler", "--host", self.address, "--no-dashboard", "--no-show")
        self.workers = [self._worker(name) for name in ("one", "two")]

    def _worker(self, name: str) -> subprocess.Popen[bytes]:
        # Without a nanny a killed worker is not started again.
        options = ["--name", name, "--no-nanny", "--nthreads", "1", "--no-dashboard", "--local-directory"]
        return self._start("worker", self.address, *options, str(self._folder / name))

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        log = (self._folder / f"{arguments[0]}-{time.monotonic_ns()}.log").open("wb")
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments], stdout=log, stderr=log, cwd=self._folder, env=os.environ
        )
        self._stack.callback(self._stop, process, log)
        return process

    @staticmethod
    def _stop(process: subprocess.Popen[bytes], log: object) -> None:
        process.kill()
        process.wait()
        log.close()  # type: ignore[attr-defined]  # an open file

    def ready(self) -> None:
        from distributed import Client

        with Client(self.address, timeout="60s", set_as_default=False) as client:  # type: ignore[no-untyped-call]
            client.wait_for_workers(2, timeout=60)


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    folder = tmp_path / "machines"
    folder.mkdir()
    with ExitStack() as stack:
        found = Machines(folder, stack)
        found.ready()
        yield found


@pytest.mark.slow
def test_a_killed_worker_loses_and_doubles_nothing(tmp_path: Path, machines: Machines) -> None:
    manifest = write_fleet(tmp_path, COUNT, bad=(5,))
    wanted = rendered(manifest)[1]
    out = tmp_path / "out"
    arguments = ["render", "fleet.yaml", "--output-dir", "out", "--scheduler", machines.address]
    run = subprocess.Popen(
        [sys.executable, "-m", "lamina.cli.main", *arguments],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(3000):
        if out.is_dir() and sum(1 for _ in out.glob("*.yaml")) >= 60:
            break
        time.sleep(0.01)
    assert sum(1 for _ in out.glob("*.yaml")) < COUNT - 1, "the run was over before a worker could be killed"
    machines.workers[0].send_signal(signal.SIGKILL)
    _, printed = run.communicate(timeout=240)
    assert run.returncode == 3, printed
    assert f"{COUNT:,} targets: {COUNT - 1:,} rendered, 1 failed" in printed
    found = texts(out)
    assert len(found) == COUNT - 1
    rendered(manifest, output=tmp_path / "here")
    assert found == texts(tmp_path / "here")
    # The same as lines, by the worker that is left: each node once, and in the same order.
    done = lamina("render", "fleet.yaml", "--format", "jsonl", "--scheduler", machines.address, "-q", folder=tmp_path)
    assert done.stdout.splitlines() == wanted
    assert len({json.loads(line)["target"] for line in wanted}) == COUNT - 1


def test_a_cluster_of_our_own(tmp_path: Path) -> None:
    manifest = write_fleet(tmp_path, 60)
    report, lines = rendered(manifest, Cluster("local", 2), pace=Pace(10, 10))
    assert report.rendered == 60
    assert lines == rendered(manifest)[1]


def test_a_scheduler_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_executor, "_CONNECT_TIMEOUT", "1s")
    manifest = write_fleet(tmp_path, 1)
    address = f"tcp://127.0.0.1:{free_port()}"
    with pytest.raises(UsageError, match=f"no Dask scheduler answers at {address}"):
        rendered(manifest, Cluster(address, 1))
    with pytest.raises(UsageError, match="no-scheduler"):
        rendered(manifest, Cluster("nonsense://x", 1))
