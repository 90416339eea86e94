"""Debian's Puppet, asked for many lookups at once, and Lamina asked for the same."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import lamina
from lamina.dialects.hiera.golden import observe
from lamina.dialects.hiera.variables import trusted_of
from lamina.errors import LaminaError
from lamina.sources.inputs import Inputs, MemoryFiles
from puppet.random_trees import FACTS, NODE, Tree
from support import installed

HERE = Path(__file__).parent
CACHE = Path(sys.prefix) / "puppet-tests"


def need() -> None:
    """Install Puppet where it is missing; where that is not possible the test is skipped, or fails in CI."""
    installed.need("Puppet", HERE / "install", CACHE)


def by_puppet(folder: Path, trees: list[Tree]) -> list[dict[str, Any]]:
    """What Puppet gives for the keys of each tree, all in one process."""
    jobs = []
    for number, tree in enumerate(trees):
        root = folder / str(number) / "environments/production"
        for name, text in tree.files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        jobs.append(
            {
                "node": NODE,
                "facts": FACTS,
                "trusted": trusted_of(NODE, {}),
                "keys": tree.keys,
                "merge": tree.merge,
                "hiera_config": tree.hiera_config,
            }
        )
    given, out = folder / "jobs.json", folder / "results.json"
    given.write_text(json.dumps(jobs))
    subprocess.run(["ruby", HERE / "lookups.rb", folder, given, out], check=True, capture_output=True)
    found: list[dict[str, Any]] = json.loads(out.read_text())
    return found


def by_lamina(tree: Tree, key: str) -> dict[str, Any]:
    """What Lamina gives for one key, in the form of Puppet's answers."""
    files = MemoryFiles(tree.files)
    sources = tuple(source for name in tree.files if (source := files.read(name)) is not None)
    try:
        result = lamina.render(
            Inputs(sources, files),
            dialect="hiera",
            node=NODE,
            facts=FACTS,
            key=key,
            merge=tree.merge,
            hiera_config=tree.hiera_config or "hiera.yaml",
        )
    except LaminaError as error:
        code = error.diagnostic.code
        return {"missing": True} if code == "not-found" else {"error": code}
    seen = observe(result)
    value = plain(seen["value"])
    return {"value": {"$sensitive": value} if seen["sensitive"] else value}


def plain(value: Any) -> Any:
    """A value as JSON can hold it."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"}
    return value


def agree(puppet: dict[str, Any], ours: dict[str, Any]) -> bool:
    """Whether two answers are the same: the value with its key order, nothing found, or an error of any wording."""
    if "error" in puppet or "error" in ours:
        return "error" in puppet and "error" in ours
    return json.dumps(puppet) == json.dumps(ours)
