"""Fleets: many similar nodes, against folding each node by itself and writing it with PyYAML's C dumper.

Two questions. Time: layers are read already on both sides, and merging and writing YAML text are timed, the peer on a
slice of the same nodes, both in turn in one process. Memory: `lamina render` in processes of its own, on 10,000
and on 100,000 nodes, from files to files.

    python bench/fleets.py [NODES] [--json FILE] [--no-memory]
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from layers import layers_of, node_layer, shared_layers

from lamina.dialects import registry as dialects
from lamina.fleet.batches import WINDOW
from lamina.run import Run
from lamina.session import Session
from lamina.sources import document_cache
from lamina.sources.inputs import Inputs, source_of
from lamina.sources.yaml.writer import Writer, dump
from lamina.views.render import render_with

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RULE = "dict(no_replace,recurse_list,recurse_str)+list(replace)+str()"
HEADER = "#cloud-config\n"
CHUNK = 250
SLICE = 5


class PlainDumper(yaml.CSafeDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def seconds(run: Callable[[], object]) -> float:
    """How much of the processor it takes; the collector is paused, as workers have it."""
    start = time.process_time()
    run()
    return time.process_time() - start


def copied(layers: list[Any]) -> Any:
    """The layers folded as most programs do: a deep copy, and then one layer after the other into it."""
    whole = deepcopy(layers[0])
    for layer in layers[1:]:
        _update(whole, layer)
    return whole


def _update(old: dict[str, Any], new: dict[str, Any]) -> None:
    for key, value in new.items():
        if isinstance(value, dict) and isinstance(old.get(key), dict):
            _update(old[key], value)
        else:
            old[key] = deepcopy(value) if isinstance(value, (dict, list)) else value


def shared(layers: list[Any]) -> Any:
    """The layers folded with as little copying as can be: only mappings on a changed path."""
    whole = layers[0]
    for layer in layers[1:]:
        whole = _over(whole, layer)
    return whole


def _over(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    whole = dict(old)
    for key, value in new.items():
        before = old.get(key)
        whole[key] = _over(before, value) if isinstance(value, dict) and isinstance(before, dict) else value
    return whole


def c_text(value: Any) -> str:
    return HEADER + str(yaml.dump(value, Dumper=PlainDumper, default_flow_style=False, sort_keys=True))


def in_order(count: int) -> Iterator[int]:
    """The nodes in the order a fleet run takes them."""
    for start in range(0, count, WINDOW):
        yield from sorted(range(start, min(start + WINDOW, count)), key=lambda at: (layers_of(at), at))


class Time:
    """Merging and writing a fleet whose layers are read."""

    def __init__(self) -> None:
        self.sources = {name: source_of(name, dump(layer)) for name, layer in shared_layers().items()}
        self.dialect = dialects.find("cloud-init")
        self.options = dialects.make_options(self.dialect, {"mode": "merge", "merge": RULE})
        self.writer = Writer(sort_keys=True)
        self.characters = 0
        self.session = Session(once=4 * 1024 * 1024)

    def inputs(self, at: int) -> Inputs:
        own = source_of(f"node/{at}.yaml", dump(node_layer(at)))
        made = Inputs((*(self.sources[name] for name in layers_of(at)), own))
        for source in made.sources:
            document_cache.yaml_document(source, Run(self.session))
        return made

    def text(self, inputs: Inputs) -> str:
        text = render_with(self.dialect, inputs.in_run(Run(self.session)), self.options).to_yaml(writer=self.writer)
        self.characters += len(text)
        return text

    def run(self, count: int) -> dict[str, Any]:
        order = list(in_order(count))
        ours: list[float] = []
        ratios: dict[str, list[float]] = {"copied": [], "shared": []}
        for start in range(0, count, CHUNK):
            gc.enable()
            if start % 10_000 == 0:
                gc.collect()
            nodes = [self.inputs(at) for at in order[start : start + CHUNK]]
            some = nodes[:: max(1, len(nodes) // SLICE)]
            layers = [
                [document_cache.yaml_document(source, Run(self.session)).value for source in node.sources]
                for node in some
            ]
            gc.disable()
            mine = seconds(lambda: sum(len(self.text(node)) for node in nodes)) / len(nodes)  # noqa: B023 - called at once
            ours.append(mine)
            for name, merge in (("copied", copied), ("shared", shared)):
                peer = seconds(lambda: sum(len(c_text(merge(each))) for each in layers)) / len(layers)  # noqa: B023 - likewise
                ratios[name].append(peer / mine)
            if start == 0:
                assert [self.text(node) for node in some] == [c_text(copied(each)) for each in layers]
        return {
            "nodes": count,
            "microseconds_a_node": statistics.median(ours) * 1e6,
            "characters_a_node": self.characters // count,
            "ratio": statistics.median(ratios["copied"]),
            "ratio_range": [min(ratios["copied"]), max(ratios["copied"])],
            "ratio_to_sharing_fold": statistics.median(ratios["shared"]),
        }


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
            inputs = [*layers_of(at), f"node/{at}.yaml"]
            lines.write(json.dumps({"name": f"node{at:06}", "inputs": inputs}) + "\n")


MEASURED = """
import resource, sys
from lamina.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit as left:
    assert left.code in (0, None), left.code
# The peak of this process since it began; ru_maxrss would also count the one it was started by.
status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
print(int(status["VmHWM"].split()[0]), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def memory(count: int) -> dict[str, Any]:
    """The peak memory, in KB, of a run from files to files, and how many nodes it rendered a second."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_fleet(folder, count)
        start = time.perf_counter()
        arguments = ["render", str(folder / "fleet.yaml"), "--output-dir", str(folder / "out"), "-j", "2", "-q"]
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, *arguments], check=True, capture_output=True, text=True, env=os.environ
        )
        own, workers = map(int, done.stdout.split())
        rate = count / (time.perf_counter() - start)
        return {"nodes": count, "coordinator_kb": own, "worker_kb": workers, "nodes_a_second": rate}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nodes", type=int, nargs="?", default=100_000)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--no-memory", action="store_true")
    arguments = parser.parse_args()
    times = Time().run(arguments.nodes)
    print(
        f"{times['nodes']:,} nodes of {times['characters_a_node']:,} characters, five layers each\n"
        f"merge + YAML text              {times['microseconds_a_node']:.0f} us a node\n"
        f"against deep copy + CSafeDumper x{times['ratio']:.1f}   "
        f"({times['ratio_range'][0]:.1f} to {times['ratio_range'][1]:.1f})\n"
        f"against a sharing fold + CSafeDumper x{times['ratio_to_sharing_fold']:.1f}"
    )
    result: dict[str, Any] = {"time": times}
    if not arguments.no_memory:
        small, large = memory(max(arguments.nodes // 10, 1)), memory(arguments.nodes)
        result["memory"] = [small, large]
        for each in (small, large):
            print(
                f"{each['nodes']:>9,} nodes from files to files: coordinator {each['coordinator_kb'] // 1024} MB, "
                f"largest worker {each['worker_kb'] // 1024} MB, {each['nodes_a_second']:,.0f} nodes a second"
            )
        for who in ("coordinator_kb", "worker_kb"):
            print(f"{who.removesuffix('_kb')}: x{large[who] / small[who]:.2f} for ten times the nodes")
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
