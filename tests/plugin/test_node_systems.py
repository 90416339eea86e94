"""Systems of nodes: all nodes, one of them, those that fail, and inheritance."""

from __future__ import annotations

from typing import Any

import pytest

import lamina
from lamina import plugin as lp
from lamina.errors import LaminaError, Severity
from lamina.plugin import hierarchy as lph
from lamina.sources.inputs import Folder, MemoryFiles


class Nodes(lph.NodeSystem):
    """Each file in `nodes`, over what it includes."""

    noun = "machine"

    def __init__(self, inputs: lp.Inputs, options: Any) -> None:
        self.tree, self.run = lph.tree_of(inputs), inputs.run

    def nodes(self) -> dict[str, lp.Origin | None]:
        return {path.removeprefix("nodes/").removesuffix(".yaml"): None for path in self.tree.below("nodes")}

    def root(self, path: str) -> lp.SourceNode:
        source = self.tree.read(path)
        assert source is not None
        return lp.read_yaml(source, self.run).root(source.name)

    def steps(self, name: str) -> Any:
        yield lp.start()

        def parents(root: lp.SourceNode, before: Any) -> Any:
            names = root.value.get("include", [])
            return [(each, root.child("include").child(at).origin()) for at, each in enumerate(names)]

        found = lph.inherited(
            self.root(f"nodes/{name}.yaml"), parents, lambda each, at, root: self.root(f"roles/{each}.yaml")
        )
        yield from lp.Rules("later wins").merges((root.layer, root.without(("include",))) for root in found)


DIALECT = lph.node_dialect(
    "machines", title="machines", system_of=Nodes, detect=lambda inputs: inputs.kind_of("roles") == "folder"
)


def site(**files: str) -> Folder:
    return Folder("site", MemoryFiles({name.replace("_", "/") + ".yaml": text for name, text in files.items()}))


def test_one_node_and_all_of_them() -> None:
    folder = site(nodes_a="include: [r]\nx: 1\n", nodes_b="x: 2\n", roles_r="x: 0\ny: 3\n")
    assert lamina.render([folder], DIALECT).value == {"a": {"x": 1, "y": 3}, "b": {"x": 2}}
    assert lamina.render([folder], DIALECT, node="a").value == {"x": 1, "y": 3}
    with pytest.raises(LaminaError) as caught:
        lamina.render([folder], DIALECT, node="c")
    assert caught.value.diagnostic.code == "no-such-node"


def test_a_node_that_fails_fails_alone() -> None:
    result = lamina.render([site(nodes_a="x: [", nodes_b="x: 2\n")], DIALECT)
    assert result.value == {"b": {"x": 2}}
    assert [(note.severity, note.subject) for note in result.notes] == [(Severity.ERROR, "a")]


def test_what_fails_every_node_is_said_once() -> None:
    nodes = {f"nodes_{name}": "include: [r]\n" for name in "abc"}
    with pytest.raises(LaminaError) as caught:
        lamina.render([site(**nodes, roles_r="x: [")], DIALECT)
    assert [(finding.code, finding.subject) for finding in caught.value.diagnostics] == [("invalid-yaml", None)]


def test_parents_come_first_and_once() -> None:
    folder = site(
        nodes_a="include: [r, s]\n",
        roles_r="include: [t]\nx: r\n",
        roles_s="include: [t]\nz: s\n",
        roles_t="x: t\ny: t\n",
    )
    assert lamina.render([folder], DIALECT, node="a").value == {"x": "r", "y": "t", "z": "s"}


def test_a_loop_is_an_error_where_it_closes() -> None:
    folder = site(nodes_a="include: [r]\n", roles_r="include: [s]\n", roles_s="include: [r]\n")
    with pytest.raises(LaminaError) as caught:
        lamina.render([folder], DIALECT, node="a")
    finding = caught.value.diagnostic
    assert (finding.code, finding.at and finding.at.source) == ("inheritance-loop", "roles/s.yaml")


def test_what_readers_notice_is_said_once_without_being_asked_for() -> None:
    folder = site(nodes_a="include: [r]\nx: 2\n", nodes_b="include: [r]\n", roles_r="y: 1\ny: 2\n")
    assert [note.code for note in lamina.lint([folder], DIALECT)] == ["duplicate-key"]
    assert [note.code for note in lamina.render([folder], DIALECT, node="a").notes] == ["duplicate-key"]


def test_a_start_is_called_like_the_layer_it_takes() -> None:
    node = lp.read_yaml(lp.Source.of_text("base.yaml", "x: 1\n"), lp.Run()).root("base")
    said = [lp.start(each).directive.text for each in (node, {"x": 1}, None)]
    assert said == ["base", "the start", "the empty start"]


def test_init_finds_the_folders_that_are_detected_and_none_inside_of_them() -> None:
    names = ["site/nodes/a.yaml", "site/roles/r.yaml", "site/roles/roles/r.yaml", "x/site/roles/r.yaml", "other/a.yaml"]
    find = DIALECT.extension("targets")
    found = [each.fields["nodes"] for each in find(MemoryFiles(dict.fromkeys(names, "x: 1")), names, lp.Run())]
    assert found == ["site", "x/site"]
