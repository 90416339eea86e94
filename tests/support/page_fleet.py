"""A fleet of a real size, made up for the tests of the page: a Datum hierarchy of five levels."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import lamina
from lamina.sources.yaml.writer import dump
from lamina.views.result import Result

LEVELS = {"Roles": 6, "Sites": 4, "Systems": 3}


def _settings(dice: random.Random, share: float, label: str, keys: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for at in range(keys):
        if dice.random() < share:
            value: Any = [f"{label}-{at}-{each}" for each in range(3)] if at % 9 == 4 else f"{label}-{at}"
            made.setdefault(f"Group{at // 6:02}", {})[f"Setting{at % 6}"] = value
    return made


def write_fleet(folder: Path, nodes: int, keys: int, own_share: float = 0) -> None:
    """Write the files of a fleet; every tenth node has jumbo frames, and each a share of the settings of its own."""
    dice = random.Random(11)
    stores = ["AllNodes", *LEVELS, "Common"]

    def write(name: str, value: Any) -> None:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dump(value), encoding="utf-8")

    definition = {
        "ResolutionPrecedence": [
            "AllNodes\\$($Node.Name)", "Roles\\$($Node.Role)", "Sites\\$($Node.Site)", "Systems\\$($Node.System)",
            "Common\\Base",
        ],
        "DatumStructure": [
            {"StoreName": name, "StoreProvider": "Datum::File", "StoreOptions": {"Path": f"./{name}"}}
            for name in stores
        ],
        "default_lookup_options": {"merge_hash": "deep", "merge_baseType_array": "Sum"},
    }  # fmt: skip
    write("Datum.yml", definition)
    common = {
        "Configurations": ["Network", "Config"],
        "Network": {"Mtu": 1500},
        "Config": _settings(dice, 1, "c", keys),
    }
    write("Common/Base.yml", common)
    for level, count in LEVELS.items():
        for at in range(count):
            write(f"{level}/{level}{at}.yml", {"Config": _settings(dice, 0.3, f"{level}{at}", keys)})
    for at in range(nodes):
        own: dict[str, Any] = {
            f"{level[:-1]}": f"{level}{at // (at % 3 + 1) % count}" for level, count in LEVELS.items()
        }
        more: dict[str, Any] = {"Network": {"Mtu": 9000}} if at % 10 == 3 else {}
        if own_share:
            more["Config"] = _settings(dice, own_share, f"node{at % 5}", keys)
        write(f"AllNodes/node{at:04}.yml", {"NodeName": f"node{at:04}", "Name": f"node{at:04}", **own, **more})


def render_fleet(folder: Path, nodes: int = 200, keys: int = 60, own_share: float = 0) -> Result:
    """A fleet, rendered for all its nodes."""
    write_fleet(folder, nodes, keys, own_share)
    return lamina.render(folder, dialect="datum", all_nodes=True)
