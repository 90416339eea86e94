"""The figures of the manual are those that were measured, in a form of their own."""

from __future__ import annotations

import figures
import run

ROW = {
    "job": "read a | b",
    "against": "PyYAML",
    "ratio": 3.14159,
    "low": 3.0,
    "high": 3.5,
    "target": 3,
    "at_most": False,
    "note": "9 ms / 3 ms",
    "verdict": "met",
}
NOT_THERE = {**ROW, "ratio": float("nan"), "target": None, "verdict": "", "note": "not measured: no such program"}


def test_every_figure_is_a_row_and_says_how_it_was_made() -> None:
    shown = figures.table({"load": 0.5, "quick": False, "results": {"user_data": [ROW, NOT_THERE]}})
    assert "| user data | read a / b | PyYAML | ×3.14 | 3 to 3.5 | ≥ 3, met | 9 ms / 3 ms |" in shown
    assert "| user data | read a / b | PyYAML |  |  |  | not measured: no such program |" in shown
    assert 'Made with `make bench BENCH="user_data"` and `python docs/figures.py`; load 0.5 at the start.' in shown


def test_the_page_keeps_what_is_around_the_figures() -> None:
    text = figures.PAGE.read_text()
    once = figures.page(text, {"load": 0.5, "quick": True, "results": {"reading": [ROW]}})
    again = figures.page(once, {"load": 0.5, "quick": True, "results": {}})
    assert "read a / b" in once
    assert "read a / b" not in again
    before, after = text.split(figures.BEGIN)[0], text.split(figures.END)[1]
    assert again.startswith(before)
    assert again.endswith(after)


def test_the_page_has_every_question() -> None:
    for question in run.QUESTIONS:
        assert f"| `{question}` |" in figures.PAGE.read_text()
