"""Resident memory of a workspace after some edits and after many: `-m support.workspace_memory NAME COUNT FOLDER`.

It runs in a process of its own, since memory that others have used before would hide growth.
"""

from __future__ import annotations

import gc
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import rapidfuzz.distance  # noqa: F401 - loaded with the first change of a list, which is no growth

import lamina
from support.workspace_edits import edit, write
from support.workspace_files import REPOSITORIES

FIRST = 100


def resident() -> int:
    """The resident memory of this process, in KiB."""
    gc.collect()
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


def measured(name: str, count: int, folder: Path) -> Iterator[int]:
    """The memory after the first edits, and after all of them."""
    repository, rng = REPOSITORIES[name], random.Random(4)
    state = dict(repository.start)
    write(folder, state)
    with lamina.Workspace(folder) as workspace:
        for number in range(1, count + 1):
            # A line that no text had before, so that nothing is found again by its content.
            change = {
                path: text if text is None or path == "lamina.toml" else f"{text}# {number}\n"
                for path, text in edit(rng, repository, state).items()
            }
            workspace.update(change)
            state = {path: text for path, text in {**state, **change}.items() if text is not None}
            if number in (FIRST, count):
                yield resident()


if __name__ == "__main__":
    print(*measured(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])))
