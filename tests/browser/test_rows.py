"""The rows that the scripts of the page make are those of a page on which nothing is shared."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, reject, settings

from browser import chromium
from lamina.conformance.case import load
from lamina.dialects import registry as dialects
from lamina.dialects.extensions import golden_of
from lamina.errors import LaminaError
from lamina.sources.inputs import Folder, Inputs, MemoryFiles
from lamina.views.render import render_with
from lamina.views.report.build_html import embedded
from lamina.views.report.page_data import collect
from lamina.views.report.shared_parts import Sharing
from lamina.views.result import Result
from support.datum_fleets import fleets
from support.page_fleet import render_fleet
from support.page_rows import expanded

TESTS = Path(__file__).parents[1]
CASES = TESTS / "cases"


def by_scripts(pages: list[dict[str, Any]]) -> list[Any]:
    """All that the scripts show of each output of each page."""
    if shutil.which("node") is None:
        chromium.need()
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.json" for number in range(len(pages))]
        for path, data in zip(paths, pages, strict=True):
            path.write_text(embedded(data), encoding="utf-8")
        script = TESTS / "support/shown_rows.mjs"
        page = str(files("lamina.views.report") / "page")
        run = subprocess.run(["node", script, page, *paths], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def assert_same(results: list[Result]) -> list[dict[str, Any]]:
    pages = [collect(result, "") for result in results]
    shown = by_scripts(pages)
    with mock.patch.object(Sharing, "outline", return_value=None):
        for result, each in zip(results, shown, strict=True):
            assert each == json.loads(json.dumps(expanded(collect(result, ""))))
    return pages


@pytest.mark.parametrize("own_share", [0, 0.2])
def test_rows_of_a_fleet(tmp_path: Path, own_share: float) -> None:
    (data,) = assert_same([render_fleet(tmp_path, nodes=12, keys=40, own_share=own_share)])
    assert data["stacks"]


@settings(max_examples=20, deadline=None)
@given(fleets())
def test_rows_of_any_fleet(files: dict[str, str]) -> None:
    datum = dialects.find("datum")
    inputs = Inputs((Folder("tree", MemoryFiles(files)),))
    try:
        result = render_with(datum, inputs, dialects.make_options(datum, {"all_nodes": True}))
    except LaminaError:
        reject()  # a list cannot be merged with null, and there is no row to compare
    assert_same([result])


def results_of(folder: Path) -> Iterator[Result]:
    """The results of the golden cases in a folder."""
    for path in sorted(folder.rglob("*.json")):
        for case in load(path):
            chosen = dialects.find(case.dialect)
            try:
                options = dialects.make_options(chosen, {**golden_of(chosen).options, **case.settings()})
                yield render_with(chosen, case.inputs(), options)
            except LaminaError:
                continue


@pytest.mark.parametrize("name", sorted(path.name for path in CASES.iterdir() if path.is_dir()))
def test_rows_of_golden_cases(name: str) -> None:
    results = list(results_of(CASES / name))
    assert results
    assert_same(results)
