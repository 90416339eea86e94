"""Notes on standard error: equal ones once, and of many that are alike the first ones and how many more there are.

`kinds` are the notes that `--notes` asks for one by one; None for a command without that option. Notes on values that
differ from the manual are printed only on request: with `--notes`, or for that value.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

from lamina._support.escapes import one_line
from lamina.cli.click_options import ALL, COMPAT
from lamina.cli.output import print_error
from lamina.cli.terminal import takes_colour
from lamina.errors import Severity
from lamina.project.shared_entries import causes, in_targets, same_note, shared
from lamina.views.compat_check import is_difference

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from lamina.errors import Note
    from lamina.project.shared_entries import SharedEntry

_MANY = 5
"""More notes than these with the same code are not printed one by one, unless asked for."""
_FIRST = 3
"""How many of them are printed."""
_COLOUR = {Severity.INFO: "cyan", Severity.WARNING: "yellow", Severity.ERROR: "red"}
_PREFIX = {Severity.INFO: "note: ", Severity.WARNING: "warning: ", Severity.ERROR: ""}


def show_notes(notes: Iterable[Note], kinds: Collection[str] | None = None) -> None:
    """Print notes of one result; with `differences` also those on values that differ from the manual."""
    shared_notes = shared(((note.subject or "", note) for note in notes), same_note)
    groups, counts = summarised(shared_notes, kinds)
    for group in groups:
        print_note(group.entry)
        if len(group.targets) > 1:
            print_error(one_line(f"  in {in_targets(group.targets, 0)}"))
    print_counts(counts)


def print_note(note: Note) -> None:
    """Print one note."""
    print_error(f"{head_of(note.severity)}{note}")


def print_counts(counts: Iterable[str]) -> None:
    """Print the lines that count notes which are not printed themselves."""
    for count in counts:
        print_error(head_of(Severity.INFO) + count)


def summarised(
    groups: Sequence[SharedEntry[Note]], kinds: Collection[str] | None
) -> tuple[list[SharedEntry[Note]], list[str]]:
    """The notes to print one by one, and lines that count the others."""
    if kinds is not None and ALL in kinds:
        return list(groups), []
    requested = kinds is not None and COMPAT in kinds
    kept = causes(groups)
    if kinds is None:
        return kept, []
    found = Counter(group.entry.code for group in kept if _may_be_counted(group.entry, requested))
    many = {code: count - _FIRST for code, count in found.items() if count > _MANY}
    alike = [f"{count:,} more notes [{code}]; --notes all shows them" for code, count in many.items()]
    return list(_without_counted(kept, many, requested)), alike


def _may_be_counted(note: Note, requested: bool) -> bool:
    """Whether a note need not be printed if there are many with its code; not if differences were asked for."""
    return note.severity is Severity.INFO and not (requested and is_difference(note))


def _without_counted(
    groups: Iterable[SharedEntry[Note]], many: Collection[str], requested: bool
) -> Iterator[SharedEntry[Note]]:
    """The notes; of a code that many of them have, only the first ones."""
    printed: Counter[str] = Counter()
    for group in groups:
        note = group.entry
        if note.code in many and _may_be_counted(note, requested):
            printed[note.code] += 1
            if printed[note.code] > _FIRST:
                continue
        yield group


def head_of(severity: Severity) -> str:
    """The word before a note, in colour where a terminal takes it."""
    if not takes_colour(sys.stderr):
        return _PREFIX[severity]
    from click import style

    return style(_PREFIX[severity], fg=_COLOUR[severity], bold=True)
