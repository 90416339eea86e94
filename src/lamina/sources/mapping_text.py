"""Mappings of the caller as the text of a file, so that every dialect reads them as it reads its files.

The text is JSON, one member a line, which is YAML, too: a string is always quoted, so that it is one for every reader.
What JSON has no form for is written as YAML writes it: keys that are not strings, dates, infinities.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any

from lamina.errors import Diagnostic, UsageError

_NOT_IN_YAML = re.compile("[\x7f-\x9f\ud800-\udfff\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that a YAML file cannot contain as they are, or that end a line there."""


def mapping_text(name: str, mapping: Mapping[Any, Any]) -> str:
    """The text of a file that has this mapping as its only document."""
    try:
        return "".join(_written(mapping, "\n", name)) + "\n"
    except RecursionError:
        raise _rejected(name, "is nested too deeply, or contains itself", "copy the parts it has in common") from None


def _written(value: Any, line: str, name: str) -> Iterator[str]:
    """A value in pieces; `line` starts a line of the container it is in."""
    if isinstance(value, Mapping):
        members = ((f"{_scalar(key, name)}: ", item) for key, item in value.items())
        yield from _container("{}", members, line, name)
    elif isinstance(value, (list, tuple)):
        yield from _container("[]", (("", item) for item in value), line, name)
    else:
        yield _scalar(value, name)


def _container(brackets: str, members: Iterator[tuple[str, Any]], line: str, name: str) -> Iterator[str]:
    inner, separator = line + "  ", ""
    yield brackets[0]
    for head, item in members:
        yield separator + inner + head
        yield from _written(item, inner, name)
        separator = ","
    yield (line if separator else "") + brackets[1]


def _scalar(value: Any, name: str) -> str:
    if isinstance(value, str):
        return _NOT_IN_YAML.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))
    if value is None or isinstance(value, (bool, int)):
        return json.dumps(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, datetime):
        return value.isoformat(" ")
    if isinstance(value, date):
        return value.isoformat()
    hint = "use mappings, lists, strings, numbers, booleans, null and dates"
    raise _rejected(name, f"contains a value of type {type(value).__name__}, which no file could", hint)


def _number(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    text = repr(value)
    # Without a point, YAML 1.1 reads a string.
    return text.replace("e", ".0e", 1) if "e" in text and "." not in text else text


def _rejected(name: str, problem: str, hint: str) -> UsageError:
    return UsageError(Diagnostic(code="not-yaml", message=f"the mapping {name} {problem}", hint=hint))
