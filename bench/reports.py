"""The page of a fleet against its YAML: 400 Datum nodes of 550 keys, files to text.

Two fleets: in one, nodes set little of their own (72 combinations of role, site and system), as most do; in the other,
every node sets a tenth of the keys, and nearly every node has a combination of layers that no other has.

    python bench/reports.py [--quick] [--rows]
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hierarchy
from rows import Row, is_quick, of_pairs, print_rows, seconds

import lamina
from lamina.cli.main import collecting_nothing
from lamina.session import Session
from lamina.views.report.build_html import report

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina.views.result import Result

KEYS = 550
TARGET = 1.5


def unlike(folder: Path, nodes: int) -> None:
    """A fleet whose nodes share as little as they can."""
    dice = random.Random(7)
    files = {("common", "common"): hierarchy.leaves(dice, 1, "common", KEYS)}
    for level, (count, share) in hierarchy.LEVELS.items():
        for at in range(count):
            files[level, f"{level}{at}"] = hierarchy.leaves(dice, share, f"{level}{at}", KEYS)
    for at in range(nodes):
        files["node", f"node{at:05}"] = hierarchy.leaves(dice, 0.1, f"node{at}", KEYS)
    hierarchy.write_datum(folder, files)


def alike(folder: Path, nodes: int) -> None:
    from support.page_fleet import write_fleet

    write_fleet(folder, nodes, KEYS)


def rendered(folder: Path) -> Result:
    return lamina.render(folder, dialect="datum", session=Session(), all_nodes=True)


def timed(folder: Path, write: Callable[[Result], Any]) -> float:
    """From files to text, as the commands do it: no garbage is collected meanwhile."""
    with collecting_nothing():
        return seconds(lambda: write(rendered(folder)))


def rows() -> Iterator[Row]:
    nodes = 60 if is_quick() else 400
    fleets: dict[str, Callable[[Path, int], None]] = {"alike": alike, "each of its own": unlike}
    for name, write in fleets.items():
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            write(folder, nodes)
            pairs = [
                (timed(folder, report), timed(folder, lambda result: result.to_yaml()))
                for _ in range(1 if is_quick() else 2)
            ]
            job = f"report of {nodes} nodes x {KEYS} keys, {name}"
            target = None if is_quick() else TARGET
            size = len(report(rendered(folder))) / 1e6
            yield of_pairs(job, "YAML of the same", pairs, target=target, at_most=True, note=f"{size:.1f} MB")


if __name__ == "__main__":
    print_rows(rows())
