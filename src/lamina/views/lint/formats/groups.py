"""The same finding in many documents, as one entry."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.errors import Note

_FEW = 3
"""So many are still listed one by one."""
_NAMED = 5
"""How many of the others are named."""


def grouped(findings: Sequence[Note]) -> list[Note]:
    """The findings in their order, those that say the same of many documents as one that names where the others are.

    Two say the same when only the document they name differs.
    """
    groups: dict[tuple[object, ...], list[Note]] = {}
    for note in findings:
        groups.setdefault(_sentence(note), []).append(note)
    shown: list[Note] = []
    for note in findings:
        group = groups[_sentence(note)]
        if len(group) <= _FEW:
            shown.append(note)
        elif note is group[0]:
            shown.append(_as_one(group))
    return shown


def _sentence(note: Note) -> tuple[object, ...]:
    message = note.message.replace(note.subject, "") if note.subject else note.message
    return note.code, note.severity, message, note.hint


def _as_one(group: list[Note]) -> Note:
    first, *others = group
    named = [("likewise", note.at) for note in others[:_NAMED] if note.at]
    rest = len(others) - len(named)
    more = f", and {len(others):,} more like it" + ("; --format json lists them" if rest else "")
    message, related = f"{first.message}{more}", (*first.related, *named)
    return replace(first, message=message, related=related, consequences=_following(group))


def _following(group: list[Note]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for note in group for each in note.consequences))


def message_of(note: Note) -> str:
    """A finding as one text, where it has no lines of its own for what follows and for what to do."""
    follows = note.what_follows if note.consequences else None
    return "\n".join(filter(None, (note.message, follows, note.hint)))
