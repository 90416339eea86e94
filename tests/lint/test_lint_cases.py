"""Whatever the input, linting ends in findings or an error of Lamina's own; every form can be written of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lamina.conformance.case import find, load
from lamina.conformance.check import settings_of
from lamina.dialects import registry as dialects
from lamina.errors import LaminaError
from lamina.views.lint.api import lint_with
from lamina.views.lint.formats.data import as_json
from lamina.views.lint.formats.github import as_github
from lamina.views.lint.formats.sarif import as_sarif
from lamina.views.lint.formats.text import as_text
from lamina.views.lint.selection import Selection

CASES = Path(__file__).parents[1] / "cases"


@pytest.mark.parametrize("path", list(find([CASES])), ids=lambda path: path.relative_to(CASES).as_posix())
def test_every_golden_case_can_be_linted(path: Path) -> None:
    for case in load(path):
        chosen = dialects.find(case.dialect)
        try:
            options = dialects.make_options(chosen, settings_of(case))
            linted = lint_with(chosen, case.inputs(), options, Selection())
        except LaminaError:
            continue
        assert json.loads(as_json(linted))["version"] == 1
        assert len(json.loads(as_sarif(linted))["runs"][0]["results"]) == len(linted.causes)
        assert as_github(linted).count("\n") == len(linted.causes)
        assert all(note.code == "dependency-failed" for note in linted.findings if note.cause is not None)
        assert as_text(linted).endswith("\n")
        for note in linted.findings:
            assert note.code
            assert note.message
