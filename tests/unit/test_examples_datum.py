"""The sample hierarchy: every node, its layers and one explanation, against what is committed."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import lamina
from lamina.dialects.datum import nodes
from lamina.dialects.datum.options import DatumOptions
from lamina.sources.inputs import Inputs, gather

EXAMPLE = Path(__file__).parents[2] / "examples" / "datum"
EXPECTED = EXAMPLE / "expected"


@pytest.fixture(scope="module")
def inputs() -> Inputs:
    return gather(EXAMPLE / "data")


@pytest.mark.parametrize("compat", ["program", "manual"])
def test_every_node_is_as_committed(inputs: Inputs, compat: str) -> None:
    names = [node.name for node in nodes.list_nodes(inputs, DatumOptions())]
    rendered = {name: lamina.render(inputs, "datum", compat, node=name) for name in names}
    assert len(rendered) == 40
    expected = {path.stem: path.read_text() for path in (EXPECTED / compat).glob("*.yml")}
    assert {name: result.to_yaml() for name, result in rendered.items()} == expected


def test_layers_are_as_committed(inputs: Inputs) -> None:
    listed = {
        node.name: [f"{layer.path} -> {layer.file or 'nothing'}" for layer in node.layers]
        for node in nodes.list_nodes(inputs, DatumOptions())
    }
    assert listed == yaml.safe_load((EXPECTED / "layers.yml").read_text())
