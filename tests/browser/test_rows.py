"""The rows that the scripts of the page make are those of a page on which nothing is shared."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from browser import chromium
from lamina.views.report.build_html import embedded
from lamina.views.report.page_data import collect
from lamina.views.report.shared_parts import Sharing
from lamina.views.result import Result
from support.page_fleet import render_fleet
from support.page_rows import expanded

SUPPORT = Path(__file__).parents[1] / "support"


def by_scripts(data: dict[str, Any], folder: Path) -> Any:
    """All that the scripts show of each output."""
    if shutil.which("node") is None:
        chromium.need()
    file = folder / "data.json"
    file.write_text(embedded(data), encoding="utf-8")
    page = str(files("lamina.views.report") / "page")
    run = subprocess.run(["node", SUPPORT / "shown_rows.mjs", page, file], check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


def assert_same(result: Result, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    data = collect(result, "")
    shown = by_scripts(data, folder)
    monkeypatch.setattr(Sharing, "outline", lambda *_: None)
    assert shown == json.loads(json.dumps(expanded(collect(result, ""))))
    return data


@pytest.mark.parametrize("own_share", [0, 0.2])
def test_rows_of_a_fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_share: float) -> None:
    (tmp_path / "fleet").mkdir()
    result = render_fleet(tmp_path / "fleet", nodes=12, keys=40, own_share=own_share)
    data = assert_same(result, tmp_path, monkeypatch)
    assert data["stacks"]
