"""Every promise of SECURITY.md names tests, and they exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = [line for line in (ROOT / "SECURITY.md").read_text().splitlines() if line.startswith("| **")]


def test_there_are_promises() -> None:
    assert len(ROWS) > 8


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("**")[1])
def test_a_promise_names_tests_that_exist(row: str) -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)`", row)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
