"""A merge is written once: dialects compile, and neither evaluate, nor hold shared containers, nor list nodes."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "src" / "lamina" / "dialects"
MODULES = sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT)

EVALUATORS = {"lamina.engine.fold", "lamina.engine.evaluate"}
"""The modules that go through the steps of an output. Compilers have `lamina.plugin.folded` for one value, and what
explains a result `lamina.plugin.extensions.tried`."""

NODES = {"NodeLayers", "no-such-node"}
"""What only `lamina.plugin.hierarchy` makes: a node with its layers, and the error for one that is not there."""

IMAGES = {"heat/merge_in_place.py", "cloudinit/patch_tree.py"}
"""Modules that still keep their own record of which containers of one output are shared."""

WALKS = {"iterdir", "listdir", "rglob", "scandir"}
FOLDERS = {"heat/template_tree.py"}
"""What reads a folder that an option names; nodes are found in the files of the inputs."""


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def called_of(tree: ast.Module, modules: set[str]) -> set[str]:
    """The names that a module uses of others."""
    aliases: dict[str, str] = {}
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            if node.module in modules:
                found |= {each.name for each in node.names}
            aliases |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and aliases.get(node.value.id) in modules
        ):
            found.add(node.attr)
    return found


def words_of(tree: ast.Module) -> set[str]:
    """The strings of a module, and the names that it calls."""
    strings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    calls = {ast.unparse(node.func).rpartition(".")[2] for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return strings | calls


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_dialect_does_not_evaluate(path: Path) -> None:
    modules = {node.module for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)}
    assert not modules & EVALUATORS
    assert not called_of(ast.parse(path.read_text()), EVALUATORS)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_dialect_has_no_shared_containers_of_its_own(path: Path) -> None:
    if name_of(path) not in IMAGES:
        assert "AliasMap" not in called_of(ast.parse(path.read_text()), {"lamina.engine.alias_map"})


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_dialect_lists_nodes_as_every_hierarchy_does(path: Path) -> None:
    if path.name != "golden.py":  # which names the codes that cases expect
        assert not NODES & words_of(ast.parse(path.read_text()))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_dialect_does_not_walk_folders_on_disk(path: Path) -> None:
    if name_of(path) not in FOLDERS:
        assert not WALKS & words_of(ast.parse(path.read_text()))
