"""Manifests: what they say, and what is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from lamina.errors import InputError, LaminaError
from lamina.project.manifest import OpenFleet, open_fleet

GOOD: dict[str, Any] = {
    "dialect": "cloud-init",
    "options": {"mode": "merge", "merge": "dict()"},
    "inputs": ["common.yaml"],
    "nodes": [
        {"name": "web", "inputs": ["role/web.yaml", "web.yaml"]},
        {"name": "db", "inputs": ["db.yaml"], "options": {"merge": "dict(replace)"}},
        {"name": "bare"},
    ],
}


def opened(folder: Path, manifest: Any, **more: Any) -> OpenFleet:
    path = folder / "fleet.yaml"
    path.write_text(manifest if isinstance(manifest, str) else yaml.safe_dump(manifest, sort_keys=False))
    return open_fleet(str(path), **more)


def test_nodes_have_the_common_inputs_before_their_own(tmp_path: Path) -> None:
    fleet = opened(tmp_path, GOOD)
    assert [(node.name, node.inputs, node.prefix, node.options) for node in fleet.nodes()] == [
        ("web", ("common.yaml", "role/web.yaml", "web.yaml"), ("common.yaml", "role/web.yaml"), {}),
        ("db", ("common.yaml", "db.yaml"), ("common.yaml",), {"merge": "dict(replace)"}),
        ("bare", ("common.yaml",), (), {}),
    ]
    assert fleet.dialect == "cloud-init"
    assert fleet.root == tmp_path
    assert fleet.prefix == f"{tmp_path}/"


def test_options_given_win_over_those_of_the_manifest(tmp_path: Path) -> None:
    fleet = opened(tmp_path, GOOD, dialect="heat", options={"merge": "str()"})
    assert fleet.dialect == "heat"
    assert fleet.options == {"mode": "merge", "merge": "str()"}
    assert fleet.with_options({"mode": "fold"}).options == {"mode": "fold", "merge": "str()"}


def test_nodes_may_be_in_a_file_of_lines(tmp_path: Path) -> None:
    lines = [json.dumps(node) for node in GOOD["nodes"]]
    (tmp_path / "nodes.jsonl").write_text("\n\n".join(lines))
    fleet = opened(tmp_path, {**GOOD, "nodes": "nodes.jsonl"})
    listed = opened(tmp_path, GOOD)
    assert list(fleet.nodes()) == list(listed.nodes()) == list(fleet.nodes())


BAD: list[tuple[Any, str]] = [
    ([], "a manifest is a mapping"),
    ("nodes: [", "invalid-yaml"),
    ({**GOOD, "node": []}, "did you mean 'nodes'?"),
    ({**GOOD, "dialect": 3}, "dialect must be the name"),
    ({**GOOD, "options": []}, "options must be a mapping"),
    ({**GOOD, "options": {1: 2}}, "options must be a mapping"),
    ({**GOOD, "inputs": "x.yaml"}, "inputs must be a list of paths"),
    ({**GOOD, "inputs": [""]}, "inputs must be a list of paths"),
    ({**GOOD, "nodes": {}}, "nodes must be a list"),
    ({**GOOD, "nodes": "none.jsonl"}, "there is no file none.jsonl"),
    ({**GOOD, "nodes": "../../etc/passwd"}, "is outside the folder"),
    ({**GOOD, "nodes": ["web"]}, "a node is a mapping"),
    ({**GOOD, "nodes": [{"inputs": []}]}, "a node needs a name"),
    ({**GOOD, "nodes": [{"name": ""}]}, "a node needs a name"),
    ({**GOOD, "nodes": [{"name": "x", "inputs": "y"}]}, "inputs of x must be a list"),
    ({**GOOD, "nodes": [{"name": "x", "inputs": ["a\0b"]}]}, "inputs of x must be a list"),
    ({**GOOD, "nodes": [{"name": "x", "options": []}]}, "options of x must be a mapping"),
    ({**GOOD, "nodes": [{"name": "x", "input": []}]}, "did you mean 'inputs'?"),
    ({"dialect": "cloud-init", "nodes": [{"name": "x"}]}, "x has no inputs"),
    ({"nodes": []}, "names no dialect"),
]


@pytest.mark.parametrize(("manifest", "message"), BAD, ids=[message for _, message in BAD])
def test_what_is_wrong_is_reported_with_its_location(tmp_path: Path, manifest: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        list(opened(tmp_path, manifest).nodes())
    assert message in str(caught.value)
    assert caught.value.diagnostic.at is not None


LINES = [
    ("{", 1),
    (" []", 2),
    ('{"name": 1}', 10),
    ('{"name": "x", "inputs": [1]}', 26),
    ('{"name": "x", "options": {"layers": 1}}', 27),
    ('{"nam": "x", "name": "x"}', 2),
    ("[" * 100_000, 1),
    ('"' + "x" * (1 << 20) + '"', 1),
]


@pytest.mark.parametrize(("line", "column"), LINES, ids=[line[:20] for line, _ in LINES])
def test_what_is_wrong_in_a_line_is_named(tmp_path: Path, line: str, column: int) -> None:
    (tmp_path / "nodes.jsonl").write_text(f'{{"name": "good"}}\n{line}\n')
    with pytest.raises(LaminaError) as caught:
        list(opened(tmp_path, {**GOOD, "nodes": "nodes.jsonl"}).nodes())
    at = caught.value.diagnostic.at
    assert at is not None
    assert at.source.endswith("nodes.jsonl")
    assert (at.line, at.column) == (2, column)


def test_half_of_a_surrogate_pair_is_a_character_like_others(tmp_path: Path) -> None:
    nodes = opened(tmp_path, '{"dialect": "heat", "nodes": [{"name": "a\\udc9b", "inputs": ["b\\udc9b"]}]}').nodes()
    assert [(node.name, node.inputs) for node in nodes] == [("a\udc9b", ("b\udc9b",))]
    with pytest.raises(InputError, match="unknown field"):
        opened(tmp_path, '{"dialect": "heat", "nodes": [], "x\\udc9b": 1}')


def test_everything_that_is_wrong_is_reported_where_it_is(tmp_path: Path) -> None:
    manifest = (
        "dialect: heat\ninputs: [a, 1]\nnode: []\nnodes:\n- nam: x\n- name: y\n  inputs: [a, {}]\n- inputs: []\n- [7]\n"
    )
    with pytest.raises(InputError) as caught:
        opened(tmp_path, manifest)
    assert sorted(
        (each.at.line, each.at.column, each.message) for each in caught.value.diagnostics if each.at is not None
    ) == [
        (2, 13, "inputs must be a list of paths"),
        (3, 1, "unknown field 'node'"),
        (5, 3, "unknown field 'nam'"),
        (7, 15, "the inputs of y must be a list of paths"),
        (8, 3, "a node needs a name, which is a string"),
        (9, 3, "a node is a mapping of name, inputs and options, not a list"),
    ]


def test_a_fleet_that_is_not_there_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(LaminaError, match="missing-file"):
        open_fleet(str(tmp_path / "none.yaml"))
