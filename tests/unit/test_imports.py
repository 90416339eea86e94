"""Imports point one way, the engine is pure, and holds only what at least two dialects use."""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "src" / "lamina"

ROOMS = [
    {"_support", "budget", "errors", "origins", "paths", "session", "values", "version"},
    {"sources"},
    {"engine"},
    {"dialects"},
    {"views"},
    {"conformance", "fleet", "plugin"},
    {"cli", "__init__", "__main__"},
]
"""What may be imported by whom: a module imports from its own room and from those before it."""

BY_PLUGIN = ("hiera", "layers")
"""Dialects that are written as an installed one would be: they import `lamina.plugin` and nothing else of Lamina."""

LOADED_WITH_EVERY_COMMAND = ("dialect.py", "options.py", "detect.py")
"""Their modules that must be cheap: these import names of `lamina.plugin` from where they are."""

EXTENSIONS = ("lint", "explain", "golden", "fleet", "graph", "plan", "nodes", "parent_report", "strategy_view")
"""How modules of a dialect begin that hold extensions: they are loaded when used and may import views."""


def room(unit: str) -> int:
    for number, units in enumerate(ROOMS):
        if unit in units:
            return number
    raise AssertionError(f"{unit} belongs to no room; say in ROOMS what it may import")


def unit_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(tree: ast.Module, *, lazy: bool = True) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The modules a file imports when it runs, with the names; what only serves types does not count.

    Without `lazy`, imports inside functions do not count either.
    """
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, (ast.FunctionDef, ast.Lambda)) and not lazy:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, tuple(alias.name for alias in node.names)
        pending.extend(ast.iter_child_nodes(node))


def units_imported(path: Path, *, lazy: bool = True) -> set[str]:
    found: set[str] = set()
    for module, names in imported(ast.parse(path.read_text()), lazy=lazy):
        parts = module.split(".")
        if parts[0] == "lamina":
            found |= {parts[1]} if len(parts) > 1 else {name for name in names if name.islower()}
    return found


def files() -> list[Path]:
    return sorted(ROOT.rglob("*.py"))


def is_extension(path: Path) -> bool:
    return unit_of(path) == "dialects" and path.name.startswith(EXTENSIONS)


def is_by_plugin(path: Path) -> bool:
    return path.relative_to(ROOT).parts[0] == "dialects" and path.relative_to(ROOT).parts[1] in BY_PLUGIN


@pytest.mark.parametrize("name", BY_PLUGIN)
def test_a_dialect_can_be_written_with_the_plugin_module_alone(name: str) -> None:
    from lamina import plugin

    for path in (ROOT / "dialects" / name).rglob("*.py"):
        for module, names in imported(ast.parse(path.read_text())):
            if not module.startswith("lamina") or module.startswith(f"lamina.dialects.{name}"):
                continue
            if path.name in LOADED_WITH_EVERY_COMMAND:
                assert set(names) <= set(plugin.__all__), path
            else:
                assert (module, names) == ("lamina", ("plugin",)), path


@pytest.mark.parametrize(
    "path", [each for each in files() if not is_by_plugin(each)], ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_imports_point_one_way(path: Path) -> None:
    mine = room("views" if is_extension(path) else unit_of(path))
    # What is imported inside a function of a dialect is loaded when an extension is used.
    found = units_imported(path, lazy=unit_of(path) != "dialects")
    assert not {unit for unit in found if room(unit) > mine}


def test_the_engine_imports_nothing_but_the_standard_library() -> None:
    seen = 0
    for path in (ROOT / "engine").rglob("*.py"):
        for module, _ in imported(ast.parse(path.read_text())):
            top = module.split(".")[0]
            assert top == "lamina" or top in sys.stdlib_module_names, module
            assert top not in {"os", "io", "pathlib", "subprocess", "socket", "logging", "time"}, module
            seen += 1
    assert seen > 50


def dialects() -> list[str]:
    return sorted(path.name for path in (ROOT / "dialects").iterdir() if (path / "dialect.py").exists())


def test_dialects_do_not_import_one_another() -> None:
    names = set(dialects())
    assert len(names) >= 4
    for name in names:
        for path in (ROOT / "dialects" / name).rglob("*.py"):
            for module, _ in imported(ast.parse(path.read_text())):
                parts = module.split(".")
                if parts[:2] == ["lamina", "dialects"]:
                    assert not (names - {name}) & {*parts[2:3]}, f"{path} imports {module}"


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


OFFERED = {
    "Delete": "part of the basic set that authors of dialects are offered",
    "Overlay": "part of the basic set that authors of dialects are offered",
    "Sweep": "lint and the prefix cache look for it; to become a Merge with nothing on the new side",
}
"""What may stay in the engine with one user, and why."""

CONSTANTS = {"Keep": "KEEP", "Take": "TAKE", "Delete": "DELETE", "Descend": "DESCEND"}
"""Operators without settings, and the constants they are used by."""


def test_what_one_dialect_alone_uses_lives_in_that_dialect() -> None:
    users: dict[str, set[str]] = defaultdict(set)
    for name in dialects():
        for path in (ROOT / "dialects" / name).rglob("*.py"):
            for module, imports in imported(ast.parse(path.read_text())):
                if module.startswith("lamina.engine"):
                    for each in imports:
                        users[each].add(name)
    alone = {each: users[CONSTANTS.get(each, each)] for each in operators_and_steps()}
    assert {each for each, names in alone.items() if len(names) < 2} == OFFERED.keys()
