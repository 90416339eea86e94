"""The options of a command in groups, as its help shows them.

Help is about what can be used now: the dialect that is named, else the one the inputs look like, else those of the
current project.
"""

from __future__ import annotations

import os
import textwrap
from typing import TYPE_CHECKING, Any

from lamina.cli import dialect_options
from lamina.dialects import registry
from lamina.errors import LaminaError
from lamina.protocol.dialect import has_compat

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import click

    from lamina.cli.click_options import AtHand
    from lamina.protocol.dialect import Dialect

    Records = list[tuple[str, str]]
    Section = Records | str
    """Options with what they do, or a sentence."""

COMMON = ("dialect", "compat", "strict", "allow_path", "targets", "project", "jobs")
OUTPUT = (
    *(
        "form",
        "as_json",
        "output",
        "output_dir",
        "resume",
        "scheduler",
        "annotate",
        "no_sort",
        "title",
        "unknown",
        "kinds",
        "source_url",
    ),
    "quiet",
)


def write_options(ctx: click.Context, own: list[click.Option], at_hand: AtHand, formatter: click.HelpFormatter) -> None:
    """Write the options in groups: the command's own, then those of each dialect that applies."""
    for title, records in option_sections(ctx, own, at_hand):
        with formatter.section(title):
            if isinstance(records, str):
                _write_unbroken(records, formatter)
            else:
                formatter.write_dl(records)


def _write_unbroken(text: str, formatter: click.HelpFormatter) -> None:
    """Write a text in lines; click itself would break options at their dashes."""
    indent = " " * formatter.current_indent
    for line in textwrap.wrap(text, formatter.width - len(indent), break_on_hyphens=False):
        formatter.write(f"{indent}{line}\n")


def option_sections(ctx: click.Context, own: list[click.Option], at_hand: AtHand) -> Iterator[tuple[str, Section]]:
    """Titles and what is below each; empty groups are omitted.

    The options of the dialects at hand are explained, those of others only named, in one line.
    """
    applying = _at_hand(at_hand)
    others = [each for each in dialect_options.available_dialects(installed=True) if each not in applying]
    compat = any(has_compat(dialect.options) for dialect in applying or others)
    records: dict[str, Records] = {"Options": [], "Common options": [], "Output options": []}
    for each in own:
        record = each.get_help_record(ctx)
        if record is not None and (compat or each.name != "compat"):
            records[_group(each)].append(record)
    yield from ((title, listed) for title, listed in records.items() if listed)
    for dialect in applying:
        if flags := dialect_options.flags_of_dialect(dialect):
            yield f"Options of {dialect.name}", _listed(flags)
    if at_hand.named is None:
        systems = ", ".join(dialect.name for dialect in others)
        yield "Options of other systems", f"{systems}: {ctx.command_path} --dialect NAME --help explains those of one."


def _at_hand(at_hand: AtHand) -> list[Dialect[Any]]:
    """The dialect that is named, else that of the inputs, else those of the current project."""
    if at_hand.named is not None:
        return [registry.find(at_hand.named)]
    return _of_inputs(at_hand.inputs) or _of_project()


def _of_inputs(words: Sequence[str]) -> list[Dialect[Any]]:
    """The dialect that those words look like which are files or folders; none if there are none, or it is unclear."""
    paths = [word for word in words if os.path.exists(word)]  # noqa: PTH110 - as typed
    if not paths:
        return []
    from lamina.sources.inputs import gather

    try:
        return [registry.detect(gather(paths))]
    except LaminaError:  # likewise
        return []


def _listed(flags: list[dialect_options.Flag]) -> Records:
    return [(signature(flag), flag.about) for flag in flags]


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


def signature(flag: dialect_options.Flag) -> str:
    """A flag as it is written, with what it takes."""
    names = ", ".join(flag.names)
    if flag.shape == "takes no value":
        return names
    choices = "|".join(flag.field.metadata["choices"])
    return f"{names} {f'[{choices}]' if choices else flag.metavar or flag.type.name.upper()}"
