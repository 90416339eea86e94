"""Edits of values in whole repositories: how long a workspace takes to know what 200 random ones change.

LAMINA_BENCH_REPOSITORIES in the environment names folders that have a project file (`lamina init`), with commas between
them. An edit gives a number or a plain text in a YAML file another value. What it takes, in CPU time, depends on how
many targets read the file, so files of one target and files of several are rows of their own. The figures are the 95th
percentiles.

    python bench/edits.py [--quick] [--rows]
"""

from __future__ import annotations

import os
import random
import re
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING

from rows import Row, absent, is_quick, print_rows

import lamina
from lamina.service.garbage import collect_rarely

if TYPE_CHECKING:
    from collections.abc import Iterator

EDITS = 200
SEED = 33
_VALUE = re.compile(r"^( *(?:- )?[\w.-]+: )([A-Za-z0-9][\w./-]*)$", re.MULTILINE)
GOALS = {"one": 50.0, "several": 250.0}
"""Milliseconds for an edit in a file that one target reads, and in one that several read."""


def rows() -> Iterator[Row]:
    folders = [Path(each) for each in os.environ.get("LAMINA_BENCH_REPOSITORIES", "").split(",") if each]
    if not folders:
        yield absent("edits in a repository", "milliseconds", "LAMINA_BENCH_REPOSITORIES is not set")
    for folder in folders:
        yield from of_repository(folder)


def of_repository(folder: Path) -> Iterator[Row]:
    with lamina.Workspace(folder) as workspace:
        workspace.load()
        collect_rarely()  # as servers do once they have started
        readers = readers_of(workspace)
        for kind, goal in GOALS.items():
            files = sorted(path for path, count in readers.items() if (count == 1) == (kind == "one"))
            taken = sorted(times(workspace, folder, files))
            if taken:
                last = taken[min(len(taken) - 1, len(taken) * 95 // 100)]
                job = f"{folder.name}: {len(taken)} edits in files of {kind}, 95th percentile"
                note = f"median {statistics.median(taken):.0f} ms, most {taken[-1]:.0f} ms, {len(files)} files"
                yield Row(job, "milliseconds of CPU", last, taken[0], taken[-1], goal, at_most=True, note=note)


def readers_of(workspace: lamina.Workspace) -> dict[str, int]:
    """How many targets read each YAML file that is below the folder."""
    found: dict[str, int] = {}
    for outcome in workspace.outcomes():
        for path in outcome.needs.files:
            if path.endswith((".yaml", ".yml")) and not path.startswith(("..", "/")):
                found[path] = found.get(path, 0) + 1
    return found


def times(workspace: lamina.Workspace, folder: Path, files: list[str]) -> Iterator[float]:
    """What each edit takes, in milliseconds; it is taken back afterwards, which does not count."""
    chosen, left = random.Random(SEED), 20 if is_quick() else EDITS
    texts = {
        path: (folder / path).read_text(encoding="utf-8", errors="replace")
        for path in files
        if (folder / path).is_file()
    }
    places = [(path, found) for path, text in texts.items() for found in _VALUE.finditer(text)]
    for path, found in chosen.sample(places, min(left, len(places))):
        text = texts[path]
        edited = text[: found.start(2)] + ("7" if found[2] != "7" else "8") + text[found.end(2) :]
        start = time.process_time()
        workspace.update({path: edited})
        yield (time.process_time() - start) * 1000
        workspace.update({path: text})


if __name__ == "__main__":
    print_rows(rows())
