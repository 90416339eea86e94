"""Growth: ten times the nodes or documents must take at most eleven times as long; layers likewise, in proportion.

python bench/growth.py [--quick] [--rows]
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hierarchy import by_lamina, data_set, write_datum
from layers import layers_of, node_layer, shared_layers
from merging import plain
from rows import Row, is_quick, of_pairs, seconds, tell

from lamina import dialect as dialects
from lamina.inputs import Inputs, source_of
from lamina.memo import PrefixMemo
from lamina.rendering import render_with
from lamina.sources import reading
from lamina.sources.yaml_writer import dump

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LAYERS = ["global", "region", "site"]


def documents(count: int) -> bytes:
    """A site: 1 % global and 10 % region documents, abstract, the rest site documents that take from them."""
    order = {
        "schema": "deckhand/LayeringPolicy/v1",
        "metadata": {"schema": "metadata/Control/v1", "name": "layering-policy"},
        "data": {"layerOrder": LAYERS},
    }
    out = [dump(order)]
    for at in range(count - 1):
        layer = 0 if at < count // 100 else 1 if at < count // 9 else 2
        definition: dict[str, Any] = {"abstract": layer < 2, "layer": LAYERS[layer]}
        labels = {"family": f"{LAYERS[layer]}-{at}"}
        if layer:
            above = at % max(1, count // 100) if layer == 1 else count // 100 + at % max(1, count // 9 - count // 100)
            definition["parentSelector"] = {"family": f"{LAYERS[layer - 1]}-{above}"}
            definition["actions"] = [{"method": "merge", "path": "."}]
        metadata = {
            "schema": "metadata/Document/v1", "name": f"document-{at}", "labels": labels,
            "layeringDefinition": definition, "storagePolicy": "cleartext",
        }  # fmt: skip
        data = {f"key{each}": {"value": at, LAYERS[layer]: each} for each in range(8)}
        out.append(dump({"schema": "example/Kind/v1", "metadata": metadata, "data": data}))
    return "---\n".join(out).encode()


def site(count: int) -> Callable[[], object]:
    inputs = Inputs((source_of("site.yaml", documents(count)),))
    dialect = dialects.find("deckhand")
    options = dialects.make_options(dialect, {})

    def run() -> object:
        reading._SHELF.clear()
        return render_with(dialect, inputs, options).plain

    return run


def datum_nodes(count: int) -> Callable[[], object]:
    folder = Path(tempfile.mkdtemp(prefix="lamina-bench-"))
    files = data_set(count)
    write_datum(folder, files)
    return lambda: by_lamina(folder, [name for level, name in files if level == "node"])


def fleet_nodes(count: int) -> Callable[[], object]:
    """Similar nodes merged and written, layers read."""
    shared = {name: source_of(name, dump(layer)) for name, layer in shared_layers().items()}
    dialect = dialects.find("cloud-init")
    options = dialects.make_options(dialect, {"mode": "merge", "merge": "dict(recurse_list,recurse_str)+list()+str()"})
    nodes = [
        Inputs((*(shared[name] for name in layers_of(at)), source_of(f"{at}.yaml", dump(node_layer(at)))))
        for at in range(count)
    ]

    def run() -> object:
        memo = PrefixMemo()
        return sum(len(render_with(dialect, node, options, memo).plain) for node in nodes)

    return run


def layered(count: int) -> Callable[[], object]:
    base = shared_layers()["global.yaml"]
    return plain([base, *(node_layer(at) for at in range(count - 1))])


def grown(what: str, make: Callable[[int], Callable[[], object]], small: int, large: int, rounds: int = 2) -> Row:
    few, many = make(small), make(large)
    few()
    times = large / small
    pairs = [(seconds(many), seconds(few)) for _ in range(rounds)]
    return of_pairs(
        f"{what}: {small:,} to {large:,}", f"{times:g} times as many", pairs, target=times * 1.1, at_most=True
    )


def rows() -> Iterator[Row]:
    some = is_quick()
    yield grown("deckhand documents", site, 200 if some else 1_000, 2_000 if some else 10_000, 1)
    if not some:
        yield grown("deckhand documents", site, 1_000, 20_000, 1)
    yield grown("datum nodes", datum_nodes, 30 if some else 100, 300 if some else 1_000, 1)
    yield grown("fleet nodes", fleet_nodes, 300 if some else 1_000, 3_000 if some else 10_000, 1)
    yield grown("layers of a node", layered, 2, 64, 5)


if __name__ == "__main__":
    tell(rows())
