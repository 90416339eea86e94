"""Fleets for tests: a few layers and as many nodes as wanted, in a folder."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from lamina.fleet.job import Report
from lamina.fleet.local_executors import Executor, in_this_process
from lamina.fleet.progress import NoProgress
from lamina.fleet.run import Order, run
from lamina.project.manifest import open_fleet

RULE = "list(append)+dict(no_replace,recurse_list,recurse_str)+str()"


def write_fleet(folder: Path, count: int, *, bad: tuple[int, ...] = (), lines: bool = False) -> Path:
    """A fleet of so many nodes in four roles; of the bad ones the layer cannot be read. Gives the manifest."""
    layers = {
        "common.yaml": {"dns": ["10.0.0.1"], "ntp": {"servers": ["a", "b"]}, "site": "north", "level": "info"},
        **{f"role/{role}.yaml": {"packages": [f"p{role}"], "level": f"role{role}"} for role in range(4)},
    }
    for at in range(count):
        layers[f"node/{at}.yaml"] = {"name": f"node{at}", "dns": [f"10.1.0.{at}"], "ntp": {"own": str(at)}}
    for name, layer in layers.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(layer) + "\n")
    for at in bad:
        (folder / f"node/{at}.yaml").write_text("name: [\n")
    nodes = [{"name": f"node{at}", "inputs": [f"role/{at % 4}.yaml", f"node/{at}.yaml"]} for at in range(count)]
    manifest: dict[str, Any] = {
        "dialect": "cloud-init",
        "options": {"mode": "merge", "merge": RULE},
        "inputs": ["common.yaml"],
        "nodes": "nodes.jsonl" if lines else nodes,
    }
    if lines:
        (folder / "nodes.jsonl").write_text("".join(json.dumps(node) + "\n" for node in nodes))
    (folder / "fleet.yaml").write_text(json.dumps(manifest))
    return folder / "fleet.yaml"


def rendered(manifest: Path, executor: Executor = in_this_process, **order: Any) -> tuple[Report, list[str]]:
    """Render a fleet here; gives the report and the lines."""
    lines: list[str] = []
    report = run(open_fleet(str(manifest)), Order(**order), executor, lines.append, NoProgress())
    return report, lines


def texts(folder: Path) -> dict[str, str]:
    """What was written, by file name; nothing else may be there but the journal."""
    found = {path.name: path.read_text() for path in folder.iterdir() if path.name != ".lamina-fleet.db"}
    assert not [name for name in found if name.startswith(".")], "something was left half written"
    return found


def lamina(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command line."""
    return subprocess.run(
        [sys.executable, "-m", "lamina.cli.main", *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
