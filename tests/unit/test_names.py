"""Names: one class of the package, one name."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import lamina

ROOT = Path(lamina.__file__).parent


def test_no_two_classes_have_one_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                places[node.name.lstrip("_")].append(path.relative_to(ROOT).as_posix())
    assert len(places) > 300
    assert not {name: where for name, where in places.items() if len(where) > 1}
