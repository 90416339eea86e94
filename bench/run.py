"""All benchmarks: one script a question, one table, and `.bench/results.json`.

python bench/run.py [--quick] [--paused] [QUESTION...]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from rows import Row, absent, line

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
HOME = HERE.parent / ".bench"
QUESTIONS = (
    "starting", "reading", "two_files", "user_data", "environments", "hierarchy", "hiera_lookups",
    "helm_values", "real_sites", "growth", "workspaces", "edits", "editing", "reports", "fleets", "serving",
)  # fmt: skip


def answers(question: str, *, quick: bool) -> Iterator[Row]:
    """The rows of one question; a script that fails is reported, and the others go on."""
    command = [
        sys.executable,
        str(HERE / f"{question}.py"),
        "--rows",
        *(["--quick"] if quick else []),
        *({"--paused"} & {*sys.argv}),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        for text in process.stdout:
            if text.startswith("{"):
                yield Row(**json.loads(text))
        complaint = process.stderr.read().strip().splitlines()
    if process.returncode:
        yield absent(question, "", (complaint or ["it failed"])[-1])


def main() -> None:
    quick = "--quick" in sys.argv
    asked = [name for name in sys.argv[1:] if not name.startswith("-")]
    HOME.mkdir(exist_ok=True)
    load = os.getloadavg()[0]
    print(f"CPU time, contenders in turn, medians of ratios; {os.cpu_count()} cores, load {load:.1f} at the start")
    results: dict[str, list[Row]] = {}
    for question in asked or QUESTIONS:
        print(f"\n{question}", flush=True)
        for each in answers(question, quick=quick):
            results.setdefault(question, []).append(each)
            print("  " + line(each), flush=True)
    shown = {name: [{**asdict(each), "verdict": each.verdict} for each in rows] for name, rows in results.items()}
    (HOME / "results.json").write_text(json.dumps({"load": load, "quick": quick, "results": shown}, indent=2) + "\n")
    bound = [each for rows in results.values() for each in rows if each.target is not None]
    print(f"\n{sum(each.verdict == 'met' for each in bound)} of {len(bound)} targets met:")
    for each in bound:
        print("  " + line(each))


if __name__ == "__main__":
    main()
