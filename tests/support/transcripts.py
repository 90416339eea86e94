"""Console blocks in Markdown: commands with their output, run and compared.

A block opened by ```console holds lines `$ command` and, below each, what it prints. It is run in a copy of the folder
named by the nearest `<!-- run in: FOLDER -->` above it, a path from the project's root (an empty folder without one).
A block that starts with `$ cd PATH` shows where it runs: the copy is then at FOLDER below an empty folder, or at NAME
for `<!-- run in: FOLDER as NAME -->`. With LAMINA_UPDATE=1 the outputs are rewritten; read the difference.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FOLDER = re.compile(r"<!-- run in: (\S+)(?: as (\S+))? -->")
_CD = re.compile(r"cd ([\w./-]+)")


@dataclass
class Exchange:
    """One command and what it printed."""

    command: str
    output: list[str] = field(default_factory=list)


@dataclass
class Block:
    """A console block: its lines, the folder it runs in and what that is called, and its exchanges."""

    start: int
    end: int
    folder: str | None
    name: str | None
    exchanges: list[Exchange]

    @property
    def shows_folder(self) -> bool:
        """Whether the first command goes to the folder."""
        return bool(self.exchanges) and _CD.fullmatch(self.exchanges[0].command) is not None


def blocks(text: str) -> list[Block]:
    """The console blocks of a Markdown text."""
    found: list[Block] = []
    folder: str | None = None
    name: str | None = None
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        if match := _FOLDER.search(lines[at]):
            folder, name = match[1], match[2]
        if lines[at].strip() == "```console":
            end = lines.index("```", at + 1)
            found.append(Block(at + 1, end, folder, name, _exchanges(lines[at + 1 : end])))
            at = end
        at += 1
    return found


def _exchanges(lines: list[str]) -> list[Exchange]:
    exchanges: list[Exchange] = []
    for line in lines:
        if line.startswith("$ "):
            exchanges.append(Exchange(line[2:]))
        else:
            exchanges[-1].output.append(line)
    return exchanges


def run(block: Block, folder: Path) -> list[Exchange]:
    """The block's commands with what they really print."""
    if block.folder:
        below = block.name or block.folder if block.shows_folder else "."
        shutil.copytree(ROOT / block.folder, folder / below, dirs_exist_ok=True)
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100", "LC_ALL": "C.UTF-8"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    done = []
    for exchange in block.exchanges:
        if place := _CD.fullmatch(exchange.command):
            folder = (folder / place[1]).resolve(strict=True)
            done.append(Exchange(exchange.command))
            continue
        finished = subprocess.run(
            ["bash", "-c", exchange.command],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
            timeout=120,
        )
        done.append(Exchange(exchange.command, finished.stdout.rstrip("\n").split("\n") if finished.stdout else []))
    return done


def written(exchanges: list[Exchange]) -> list[str]:
    """Exchanges as the lines of a block."""
    return [line for exchange in exchanges for line in (f"$ {exchange.command}", *exchange.output)]


def update(path: Path, block: Block, exchanges: list[Exchange]) -> None:
    """Rewrite a block with what its commands print."""
    lines = path.read_text().split("\n")
    lines[block.start : block.end] = written(exchanges)
    path.write_text("\n".join(lines))


def documents() -> list[Path]:
    """The documents whose console blocks are run."""
    folders = ("docs", "tests/messages", "examples")
    return [ROOT / "README.md", *(path for folder in folders for path in sorted((ROOT / folder).rglob("*.md")))]
