"""The reference page and the man page, both generated from the commands.

For a package, `python -m lamina.cli.man_page` prints the man page.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from lamina.cli.click_options import FLAG
from lamina.cli.dialect_options import available_dialects, flags_of_dialect
from lamina.cli.group import COMMANDS, lamina
from lamina.cli.help_sections import COMMON, signature
from lamina.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Records = tuple[tuple[str, str], ...]
    """Options with what they do."""

STATUSES = (
    ("0", "done"),
    ("1", "findings or differences"),
    ("2", "wrong usage"),
    ("3", "the input could not be read or merged; standard output is empty"),
    ("70", "a bug in Lamina, or in a plug-in, which is then named"),
)


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """One command as it is to be described."""

    name: str
    usage: str
    about: str
    options: Records
    """Those of its own, without what all commands have that take inputs."""
    example: str
    shared: Records
    """Those that all commands have that take inputs; they have those of systems, too."""


def entries() -> list[CommandEntry]:
    """All commands, those inside groups too, in the order of the help."""
    root = click.Context(lamina, info_name="lamina")
    found: list[CommandEntry] = []
    for name in COMMANDS:
        command = lamina.get_command(root, name)
        assert command is not None
        found.extend(_entries(command, name, root))
    return found


def _entries(command: click.Command, name: str, parent: click.Context) -> Iterator[CommandEntry]:
    context = click.Context(command, info_name=name.rsplit(" ", 1)[-1], parent=parent)
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            yield from _entries(found, f"{name} {inner}", context)
        return
    usage = " ".join(["lamina", name, *command.collect_usage_pieces(context)])
    common = [each for each in command.params if each.name in COMMON]
    own = [each for each in command.params if each not in common and not (each.name or "").startswith(FLAG)]
    about = _plain(command.help or "")
    yield CommandEntry(name, usage, about, _records(own, context), _example(command), _records(common, context))


def _records(parameters: Iterable[click.Parameter], context: click.Context) -> Records:
    options = (each for each in parameters if isinstance(each, click.Option))
    return tuple(record for each in options if (record := each.get_help_record(context)) is not None)


def _shared(found: Iterable[CommandEntry]) -> Records:
    """The options of all commands that take inputs."""
    return max((entry.shared for entry in found), key=len)


def _of_systems() -> Iterator[tuple[str, Records]]:
    """The options of each system, which all commands have that take inputs."""
    for dialect in available_dialects():
        if flags := flags_of_dialect(dialect):
            yield dialect.name, tuple((signature(flag), flag.about) for flag in flags)


def _example(command: click.Command) -> str:
    """The lines a command's help ends with, without their heading."""
    lines = (command.epilog or "").split("\n")
    return "\n".join(line.strip() for line in lines if line.startswith("  "))


def _plain(text: str) -> str:
    """A command's help with the lines of each paragraph joined."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def as_markdown() -> str:
    """The reference page of the commands."""
    lines = ["# Commands and options", "", "<!-- Made by docs/generate.py from the commands; do not edit. -->", ""]
    found = entries()
    for entry in found:
        lines += [f"## lamina {entry.name}", "", f"    {entry.usage}", "", entry.about, ""]
        lines += _table(entry.options) if entry.options else []
        if entry.shared:
            lines += ["Also the [common options](#common-options) and those of the [systems](#options-of-systems).", ""]
        lines += ["Example:", "", *(f"    {line}" for line in entry.example.split("\n")), ""]
    lines += ["## Common options", "", *_table(_shared(found)), "## Options of systems", ""]
    for name, records in _of_systems():
        lines += [f"### {name}", "", *_table(records)]
    lines += ["## Exit status", "", "| status | meaning |", "| --- | --- |"]
    lines += [f"| {status} | {meaning} |" for status, meaning in STATUSES]
    return "\n".join(lines) + "\n"


def _table(records: Records) -> list[str]:
    rows = [f"| {_cell(f'`{names}`')} | {_cell(about)} |" for names, about in records]
    return ["| option | what it does |", "| --- | --- |", *rows, ""]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def as_man_page() -> str:
    """The man page, in the troff of man(7)."""
    lines = [
        f'.TH LAMINA 1 "" "lamina {VERSION}" "User commands"',
        ".SH NAME",
        "lamina \\- merge layered configuration and show where each value came from",
        ".SH SYNOPSIS",
        ".B lamina",
        "[--debug] COMMAND [OPTIONS] [INPUT...]",
        ".SH DESCRIPTION",
        _troff(_plain(lamina.help or "")),
    ]
    found = entries()
    for entry in found:
        lines += [f".SH LAMINA {entry.name.upper()}", f".B {_troff(entry.usage)}", ".PP"]
        lines += [_troff(entry.about).replace("\n\n", "\n.PP\n"), *_paragraphs(entry.options)]
        lines += [".PP", "Example:", ".PP", f".B {_troff(entry.example)}"]
    lines += [".SH COMMON OPTIONS", "Of all commands that take inputs.", *_paragraphs(_shared(found))]
    for name, records in _of_systems():
        lines += [f".SH OPTIONS OF {name.upper()}", *_paragraphs(records)]
    lines.append(".SH EXIT STATUS")
    for status, meaning in STATUSES:
        lines += [".TP", f".B {status}", _troff(meaning)]
    return "\n".join(lines) + "\n"


def _paragraphs(records: Records) -> list[str]:
    return [line for names, about in records for line in (".TP", f".B {_troff(names)}", _troff(about))]


def _troff(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    escaped = re.sub(r"[^\x00-\x7f]", lambda found: f"\\[u{ord(found[0]):04X}]", escaped)  # troff reads ASCII
    return re.sub(r"^([.'])", r"\\&\1", escaped, flags=re.MULTILINE)


if __name__ == "__main__":
    sys.stdout.write(as_man_page())
