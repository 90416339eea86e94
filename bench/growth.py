"""Growth: ten times the documents of a Deckhand site must take at most 10.3 times as long, and ten times the nodes or
layers of anything else 10.5 times; other factors in proportion.

A machine itself takes longer for an object the more there are, as soon as they do not fit its caches. How much longer
is shown by the same documents as JSON, read by `json.loads`, kept until all are there, and freed.

All figures are from bytes (datum: files) to results, reading included and nothing remembered from before; those of the
fleet are to YAML text.

python bench/growth.py [--quick] [--rows] [--large]

`--large` renders 100,000 Deckhand documents and prints what that takes.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import tempfile
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from hierarchy import by_lamina, data_set, write_datum
from layers import layers_of, node_layer, shared_layers
from rows import Row, is_quick, of_pairs, print_rows, seconds
from sites import documents, site

from lamina.cli.main import collecting_nothing
from lamina.dialects import registry as dialects
from lamina.fleet.batches import WINDOW
from lamina.run import Run
from lamina.session import Session, default_session
from lamina.sources.inputs import Inputs, source_of
from lamina.sources.limits import Limits
from lamina.sources.yaml.reader import read
from lamina.sources.yaml.writer import Writer, dump
from lamina.views.render import render_with

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def deckhand_documents(count: int) -> Callable[[], object]:
    inputs = Inputs((source_of("site.yaml", site(count)),))
    dialect = dialects.find("deckhand")
    options = dialects.make_options(dialect, {})

    def run() -> object:
        default_session().clear()
        # As the commands do: how often the collector goes through what there is depends on the program around.
        with collecting_nothing():
            return render_with(dialect, inputs, options).plain

    return run


def json_documents(count: int) -> Callable[[], object]:
    source = source_of("site.yaml", site(count))
    texts = [json.dumps(document.value) for document in read(source)]

    def run() -> object:
        with collecting_nothing():
            return len([json.loads(text) for text in texts])

    return run


def datum_nodes(root: Path, count: int) -> Callable[[], object]:
    folder = root / str(count)
    files = data_set(count)
    write_datum(folder, files)
    return lambda: by_lamina(folder, [name for level, name in files if level == "node"])


def fleet_nodes(count: int) -> Callable[[], object]:
    """Similar nodes, in the order a fleet run takes them; no garbage is collected, as in a worker."""
    shared = {name: source_of(name, dump(layer)) for name, layer in shared_layers().items()}
    dialect = dialects.find("cloud-init")
    options = dialects.make_options(dialect, {"mode": "merge", "merge": "dict(recurse_list,recurse_str)+list()+str()"})
    own = [dump(node_layer(at)).encode() for at in range(count)]

    def inputs(at: int) -> Inputs:
        return Inputs((*(shared[name] for name in layers_of(at)), source_of(f"{at}.yaml", own[at])))

    def run() -> object:
        default_session().clear()
        writer = Writer(sort_keys=True)
        length = 0
        with collecting_nothing():
            for start in range(0, count, WINDOW):
                for at in sorted(range(start, min(start + WINDOW, count)), key=lambda at: (layers_of(at), at)):
                    length += len(render_with(dialect, inputs(at), options).to_yaml(writer=writer))
        return length

    return run


def one_round(runs: dict[int, Callable[[], object]]) -> dict[int, float]:
    """The CPU time of each size: up to the largest and down again, so that what else the machine does hits all."""
    sizes = list(runs)
    taken: dict[int, list[float]] = {size: [] for size in sizes}
    for size in [*sizes, *sizes[-2::-1]]:
        short = min(3, sizes[-1] // size // 5)
        taken[size] += [seconds(runs[size]) for _ in range(max(1, short))]
    return {size: statistics.mean(times) for size, times in taken.items()}


def grown(
    what: str,
    make: Callable[[int], Callable[[], object]],
    sizes: tuple[int, ...],
    rounds: int,
    allowed: float | None = 1.05,
) -> Iterator[Row]:
    """How much longer each size takes than the one before, and the last than the first; `allowed` is how much longer
    one item of the larger size may take, if that has a limit."""
    runs = {size: make(size) for size in sizes}
    runs[sizes[0]]()
    times = [one_round(runs) for _ in range(rounds)]
    steps = list(pairwise(sizes))
    for small, large in [*steps, *([(sizes[0], sizes[-1])] if len(steps) > 1 else [])]:
        factor = large / small
        pairs = [(each[large], each[small]) for each in times]
        job = f"{what}: {small:,} to {large:,}"
        target = None if allowed is None else factor * allowed
        yield of_pairs(job, f"{factor:g} times as many", pairs, target=target, at_most=True)


def rows() -> Iterator[Row]:
    some = is_quick()
    sizes = (200, 2_000) if some else (1_000, 10_000, 20_000)
    yield from grown("deckhand documents", deckhand_documents, sizes, 1 if some else 3, allowed=1.03)
    yield from grown("the same as JSON, by json.loads", json_documents, sizes, 1 if some else 3, allowed=None)
    with tempfile.TemporaryDirectory(prefix="lamina-bench-") as folder:
        sizes = (30, 300) if some else (100, 1_000)
        yield from grown("datum nodes", partial(datum_nodes, Path(folder)), sizes, 1 if some else 3)
    yield from grown("fleet nodes", fleet_nodes, (300, 3_000) if some else (1_000, 10_000, 100_000), 1)


def large(count: int = 100_000, in_a_file: int = 1_000) -> None:
    """Render many documents in one run, which takes more memory than a run has unless its caller says so."""
    texts = documents(count, count // 100)
    files = ["".join(texts[start : start + in_a_file]) for start in range(0, len(texts), in_a_file)]
    inputs = Inputs(tuple(source_of(f"{number}.yaml", text) for number, text in enumerate(files)))
    dialect = dialects.find("deckhand")
    options = dialects.make_options(dialect, {})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    inputs = inputs.in_run(Run(Session(limits=Limits(run_size=8 * 1024**3))))
    with collecting_nothing():
        taken = seconds(lambda: render_with(dialect, inputs, options).plain)
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"{count:,} Deckhand documents: {taken:.1f} s of CPU, {size / count:.1f} KB of memory each")


if __name__ == "__main__":
    if "--large" in sys.argv:
        large()
    else:
        print_rows(rows())
