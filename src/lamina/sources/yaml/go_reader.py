"""Reading YAML as the Go library sigs.k8s.io/yaml does, which Helm and kubectl use: to JSON first.

What differs from PyYAML: `y` and `n` are booleans; `010`, `0o10` and `1e3` are numbers, `12:30` and dates are strings;
every number is a 64-bit float, so that 1 and 1.0 are one number and large integers lose digits; keys are strings, a
number or boolean is written as one (`y: 1` has the key `true`); tags of collections mean nothing; merge keys are
applied where they are written; anchors may be defined again; the first document is all there is. A whole number below
2^53 is an integer here.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
import struct
from typing import TYPE_CHECKING, Any, Final

from lamina.sources.yaml.fast_reader import read_lines
from lamina.sources.yaml.located_events import LocatedReading
from lamina.sources.yaml.scalars import YAML, OddScalarError, ScalarTable

if TYPE_CHECKING:
    from lamina.sources.document import Document
    from lamina.sources.limits import Limits
    from lamina.sources.source import Source

_TRUE: Final = ("y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE")
_FALSE: Final = ("n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE")
_NULL: Final = ("", "~", "null", "Null", "NULL")
_WORDS: Final = {**dict.fromkeys(_TRUE, True), **dict.fromkeys(_FALSE, False), **dict.fromkeys(_NULL)}
_INTEGER: Final = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_FRACTION: Final = re.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?")
"""A number that begins with a point."""
_NOT_JSON: Final = re.compile(r"([-+]?)\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_EXACT: Final = 2**53
_LEAST: Final = -(2**63)
_LARGEST_SIGNED: Final = 2**63 - 1
_LARGEST: Final = 2**64 - 1
_SINGLE: Final = 3.4028235677973366e38
"""From here on a number is infinite as a 32-bit float."""


def as_number(number: float) -> float:
    """A number as the library holds it; whole ones that a float has exactly are integers."""
    value = float(number)
    return int(value) if -_EXACT < value < _EXACT and value.is_integer() else value


def _digits(text: str) -> int | None:
    """The integer that a text is, in any base; None if it is none that 64 bits hold."""
    match = _INTEGER.fullmatch(text)
    if match is None:
        return None
    sign, *digits = match.groups()
    bases = zip(digits, (16, 2, 8, 10), strict=True)
    value = next(int(each, base) for each, base in bases if each is not None)
    if sign == "-":
        return -value if -value >= _LEAST else None
    return value if value <= _LARGEST and not (sign and value > _LARGEST_SIGNED) else None


def _written(text: str) -> Any:
    """The value of a plain text, with integers as written."""
    if text in _WORDS:
        return _WORDS[text]
    first = text[0]
    if first in "-+.0123456789":
        if _NOT_JSON.fullmatch(text):
            return math.nan if text[-1] in "nN" else math.copysign(math.inf, -1 if first == "-" else 1)
        without = text if first == "." else text.replace("_", "")
        integer = None if first == "." else _digits(without)
        if integer is not None:
            return integer
        if (_FRACTION if first == "." else _FLOAT).fullmatch(without):
            value = float(without.replace("_", ""))
            return text if math.isinf(value) else value
    return text


def plain(text: str) -> Any:
    """The value of a plain text; a number that JSON does not have raises OddScalarError."""
    value = _written(text)
    if type(value) is int or type(value) is float:
        if not math.isfinite(value):
            raise OddScalarError(text)
        return as_number(value)
    return value


def go_float(value: float, single: bool = False) -> str:
    """A float as Go prints it by default, as one of 32 bits on request: 1e+06, 1.5, 100000."""
    if single and math.isfinite(value):
        value = math.copysign(math.inf, value) if abs(value) >= _SINGLE else _as_single(value)
    if not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    mantissa, _, power = _shortest(value, single).partition("e")
    exponent = int(power)
    if -5 < exponent < 6:
        return _without_exponent(mantissa, exponent)
    return f"{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02}"


def _as_single(value: float) -> float:
    """The nearest number that 32 bits hold."""
    found: float = struct.unpack("f", struct.pack("f", value))[0]
    return found


def _shortest(value: float, single: bool) -> str:
    """The fewest digits that give the number again, with an exponent."""
    for digits in range(17):
        text = f"{value:.{digits}e}"
        if (_as_single(float(text)) if single else float(text)) == value:
            break
    return text


def _without_exponent(mantissa: str, exponent: int) -> str:
    sign, digits = mantissa[: mantissa.startswith("-")], mantissa.lstrip("-").replace(".", "")
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    digits = digits.ljust(exponent + 1, "0")
    whole, part = digits[: exponent + 1], digits[exponent + 1 :]
    return f"{sign}{whole}.{part}" if part else sign + whole


GO_YAML: Final = ScalarTable(
    "go",
    plain,
    lambda text: type(_written(text)) in (int, float),
    "yYnNtTfFoO+-.0123456789~",
    anchors_again=True,
)


def read_go_yaml(source: Source, limits: Limits) -> Document:
    """The first document of a YAML file; an empty file holds null."""
    limits.check_size(source)
    if b"<<" not in source.data:  # quoted, it is a plain key
        found = read_lines(source, GO_YAML, limits)
        if found and found[0].only_json and not found[0].notes:
            return found[0]
    return _GoReading(source, limits).document()


class _GoReading(LocatedReading):
    """One traversal of the events of a file."""

    def check_start(self, event: Any) -> None:
        if event.version is not None and event.version != (1, 1):
            at = self.source.locate(event.start_mark.line, event.start_mark.column)
            self.reject("the file asks for another version of YAML than 1.1", at, "remove the line with %YAML")

    def scalar(self, event: Any, record: int) -> Any:
        tag, text = event.tag or "", event.value
        if event.implicit[1] and not event.implicit[0] and not tag:
            return text
        try:
            value = self._tagged(tag.removeprefix(YAML), text) if tag else _written(text)
        except (ValueError, binascii.Error):
            at = self.positions.origin(record)
            self.reject(f"{text!r} is not a valid {tag}", at, "correct the value, or remove the tag")
        if self._is_key() or not isinstance(value, (int, float)) or isinstance(value, bool):
            return value
        if not math.isfinite(value):
            hint = "quote it if it should be a string"
            self.reject(f"{text} is not a number that JSON has", self.positions.origin(record), hint)
        return as_number(value)

    def is_merge(self, event: Any, value: Any) -> bool:
        return super().is_merge(event, value) or (value == "<<" and event.tag == f"{YAML}merge")

    def _is_key(self) -> bool:
        return bool(self.stack) and self.stack[-1].mapping and len(self.stack[-1].values) % 2 == 0

    def _tagged(self, tag: str, text: str) -> Any:
        if tag == "binary":
            return base64.b64decode("".join(text.split()), validate=True).decode("utf-8", "replace")
        if tag not in ("bool", "int", "float", "null"):
            return text
        value = _written(text)
        if tag == "float" and type(value) is int:
            return float(value)
        if type(value) is not {"bool": bool, "int": int, "float": float, "null": type(None)}[tag]:
            raise ValueError(text)
        return value

    def key(self, written: Any, there: dict[Any, Any], record: int) -> Any:  # noqa: ARG002 - others look at it
        kind = type(written)
        if kind in (list, dict, type(None)) or (kind is int and written > _LARGEST_SIGNED):
            what = {dict: "a mapping", list: "a list", int: "such a large number"}.get(kind, "null")
            self.reject(f"{what} cannot be a key", self.positions.origin(record), "quote the key, or correct it")
        if kind is bool:
            return "true" if written else "false"
        return go_float(written, single=True) if kind is float else str(written)

    def not_merged(self, record: int) -> None:
        at = self.positions.origin(record)
        self.reject("a merge key needs a mapping, or a list of mappings", at, "quote the key if it is no merge key")
