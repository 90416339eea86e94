"""Writes the figures of the page on performance from what `make bench` measured: python docs/figures.py [RESULTS]."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RESULTS = HERE.parent / ".bench/results.json"
PAGE = HERE / "explanation/performance.md"
BEGIN, END = "<!-- figures: begin -->\n", "<!-- figures: end -->\n"


def table(results: dict[str, Any]) -> str:
    """The figures as Markdown: one row a job, in the order they were measured."""
    lines = [
        "| question | job | against | ratio | range | target | medians |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [_line(question, row) for question, rows in results["results"].items() for row in rows]
    asked = [*(["--quick"] if results["quick"] else []), *results["results"]]
    command = f'make bench BENCH="{" ".join(asked)}"'
    made = f"Made with `{command}` and `python docs/figures.py`; load {results['load']:.1f} at the start."
    return "\n".join([*lines, "", made, ""])


def _line(question: str, row: dict[str, Any]) -> str:
    cells = [question.replace("_", " "), row["job"], row["against"], *_figures(row), row["note"]]
    return f"| {' | '.join(str(cell).replace('|', '/') for cell in cells)} |"


def _figures(row: dict[str, Any]) -> tuple[str, str, str]:
    if math.isnan(row["ratio"]):
        return "", "", ""
    target = "" if row["target"] is None else f"{'≤' if row['at_most'] else '≥'} {row['target']:g}, {row['verdict']}"
    return f"×{row['ratio']:.3g}", f"{row['low']:.3g} to {row['high']:.3g}", target


def page(text: str, results: dict[str, Any]) -> str:
    """The page with new figures."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table(results)}\n{END}{after}"


def main() -> None:
    """Rewrite the page."""
    results = json.loads(Path(sys.argv[1] if len(sys.argv) > 1 else RESULTS).read_text())
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8")


if __name__ == "__main__":
    main()
