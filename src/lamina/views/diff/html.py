"""The changes as one HTML page: before and after side by side, the outputs each change is in, and its causes.

The page shares its style and the way it makes elements with the report; nothing from an input becomes markup.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from lamina._support.escapes import visible
from lamina.paths import MISSING
from lamina.version import VERSION
from lamina.views.diff.change import ChangeKind
from lamina.views.diff.grouping import is_whole_output
from lamina.views.diff.phrases import SECRET, summary, value_lines
from lamina.views.report.build_html import assemble
from lamina.views.report.source_links import NO_LINKS

if TYPE_CHECKING:
    from lamina.views.diff.change import Cause, Change
    from lamina.views.diff.failures import FailureGroup
    from lamina.views.diff.grouping import ChangeGroup, ShownDifferences
    from lamina.views.report.source_links import SourceLinks

    Line = tuple[str | None, str | None]

SCRIPTS = ("theme", "changes")
MOST_LINES = 400
"""Lines of one change on either side."""
LONGEST_LINE = 4_000
MAX_CHARACTERS = 8_000_000
"""Characters of all values on a page; what comes later is cut short."""
SHORT = 8
"""Lines of a value when the room is used up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffHeading:
    """The heading of a page of changes, and the web address of its sources."""

    title: str = "Lamina diff"
    system: str = ""
    """The name of the system, such as Deckhand."""
    labels: tuple[str, str] = ("before", "after")
    links: tuple[SourceLinks, SourceLinks] = (NO_LINKS, NO_LINKS)


def as_html(differences: ShownDifferences, heading: DiffHeading) -> str:
    """The page."""
    return assemble(page_data(differences, heading), "diff.html", SCRIPTS)


def page_data(differences: ShownDifferences, heading: DiffHeading) -> dict[str, Any]:
    """What the page shows, as plain data."""
    names: dict[str, int] = {}
    work = _Groups(names)
    groups = [work.data(group) for group in differences.groups]
    places = [cause["place"] for group in groups for cause in group["causes"] if cause["place"]]
    return {
        "version": 1,
        "title": visible(heading.title),
        "dialect": heading.system,
        "lamina": VERSION,
        "summary": summary(differences, grouped=True),
        "noun": differences.noun,
        "many": differences.many,
        "total": differences.outputs,
        "before": visible(heading.labels[0] or "before"),
        "after": visible(heading.labels[1] or "after"),
        "outputs": [visible(name) for name in names],
        "groups": groups,
        "failed": [_failure(group) for group in differences.failures],
        "sources": [heading.links[side].of_all({place[0] for place in places if place[4] == side}) for side in (0, 1)],
    }


def _failure(group: FailureGroup) -> dict[str, Any]:
    what = f"{group.within} fails: " if group.within else ""
    return {"outputs": list(map(visible, group.outputs)), "why": visible(what + group.failure.reason)}


class _Groups:
    """The groups of one page; `names` numbers the outputs."""

    def __init__(self, names: dict[str, int]) -> None:
        self._names = names
        self._free = MAX_CHARACTERS

    def data(self, group: ChangeGroup) -> dict[str, Any]:
        change = group.change
        lines, is_cut = self._lines(change)
        return {
            "kind": change.kind.value,
            "path": visible(_title(group)),
            "within": visible(group.within or "") if change.where != "." else "",
            "whole": group.is_whole_output,
            "outputs": [self._names.setdefault(name, len(self._names)) for name in group.outputs],
            "lines": lines,
            "cut": is_cut,
            "causes": [_cause(cause) for cause in change.causes],
        }

    def _lines(self, change: Change) -> tuple[list[Line], bool]:
        """Both values line by line, those that are alike beside each other, and whether any were omitted."""
        if is_whole_output(change):
            return [], False
        before, after = _sides(change)
        most = MOST_LINES if self._free > 0 else SHORT
        is_cut = max(len(before), len(after)) > most or any(len(line) > LONGEST_LINE for line in (*before, *after))
        before, after = ([visible(line[:LONGEST_LINE]) for line in side[:most]] for side in (before, after))
        self._free -= sum(map(len, (*before, *after)))
        return _side_by_side(before, after), is_cut


def _title(group: ChangeGroup) -> str:
    """The title of a change: a path, or the output that was added or removed."""
    if group.is_whole_output:
        return group.outputs[0]
    where = group.change.where
    return group.within or where if where == "." else where


def _sides(change: Change) -> tuple[list[str], list[str]]:
    if change.kind is ChangeKind.MOVED:
        return [f"[{change.at_before[-1]}]"], [f"[{change.at_after[-1]}]"]
    before, after = (
        [] if value is MISSING else [SECRET] if change.secret else value_lines(value)
        for value in (change.before, change.after)
    )
    return before, after


def _side_by_side(before: list[str], after: list[str]) -> list[Line]:
    """The lines of both sides in pairs."""
    pairs: list[Line] = []
    for tag, start, end, other, stop in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        left: list[str | None] = [*before[start:end]]
        right: list[str | None] = [*after[other:stop]]
        if tag != "equal":
            size = max(len(left), len(right))
            left += [None] * (size - len(left))
            right += [None] * (size - len(right))
        pairs += zip(left, right, strict=True)
    return pairs


def _cause(cause: Cause) -> dict[str, Any]:
    """A cause; its place ends with the side it is on."""
    place = None
    if cause.origin:
        source, line, column, part = cause.origin
        place = [visible(source), line, column, visible(part or ""), 0 if cause.is_gone else 1]
    return {"how": cause.how.value, "place": place, "rule": visible(cause.text or "")}
