"""The data of the fleet benchmarks: five layers (global, region, role, rack, node), about 14 KB of YAML once merged."""

from __future__ import annotations

import random
from typing import Any

TABLES = 40
MEMBERS = 14
REGIONS, ROLES, RACKS = 8, 20, 60
SET = {"region": (56, TABLES), "role": (84, TABLES), "rack": (6, 2), "node": (3, 1)}
"""How many leaves a layer sets, in how many tables: the more a layer is a node's own, the less it says."""
FIXED = (12, 13)
"""Members that are numbers and flags, which only the global layer sets: the mergers keep the first of these."""


def leaf(random_: random.Random, member: int, label: str) -> Any:
    """A leaf as configuration has them: mostly short texts, some lists, numbers and flags."""
    if member % 7 == 3:
        return [f"{label}-{random_.randrange(1000)}" for _ in range(3)]
    if member in FIXED:
        return random_.randrange(65_536) if member % 2 else random_.random() < 0.5
    return f"{label}-{random_.randrange(10_000)}"


def shared_layers(seed: int = 7) -> dict[str, dict[str, Any]]:
    """The layers that nodes share, by file name."""
    random_ = random.Random(seed)
    layers = {"global.yaml": _layer(random_, [(t, m) for t in range(TABLES) for m in range(MEMBERS)], "global")}
    for level, count in (("region", REGIONS), ("role", ROLES), ("rack", RACKS)):
        for at in range(count):
            layers[f"{level}/{at}.yaml"] = _layer(random_, _places(random_, level), f"{level}{at}")
    return layers


def _places(random_: random.Random, level: str) -> list[tuple[int, int]]:
    """Where a layer of a level sets leaves."""
    count, tables = SET[level]
    chosen = random_.sample(range(TABLES), tables)
    return random_.sample([(table, member) for table in chosen for member in range(min(FIXED))], count)


def _layer(random_: random.Random, places: list[tuple[int, int]], label: str) -> dict[str, Any]:
    layer: dict[str, Any] = {}
    for table, member in places:
        layer.setdefault(f"table{table:02}", {})[f"member{member:02}"] = leaf(random_, member, label)
    return layer


def node_layer(at: int) -> dict[str, Any]:
    """What is a node's own: its name, number and address, and three leaves of another table."""
    random_ = random.Random(1_000_003 * at)
    address = f"10.{at >> 16 & 255}.{at >> 8 & 255}.{at & 255}"
    own = {"name": f"node{at:06}", "serial": f"SN-{at:08}", "address": address}
    return {"node": own, **_layer(random_, _places(random_, "node"), f"node{at}")}


def layers_of(at: int) -> list[str]:
    """The names of the shared layers of a node, the most common first."""
    rack = at % RACKS
    return ["global.yaml", f"region/{rack % REGIONS}.yaml", f"role/{at // 7 % ROLES}.yaml", f"rack/{rack}.yaml"]
