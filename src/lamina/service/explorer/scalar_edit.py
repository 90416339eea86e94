"""Another value in place of a scalar: the text of a file with one value replaced, all else as it is.

YAML (and JSON, which is YAML) and PowerShell data files can be edited. Where a value cannot be replaced, the message
says what is there instead.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import yaml

from lamina.dialects.datum.powershell_data import psd1_reader, psd1_writer
from lamina.errors import Diagnostic, InputError, UsageError
from lamina.values import same

if TYPE_CHECKING:
    from lamina.sources.source import Source

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER: Final = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_BLOCK: Final = ("|", ">")
_COLLECTIONS: Final = (
    yaml.BlockMappingStartToken,
    yaml.BlockSequenceStartToken,
    yaml.FlowMappingStartToken,
    yaml.FlowSequenceStartToken,
)
_STARTS: Final = (yaml.ScalarToken, yaml.AliasToken, yaml.AnchorToken, yaml.TagToken, *_COLLECTIONS)
"""What a value may begin with."""


def with_value(source: Source, line: int, column: int, value: Any) -> str:
    """The text of a YAML file with another value at a place where a scalar is that is not a key; lines count from 1."""
    try:
        text = source.data.decode()
    except UnicodeDecodeError:
        raise _not_editable(line, column, "the file is not text in UTF-8") from None
    found = _span(text, line - 1, column - 1)
    return text[: found.start] + found.before + _written(value) + found.after + text[found.end :]


def with_psd1_value(source: Source, line: int, column: int, value: Any) -> str:
    """The same for a PowerShell data file."""
    try:
        text, found = psd1_reader.with_text_at(source, line - 1, column - 1, psd1_writer.dump(value))
    except LookupError:
        raise _not_editable(line, column, "a key, a table or an array is there, or nothing") from None
    except (ValueError, InputError):
        raise _not_editable(line, column, "a PowerShell data file cannot hold that value there") from None
    if not same(found, value):
        raise _not_editable(line, column, "PowerShell would read that value as another one there")
    return text


class _Span(NamedTuple):
    """What is replaced, and what is written around the new value."""

    start: int
    end: int
    before: str = ""
    after: str = ""


def _span(text: str, line: int, column: int) -> _Span:
    """Where the scalar begins and ends that is at a place, which may be that of its anchor or tag.

    A null of which nothing is written is behind the colon or dash in front of it.
    """
    key, marked, empty, why = False, None, None, "nothing is written there"
    try:
        for token in yaml.scan(text, _LOADER):
            begin, end = token.start_mark, token.end_mark
            if empty is not None and not isinstance(token, _STARTS):
                return _Span(empty, empty, " ")
            empty = None
            if isinstance(token, (yaml.AnchorToken, yaml.TagToken)):
                marked = marked or (begin.line, begin.column)
                continue
            if (line, column) in ((begin.line, begin.column), marked):
                if isinstance(token, yaml.ScalarToken) and not key:
                    return _Span(begin.index, end.index, after="\n" if token.style in _BLOCK else "")
                why = _instead(token, is_key=key) or why
            if isinstance(token, (yaml.ValueToken, yaml.BlockEntryToken)) and (line, column) == (end.line, end.column):
                empty = end.index
            key, marked = isinstance(token, yaml.KeyToken), None
    except yaml.YAMLError:
        why = "the file, or a part of it, is not YAML"
    raise _not_editable(line + 1, column + 1, why)


def _instead(token: yaml.Token, *, is_key: bool) -> str:
    """What is there that is not a value of its own."""
    if isinstance(token, yaml.AliasToken):
        return "an alias is written there; try another value at its anchor"
    if isinstance(token, _COLLECTIONS) or is_key:
        return "a key, a mapping or a list is written there; try another value in it"
    return ""


def _not_editable(line: int, column: int, why: str) -> UsageError:
    return UsageError(
        Diagnostic(
            code="not-in-place",
            message=f"the value at line {line}, column {column} cannot be replaced: {why}",
            hint="choose a string, number, true, false or null that is written in a YAML, JSON or .psd1 file",
        )
    )


def _written(value: Any) -> str:
    """A value on one line, in a form that YAML reads as the same value wherever it is."""
    if isinstance(value, (str, dict, list)):
        return json.dumps(value, ensure_ascii=False)
    text: str = yaml.dump(value, Dumper=_DUMPER)
    return text.removesuffix("...\n").strip()
