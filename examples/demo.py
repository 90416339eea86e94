"""Walks through the main jobs on the bundled examples: prints each command, then what it prints."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent

TOUR = [
    ("Two parts of user-data, each with a runcmd list: what does cloud-init make of them?", "cloud-init/overview"),
    ("lamina render --annotate one.yaml two.yaml", None),
    ("Why is it not all four commands?", None),
    ("lamina explain runcmd one.yaml two.yaml", None),
    ("With a rule in the second part the lists are joined:", None),
    ("lamina render --annotate one.yaml joining.yaml", None),
]
"""Sentences and commands; a sentence with a folder goes there first."""


def main() -> int:
    """Run the tour; give the exit status of the first command that could not be run."""
    folder = HERE
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for text, place in TOUR:
        folder = HERE / place if place else folder
        if not text.startswith("lamina "):
            print(f"\n# {text}", flush=True)
            continue
        print(f"$ {text}", flush=True)
        status = subprocess.run(text, shell=True, cwd=folder, env={**os.environ, "PATH": path}, check=False).returncode
        if status > 1:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
