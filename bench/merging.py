"""Merging with full provenance, against mergers that keep none.

Two data sets: a large document with one overlay, and a node of five layers, generated. All inputs are values already
read; ours are documents with places. Against cloud-init's mergers the cloud-init dialect merges by the same rule, from
parts to result; against the others the fold does, with the policy of a plain deep merge. Results are compared.

    python bench/merging.py [--quick] [--rows]
"""

from __future__ import annotations

import random
import sys
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from layers import layers_of, node_layer, shared_layers
from rows import Row, absent, is_quick, print_rows, row

from lamina.dialects import registry as dialects
from lamina.engine.fold import fold_output
from lamina.engine.node import SourceNode
from lamina.engine.operators.mapping import Union
from lamina.engine.operators.whole import DESCEND, TAKE
from lamina.engine.plan import Directive, From, Merge, Output, Start
from lamina.engine.policy import Cases, Policy
from lamina.run import Run
from lamina.sources import document_cache
from lamina.sources.inputs import Inputs, source_of
from lamina.sources.yaml.writer import dump
from lamina.values import ALL, MAPS
from lamina.views.render import render_with

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina.engine.plan import AnyStep

    MergeFunction = Callable[[list[Any]], Any]

RULE = "dict(recurse_list,recurse_str)+list(replace)+str()"
NODE = 17
CLOUD_INIT = Path(__file__).parent.parent / ".bench/debian/cloud-init/usr/lib/python3/dist-packages"


def five_layers() -> list[Any]:
    shared = shared_layers()
    return [*(shared[name] for name in layers_of(NODE)), node_layer(NODE)]


def large() -> list[Any]:
    """A document of some 36,000 values and an overlay of a tenth of them; only texts, which every merger replaces."""
    random_ = random.Random(7)
    tables = range(60)
    whole = {
        f"table{table:02}": {
            f"member{at:03}": {f"field{each}": f"{table}-{at}-{each}" for each in range(10)} for at in range(55)
        }
        for table in tables
    }
    over: dict[str, Any] = {}
    for _ in range(3_000):
        table, at, each = random_.choice(tables), random_.randrange(55), random_.randrange(10)
        over.setdefault(f"table{table:02}", {}).setdefault(f"member{at:03}", {})[f"field{each}"] = "changed"
    return [whole, over]


def ours(layers: list[Any]) -> Callable[[], Any]:
    inputs = Inputs(tuple(source_of(f"{at}.yaml", dump(layer)) for at, layer in enumerate(layers)))
    for source in inputs.sources:
        document_cache.yaml_document(source, Run())
    dialect = dialects.find("cloud-init")
    options = dialects.make_options(dialect, {"mode": "merge", "merge": RULE})
    return lambda: render_with(dialect, inputs, options).plain


def plain(layers: list[Any]) -> Callable[[], Any]:
    """The fold itself with the plain rule of all other peers: mappings are merged, all else is taken."""
    clash = Cases((MAPS, MAPS, DESCEND), (ALL, ALL, TAKE))
    policy = Policy(Cases((MAPS, MAPS, Union(clash)), (ALL, ALL, TAKE)), "deep merge")
    steps: list[AnyStep] = []
    for at, layer in enumerate(layers):
        document = document_cache.yaml_document(source_of(f"{at}.yaml", dump(layer)), Run())
        take = From(source=SourceNode(document.value, (), document.positions, 0, f"{at}.yaml"))
        directive = Directive("the next layer")
        steps.append(
            Merge(directive=directive, take=take, policy=policy) if at else Start(directive=directive, take=take)
        )
    output = Output(name="merged", steps=tuple(steps))
    return lambda: fold_output(output, {}).value


def cloud_init() -> MergeFunction:
    sys.path.append(str(CLOUD_INIT))
    from cloudinit import mergers

    merger = mergers.construct(mergers.string_extract_mergers(RULE))

    def merge(layers: list[Any]) -> Any:
        # The merger changes what it merges into.
        whole = deepcopy(layers[0])
        for layer in layers[1:]:
            whole = merger.merge(whole, layer)
        return whole

    return merge


def deepmerge() -> MergeFunction:
    from deepmerge import Merger

    merger = Merger([(list, ["override"]), (dict, ["merge"])], ["override"], ["override"])

    def merge(layers: list[Any]) -> Any:
        whole = deepcopy(layers[0])
        for layer in layers[1:]:
            merger.merge(whole, layer)
        return whole

    return merge


def mergedeep() -> MergeFunction:
    from mergedeep import merge as merge_all

    return lambda layers: merge_all({}, *layers)


def ansible() -> MergeFunction:
    from ansible.plugins.filter.core import combine

    return lambda layers: combine(*layers, recursive=True)


def omegaconf() -> MergeFunction:
    from omegaconf import OmegaConf

    return lambda layers: OmegaConf.merge(*map(OmegaConf.create, layers))


def hiyapyco() -> MergeFunction:
    import hiyapyco as hiyapyco_

    maker = hiyapyco_.HiYaPyCo("{a: 1}\n", method=hiyapyco_.METHOD_MERGE)

    def merge(layers: list[Any]) -> Any:
        whole = deepcopy(layers[0])
        for layer in layers[1:]:
            whole = maker._deepmerge(whole, layer)
        return whole

    return merge


def jsonmerge() -> MergeFunction:
    from jsonmerge import Merger

    merger = Merger({})

    def merge(layers: list[Any]) -> Any:
        whole = layers[0]
        for layer in layers[1:]:
            whole = merger.merge(whole, layer)
        return whole

    return merge


PEERS: dict[str, tuple[Callable[[], MergeFunction], float | None]] = {
    "cloud-init's mergers": (cloud_init, None),
    "deepmerge": (deepmerge, 4),
    "mergedeep": (mergedeep, None),
    "Ansible combine": (ansible, None),
    "OmegaConf": (omegaconf, 300),
    "hiyapyco": (hiyapyco, None),
    "jsonmerge": (jsonmerge, None),
}


def rows() -> Iterator[Row]:
    for name, layers, times in (("a node of five layers", five_layers(), 20), ("a large document", large(), 2)):
        for against, (make, target) in PEERS.items():
            job = f"merge {name}, provenance kept"
            mine = (ours if make is cloud_init else plain)(layers)
            expected = mine()
            try:
                merge = make()
                result = merge(layers)
            except Exception as error:  # a peer that is missing or broken is reported, and the others go on
                yield absent(job, against, f"{type(error).__name__}: {error}")
                continue
            note = "" if result == expected else "its rules differ: another result"
            slow = against in ("OmegaConf", "jsonmerge", "hiyapyco")
            count = 1 if slow else times
            yield row(
                job,
                against,
                partial(_repeat, partial(merge, layers), count),
                partial(_repeat, mine, times),
                rounds=3 if is_quick() or slow else 5,
                target=target,
                share=count / times,
                note=note,
            )


def _repeat(run: Callable[[], object], times: int) -> None:
    for _ in range(times):
        run()


if __name__ == "__main__":
    print_rows(rows())
