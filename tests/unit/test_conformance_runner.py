"""The runner of golden cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lamina.conformance import __main__ as runner
from lamina.conformance import check


def test_a_case_that_crashes_is_a_failed_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def crash(*_given: object) -> None:
        raise KeyError("a defect")

    monkeypatch.setattr(check, "render_with", crash)
    case = {"id": "one", "dialect": "heat", "about": "", "files": {}, "order": [], "expect": {"value": {}}}
    (tmp_path / "cases.json").write_text(json.dumps([case, {**case, "id": "two"}]))
    assert runner.main([str(tmp_path)]) == 1
    shown = capsys.readouterr().out
    assert "crashed: KeyError: 'a defect'" in shown
    assert shown.endswith("0 passed, 2 failed\n")
