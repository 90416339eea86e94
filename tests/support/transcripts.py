"""Console blocks in Markdown: commands with their output, run and compared.

A block opened by ```console holds lines `$ command` and, below each, what it prints. It is run in a copy of the folder
named by the nearest `<!-- run in: FOLDER -->` above it, a path from the project's root (an empty folder without one).

On pages for users a block starts with `$ cd PATH`, which shows where it runs: FOLDER in a checkout, which the commands
must leave as it is, or `~/NAME` for `<!-- run in: FOLDER as ~/NAME -->`, a copy that the reader made and may change.
With LAMINA_UPDATE=1 the outputs are rewritten, and a missing `cd` is added; read the difference.
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
PROGRAMS = Path(sys.executable).parent
_FOLDER = re.compile(r"<!-- run in: (\S+)(?: as (\S+))? -->")
_CD = re.compile(r"cd ([\w./~-]+)")


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
    def runs_in(self) -> str | None:
        """The folder as a reader must call it; None if the block needs no files."""
        return self.name or self.folder

    @property
    def shows_folder(self) -> bool:
        """Whether the first command goes to some folder."""
        return bool(self.exchanges) and _CD.fullmatch(self.exchanges[0].command) is not None

    @property
    def shows_where_it_runs(self) -> bool:
        """Whether the first command goes to the folder that the block is run in, or to one below it."""
        shown = _CD.fullmatch(self.exchanges[0].command) if self.exchanges else None
        return bool(self.runs_in and shown and f"{shown[1]}/".startswith(f"{self.runs_in}/"))


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


def environment(home: Path, programs: Path = PROGRAMS) -> dict[str, str]:
    """The variables that commands run with; `programs` is where their `lamina` is."""
    found = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100", "LC_ALL": "C.UTF-8", "HOME": str(home)}
    found["PATH"] = f"{programs}{os.pathsep}{PROGRAMS}{os.pathsep}{found['PATH']}"
    return found


def run(block: Block, folder: Path, programs: Path = PROGRAMS) -> list[Exchange]:
    """The block's commands with what they really print, below an empty folder."""
    checkout, home = folder / "checkout", folder / "home"
    for each in (checkout, home):
        each.mkdir()
    place = checkout
    if block.folder and block.runs_in:
        shutil.copytree(ROOT / block.folder, _below(checkout, home, block.runs_in), dirs_exist_ok=True)
        place = checkout if block.shows_folder else _below(checkout, home, block.runs_in)
    done = []
    for exchange in block.exchanges:
        if shown := _CD.fullmatch(exchange.command):
            place = _below(place, home, shown[1]).resolve(strict=True)
            done.append(Exchange(exchange.command))
            continue
        finished = subprocess.run(
            ["bash", "-c", exchange.command],
            cwd=place,
            env=environment(home, programs),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
            timeout=120,
        )
        done.append(Exchange(exchange.command, finished.stdout.rstrip("\n").split("\n") if finished.stdout else []))
    return done


def _below(folder: Path, home: Path, name: str) -> Path:
    return home / name.removeprefix("~/") if name.startswith("~/") else folder / name


def changed_in_checkout(block: Block, folder: Path) -> list[str]:
    """The files of the checkout that a block which was run below a folder has written, changed or removed."""
    before = _files(ROOT / block.folder, block.folder) if block.folder and not block.name else {}
    after = _files(folder / "checkout", ".")
    return sorted(name for name in {*before, *after} if before.get(name) != after.get(name))


def _files(folder: Path, below: str) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {(Path(below) / path.relative_to(folder)).as_posix(): path.read_bytes() for path in found}


def written(exchanges: list[Exchange]) -> list[str]:
    """Exchanges as the lines of a block."""
    return [line for exchange in exchanges for line in (f"$ {exchange.command}", *exchange.output)]


def update(path: Path, block: Block, exchanges: list[Exchange]) -> None:
    """Rewrite a block with what its commands print."""
    lines = path.read_text().split("\n")
    lines[block.start : block.end] = written(exchanges)
    path.write_text("\n".join(lines))


def show_folder(path: Path, block: Block) -> None:
    """Make a block start with the folder it is run in."""
    lines = path.read_text().split("\n")
    lines[block.start : block.start + block.shows_folder] = [f"$ cd {block.runs_in}"]
    path.write_text("\n".join(lines))


def pages() -> list[Path]:
    """The pages for users."""
    return [ROOT / "README.md", *(path for folder in ("docs", "examples") for path in _markdown(folder))]


def documents() -> list[Path]:
    """The documents whose console blocks are run: the pages for users, and the messages."""
    return [*pages(), *_markdown("tests/messages")]


def _markdown(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.md"))
