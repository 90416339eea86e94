"""Another value in place of a scalar: the text of a YAML file with one value replaced, all else as it is."""

from __future__ import annotations

import json
from typing import Any, Final

import yaml

from lamina.errors import Diagnostic, UsageError

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER: Final = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_BLOCK: Final = ("|", ">")


def with_value(data: bytes, line: int, column: int, value: Any) -> str:
    """The text of a file with another value at a place where a scalar is that is not a key; lines count from 1."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise _not_editable(line, column) from None
    start, end, style = _span(text, line - 1, column - 1)
    return text[:start] + _written(value) + ("\n" if style in _BLOCK else "") + text[end:]


def _span(text: str, line: int, column: int) -> tuple[int, int, str | None]:
    """Where the scalar begins and ends that is at a place, which may be that of its anchor or tag, and its style."""
    key, marked = False, None
    try:
        for token in yaml.scan(text, _LOADER):
            if isinstance(token, (yaml.AnchorToken, yaml.TagToken)):
                marked = marked or (token.start_mark.line, token.start_mark.column)
                continue
            if isinstance(token, yaml.ScalarToken) and not key:
                begin = token.start_mark
                if (line, column) in ((begin.line, begin.column), marked):
                    return begin.index, token.end_mark.index, token.style
            key, marked = isinstance(token, yaml.KeyToken), None
    except yaml.YAMLError:
        pass  # a file in another format, or with parts in other formats
    raise _not_editable(line + 1, column + 1)


def _not_editable(line: int, column: int) -> UsageError:
    return UsageError(
        Diagnostic(
            code="not-in-place",
            message=f"there is no single value at line {line}, column {column} that could be replaced",
            hint="choose a string, number, true, false or null that is written in a YAML or JSON file",
        )
    )


def _written(value: Any) -> str:
    """A value on one line, in a form that YAML reads as the same value wherever it is."""
    if isinstance(value, (str, dict, list)):
        return json.dumps(value, ensure_ascii=False)
    text: str = yaml.dump(value, Dumper=_DUMPER)
    return text.removesuffix("...\n").strip()
