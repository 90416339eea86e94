"""A fleet on a Dask cluster of this machine: throughput of a worker and peak memory, for a fleet and a tenth of it.

A scheduler and its workers run in processes of their own; `lamina render --scheduler` renders from files to
files. Throughput is in nodes for each second of CPU time of a worker, which other load on the machine hardly changes.
The nodes are those of `fleets.py`, but each has one of 1,000 files as its own layer, so that a million nodes need a
thousand files to be read and not a million to be created first.

    python bench/cluster.py [NODES] [--workers N] [--json FILE]

Run by hand: a million nodes write a million files (12 GB), and take minutes. It needs `lamina[dask]`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from distributed import Client, LocalCluster
from fleets import MEASURED, RULE
from layers import layers_of, node_layer, shared_layers

from lamina.sources.yaml.writer import dump

OWN = 1_000


def usage() -> tuple[float, int]:
    """CPU seconds and peak memory in KB of the process this runs in."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":" in line)
    return time.process_time(), int(status["VmHWM"].split()[0])


def write_fleet(folder: Path, count: int) -> None:
    """The manifest and the files of a fleet."""
    files = {**shared_layers(), **{f"node/{at}.yaml": node_layer(at) for at in range(min(OWN, count))}}
    for name, layer in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(dump(layer))
    options = {"mode": "merge", "merge": RULE}
    (folder / "fleet.yaml").write_text(dump({"dialect": "cloud-init", "options": options, "nodes": "nodes.jsonl"}))
    with (folder / "nodes.jsonl").open("w") as lines:
        for at in range(count):
            inputs = [*layers_of(at), f"node/{at % OWN}.yaml"]
            lines.write(json.dumps({"name": f"node{at:07}", "inputs": inputs}) + "\n")


def run(folder: Path, count: int, workers: int) -> dict[str, Any]:
    """Render a fleet on a new cluster."""
    write_fleet(folder, count)
    with (
        LocalCluster(  # type: ignore[no-untyped-call]  # distributed has no types
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster, set_as_default=False) as client,  # type: ignore[no-untyped-call]  # likewise
    ):
        before = client.run(usage)
        own_before = time.process_time()
        start = time.perf_counter()
        arguments = ["render", folder / "fleet.yaml", "--output-dir", folder / "out", "-q"]
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, *map(str, arguments), "--scheduler", cluster.scheduler_address],
            check=True, capture_output=True, text=True, env=os.environ,
        )  # fmt: skip
        seconds = time.perf_counter() - start
        # The scheduler runs in this process.
        scheduler = time.process_time() - own_before
        after = client.run(usage)
    peak, _, coordinator = done.stdout.split()
    with os.scandir(folder / "out") as files:
        assert sum(1 for file in files if not file.name.startswith(".")) == count
    busy = [after[name][0] - before[name][0] for name in before]
    return {
        "nodes": count,
        "workers": workers,
        "seconds": seconds,
        "nodes_a_cpu_second": count / sum(busy),
        "shared_microseconds_a_node": (scheduler + float(coordinator)) / count * 1e6,
        "worker_kb": max(peak for _, peak in after.values()),
        "coordinator_kb": int(peak),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nodes", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    found = []
    for count in (max(arguments.nodes // 10, 1), arguments.nodes):
        with tempfile.TemporaryDirectory() as name:
            found.append(run(Path(name), count, arguments.workers))
            shutil.rmtree(Path(name) / "out")
        each = found[-1]
        print(
            f"{each['nodes']:>9,} nodes, {each['workers']} workers: {each['seconds']:,.0f} s; "
            f"{each['nodes_a_cpu_second']:,.0f} nodes for a CPU second of a worker; "
            f"scheduler and coordinator {each['shared_microseconds_a_node']:.0f} us a node; "
            f"largest worker {each['worker_kb'] // 1024} MB, coordinator {each['coordinator_kb'] // 1024} MB",
            flush=True,
        )
    small, large = found
    for key in ("nodes_a_cpu_second", "worker_kb", "coordinator_kb"):
        print(f"{key}: x{large[key] / small[key]:.2f} for ten times the nodes")
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
