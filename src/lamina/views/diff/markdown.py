"""The changes as Markdown: a table, and folded away below it what does not fit into one.

A comment on a pull request takes some 65,000 characters; what goes beyond is counted, not shown.
"""

from __future__ import annotations

from difflib import unified_diff
from typing import TYPE_CHECKING

from lamina._support.escapes import text_of, visible
from lamina.views.diff.change import ChangeKind
from lamina.views.diff.grouping import is_whole_output
from lamina.views.diff.phrases import (
    LONGEST,
    SIGNS,
    WIDTH,
    because,
    count,
    failure_text,
    idle_text,
    in_path,
    summary,
    value_lines,
    values,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.views.diff.change import Change
    from lamina.views.diff.grouping import ChangeGroup, ShownDifferences

TABLE = 40_000
DETAILS = 20_000
_LINES = 60
"""Lines of one value's comparison."""
_LARGE = 500
"""Lines beyond which values are not compared line by line."""


def as_markdown(differences: ShownDifferences) -> str:
    """A headline, the table, the details."""
    first_line = summary(differences)
    head = f"### {first_line[0].upper()}{first_line[1:]}\n"
    if not differences.changes:
        below = [*_failures(differences), *_idle(differences)]
        return head + text_of(below) if below else head
    columns = ["", *([differences.noun] if differences.many else []), "path", "before", "after", "because"]
    groups = differences.groups
    rows = _as_fit(TABLE, (_row(_cells(group, differences)) for group in groups))
    lines = [head, _row(columns), _row(["---"] * len(columns)), *rows]
    if len(rows) < len(groups):
        lines += ["", f"… and {count(len(groups) - len(rows), 'more change')}"]
    lines += [*_failures(differences), *_idle(differences)]
    details = (_details(group, differences) for group in groups)
    for text in _as_fit(DETAILS, (text for text in details if text)):
        lines += ["", text]
    return text_of("\n".join(lines).split("\n"))


def _failures(differences: ShownDifferences) -> list[str]:
    """What could not be compared, as a list."""
    groups = differences.failures
    items = _as_fit(DETAILS, (f"- {code(failure_text(group, differences))}" for group in groups))
    more = [f"- … and {len(groups) - len(items):,} more"] if len(items) < len(groups) else []
    return ["", *items, *more] if groups else []


def _idle(differences: ShownDifferences) -> list[str]:
    lines = idle_text(differences)
    return ["", *(f"- {code(line)}" for line in lines)] if lines else []


def _as_fit(max_characters: int, texts: Iterable[str]) -> list[str]:
    """The first of the texts, as many as there is room for."""
    taken: list[str] = []
    for text in texts:
        max_characters -= len(text) + 1
        if max_characters < 0:
            break
        taken.append(text)
    return taken


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(group: ChangeGroup, differences: ShownDifferences) -> list[str]:
    change = group.change
    old, new = ("", "") if is_whole_output(change) else values(change)
    cells = [SIGNS[change.kind]]
    if differences.many:
        cells.append(_where(group, differences))
    path = "" if group.is_whole_output else in_path(group)
    return [*cells, code(path), code(old), code(new), code(because(change.causes))]


def _where(group: ChangeGroup, differences: ShownDifferences) -> str:
    if len(group.outputs) == 1:
        return code(group.outputs[0])
    return f"{len(group.outputs):,} of {count(differences.outputs, differences.noun)}"


def code(text: str) -> str:
    """A text as code in a cell of a table, whatever it holds."""
    if not text:
        return ""
    text = visible(text).replace("|", "\\|")
    ticks = "`"
    while ticks in text:
        ticks += "`"
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _details(group: ChangeGroup, differences: ShownDifferences) -> str | None:
    """The outputs of a change that is in several, and its values where the table cut them."""
    parts = []
    if len(group.outputs) > 1:
        parts.append("\n".join(f"- {code(name)}" for name in group.outputs))
    if not group.change.secret and not is_whole_output(group.change) and (lines := _line_by_line(group.change)):
        delimiter = "```"
        while any(delimiter in line for line in lines):
            delimiter += "`"
        parts.append("\n".join([f"{delimiter}diff", *lines, delimiter]))
    if not parts:
        return None
    title = _escaped(visible(in_path(group)))
    if len(group.outputs) > 1:
        title += f" in {count(len(group.outputs), differences.noun)}"
    return "\n\n".join([f"<details><summary>{title}</summary>", *parts, "</details>"])


def _line_by_line(change: Change) -> list[str]:
    """The two values compared line by line, if they are too long for the table."""
    longest = 0 if change.kind is ChangeKind.MOVED else max(len(whole(change.before)), len(whole(change.after)))
    if longest <= WIDTH or longest >= LONGEST:
        return []
    before, after = value_lines(change.before), value_lines(change.after)
    if max(len(before), len(after)) > _LARGE:
        return []
    lines = list(unified_diff(before, after, lineterm="", n=2))[2:]
    return [*lines[:_LINES], f"… {len(lines) - _LINES:,} more lines"] if len(lines) > _LINES else lines


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
