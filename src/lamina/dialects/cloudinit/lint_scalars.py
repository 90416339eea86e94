"""Unquoted scalars that YAML reads as something else where a string was probably meant.

- a file mode: any number at `permissions` or `mode`;
- a date, wherever it is;
- a number with a zero in front, which is read as octal: `0644` is 420;
- a number with colons, which is read to the base 60: `12:30` is 750;
- yes, no, on or off where only text makes sense, such as the content of a file or a command.
"""

from __future__ import annotations

import datetime
import re
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.cloudinit import messages
from lamina.engine.provenance import first_origin
from lamina.errors import Effect, Fix
from lamina.paths import Path, leaves, show

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.protocol.rendered import Checked, SourcesRead

_MODES: Final = ("permissions", "mode")
_TEXT_KEYS: Final = frozenset(
    (
        "content",
        "fqdn",
        "gecos",
        "hostname",
        "locale",
        "message",
        "name",
        "owner",
        "passwd",
        "path",
        "shell",
        "timezone",
    )
)
_TEXT_LISTS: Final = frozenset(("bootcmd", "packages", "runcmd", "ssh_authorized_keys"))
_TOKEN: Final = re.compile(r"[^\s,\]}#]+")
_OCTAL: Final = re.compile(r"[-+]?0[0-7_]+")
_SEXAGESIMAL: Final = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?")
_WORD: Final = re.compile(r"yes|no|on|off", re.IGNORECASE)


def converted_scalars(checked: Checked) -> Iterable[Note]:
    """Scalars that YAML reads as dates, numbers or booleans where a string was probably meant."""
    plain, lines = checked.rendered.plain, _SourceLines(checked.record)
    for path in leaves(plain) if isinstance(plain, (dict, list)) else ():
        value = checked.rendered.node_at(path).value
        if not isinstance(value, (int, float, datetime.date)):
            continue
        origin = first_origin(checked.rendered.node_at(path))
        written = lines.at(origin)
        converted = _became(value, path, written)
        if converted:
            yield messages.CONVERTED_SCALAR.at(
                origin,
                path,
                fix=_quoting(checked, path, value, written, origin),
                hint=f"quote it: '{written}'" if written else "quote it if it should be a string",
                where=show(path),
                converted=converted,
            )


def _quoting(checked: Checked, path: Path, value: Any, written: str, origin: Origin | None) -> Fix | None:
    """The fix that puts a scalar in quotes."""
    if origin is None or not written:
        return None
    effects = tuple(Effect(output.output.name, path, value, written) for output in checked.rendered.outputs)
    return Fix(title="put it in quotes", action="quote", at=origin, old=written, effects=effects)


class _SourceLines:
    """The lines of the sources, each taken apart once."""

    def __init__(self, record: SourcesRead) -> None:
        self._record = record
        self._lines: dict[str, list[str]] = {}

    def at(self, origin: Origin | None) -> str:
        """What is at a place, up to where a scalar could end; nothing if it cannot be read there."""
        if origin is None:
            return ""
        if origin.source not in self._lines:
            source = self._record.source(origin.source)
            self._lines[origin.source] = source.data.decode("utf-8", "replace").split("\n") if source else []
        line = "".join(self._lines[origin.source][origin.line - 1 : origin.line])
        match = _TOKEN.match(line, origin.column - 1)
        return match[0] if match else ""


def _became(value: Any, path: Path, written: str) -> str:
    """What the scalar was read as, as text; empty if that is probably intended."""
    if isinstance(value, datetime.date):
        return f"the date {value}"
    if isinstance(value, bool):
        is_text = path[-1] in _TEXT_KEYS or not _TEXT_LISTS.isdisjoint(map(str, path))
        return str(value).lower() if is_text and _WORD.fullmatch(written) else ""
    if isinstance(value, int) and (path[-1] in _MODES or _OCTAL.fullmatch(written)):
        return f"the number {value}"
    return f"the number {value}" if _SEXAGESIMAL.fullmatch(written) else ""
