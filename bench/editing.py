"""What an editor waits for in whole repositories, in CPU time of the server: hover, edits, and what lines decide.

LAMINA_BENCH_REPOSITORIES in the environment names folders, with commas between them; without a project file, what
`lamina init` finds there is used. Hover is asked on random lines of random files that targets read.

    python bench/editing.py [--quick] [--rows]
"""

from __future__ import annotations

import os
import random
import resource
import time
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from rows import Row, absent, is_quick, print_rows

from lamina.editor.hover import hover
from lamina.editor.open_project import EditorSettings, OpenProject
from lamina.project.folder_project import discover

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

POSITIONS = 400
FILES = 20
SEED = 37
_UNIT = "milliseconds of CPU"


def rows() -> Iterator[Row]:
    folders = [Path(each) for each in os.environ.get("LAMINA_BENCH_REPOSITORIES", "").split(",") if each]
    if not folders:
        yield absent("an editor in a repository", "milliseconds", "LAMINA_BENCH_REPOSITORIES is not set")
    for folder in folders:
        yield from of_repository(folder)


def of_repository(folder: Path) -> Iterator[Row]:
    (found, *_) = discover(folder)
    project = OpenProject(found, EditorSettings(), None)
    loading = timed(project.workspace.load)
    count = len(project.workspace.targets)
    yield row(f"{folder.name}: loading {count} targets", [loading], None)
    read = {path for each in project.workspace.outcomes() for path in each.needs.files}
    files = sorted(path for path in read if path.endswith((".yaml", ".yml")) and project.workspace.file(path))
    chosen = random.Random(SEED)
    some = chosen.sample(files, min(FILES, len(files)))
    first = [timed(lambda path=path: asked(project, path, chosen)) for path in some]  # type: ignore[misc]
    yield row(f"{folder.name}: first hover in a file, 95th percentile", first, 1_000.0)
    uses = [timed(lambda path=path: project.workspace.uses(path)) for path in some]  # type: ignore[misc]
    yield row(f"{folder.name}: what all lines of a file decide, 95th percentile", uses, 300.0)
    times = range(40 if is_quick() else POSITIONS)
    warm = [timed(lambda: asked(project, chosen.choice(some), chosen)) for _ in times]
    yield row(f"{folder.name}: hover, 95th percentile", warm, 50.0)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield Row(f"{folder.name}: memory", "MiB", memory, memory, memory, 500.0, at_most=True)
    project.close()


def asked(project: OpenProject, path: str, chosen: random.Random) -> None:
    line = chosen.randrange(len(project.text_of(path).lines))
    hover(project, path, types.Position(line, 2))


def timed(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


def row(job: str, taken: Sequence[float], goal: float | None) -> Row:
    ordered = sorted(taken)
    last = ordered[min(len(ordered) - 1, len(ordered) * 95 // 100)]
    return Row(job, _UNIT, last, ordered[0], ordered[-1], goal, at_most=True, note=f"of {len(ordered)}")


if __name__ == "__main__":
    print_rows(rows())
