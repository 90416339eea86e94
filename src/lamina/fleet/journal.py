"""The journal: what was rendered from what, so that a run can be taken up again.

It is an SQLite file in the output folder. One row per node has the digests of its inputs and of its text; rows are
written when a batch is done. A journal that cannot be read counts as empty.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING

from lamina.fleet.job import JournalRow

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

NAME = ".lamina-fleet.db"
_VERSION = 2
_TABLES = """
    create table if not exists nodes (name text primary key, inputs text, text text, beside text) without rowid;
    create table if not exists runs (run text primary key);
"""


class Journal:
    """What is known of the nodes in an output folder."""

    def __init__(self, folder: Path, *, resume: bool) -> None:
        self._path = folder / NAME
        try:
            self._base = self._open()
        except sqlite3.DatabaseError:
            self._path.unlink(missing_ok=True)
            self._base = self._open()
        if not resume:
            with self._base:
                self._base.execute("delete from nodes")

    def _open(self) -> sqlite3.Connection:
        base = sqlite3.connect(self._path)
        try:
            # What a lost row costs is one node rendered again, so nothing is waited for.
            base.execute("pragma synchronous = off")
            (version,) = base.execute("pragma user_version").fetchone()
            if version != _VERSION:
                base.executescript("drop table if exists nodes; drop table if exists runs;")
                base.execute(f"pragma user_version = {_VERSION}")
            base.executescript(_TABLES)
        except sqlite3.DatabaseError:
            base.close()
            raise
        return base

    def known(self, name: str) -> JournalRow | None:
        """What is known of a node."""
        with suppress(sqlite3.DatabaseError, ValueError, TypeError):
            found = self._base.execute("select inputs, text, beside from nodes where name = ?", (_text(name),))
            for inputs, text, sibling_files in found:
                return JournalRow(inputs, text, json.loads(sibling_files) if sibling_files else {})
        return None

    def write(self, rows: Iterable[tuple[str, JournalRow]]) -> None:
        """Write down what a batch rendered."""
        written = [
            (_text(name), row.inputs, row.text, json.dumps(dict(row.sibling_files)) if row.sibling_files else "")
            for name, row in rows
        ]
        with self._base:
            self._base.executemany("insert or replace into nodes values (?, ?, ?, ?)", written)

    def begin(self, run: str) -> list[str]:
        """Say that a run begins; gives the runs before it that never ended."""
        with self._base:
            before = [name for (name,) in self._base.execute("select run from runs")]
            self._base.execute("insert or replace into runs values (?)", (run,))
        return before

    def end(self, runs: Iterable[str]) -> None:
        """Say that runs have ended and left nothing behind."""
        with self._base:
            self._base.executemany("delete from runs where run = ?", [(run,) for run in runs])

    def close(self) -> None:
        self._base.close()


def _text(name: str) -> str:
    """A name as SQLite can hold it."""
    return name.encode("utf-8", "backslashreplace").decode()
