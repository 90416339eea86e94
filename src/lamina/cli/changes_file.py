"""The file of `lamina set -f`: several values that are to be others, in their order.

changes:
- path: ntp.servers[0]
  value: 10.0.0.1
  targets: [web*]
- path: motd
  delete: true
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.engine.node import SourceNode
from lamina.paths import MISSING
from lamina.plugin.settings import Form, Settings, anything, flag, strings, tables, text
from lamina.run import Run
from lamina.sources.document_cache import yaml_document
from lamina.sources.inputs import read_file

if TYPE_CHECKING:
    from lamina.plugin.settings import Written

_CHANGE = Form(
    "a change",
    text("path", "the path of a value", filled=True, needed="add path: the path of a value, as lamina explain has it"),
    anything("value", default=MISSING),
    flag("delete", default=False),
    strings("targets", "the name or pattern of a target, or a list of them", filled=True),
    text("in", "the file to edit", filled=True),
)
_HINT = "write changes: and below it a list of path and value, or of path and delete: true"
_FILE = Form("a file of changes", tables("changes", _CHANGE, "a list of changes"), hint=_HINT)


class WantedChange(NamedTuple):
    """A value that is to be another one; MISSING if it is to go."""

    path: str
    value: Any
    targets: tuple[str, ...]
    within: str | None


def read_changes(name: str) -> list[WantedChange]:
    """The changes that a file wants."""
    document = yaml_document(read_file(name, name), Run())
    settings = Settings(SourceNode(document.value, (), document.positions, 0, name), _FILE, "bad-changes")
    changes = list(settings["changes"] or ())
    if not changes and not settings.findings:
        settings.add_error(None, "there are no changes in it", _HINT)
    for each in changes if not settings.findings else ():
        if (each["value"] is MISSING) is not each["delete"]:
            each.add_error(None, "a change has either a value or delete: true", "write value: and what it is to be")
    settings.finish()
    return [WantedChange(each["path"], each["value"], _texts(each["targets"]), each["in"]) for each in changes]


def _texts(written: tuple[Written, ...]) -> tuple[str, ...]:
    return tuple(each.text for each in written)
