"""Walks through the main jobs on the bundled examples: prints each command, then what it prints."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
PAGE = Path("build/demo/report.html")
"""Where the page is written, from the root of the checkout; git ignores it."""


class Stop(NamedTuple):
    """One stop of the tour: a folder of examples, what to see there, and the commands that show it."""

    folder: str
    says: str
    commands: tuple[str, ...]


TOUR = (
    Stop(
        "cloud-init/hardening",
        "cloud-init: a hardening file, and one for web servers. Both list packages. What becomes of them?",
        ("lamina render --annotate hardening.yaml web.yaml",),
    ),
    Stop("cloud-init/hardening", "Where is fail2ban?", ("lamina explain -q packages hardening.yaml web.yaml",)),
    Stop(
        "cloud-init/hardening",
        "With the rule from the hint the lists are joined:",
        ("lamina render --annotate hardening.yaml web-joining.yaml",),
    ),
    Stop(
        "heat/services",
        "Heat: a merge strategy named too late is refused, and the place that fixed it is told.",
        ("lamina render -t template.yaml -e one.yaml -e two-too-late.yaml",),
    ),
    Stop(
        "heat/services",
        "Named in the first file it works. The plan shows which strategy is in force, and why:",
        ("lamina plan -q -t template.yaml -e one-merging.yaml -e two.yaml",),
    ),
    Stop(
        "deckhand/pull-request",
        "Deckhand: a pull request changes a global document. Which sites change, and because of which line?",
        ("lamina diff before after", "lamina explain data.replicas after --document lyon"),
    ),
    Stop(
        "datum/data",
        "Datum: what a node looks up, and the layer behind each value. No PowerShell is needed.",
        ("lamina render -q --annotate --node DevSRV01 --lookup NetworkConfig .",),
    ),
    Stop("datum/data", "Is anything in the hierarchy likely a mistake?", ("lamina lint --ignore compat-differs .",)),
    Stop(
        "cloud-init/four-layers",
        "And all of it as one page, to click through:",
        ("lamina report -q 10-base.yaml 20-region.yaml 30-web.yaml 40-host.yaml -o ../../../build/demo/report.html",),
    ),
)

NEXT = (
    "lamina explain --all web.yaml                 # in examples/cloud-init/hardening: the history of every value",
    "lamina plan --format dot after                # in examples/deckhand/pull-request: the graph, for Graphviz",
    "lamina render FILE...                         # on files of your own; lamina --help lists the commands",
)


def main() -> int:
    """Run the tour; give the exit status of the first command that failed in a way the tour does not mean to show."""
    root = HERE.parent
    (root / PAGE).parent.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for stop in TOUR:
        print(f"\n# {stop.says}", flush=True)
        for command in stop.commands:
            print(f"$ {command}", flush=True)
            status = subprocess.run(
                command, shell=True, cwd=HERE / stop.folder, env=environment, check=False
            ).returncode
            if status not in (0, 1, 3):
                return status
    print(f"\nThe page is {PAGE}; open it in a browser. What to try next, after `. .venv/bin/activate`:\n")
    print("\n".join(f"  {line}" for line in NEXT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
