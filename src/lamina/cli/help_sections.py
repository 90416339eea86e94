"""The options of a command in groups, as its help shows them.

Help is about what can be used now: of the dialects, the one that is named, else those of the current project, else all.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from lamina.cli import dialect_options
from lamina.dialects import registry
from lamina.dialects.base import has_compat
from lamina.errors import LaminaError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import click

    from lamina.dialects.base import Dialect

    Records = list[tuple[str, str]]
    Section = Records | str
    """Options with what they do, or a sentence."""

COMMON = ("dialect", "compat", "environments", "allow_path", "targets", "project", "jobs")
OUTPUT = ("form", "as_json", "output", "output_dir", "annotate", "no_sort", "title", "kinds", "source_url", "quiet")


def example(*lines: str) -> str:
    """The end of a command's help: how it is used."""
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in lines)


def option_sections(ctx: click.Context, own: list[click.Option], named: str | None) -> Iterator[tuple[str, Section]]:
    """Titles and what is below each; empty groups are omitted.

    With all dialects, the options of each are only listed by name: explained, they would fill three screens.
    """
    applying = [registry.find(named)] if named else _of_project()
    explained = bool(applying)
    shown = applying or list(dialect_options.available_dialects(installed=True))
    compat = any(has_compat(dialect.options) for dialect in shown)
    records: dict[str, Records] = {"Options": [], "Common options": [], "Output options": []}
    for each in own:
        record = each.get_help_record(ctx)
        if record is not None and (compat or each.name != "compat"):
            records[_group(each)].append(record)
    yield from ((title, listed) for title, listed in records.items() if listed)
    for dialect in shown:
        if flags := dialect_options.flags_of_dialect(dialect):
            yield f"Options of {dialect.name}", _listed(flags) if explained else _names(flags)
    if not explained:
        yield "More", f"{ctx.command_path} --dialect NAME --help explains the options of one system."


def _listed(flags: list[dialect_options.Flag]) -> Records:
    return [(_signature(flag), flag.about) for flag in flags]


def _names(flags: list[dialect_options.Flag]) -> str:
    return ", ".join(flag.name for flag in flags)


def _group(option: click.Option) -> str:
    common = option.name in COMMON or "--help" in option.opts
    return "Common options" if common else "Output options" if option.name in OUTPUT else "Options"


def _of_project() -> list[Dialect[Any]]:
    """The dialects of the current project file; none if there is no such file, or it does not name them all."""
    from lamina.project import project_file

    try:
        path = project_file.find(os.curdir)
        names = [each.dialect for each in project_file.load(path, path).declared] if path else []
        return [] if None in names else [registry.find(name) for name in dict.fromkeys(names) if name]
    except LaminaError:  # help does not depend on a file that a command would complain about
        return []


def _signature(flag: dialect_options.Flag) -> str:
    """A flag as it is written, with what it takes."""
    names = ", ".join(flag.names)
    if flag.shape == "takes no value":
        return names
    choices = "|".join(flag.field.metadata["choices"])
    return f"{names} {f'[{choices}]' if choices else flag.metavar or flag.type.name.upper()}"
