"""Findings as the workflow commands by which GitHub Actions marks lines of a change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina._support.escapes import visible
from lamina.errors import Severity
from lamina.views.lint.formats.groups import message_of

if TYPE_CHECKING:
    from lamina.errors import Note
    from lamina.views.lint.api import Linted

_COMMANDS = {Severity.INFO: "notice", Severity.WARNING: "warning", Severity.ERROR: "error"}


def as_github(linted: Linted) -> str:
    """One command per finding."""
    return "".join(f"{_command(note)}\n" for note in linted.causes)


def _command(note: Note) -> str:
    values: dict[str, str] = {}
    if note.at:
        values = {"file": note.at.source, "line": str(note.at.line), "col": str(note.at.column)}
    values["title"] = f"lamina {note.code}"
    properties = ",".join(f"{name}={_property(value)}" for name, value in values.items())
    return f"::{_COMMANDS[note.severity]} {properties}::{_data(message_of(note))}"


def _data(text: str) -> str:
    return visible(text, keep="\n").replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
