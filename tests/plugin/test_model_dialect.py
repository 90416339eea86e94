"""The dialect of the how-to: a fleet takes as many reads as it has nodes, and what its readers notice is shown."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lamina
from lamina.sources.inputs import Folder, MemoryFiles, gather

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.plugin import Dialect, Source

PACKAGES = Path(__file__).parents[2] / "examples/plugins/packages"


class CountedFiles(MemoryFiles):
    """Counts how often a file is read, and how often all names are listed."""

    reads = 0
    listings = 0

    def read(self, name: str) -> Source | None:
        self.reads += 1
        return super().read(name)

    def names(self) -> Sequence[str]:
        self.listings += 1
        return super().names()


@pytest.fixture
def overlay(monkeypatch: pytest.MonkeyPatch) -> Dialect[Any]:
    monkeypatch.syspath_prepend(PACKAGES)
    for name in [name for name in sys.modules if name.partition(".")[0] == "my_package"]:
        monkeypatch.delitem(sys.modules, name)
    from my_package.overlay import DIALECT  # type: ignore[import-not-found]

    dialect: Dialect[Any] = DIALECT
    return dialect


def site(count: int) -> CountedFiles:
    nodes = {f"nodes/web-{number}.yaml": f"role: web\nnumber: {number}\n" for number in range(count)}
    return CountedFiles({"base.yaml": "limits: {files: 1}\n", "roles/web.yaml": "limits: {files: 2}\n", **nodes})


@pytest.mark.parametrize("count", [10, 40])
def test_a_node_of_a_fleet_reads_its_own_files_alone(overlay: Dialect[Any], count: int) -> None:
    files = site(count)
    folder = Folder("site", files)
    for number in range(count):
        result = lamina.render([folder], overlay, node=f"web-{number}")
        assert result.value == {"limits": {"files": 2}, "role": "web", "number": number}
    assert (files.reads, files.listings) == (3 * count, 0)


def test_listing_the_nodes_with_their_layers_takes_a_few_reads_each(overlay: Dialect[Any]) -> None:
    files = site(20)
    fleet = overlay.extension("fleet")
    gathered = gather([Folder("site", files)])
    assert len(list(fleet.layers(gathered, overlay.options()))) == 20
    assert (files.reads, files.listings) == (20 + 2 * 20, 1)


def test_what_the_readers_notice_is_shown(overlay: Dialect[Any]) -> None:
    files = {"base.yaml": "a: 1\na: 2\n", "nodes/one.yaml": "b: 1\nb: 2\n"}
    notes = lamina.render([Folder("site", MemoryFiles(files))], overlay, node="one").notes
    assert [(note.code, str(note.at)) for note in notes] == [
        ("duplicate-key", "base.yaml:2:1"),
        ("duplicate-key", "nodes/one.yaml:2:1"),
    ]


def test_a_node_that_looks_like_a_pattern_is_unknown(overlay: Dialect[Any]) -> None:
    with pytest.raises(lamina.LaminaError, match=r"there is no node web-\?"):
        lamina.render([Folder("site", site(3))], overlay, node="web-?")
