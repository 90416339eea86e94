"""Random edits of golden cases, and whether the causes of what they change are lines that were edited."""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from difflib import SequenceMatcher
from typing import NamedTuple

import lamina
from lamina.conformance.case import Case, find, load
from lamina.conformance.check import settings_of
from lamina.errors import LaminaError
from lamina.views.diff.change import Cause, Change, How
from lamina.views.diff.idle_edits import EditedLine
from support.golden_results import CASES

NO_LINES: tuple[set[int], set[int]] = (set(), set())
_WORD = re.compile(r"[A-Za-z0-9_]+")


class EditedCase(NamedTuple):
    """A golden case before and after an edit, and what the edit changes."""

    before: Case
    after: Case
    found: lamina.Differences


def edited_cases(dialect: str, edits: int, seed: int = 30) -> Iterator[EditedCase]:
    """So many edits of cases of a dialect; those that either side of cannot be rendered are left out."""
    rng = random.Random(f"{dialect} {seed}")
    cases = [case for path in find([CASES / dialect]) for case in load(path) if _is_text(case)]
    for _ in range(edits):
        case = rng.choice(cases)
        edited = _edited(rng, case)
        try:
            found = lamina.diff(case.inputs(), edited.inputs(), case.dialect, **settings_of(case))
        except LaminaError:
            continue
        yield EditedCase(case, edited, found)


def wrong_causes(edited: EditedCase) -> list[Change]:
    """The changes of which a cause is no edited line, and those that have none."""
    lines = {
        name: _edited_lines(edited.before.files.get(name, ""), edited.after.files.get(name, ""))
        for name in {*edited.before.files, *edited.after.files}
    }
    notes = {(note.at, note.code) for side in (edited.found.before, edited.found.after) for note in side.notes}

    def is_edited(cause: Cause) -> bool:
        if cause.how in (How.UNUSABLE, How.WAS_UNUSABLE):
            return (cause.origin, cause.text) in notes
        at = cause.origin
        return at is not None and at.line in lines.get(at.source, NO_LINES)[0 if cause.is_gone else 1]

    return [change for change in edited.found.changes if not change.causes or not all(map(is_edited, change.causes))]


def without_idle_edits(edited: EditedCase, idle: Collection[EditedLine]) -> Case:
    """The case after the edit, with the edits undone that have no effect."""
    files = dict(edited.after.files)
    for name in {*edited.before.files} & {*edited.after.files}:
        old, new = (side.files[name].splitlines(keepends=True) for side in (edited.before, edited.after))
        lines: list[str] = []
        for start, end, other, stop in _edits(old, new):
            numbers = {(0, name, at + 1) for at in range(start, end)} | {(1, name, at + 1) for at in range(other, stop)}
            lines += new[other:stop] if numbers.isdisjoint(idle) else old[start:end]
        files[name] = "".join(lines)
    return replace(edited.after, files=files)


def _edits(old: list[str], new: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """The lines that are equal and those that are not, side by side where there are as many."""
    for tag, start, end, other, stop in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "replace" and end - start == stop - other:
            yield from ((start + at, start + at + 1, other + at, other + at + 1) for at in range(end - start))
        else:
            yield start, end, other, stop


def _is_text(case: Case) -> bool:
    """Whether a case is a result, and its lines are those that everybody counts."""
    plain = all(
        len(text.splitlines()) == len(re.split("\r?\n", text.removesuffix("\n"))) for text in case.files.values()
    )
    return plain and bool(case.files) and "encoding" not in case.options and "error" not in case.expect


def _edited_lines(before: str, after: str) -> tuple[set[int], set[int]]:
    """The numbers of the lines that were removed, and of those that were added.

    Of equal lines nobody can say which of them it was, and of two lines that changed places which one moved: read from
    the end it may be the other one.
    """
    old, new = before.splitlines(), after.splitlines()
    removed, added = set[str](), set[str]()
    for one, two in ((old, new), (old[::-1], new[::-1])):
        for tag, start, end, other, stop in SequenceMatcher(None, one, two, autojunk=False).get_opcodes():
            if tag != "equal":
                removed.update(one[start:end])
                added.update(two[other:stop])
    return (
        {number for number, line in enumerate(old, 1) if line in removed},
        {number for number, line in enumerate(new, 1) if line in added},
    )


def _edited(rng: random.Random, case: Case) -> Case:
    files = dict(case.files)
    for _ in range(rng.choice([1, 1, 2])):
        name = rng.choice(sorted(files))
        if rng.random() < 0.05 and len(files) > 1:
            del files[name]
        else:
            files[name] = _edited_text(rng, files[name], files)
    return replace(case, files=files, order=tuple(name for name in case.order if name in files))


def _edited_text(rng: random.Random, text: str, files: Mapping[str, str]) -> str:
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    at = rng.randrange(len(lines))
    kind = rng.choice(["word", "word", "value", "value", "line", "block", "insert", "comment"])
    if kind == "word":
        lines[at] = _other_word(rng, lines[at], rng.choice(_WORD.findall("".join(files.values())) or ["w"]))
    elif kind == "value":
        lines[at] = _other_word(
            rng, lines[at], rng.choice([f"e{rng.randrange(1000)}", str(rng.randrange(1000))]), last=True
        )
    elif kind == "line":
        del lines[at]
    elif kind == "block":
        end = at + 1
        while end < len(lines) and _indent(lines[end]) > _indent(lines[at]):
            end += 1
        del lines[at:end]
    elif kind == "insert":
        other = rng.choice([line for each in files.values() for line in each.splitlines()] or [""])
        lines.insert(at + 1, " " * _indent(lines[at]) + other.strip() + "\n")
    else:
        lines.insert(at, f"# {rng.randrange(1000)}\n" if at else "")
    return "".join(lines)


def _other_word(rng: random.Random, line: str, word: str, *, last: bool = False) -> str:
    words = list(_WORD.finditer(line))
    if not words or line.startswith("#"):
        return line
    chosen = words[-1] if last else rng.choice(words)
    return line[: chosen.start()] + word + line[chosen.end() :]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
