"""What nodes have in common is read once: results, notes and histories are those of a node rendered alone."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from lamina.dialects import registry
from lamina.engine.fold import fold_output
from lamina.engine.node import PartsOnDemand
from lamina.engine.provenance import node_taken
from lamina.run import Run
from lamina.session import Session
from lamina.sources.inputs import gather
from lamina.sources.yaml.writer import dump
from lamina.values import same
from lamina.views.render import render_with

NODES = {"n1": "web", "n2": "db", "n3": "web", "n4": "none", "n5": "db"}
OPTIONS = {"deep": {"merge": "deep"}, "hash": {"merge": "hash"}, "unique": {"merge": "unique"}}
TEXTS = ["x", "%{facts.role}", "ENC[P,aa]", "%{lookup('first')} %{facts.role}", "%{alias('deep')}", "%{lookup('none')}"]
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(0, 3), st.sampled_from(TEXTS))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.dictionaries(st.sampled_from("abc"), inner, max_size=3), st.lists(inner, max_size=3)),
    max_leaves=6,
)
DATA = st.dictionaries(st.sampled_from(["first", *OPTIONS]), VALUES, max_size=4)
LAYERS = st.fixed_dictionaries({"common": DATA, "role/web": DATA, "role/db": DATA, "nodes/n1": DATA, "nodes/n2": DATA})


def written(folder: Path, layers: dict[str, Any], *, one_level: bool = False) -> None:
    paths = ["nodes/%{trusted.certname}.yaml", "role/%{facts.role}.yaml", "common.yaml"]
    levels = [{"name": "all", "paths": paths}] if one_level else [{"name": path, "path": path} for path in paths]
    files = {
        "hiera.yaml": {"version": 5, "hierarchy": levels},
        **{f"data/{name}.yaml": value for name, value in layers.items()},
        **{f"facts/{name}.yaml": {"role": role} for name, role in NODES.items()},
    }
    files["data/common.yaml"] = {"lookup_options": OPTIONS, **layers["common"]}
    for name, value in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(dump(value))


def shown(inputs: Any, node: str) -> Any:
    dialect = registry.find("hiera")
    result = render_with(dialect, inputs, registry.make_options(dialect, {"node": node}))
    histories = [(history.path, history.origins, *_events(history)) for history in result.explain_all()]
    return result.plain, [str(note) for note in result.notes], histories


def _events(history: Any) -> list[Any]:
    return [(each.verdict, repr(each.value), str(each.origin), str(each.directive)) for each in history.events]


@settings(max_examples=60, deadline=None)
@given(LAYERS, st.booleans())
def test_nodes_that_share_files_are_as_nodes_alone(layers: dict[str, Any], one_level: bool) -> None:
    with tempfile.TemporaryDirectory() as made:
        written(Path(made), layers, one_level=one_level)
        alone = {}
        for node in NODES:
            alone[node] = shown(gather([made], run=Run(Session())), node)
        inputs = gather([made], run=Run(Session()))
        for _ in range(2):  # the second time, all files are those that were kept
            assert {node: shown(inputs, node) for node in NODES} == alone


def test_files_that_several_nodes_have_are_read_once(tmp_path: Path) -> None:
    written(tmp_path, {"common": {"first": 1}, "role/web": {}, "role/db": {}, "nodes/n1": {}, "nodes/n2": {}})
    inputs = gather([str(tmp_path)])
    for node in list(NODES)[:3]:
        shown(inputs, node)
    (tmp_path / "data/common.yaml").unlink()
    assert shown(inputs, "n4")[0] == {"first": 1}


@settings(max_examples=60, deadline=None)
@given(LAYERS, st.booleans(), st.sampled_from([None, "deep", "unique"]))
def test_the_outputs_in_a_plan_come_to_the_values_of_the_result(
    layers: dict[str, Any], one_level: bool, merge: str | None
) -> None:
    with tempfile.TemporaryDirectory() as made:
        written(Path(made), layers, one_level=one_level)
        dialect = registry.find("hiera")
        options = {"node": "n1", "merge": merge, "cleartext_secrets": True}
        result = render_with(dialect, gather([made]), registry.make_options(dialect, options))
        (step,) = result.outputs[0].output.steps
        outputs = {output.name: output for output in step.inner()}
        for key, value in result.plain.items():
            assert same(fold_output(outputs[key], {}).value, value)


def test_rendering_makes_no_node_of_a_key(tmp_path: Path) -> None:
    layers = {"common": {"first": "%{facts.role}", "a": [1]}, "role/web": {"deep": {"a": 1}}}
    written(tmp_path, {**{key: {} for key in ("role/db", "nodes/n1", "nodes/n2")}, **layers})
    dialect = registry.find("hiera")
    result = render_with(dialect, gather([str(tmp_path)]), registry.make_options(dialect, {"node": "n1"}))
    assert result.plain == {"deep": {"a": 1}, "first": "web", "a": [1]}
    parts = node_taken(result.outputs[0].node).parts  # type: ignore[attr-defined]
    assert isinstance(parts, PartsOnDemand)
    assert parts.made == 0
    assert str(result.explain("a[0]").origins[0]).endswith("common.yaml:10:3")
    assert parts.made == 1
