"""Baselines: findings a team knows about, so that only new ones are reported.

A finding is known again by its rule, its file, its path and the text of its line, not by the number of the line: what
is above it may change. Of the text only a digest is kept, since it may be a secret.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lamina.errors import Diagnostic, InputError
from lamina.paths import show
from lamina.sources.inputs import read_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lamina.errors import Note
    from lamina.sources.source import Source
    from lamina.views.lint.api import Linted

VERSION: Final = 1
_DIGITS: Final = 16
"""Hexadecimal digits of a digest: enough to distinguish the lines of one file."""


_UNCHANGED: Final[Mapping[str, bytes]] = {}


class Fingerprint(NamedTuple):
    """Identifies a finding."""

    rule: str
    file: str
    path: str
    content: str


def without_known(
    linted: Linted, known: Counter[Fingerprint], folder: str, changed: Mapping[str, bytes] = _UNCHANGED
) -> Linted:
    """The findings that are not in a baseline; one that is there twice excuses two.

    `changed` has files that were linted as they are here, and not as they are on disk.
    """
    left = known.copy()
    new: list[Note] = []
    for note, print_ in _fingerprints(linted.findings, folder, changed):
        if left[print_] > 0:
            left[print_] -= 1
        else:
            new.append(note)
    return replace(linted, findings=tuple(new), known=len(linted.findings) - len(new))


def written(linted: Linted, folder: str) -> str:
    """The findings as a baseline, one line for each, so that changes of it can be read."""
    prints = sorted(each for _, each in _fingerprints(linted.findings, folder))
    lines = ",\n".join(f"    {json.dumps(each._asdict(), ensure_ascii=True)}" for each in prints)
    return f'{{\n  "version": {VERSION},\n  "findings": [\n{lines}\n  ]\n}}\n' if prints else _NONE


_NONE: Final = f'{{\n  "version": {VERSION},\n  "findings": []\n}}\n'


def read(source: Source) -> Counter[Fingerprint]:
    """The findings of a baseline."""
    try:
        data = json.loads(source.data)
        if data["version"] != VERSION:
            raise _bad(source, f"has version {data['version']!r}, and {VERSION} is expected")
        return Counter(map(_fingerprint, data["findings"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        raise _bad(source, "is not a baseline") from None


def _fingerprint(data: dict[str, Any]) -> Fingerprint:
    found = Fingerprint(**data)
    if not all(isinstance(each, str) for each in found):
        raise TypeError
    return found


def _bad(source: Source, what: str) -> InputError:
    return InputError(
        Diagnostic(
            code="bad-baseline",
            message=f"{source.name} {what}",
            at=source.locate(0, 0),
            hint="write it again: lamina lint --write-baseline FILE",
        )
    )


def _fingerprints(
    findings: Iterable[Note], folder: str, changed: Mapping[str, bytes] = _UNCHANGED
) -> Iterable[tuple[Note, Fingerprint]]:
    lines = {name: data.splitlines() for name, data in changed.items()}
    for note in findings:
        file = os.path.relpath(note.at.source, folder or ".").replace(os.sep, "/") if note.at else ""
        yield note, Fingerprint(note.code, file, _path(note), _content(note, lines))


def _path(note: Note) -> str:
    """The path of a finding; the position of a document in the result says nothing, its name does."""
    path = note.path[1:] if note.path and type(note.path[0]) is int else note.path
    return f"{note.subject}: {show(path)}" if note.subject else show(path)


def _content(note: Note, lines: dict[str, list[bytes]]) -> str:
    """A digest of the line a finding is on; nothing if there is no such line on disk."""
    if note.at is None:
        return ""
    name = note.at.source
    if name not in lines:
        lines[name] = read_file(name, name).data.splitlines() if FilePath(name).is_file() else []
    found = lines[name][note.at.line - 1 : note.at.line]
    return sha256(found[0].strip()).hexdigest()[:_DIGITS] if found else ""
