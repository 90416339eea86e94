"""Fleets: many similar nodes, files to files, against loading, folding and writing each node by itself.

`lamina render` runs in processes of its own, on a tenth of the nodes and on all of them: its time is that of the larger
run, workers included, and its memory must not grow with the nodes. The peer reads the five files of a node with
PyYAML's CSafeLoader, folds them, and writes the result with CSafeDumper; it does so for some of the nodes.

    python bench/fleets.py [--quick] [--rows]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from layers import layers_of, node_layer, shared_layers
from rows import Row, is_quick, of_pairs, print_rows

from lamina.sources.yaml.writer import dump

if TYPE_CHECKING:
    from collections.abc import Iterator

RULE = "dict(no_replace,recurse_list,recurse_str)+list(replace)+str()"
HEADER = "#cloud-config\n"
SLICE = 60
"""How many nodes the peer renders in a round."""


class PlainDumper(yaml.CSafeDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def write_fleet(folder: Path, count: int) -> None:
    for name, layer in shared_layers().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(dump(layer))
    (folder / "node").mkdir()
    options = {"mode": "merge", "merge": RULE}
    (folder / "fleet.yaml").write_text(dump({"dialect": "cloud-init", "options": options, "nodes": "nodes.jsonl"}))
    with (folder / "nodes.jsonl").open("w") as lines:
        for at in range(count):
            (folder / f"node/{at}.yaml").write_text(dump(node_layer(at)))
            lines.write(json.dumps({"name": f"node{at:06}", "inputs": files_of(at)}) + "\n")


def files_of(at: int) -> list[str]:
    return [*layers_of(at), f"node/{at}.yaml"]


def by_peer(folder: Path, at: int) -> str:
    """One node, as a short script would do it."""
    whole: dict[str, Any] = {}
    for name in files_of(at):
        with (folder / name).open("rb") as file:
            _update(whole, yaml.load(file, Loader=yaml.CSafeLoader))
    text = HEADER + str(yaml.dump(whole, Dumper=PlainDumper, default_flow_style=False, sort_keys=True))
    (folder / "by-peer.yaml").write_text(text)
    return text


def _update(old: dict[str, Any], new: dict[str, Any]) -> None:
    for key, value in new.items():
        if isinstance(value, dict) and isinstance(old.get(key), dict):
            _update(old[key], value)
        else:
            old[key] = value


MEASURED = """
import resource, sys
from lamina.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit as left:
    assert left.code in (0, None), left.code
own, workers = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
# The peak of this process since it began; ru_maxrss would also count the one it was started by.
status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
spent = own.ru_utime + own.ru_stime + workers.ru_utime + workers.ru_stime
print(int(status["VmHWM"].split()[0]), workers.ru_maxrss, spent)
"""


def by_lamina(folder: Path) -> tuple[int, int, float]:
    """The peak memory of the coordinator and of the largest worker, in KB, and the CPU time of all of them."""
    arguments = ["render", str(folder / "fleet.yaml"), "--output-dir", str(folder / "out"), "-j", "2", "-q"]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *arguments], check=True, capture_output=True, text=True, env=os.environ
    )
    coordinator, worker, spent = done.stdout.split()
    return int(coordinator), int(worker), float(spent)


def rows() -> Iterator[Row]:
    count = 2_000 if is_quick() else 100_000
    memory: list[tuple[int, int]] = []
    for nodes in (count // 10, count):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_fleet(folder, nodes)
            *peaks, spent = by_lamina(folder)
            memory.append((peaks[0], peaks[1]))
            pairs = list(against_peer(folder, nodes, spent)) if nodes == count else []
    job = f"fleet of {count:,} similar nodes, files to files"
    note = f"a node; {spent / count * 1e6:.0f} us of Lamina's"
    yield of_pairs(job, "load, fold, dump of each", pairs, target=None if is_quick() else 7, note=note)
    for who, small, large in zip(("coordinator", "largest worker"), *memory, strict=True):
        grown = large / small
        yield Row(f"peak memory, {who}", "a tenth of the nodes", grown, grown, grown, 1.5, at_most=True)


def against_peer(folder: Path, nodes: int, spent: float) -> Iterator[tuple[float, float]]:
    """The times of a node: the peer's in each of three rounds, and Lamina's."""
    chosen = range(0, nodes, max(1, nodes // SLICE))
    for _ in range(3):
        start = time.process_time()
        texts = {at: by_peer(folder, at) for at in chosen}
        yield (time.process_time() - start) / len(texts), spent / nodes
    for at, text in texts.items():
        assert (folder / f"out/node{at:06}.yaml").read_text() == text


if __name__ == "__main__":
    print_rows(rows())
