"""Starting: the CPU time of a command against that of a bare interpreter.

python bench/starting.py [--quick] [--rows]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from rows import Row, is_quick, of_pairs, print_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

RUN = "import sys; from lamina.cli.main import main; main(sys.argv[1:])"


def spent(*arguments: str) -> float:
    """The CPU time of an interpreter."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with subprocess.Popen([sys.executable, *arguments], stdout=subprocess.DEVNULL, env=environ) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, arguments
    return used.ru_utime + used.ru_stime


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder) / "part.yaml"
        part.write_text("#cloud-config\na: 1\nb: {c: 2}\n")
        asked: dict[str, tuple[tuple[str, ...], float | None]] = {
            "import click and yaml, no more": (("-c", "import click, yaml"), None),
            "lamina --help": (("-c", RUN, "--help"), None),
            "lamina render of a small file": (("-c", RUN, "render", str(part)), 7),
        }
        for arguments, _ in asked.values():
            spent(*arguments)
        for job, (arguments, target) in asked.items():
            pairs = [(spent(*arguments), spent("-c", "pass")) for _ in range(7 if is_quick() else 15)]
            yield of_pairs(job, "a bare interpreter", pairs, target=target, at_most=True)


if __name__ == "__main__":
    print_rows(rows())
