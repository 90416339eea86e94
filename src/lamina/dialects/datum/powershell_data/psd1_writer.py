"""Writing values as PowerShell data files hold them, on one line."""

from __future__ import annotations

import math
import re
from typing import Any

_CURLY = re.compile("[\u2018-\u201b]")
"""Quotes that end a string in single quotes, as a straight one does."""
_SPECIAL = re.compile('[`$"\u201c-\u201e]')


def dump(value: Any) -> str:
    """A value as it is written in a data file; raises ValueError for what cannot be written there."""
    if value is None or isinstance(value, bool):
        return {None: "$null", True: "$true", False: "$false"}[value]
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return repr(value)
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, list):
        # A list that is all there is in an array would be taken apart.
        comma = "," if len(value) == 1 and isinstance(value[0], list) else ""
        return f"@({comma}{', '.join(map(dump, value))})"
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        entries = "; ".join(f"{_string(key)} = {dump(inner)}" for key, inner in value.items())
        return f"@{{ {entries} }}" if entries else "@{}"
    raise ValueError(type(value).__name__)


def _string(text: str) -> str:
    if _CURLY.search(text):
        return '"' + _SPECIAL.sub(lambda found: f"`{found[0]}", text) + '"'
    return "'" + text.replace("'", "''") + "'"
