"""The core is pure, and the engine knows no dialect."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "src" / "lamina"

ENGINE = ("merge", "plans", "fold", "memo", "placing", "spreading", "history")
DIALECT_WORDS = re.compile(
    r"cloud.?init|heat|deckhand|datum|merge_how|parameter_merge|knock.?out_prefix|user.?data", re.IGNORECASE
)


def unit_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(tree: ast.Module) -> set[str]:
    """The modules a file imports when it runs; what only serves types does not count."""
    found: set[str] = set()
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            if node.module == "lamina":
                found.update(f"lamina.{alias.name}" for alias in node.names)
        pending.extend(ast.iter_child_nodes(node))
    return found


def files() -> list[Path]:
    return sorted(ROOT.rglob("*.py"))


@pytest.mark.parametrize("path", files(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_core_imports_nothing_but_itself_and_the_standard_library(path: Path) -> None:
    if unit_of(path) not in ENGINE:
        return
    for module in imported(ast.parse(path.read_text())):
        top = module.split(".")[0]
        assert top == "lamina" or top in sys.stdlib_module_names, module
        assert top not in {"os", "io", "pathlib", "subprocess", "socket", "logging", "time"}, module


def test_the_engine_names_no_dialect() -> None:
    for path in files():
        if unit_of(path) in ENGINE:
            assert not DIALECT_WORDS.search(path.read_text()), path


def test_dialects_do_not_import_one_another() -> None:
    names = {path.name for path in (ROOT / "dialects").iterdir() if path.is_dir()}
    for name in names:
        for path in (ROOT / "dialects" / name).rglob("*.py"):
            for module in imported(ast.parse(path.read_text())):
                parts = module.split(".")
                if parts[:2] == ["lamina", "dialects"]:
                    assert not (names - {name}) & {*parts[2:3]}, f"{path} imports {module}"
