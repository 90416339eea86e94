"""Suppression comments: comments in the sources that hide findings.

`# lamina: ignore[CODE, CODE]` at the end of a line holds for findings on that line, alone on a line for those on the
next line that is not such a comment. `# lamina: ignore-file[CODE]` before the first line of content holds for the whole
file. Without a code all findings are meant; a code may be shortened to a prefix, as on the command line. What
is behind the codes after ` -- ` is for people. Codes may also follow without brackets, as in `# lamina: ignore CODE`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lamina.views.lint.selection import fits, split_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.sources.source import Source

_COMMENT = re.compile(
    r"(?:^|\s)#\s*lamina:\s*ignore(?P<file>-file)?"
    r"(?:\[(?P<boxed>[^\]\n]*)\]|(?:\s+(?P<codes>[a-z0-9][a-z0-9, -]*?))?\s*(?:--|#|$))"
)
_MARK = b"lamina:"
_ALL = ("",)


@dataclass(slots=True, eq=False)
class Comments:
    """The suppressions in one source: codes for the whole file, and codes by line."""

    in_all_files: tuple[str, ...] = ()
    lines: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def suppresses(self, note: Note) -> bool:
        """Whether a finding in this source is suppressed."""
        line = note.at.line if note.at else 0
        return fits(note.code, (*self.in_all_files, *self.lines.get(line, ())))


def comments_in(source: Source) -> Comments:
    """The comments of a source."""
    found = Comments()
    if _MARK not in source.data:
        return found
    waiting: tuple[str, ...] = ()
    at_top = True
    for number, line in enumerate(source.data.decode("utf-8", "replace").splitlines(), start=1):
        match = _COMMENT.search(line)
        codes = (split_words([_codes(match)]) or _ALL) if match else ()
        if match and match["file"]:
            found.in_all_files += codes if at_top else ()
        elif match and line.lstrip().startswith("#"):
            waiting += codes
            continue
        elif match or waiting:
            found.lines[number] = (*codes, *waiting)
            waiting = ()
        at_top = at_top and _is_preamble(line)
    return found


def codes_named(source: Source) -> Iterator[tuple[str, Origin]]:
    """Every code that a comment of a source names, and where it is."""
    if _MARK not in source.data:
        return
    for number, line in enumerate(source.data.decode("utf-8", "replace").splitlines()):
        match = _COMMENT.search(line)
        for code in split_words([_codes(match)]) if match else ():
            yield code, source.locate(number, line.index(code, match.start() if match else 0))


def _codes(match: re.Match[str]) -> str:
    return match["boxed"] or match["codes"] or ""


def _is_preamble(line: str) -> bool:
    """Whether a line may come before the comments that hold for a whole file."""
    text = line.strip()
    return not text or text.startswith(("#", "---", "%"))


def without_ignored(notes: Iterable[Note], read: Callable[[str], Source | None]) -> list[Note]:
    """The findings that no comment covers; `read` gives the sources by their names."""
    known: dict[str, Comments] = {}
    reported = []
    for note in notes:
        name = note.at.source if note.at else ""
        if name not in known:
            source = read(name) if name else None
            known[name] = comments_in(source) if source else Comments()
        if not known[name].suppresses(note):
            reported.append(note)
    return reported
