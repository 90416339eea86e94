"""A dialect written with `lamina.plugin` alone is installed, and every command knows it."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

MODULE = Path(__file__).with_name("orchard.py")
FILES = {
    "orchard/orchard.yaml": "owner: anne@@orchard\nsorts: [quince]\nharvest: 10\nsign: row @row of @season\n",
    "orchard/rows/north.yaml": "sorts: [pear, quince, pear]\nharvest: 5\n",
    "orchard/rows/south.yaml": "sorts: [fig]\nsign: south\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an orchard, and the dialect installed beside it."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    packages = tmp_path / "packages"
    info = packages / "orchard-1.0.dist-info"
    info.mkdir(parents=True)
    (packages / "orchard.py").write_text(MODULE.read_text())
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: orchard\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[lamina.dialects]\norchard = orchard:DIALECT\n")
    return tmp_path


def lamina(folder: Path, *arguments: str) -> tuple[int, str, str]:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(["packages", os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        [sys.executable, "-m", "lamina", *arguments],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


def test_it_imports_nothing_else_of_lamina_and_is_short() -> None:
    text = MODULE.read_text()
    assert len(text.splitlines()) < 150
    imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    own = [(node.module, node.names[0].name) for node in imports if isinstance(node, ast.ImportFrom)]
    assert ("lamina", "plugin") in own
    assert not [
        module
        for module, name in own
        if str(module).startswith("lamina") and (module, name) != ("lamina", "plugin") and module != "lamina.plugin"
    ]


def test_all_rows_are_rendered_and_values_are_computed(folder: Path) -> None:
    status, out, _ = lamina(folder, "render", "orchard", "--season", "2031", "--format", "json")
    assert status == 0
    assert json.loads(out) == [
        {"owner": "anne@orchard", "sorts": ["quince", "pear"], "harvest": 15, "sign": "row north of 2031"},
        {"owner": "anne@orchard", "sorts": ["quince", "fig"], "harvest": 10, "sign": "south"},
    ]


def test_the_flag_and_its_short_form_choose_a_row(folder: Path) -> None:
    status, out, _ = lamina(folder, "render", "orchard", "-r", "south", "--annotate")
    assert status == 0
    assert "- fig  # orchard/rows/south.yaml:1" in out
    assert "sign: south  # orchard/rows/south.yaml:2" in out
    assert "north" not in out


def test_help_shows_the_options_of_the_dialect_at_hand(folder: Path) -> None:
    _, out, _ = lamina(folder, "render", "--dialect", "orchard", "--help")
    assert "Options of orchard:" in out
    assert "-r, --row TEXT" in out
    assert "--season INTEGER" in out
    assert "Options of heat" not in out
    _, out, _ = lamina(folder, "explain", "--help")
    assert "layers, orchard: lamina explain --dialect NAME --help" in " ".join(out.split())


def test_history_keeps_the_lines_of_computed_strings_and_both_sides_of_a_sum(folder: Path) -> None:
    _, out, _ = lamina(folder, "explain", "sign", "orchard", "--row", "north")
    assert "orchard/orchard.yaml:4:7" in out
    _, out, _ = lamina(folder, "explain", "harvest", "orchard", "--row", "north")
    assert [line.split("by ")[1] for line in out.splitlines() if "by " in line] == [
        "the row wins",
        "harvests are added",
    ]
    _, out, _ = lamina(folder, "explain", "harvest", "orchard", "--row", "north", "--format", "json")
    origins = json.loads(out)["targets"][0]["explained"][0]["origins"]
    assert [(each["source"], each["line"]) for each in origins] == [
        ("orchard/orchard.yaml", 3),
        ("orchard/rows/north.yaml", 2),
    ]


def test_nodes_and_fleet_know_the_rows(folder: Path) -> None:
    _, out, _ = lamina(folder, "targets", "orchard")
    assert out.splitlines()[:3] == [
        "north",
        "  orchard/orchard.yaml: orchard/orchard.yaml",
        "  orchard/rows/north.yaml: orchard/rows/north.yaml",
    ]
    status, out, _ = lamina(folder, "render", "orchard", "--format", "jsonl", "--season", "7")
    assert status == 0
    lines = [json.loads(line) for line in out.splitlines()]
    assert [(line["name"], line["value"]["sign"]) for line in lines] == [
        ("north", "row north of 7"),
        ("south", "south"),
    ]


def test_its_lint_rule_is_asked(folder: Path) -> None:
    (folder / "orchard/orchard.yaml").write_text("owner: anne\n")
    status, out, _ = lamina(folder, "lint", "orchard", "--select", "unripe-row")
    assert status == 1
    assert "south has no harvest [unripe-row]" in out
    assert "north" not in out


def test_rejections_have_a_place(folder: Path) -> None:
    (folder / "orchard/rows/north.yaml").write_text("a:\n  - what is @this\n")
    status, _, err = lamina(folder, "render", "orchard")
    assert status == 3
    assert err.startswith("orchard/rows/north.yaml:2:5: @this stands for nothing [orchard-word]")
    (folder / "orchard/rows/north.yaml").write_text("sorts: {a: 1}\n")
    (folder / "orchard/orchard.yaml").write_text("sorts: {b: 1}\n")
    (folder / "orchard/rows/south.yaml").write_text("sorts: 3\n")
    status, _, err = lamina(folder, "render", "orchard", "--row", "south")
    assert status == 3
    assert "sorts is a mapping, and orchard/rows/south.yaml has a number [orchard-types]" in err
    status, _, err = lamina(folder, "render", "orchard", "--row", "west")
    assert (status, err.splitlines()[0]) == (3, "there is no row west [no-such-row]")


def test_it_is_not_rendered_twice_and_has_no_compatibility_mode(folder: Path) -> None:
    status, _, err = lamina(folder, "render", "orchard", "--compat", "manual")
    assert status == 2
    assert "unknown option 'compat' of orchard" in err
