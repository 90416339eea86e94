"""Errors in YAML: PyYAML's messages as findings with an origin."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from yaml import MarkedYAMLError
from yaml.reader import ReaderError

from lamina._support.derived import expression
from lamina.errors import Diagnostic, InputError

if TYPE_CHECKING:
    from lamina.origins import Origin
    from lamina.sources.source import Source

_HINTS = (
    (r"'\\t'|tab character|\\t", "use spaces; YAML does not allow tabs here"),
    ("2002:value'", "quote the '='"),
    ("not a valid", "fix it, or quote it if it should be a string"),
    (
        "could not determine a constructor for the tag",
        "remove the tag, or quote the string if it should start with '!'",
    ),
    ("but found another document", "keep one document, or move the others to separate files"),
    ("undefined alias", "define the anchor (&name) before the alias, or quote the string if it should start with '*'"),
    ("is defined twice", "give each anchor a name of its own"),
    ("mapping values are not allowed", "quote the string if it contains ': ', or check the indentation of this line"),
    ("unhashable key", "use a string as the key; quote it if it starts with '[' or '{'"),
    ("for merging", "give '<<' a mapping, or a list of mappings"),
    ("escape|chr\\(\\)", "use single quotes for a literal backslash"),
    ("cannot start any token", "quote the string"),
    ("codec|UTF-8|UTF-16|start byte|continuation byte|end of data", "save the file as UTF-8"),
    ("special characters|control characters", "remove the character, or write it as an escape in double quotes"),
    (
        "<block end>|block mapping|block collection|expected key",
        "check the indentation of this line and the one before",
    ),
    ("flow|expected ','", "check the brackets, braces and commas"),
    ("quoted scalar", "close the quotes"),
)
_TEMPLATE = expression(
    r"""(?P<directive>
        %\{~?\s*(?:for|if|else|endfor|endif)\b      # Terraform
        | \{%[-+]?\s*\w+                          # Jinja
        | \{\{[-~]?\s*[\w.$/"(#^&!>]+             # Go, Helm, Jinja, Mustache
        | <%[-=#]?\s*\w*                          # ERB
        | ^\s*\$(?:[{(][^\s})]*|[A-Za-z_]\w*\s*$) # Terraform and the shell: a line that stands for others
    )""",
    re.VERBOSE | re.MULTILINE,
)
"""What is filled in before YAML is read, by another program."""
_NOT_PRINTABLE = expression("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
STARTS_HERE = "it starts here"
"""The label of the place where the value begins that an error is in."""
_DUPLICATE_ANCHOR = expression(r"found duplicate anchor ('.*'); first occurrence")
_BREAK = expression("\r\n|[\r\n\x85\u2028\u2029]")


def invalid_yaml(source: Source, fault: Exception) -> InputError:
    """The finding for an error of PyYAML."""
    if isinstance(fault, ReaderError):
        return _finding(source, _reader_message(fault), _reader_origin(source))
    if not isinstance(fault, MarkedYAMLError):
        return _finding(source, str(fault) or type(fault).__name__, None)
    template = _template_at(source, fault)
    messages = [str(text) for text in (fault.context, fault.problem) if text]
    if twice := _DUPLICATE_ANCHOR.match(messages[0] if messages else ""):
        messages = [f"the anchor {twice[1]} is defined twice"]
    context = _origin(source, fault.context_mark)
    at = _origin(source, fault.problem_mark) or context
    label = "it is defined here first" if twice else STARTS_HERE
    related = ((label, context),) if context and context != at else ()
    return _finding(source, ": ".join(messages) or str(fault), at, related, template)


def _template_at(source: Source, fault: MarkedYAMLError) -> str | None:
    """What looks like a part of a template on the lines of an error."""
    marks = [mark.line for mark in (fault.context_mark, fault.problem_mark) if mark is not None]
    if not marks:
        return None
    lines = source.data.decode("utf-8", "replace").splitlines()
    # The parser often notices on the line after the one it cannot make sense of.
    text = "\n".join(lines[line] for line in sorted({*marks, marks[-1] - 1}) if 0 <= line < len(lines))
    found = _TEMPLATE.search(text)
    return found["directive"].strip() if found else None


def _finding(
    source: Source,
    message: str,
    at: Origin | None,
    related: tuple[tuple[str, Origin], ...] = (),
    template: str | None = None,
) -> InputError:
    hint = next((hint for pattern, hint in _HINTS if re.search(pattern, message)), "fix the YAML here")
    if template is not None:
        hint = f"this looks like a template ({template} …): render it first, or quote it if it should be a string"
    at = at or source.locate(0, 0)
    return InputError(Diagnostic(code="invalid-yaml", message=message, at=at, related=related, hint=hint))


def _origin(source: Source, mark: Any) -> Origin | None:
    return source.locate(mark.line, mark.column) if mark is not None else None


def _reader_message(fault: ReaderError) -> str:
    # PyYAML's message has the name of the stream and an offset on a second line; we add the location ourselves.
    return str(fault).partition("\n")[0].strip()


def _reader_origin(source: Source) -> Origin:
    before = _readable(source.data)
    breaks = [match.end() for match in _BREAK.finditer(before)]
    return source.locate(len(breaks), len(before) - (breaks[-1] if breaks else 0))


def _readable(data: bytes) -> str:
    """The text before the first byte that does not decode or the first character that YAML does not allow."""
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as fault:
        text = data[: fault.start].decode(encoding, "ignore")
    bad = _NOT_PRINTABLE.search(text)
    return text[: bad.start()] if bad else text
