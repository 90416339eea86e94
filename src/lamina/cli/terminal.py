"""The terminal: whether there is one, and whether it takes colours.

Elsewhere the output is plain text, always the same. NO_COLOR asks for no colours, TERM=dumb for plain text.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterable


def is_terminal(stream: TextIO | None = None) -> bool:
    """Whether what is written there, standard output if nothing is named, goes to a terminal that can show more."""
    return (stream or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"


def takes_colour(stream: TextIO | None = None) -> bool:
    """Whether what is written there may be coloured."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR")


def width() -> int:
    """How many characters a line of the terminal has."""
    from shutil import get_terminal_size

    return get_terminal_size().columns


def fits_width(least: Iterable[int]) -> bool:
    """Whether standard output is a terminal with room for columns of at least these widths."""
    return is_terminal() and sum(each + GAP for each in least) <= width()


GAP = 2
"""Characters between two columns."""
