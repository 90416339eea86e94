"""Notes on standard error: equal ones once, and of many that are alike the first ones and how many more there are.

`kinds` are the notes that `--notes` asks for one by one; None for a command without that option, which counts only
values that differ from the manual.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

from lamina._support.escapes import one_line
from lamina.cli.click_options import ALL, COMPAT
from lamina.cli.output import FINDINGS, print_error
from lamina.cli.terminal import takes_colour
from lamina.errors import Severity
from lamina.project.shared_entries import in_targets, same_note, shared
from lamina.views.compat_check import count_of, is_difference

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
    """Print notes of one result."""
    groups, counts = summarised(shared(((note.subject or "", note) for note in notes), same_note), kinds)
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
    counts: list[str] = []
    kept = list(groups)
    if kinds is None or COMPAT not in kinds:
        kept = [group for group in groups if not is_difference(group.entry)]
        differing = [group.entry for group in groups if is_difference(group.entry)]
        counts += [count_of(differing)] if differing else []
    if kinds is None:
        return kept, counts
    found = Counter(_code(group, kinds) for group in kept)
    many = {code: count - _FIRST for code, count in found.items() if code and count > _MANY}
    alike = [f"{count:,} more notes [{code}]; --notes all shows them" for code, count in many.items()]
    return list(_first_of_each(kept, kinds, many)), [*alike, *counts]


def _code(group: SharedEntry[Note], kinds: Collection[str]) -> str:
    """The code of a note that need not be printed if there are many alike; empty for any other."""
    note = group.entry
    return "" if note.severity is not Severity.INFO or (COMPAT in kinds and is_difference(note)) else note.code


def _first_of_each(
    groups: Iterable[SharedEntry[Note]], kinds: Collection[str], many: Collection[str]
) -> Iterator[SharedEntry[Note]]:
    """The notes, of the codes that many have the first ones."""
    printed: Counter[str] = Counter()
    for group in groups:
        code = _code(group, kinds)
        printed[code] += 1
        if code not in many or printed[code] <= _FIRST:
            yield group


def head_of(severity: Severity) -> str:
    """The word before a note, in colour where a terminal takes it."""
    if not takes_colour(sys.stderr):
        return _PREFIX[severity]
    from click import style

    return style(_PREFIX[severity], fg=_COLOUR[severity], bold=True)


def status_of(notes: Iterable[Note]) -> int:
    """The exit status for notes: findings if any of them is an error."""
    return FINDINGS if any(note.severity >= Severity.ERROR for note in notes) else 0
