"""Tables for a terminal; loaded only if there is one.

Long cells are folded, never cut. What comes from an input is text and nothing else: no markup, and no characters that
would steer the terminal.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lamina._support.escapes import one_line, without_commands
from lamina.cli.terminal import GAP, takes_colour, width

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import RenderableType

    Cell = str | Text
    Row = Sequence[Cell]


_LEAD = re.compile(r"(?:\s|\x1b\[[0-9;]*m)*")


class Column(NamedTuple):
    """A column: its heading, and the least width it can be read in."""

    title: str
    least: int
    number: bool = False


def table(columns: Sequence[Column], sections: Iterable[Iterable[Row]]) -> RenderableType:
    """Rows under headings; sections of several rows are separated."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold", show_edge=False, padding=(0, GAP - 1, 0, 0))
    parts = [[list(map(_cell, row)) for row in section] for section in sections]
    titles = [text(column.title) for column in columns]
    _add_columns(table, columns, [titles, *(row for part in parts for row in part)], width())
    for part in parts:
        if len(part) > 1:
            table.add_section()
        for row in part:
            table.add_row(*row)
        if len(part) > 1:
            table.add_section()
    return table


def grid(columns: Sequence[Column], rows: Iterable[Row], indent: int = 2) -> RenderableType:
    """Rows without headings, to print below a line that says what they are."""
    table = Table.grid(padding=(0, GAP, 0, 0))
    cells = [list(map(_cell, row)) for row in rows]
    _add_columns(table, columns, cells, width() - indent)
    for row in cells:
        table.add_row(*row)
    return Padding(table, (0, 0, 0, indent))


def _add_columns(table: Table, columns: Sequence[Column], rows: list[list[Text]], width: int) -> None:
    """Columns with their own widths: those that the library would find may pass the edge, where they are cut."""
    natural = [max(map(_cell_width, cells)) for cells in zip(*rows, strict=True)]
    widths = fitted(natural, [column.least for column in columns], width - GAP * len(columns))
    for column, size in zip(columns, widths, strict=True):
        table.add_column(column.title, width=size, overflow="fold", justify="right" if column.number else "left")


def fitted(natural: Sequence[int], least: Sequence[int], width: int) -> list[int]:
    """The widths of columns: none wider than what it holds, none too narrow to read, the rest of the room shared."""
    widths = [max(1, min(pair)) for pair in zip(natural, least, strict=True)]
    free = width - sum(widths)
    while too_narrow := [at for at, size in enumerate(widths) if size < natural[at]]:
        if free <= 0:
            break
        share = max(1, free // len(too_narrow))
        for at in too_narrow:
            more = min(share, natural[at] - widths[at], free)
            widths[at] += more
            free -= more
    return widths


def _cell_width(cell: Text) -> int:
    return max(line.cell_len for line in cell.split("\n", allow_blank=True))


def _cell(content: Cell) -> Text:
    return text(content) if isinstance(content, str) else content


def text(content: str, style: str = "") -> Text:
    """A text in a style, on one line until it is folded."""
    return Text(one_line(content), style=style, overflow="fold")


def lines(*parts: Cell) -> Text:
    """Texts below each other."""
    return Text("\n").join(map(_cell, parts))


def written(*pieces: RenderableType | str) -> str:
    """The pieces as the terminal shows them, one below another."""
    colours = takes_colour()
    console = Console(
        width=width(),
        force_terminal=colours,
        color_system="standard" if colours else None,
        no_color=not colours,
        highlight=False,
        emoji=False,
        markup=False,
    )
    with console.capture() as capture:
        console.print(Group(*(text(piece) if isinstance(piece, str) else piece for piece in pieces)))
    return "".join(f"{_line(line.rstrip())}\n" for line in capture.get().removesuffix("\n").split("\n"))


def _line(line: str) -> str:
    """A line as it may be printed: a cell that was folded may begin anywhere in a text, colours before it."""
    start = _LEAD.match(line).end()  # type: ignore[union-attr]  # it matches anything
    return line[:start] + without_commands(line[start:])
