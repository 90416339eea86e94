"""Nodes of a fleet that share their layers: results, notes, errors and histories are those of each node by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.budget import READ
from lamina.dialects import registry as dialects
from lamina.engine.chain_cache import ChainCache
from lamina.errors import LaminaError
from lamina.paths import leaves
from lamina.session import Session, calling
from lamina.sources.inputs import Folder, Inputs, MemoryFiles
from lamina.sources.limits import Limits
from lamina.sources.source import Source
from lamina.sources.yaml.writer import Writer, dump
from lamina.views.explain import as_data
from lamina.views.plan_text import as_text
from lamina.views.render import render_with
from support.cloud_configs import Unique, mappings, rule_text
from support.cloud_configs import rules as merge_rules

if TYPE_CHECKING:
    from lamina.dialects.base import Dialect
    from lamina.paths import Path
    from lamina.views.result import Result

ODD = [
    "",
    "a: [\n",
    "- 1\n- 2\n",
    "text\n",
    "a: 1\na: 2\n",
    "a: ${b}\n",
    'a: "\\x41"\n',
    "a: null\n",
    "~\n",
    "a: {1: x, true: y}\n",
]
PRESETS = [None, "ansible-combine", "docker-compose", "helm-values"]
RULES = [None, {"rules": [{"path": "users", "merge": "append"}]}, {"lock": ["a"]}, {"required": ["b"]}]


@dataclass
class Fleet:
    """Nodes that are made of layers from one small stock, and how they are rendered."""

    dialect: Dialect[Any]
    options: Any
    nodes: list[tuple[Any, ...]]


@st.composite
def options_of(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    if draw(st.booleans()):
        return "cloud-init", {
            "mode": draw(st.sampled_from(["merge", "merge", "merge", "fold"])),
            "merge": rule_text(draw(merge_rules)),
            "strict": draw(st.sampled_from([False, False, True])),
        }
    drawn = {
        "null": draw(st.sampled_from([None, "delete", "keep", "delete-defaults"])),
        "preset": draw(st.sampled_from(PRESETS)),
        "rules": draw(st.sampled_from(RULES)),
        "set": draw(st.sampled_from([(), (), ("a=1",)])),
        "no_references": draw(st.booleans()),
    }
    return "layers", {name: value for name, value in drawn.items() if value is not None}


@st.composite
def fleets(draw: st.DrawFn) -> Fleet:
    """Most nodes begin with the same layers; some layers are odd, some files are there twice."""
    unique = Unique()
    bodies = [dump(unique.relabel(body)) for body in draw(st.lists(mappings, min_size=2, max_size=4))]
    bodies += draw(st.lists(st.sampled_from(ODD), max_size=1))
    stock = [Source.of_text(f"{number}.yaml", body) for number, body in enumerate(bodies)]
    begin = draw(st.lists(st.sampled_from(stock), max_size=3))
    nodes: list[tuple[Any, ...]] = []
    for number in range(draw(st.integers(2, 5))):
        own = Source.of_text(f"node{number}.yaml", dump(unique.relabel(draw(mappings))))
        further = draw(st.lists(st.sampled_from([*stock, own]), max_size=2))
        nodes.append((*begin, *further))
    if draw(st.integers(0, 9)) == 0:
        nodes[0] = (*nodes[0], Folder("folder", MemoryFiles({})))
    name, given_options = draw(options_of())
    dialect = dialects.find(name)
    return Fleet(dialect, dialects.make_options(dialect, given_options), nodes)


def shown(result: Result) -> Any:
    """All there is to see of a result."""
    inside = {path[:length] for path in leaves(result.plain) for length in range(1, len(path) + 1)}
    paths: list[Path] = [*sorted(inside, key=repr), ("a",), ("b",)]
    return (
        repr(result.plain),
        result.to_yaml(),
        [str(note) for note in result.notes],
        [as_data(result.explain(path), result) for path in paths],
        as_text(result.plan),
        [(folded.output.name, folded.node.value, folded.faults, folded.notes) for folded in result.outputs],
    )


def copied(layer: Any) -> Any:
    """A layer that was read again; what is no file stays."""
    return Source(layer.name, bytes(bytearray(layer.data))) if isinstance(layer, Source) else layer


def outcome(fleet: Fleet, node: tuple[Any, ...], cache: ChainCache | None) -> Any:
    try:
        return shown(render_with(fleet.dialect, Inputs(node), fleet.options, cache))
    except LaminaError as error:
        return str(error)


@given(fleets(), st.sampled_from((2, 4096)))
def test_what_nodes_share_changes_nothing(fleet: Fleet, room: int) -> None:
    cache = ChainCache(room)
    for session in (Session(), Session()):
        read_again = [tuple(map(copied, node)) for node in fleet.nodes]
        for node in [*fleet.nodes, *fleet.nodes, *read_again, *fleet.nodes]:
            with calling(session):
                with_cache = outcome(fleet, node, cache)
            with calling(Session()):
                assert with_cache == outcome(fleet, node, None)


@given(fleets(), st.integers(0, 60))
def test_the_budget_of_a_run_holds(fleet: Fleet, room: int) -> None:
    """What all layers take when they are read is counted, also for those that were merged before."""
    cache = ChainCache()
    with Session() as ample, calling(ample):
        for node in [*fleet.nodes, *fleet.nodes]:
            outcome(fleet, node, cache)
    limits = Limits(run_size=room * READ)
    for node in fleet.nodes:
        with calling(Session(limits=limits)):
            with_cache = outcome(fleet, node, ChainCache())
        with calling(Session(limits=limits)):
            assert with_cache == outcome(fleet, node, None)
        with calling(Session(limits=limits)):
            # Layers that were merged before are not merged again, but read they were.
            again = outcome(fleet, node, cache)
        if isinstance(with_cache, str) and "input-too-large" in with_cache:
            assert again == with_cache


LAYERS = {
    "cloud-init": {"mode": "merge", "merge": "dict(recurse_list,recurse_str)+list(append)+str()"},
    "layers": {"preset": "ansible-combine-recursive"},
}


@pytest.mark.parametrize("name", LAYERS)
def test_shared_layers_are_merged_once_and_plans_made_on_request(name: str) -> None:
    dialect = dialects.find(name)
    options = dialects.make_options(dialect, LAYERS[name])
    shared = [Source.of_text(f"{number}.yaml", f"a: {{b{number}: {number}}}\n") for number in range(3)]
    cache, writer = ChainCache(), Writer(use_cache=True)
    compiled = 0

    def compile_counted(inputs: Inputs, given_options: Any) -> Any:
        nonlocal compiled
        compiled += 1
        return dialect.compile(inputs, given_options)

    counted = type(dialect)(
        name=dialect.name,
        title=dialect.title,
        options=dialect.options,
        detect=dialect.detect,
        compile=compile_counted,
        extensions=dialect.extensions,
    )
    with Session() as session, calling(session):
        for number in range(5):
            own = Source.of_text(f"node{number}.yaml", f"own: {number}\n")
            result = render_with(counted, Inputs((*shared, own)), options, cache)
            text = result.to_yaml(writer=writer)
        assert text.removeprefix("#cloud-config\n") == "a:\n  b0: 0\n  b1: 1\n  b2: 2\nown: 4\n"
        assert compiled == 0
        assert cache.hits == 3 * 3  # the third node is the first whose layers were seen twice
        again = Source.of_text("node5.yaml", "own: 5\n")
        render_with(counted, Inputs((*map(copied, shared), again)), options, cache)
        assert cache.hits == 4 * 3
        assert str(result.explain("own").events[-1].origin) == "node4.yaml:1:6"
        assert compiled == 1
