"""Changes on a terminal: a table for all changes that the same outputs share."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from lamina.views.diff.change import ChangeKind
from lamina.views.diff.grouping import is_whole_output
from lamina.views.diff.phrases import (
    SIGNS,
    because,
    count,
    failure_details,
    failure_text,
    idle_text,
    in_path,
    listed,
    source_text,
    summary,
    values,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import RenderableType

    from lamina.cli.tables import Cell, Row
    from lamina.views.diff.grouping import ChangeGroup, ShownDifferences

LEAST = (1, 20, 12, 12, 18)
"""Characters that the columns need: sign, path, before, after, because."""

_COLOURS = {
    ChangeKind.ADDED: "green",
    ChangeKind.REMOVED: "red",
    ChangeKind.CHANGED: "yellow",
    ChangeKind.MOVED: "cyan",
    ChangeKind.PROVENANCE: "magenta",
}
_LONG = 400
"""Characters of a value; beyond that the part is shown where it begins to differ."""


def as_tables(differences: ShownDifferences) -> str:
    """The changes, those of the same outputs together, and how many there are."""
    from lamina.cli.tables import text, written

    pieces: list[RenderableType | str] = []
    for whole, groups in groupby(differences.groups, key=lambda group: group.is_whole_output):
        pieces += (_added_and_removed if whole else _of_values)(list(groups), differences)
    for failed in differences.failures:
        pieces.append(text(f"! {failure_text(failed, differences)}", "red"))
        pieces += [text(f"  {line}", "dim") for line in failure_details(failed)]
    pieces += [text(line, "dim") for line in idle_text(differences)]
    return written(*pieces, summary(differences))


def _added_and_removed(groups: Iterable[ChangeGroup], differences: ShownDifferences) -> Iterator[RenderableType | str]:
    """Outputs that were added or removed."""
    from lamina.cli.tables import Column, grid, text

    rows = [
        (_sign(group), text(f"{differences.noun} {group.outputs[0]}", "bold"), _why(group, "because "))
        for group in groups
    ]
    yield grid([Column("", 1), Column("", 24), Column("", 24)], rows, indent=0)
    yield ""


def _of_values(groups: Iterable[ChangeGroup], differences: ShownDifferences) -> Iterator[RenderableType | str]:
    """What changed inside of outputs, with the outputs as a heading if there are several."""
    from lamina.cli.tables import Column, table, text

    by_outputs: dict[tuple[str, ...], list[ChangeGroup]] = {}
    for group in groups:
        by_outputs.setdefault(tuple(group.outputs), []).append(group)
    titles = ("", "path", "before", "after", "because")
    columns = [Column(title, least) for title, least in zip(titles, LEAST, strict=True)]
    for outputs, same in by_outputs.items():
        if differences.many:
            yield text(_heading(outputs, differences), "bold")
            if len(outputs) > 1:
                yield text(listed(outputs), "dim")
        yield table(columns, [[_row(group)] for group in same])
        yield ""


def _heading(outputs: tuple[str, ...], differences: ShownDifferences) -> str:
    if len(outputs) == 1:
        return f"{differences.noun} {outputs[0]}"
    return f"{len(outputs):,} of {count(differences.outputs, differences.noun)}"


def _row(group: ChangeGroup) -> Row:
    from lamina.cli.tables import text

    change = group.change
    before, after = ("", "") if is_whole_output(change) else values(change, _LONG)
    return _sign(group), text(in_path(group), _COLOURS[change.kind]), before, after, _why(group)


def _sign(group: ChangeGroup) -> Cell:
    from lamina.cli.tables import text

    return text(SIGNS[group.change.kind], _COLOURS[group.change.kind])


def _why(group: ChangeGroup, opening: str = "") -> Cell:
    from lamina.cli.tables import text

    change = group.change
    details = source_text(change) if change.kind is ChangeKind.PROVENANCE else because(change.causes)
    return text(opening + details if details else "", "dim")
