"""The tokens of PowerShell: blanks and comments, numbers, quotes and escapes."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Final

from lamina.dialects.datum.expressions.errors import OutsideSubset, ScriptFailed
from lamina.sources.decimals import WrittenDecimal

BLANKS: Final = re.compile(r"(?:[ \t\f\v\u00a0\u0085]|`\r?\n|<#.*?#>|#[^\r\n]*)*", re.DOTALL)
"""What is between the tokens of one line."""
BREAKS: Final = re.compile(r"(?:[ \t\f\v\u00a0\u0085\r\n]|`\r?\n|<#.*?#>|#[^\r\n]*)*", re.DOTALL)
NAME: Final = re.compile(r"[A-Za-z_\u00c0-\uffff][\w]*")
VARIABLE: Final = re.compile(r"\$(?:\{(?P<braced>[^}]*)\}|(?P<name>\w[\w?]*(?::(?!:)[\w?]*)?|[$?^]))")
NUMBER: Final = re.compile(
    r"(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<binary>[01]+)"
    r"|(?P<digits>[0-9]+(?:\.(?!\.)[0-9]*)?|\.[0-9]+)(?P<power>[eE][+-]?[0-9]+)?)"
    r"(?P<suffix>u?[lLyYsS]|[uUdDnN])?(?P<unit>[kKmMgGtTpP][bB])?(?![\w])"
)
SINGLE: Final = "'\u2018\u2019\u201a\u201b"
DOUBLE: Final = '"\u201c\u201d\u201e'
HERE_STRING: Final = re.compile(r"@(?P<quote>['\"\u2018\u2019\u201c\u201d])[ \t]*\r?\n")
ESCAPE: Final = re.compile(r"`(?:u\{(?P<code>[0-9a-fA-F]{1,6})\}|\r\n|.)", re.DOTALL)
_ESCAPES: Final = {"0": "\0", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_UNITS: Final = {"k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_LONGEST: Final = 40


def escaped(match: re.Match[str]) -> str:
    """The meaning of a backtick and the character after it."""
    if match["code"]:
        code = int(match["code"], 16)
        if code > 0x10FFFF:
            raise ScriptFailed("an escape is not a valid Unicode character")
        return chr(code)
    return _ESCAPES.get(match[0][1], "" if match[0][1] in "\r\n" else match[0][1])


def number(match: re.Match[str]) -> Any:
    """The value of a number as written."""
    if len(match[0]) > _LONGEST:
        raise OutsideSubset("a number with that many digits is not supported")
    suffix = (match["suffix"] or "").lower()
    if match["hex"] or match["binary"]:
        value: Any = int(match["hex"], 16) if match["hex"] else int(match["binary"], 2)
        if match["hex"] and len(match["hex"]) in (8, 16) and not suffix and match["hex"][0] not in "01234567":
            value -= 1 << (4 * len(match["hex"]))  # PowerShell reads the highest bit as a sign
    elif suffix == "d":
        value = WrittenDecimal(Decimal(match["digits"] + (match["power"] or "")))
    elif match["power"] or "." in match["digits"]:
        value = float(match["digits"] + (match["power"] or ""))
        value = round(value) if suffix else value
    else:
        value = int(match["digits"])
    if match["unit"]:
        value = value * 1024 ** _UNITS[match["unit"][0].lower()]
    return float(value) if type(value) is int and not -(1 << 63) <= value < 1 << 63 else value


def unquoted(text: str) -> str:
    """The text inside single quotes; two single quotes are one."""
    return re.sub(f"[{SINGLE}]{{2}}", "'", text)
