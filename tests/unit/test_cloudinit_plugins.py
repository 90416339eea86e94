"""Mergers from other packages: found when installed, listed by name, never loaded because data names them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import lamina
from lamina.cli.main import main
from lamina.dialects.cloudinit.plugins import listed

CODE = """
class Merger:
    def __init__(self, root, options):
        self._root = root
        self._unique = "unique" in options

    def _on_list(self, old, new):
        return old + [item for item in new if not self._unique or item not in old]

    def _on_nonetype(self, old, new):
        return new

    def _on_str(self, old, new):
        raise ValueError("no texts here")


class Refusing:
    def __init__(self, root, options):
        raise RuntimeError("not today")
"""
POINTS = """[lamina.cloudinit.mergers]
set = fake_mergers:Merger
moody = fake_mergers:Refusing
gone = fake_mergers:Absent
"""


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fake_mergers.py").write_text(CODE)
    info = tmp_path / "fake_mergers-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fake-mergers\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "fake_mergers", raising=False)


def rendered(rule: str, first: str = "l: [1, 2]\nn:\n", second: str = "l: [2, 3]\nn: [4]\n") -> lamina.Result:
    parts = [("one", f"#cloud-config\n{first}"), ("two", f"#cloud-config\nmerge_how: {rule}\n{second}")]
    return lamina.render(parts, dialect="cloud-init")


def test_an_installed_merger_is_used() -> None:
    result = rendered("set(unique)+dict(recurse_list)")
    assert result.value == {"l": [1, 2, 3], "n": [4]}
    assert {str(origin) for origin in result.explain("l").origins} == {"one:2:4", "two:3:4"}


def test_the_first_that_handles_a_value_counts() -> None:
    assert rendered("list(append)+set()+dict(recurse_list)").value == {"l": [1, 2, 2, 3], "n": [4]}
    assert rendered("set()+dict(replace)").value == {"l": [2, 3], "n": [4]}


def test_what_it_raises_drops_the_part() -> None:
    result = rendered("set()+dict(recurse_str)", "s: a\n", "s: b\n")
    assert result.value == {"s": "a"}
    [note] = [note for note in result.notes if note.severity is lamina.Severity.ERROR]
    assert (note.code, note.path) == ("merge-type-error", ("s",))


def test_one_that_cannot_be_made_drops_the_part() -> None:
    [note] = rendered("moody()+dict()").notes[:1]
    assert note.code == "merge-type-error"
    assert "not today" in note.message


def test_one_that_cannot_be_loaded_is_an_error() -> None:
    with pytest.raises(lamina.UsageError) as caught:
        rendered("gone()+dict()")
    assert caught.value.diagnostic.code == "broken-plugin"


def test_what_is_not_installed_is_unknown() -> None:
    [note] = [note for note in rendered("os()+dict()").notes if note.code == "unknown-merger"]
    assert "dict, list, str, gone, moody, set" in (note.hint or "")


def test_listing_loads_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert [(plugin.name, plugin.package, plugin.version) for plugin in listed()] == [
        ("gone", "fake-mergers", "1.2"),
        ("moody", "fake-mergers", "1.2"),
        ("set", "fake-mergers", "1.2"),
    ]
    with pytest.raises(SystemExit) as left:
        main(["--version", "-v"])
    assert left.value.code == 0
    assert "merger   set         fake-mergers 1.2" in capsys.readouterr().out
    assert "fake_mergers" not in sys.modules
