"""The engine is pure, and holds only what at least two dialects use. The order of the rooms is in pyproject.toml."""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "src" / "lamina"


BY_PLUGIN = ("hiera", "layers")
"""Dialects that are written as an installed one would be: they import `lamina.plugin` and nothing else of Lamina."""

LOADED_WITH_EVERY_COMMAND = ("dialect.py", "options.py", "detect.py")
"""Their modules that must be cheap: these import names of `lamina.plugin` from where they are."""


def imported(tree: ast.Module) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The modules a file imports when it runs, with the names; what only serves types does not count."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, tuple(alias.name for alias in node.names)
        pending.extend(ast.iter_child_nodes(node))


@pytest.mark.parametrize("name", BY_PLUGIN)
def test_a_dialect_can_be_written_with_the_plugin_module_alone(name: str) -> None:
    from lamina import plugin
    from lamina.plugin import extensions, formats, hierarchy, operators, references, settings

    modules = {"extensions", "formats", "hierarchy", "operators", "references", "settings"}
    rooms = (plugin, operators, formats, hierarchy, references, settings, extensions)
    public = {name for module in rooms for name in module.__all__}
    for path in (ROOT / "dialects" / name).rglob("*.py"):
        for module, names in imported(ast.parse(path.read_text())):
            if not module.startswith("lamina") or module.startswith(f"lamina.dialects.{name}"):
                continue
            if path.name in LOADED_WITH_EVERY_COMMAND:
                assert set(names) <= public, path
            else:
                assert (module, names) == ("lamina", ("plugin",)) or (
                    module == "lamina.plugin" and {*names} <= modules
                ), path


def test_the_engine_imports_nothing_but_the_standard_library() -> None:
    seen = 0
    for path in (ROOT / "engine").rglob("*.py"):
        for module, _ in imported(ast.parse(path.read_text())):
            top = module.split(".")[0]
            assert top == "lamina" or top in sys.stdlib_module_names, module
            assert top not in {"os", "io", "pathlib", "subprocess", "socket", "logging", "time"}, module
            seen += 1
    assert seen > 50


@pytest.mark.parametrize("room", ["dialects", "plugin", "protocol"])
def test_not_even_a_type_of_a_view_is_used_below_the_views(room: str) -> None:
    """The contract on imports says so of what runs; what a dialect adds to views is given protocols of results."""
    for path in (ROOT / room).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith("lamina.views"), path


def dialects() -> list[str]:
    return sorted(path.name for path in (ROOT / "dialects").iterdir() if (path / "dialect.py").exists())


def operators_and_steps() -> set[str]:
    """The classes of the engine that combine two values, and the steps of a plan."""
    found = set()
    for path in (*(ROOT / "engine" / "operators").glob("*.py"), ROOT / "engine" / "plan.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                methods = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
                bases = {base.id for base in node.bases if isinstance(base, ast.Name)}
                if ("apply" in methods or "Step" in bases) and "Protocol" not in bases and node.name != "Step":
                    found.add(node.name)
    return found


CONSTANTS = {"Whole": "TAKE", "Descend": "DESCEND"}
"""Operators without settings, and the constants they are used by."""

MODEL = ROOT.parents[1] / "examples" / "plugins" / "packages" / "my_package" / "overlay.py"
"""The model of the how-to: a dialect as much as those that come with Lamina."""


def used_by_the_model() -> set[str]:
    """What the model dialect uses of `lamina.plugin`."""
    tree = ast.walk(ast.parse(MODEL.read_text()))
    return {
        each.attr
        for each in tree
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == "lp"
    }


def test_what_one_dialect_alone_uses_lives_in_that_dialect() -> None:
    users: dict[str, set[str]] = defaultdict(set)
    for each in used_by_the_model():
        users[each].add("the model")
    for name in dialects():
        for path in (ROOT / "dialects" / name).rglob("*.py"):
            for module, imports in imported(ast.parse(path.read_text())):
                if module.startswith(("lamina.engine", "lamina.plugin")):
                    for each in imports:
                        users[each].add(name)
    found = operators_and_steps()
    assert {"Start", "Merge", "Fail", "Union", "Whole"} <= found
    assert not {each: users[CONSTANTS.get(each, each)] for each in found if len(users[CONSTANTS.get(each, each)]) < 2}
