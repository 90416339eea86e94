"""About how much the rows of a page take, to bound them: bytes on the page, and working them out."""

from __future__ import annotations

ROW = 40
"""A row without the numbers in its lists."""
EVENT = 32
"""An event of a row."""
NUMBER = 7
"""A number, with the comma behind it."""
