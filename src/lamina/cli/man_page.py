"""The reference page and the man page, both generated from the commands.

For a package, `python -m lamina.cli.man_page` prints the man page.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from lamina.cli.group import COMMANDS, lamina
from lamina.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    options: tuple[tuple[str, str], ...]
    example: str


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
    records = (parameter.get_help_record(context) for parameter in command.get_params(context))
    options = tuple(record for record in records if record is not None)
    yield CommandEntry(name, usage, _plain(command.help or ""), options, _example(command))


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
    for entry in entries():
        lines += [f"## lamina {entry.name}", "", f"    {entry.usage}", "", entry.about, ""]
        lines += ["| option | what it does |", "| --- | --- |"]
        lines += [f"| {_cell(f'`{names}`')} | {_cell(about)} |" for names, about in entry.options]
        lines += ["", "Example:", "", *(f"    {line}" for line in entry.example.split("\n")), ""]
    lines += ["## Exit status", "", "| status | meaning |", "| --- | --- |"]
    lines += [f"| {status} | {meaning} |" for status, meaning in STATUSES]
    return "\n".join(lines) + "\n"


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
    for entry in entries():
        lines += [f".SH LAMINA {entry.name.upper()}", f".B {_troff(entry.usage)}", ".PP"]
        lines += [_troff(entry.about).replace("\n\n", "\n.PP\n")]
        for names, about in entry.options:
            lines += [".TP", f".B {_troff(names)}", _troff(about)]
        lines += [".PP", "Example:", ".PP", f".B {_troff(entry.example)}"]
    lines.append(".SH EXIT STATUS")
    for status, meaning in STATUSES:
        lines += [".TP", f".B {status}", _troff(meaning)]
    return "\n".join(lines) + "\n"


def _troff(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", escaped, flags=re.MULTILINE)


if __name__ == "__main__":
    sys.stdout.write(as_man_page())
