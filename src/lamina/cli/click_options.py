"""Common options of the commands: inputs, the dialect, and the options of each dialect."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, TypeVar

import click

from lamina.cli import dialect_options
from lamina.cli.help_sections import AtHand, option_sections
from lamina.protocol.dialect import COMPATS

if TYPE_CHECKING:
    from collections.abc import Callable

Decorated = TypeVar("Decorated", bound="Callable[..., Any]")

_KEY = "lamina.dialects"
AT_HAND = "lamina.dialect_at_hand"


class DialectCommand(click.Command):
    """A command that takes the options of dialects.

    Installed dialects are loaded only if the built-in ones do not know the options, and for help: a command that does
    not need them is neither slowed down nor broken by them.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        named = _dialect_named(args)
        ctx.meta[AT_HAND] = AtHand(named, args)
        is_completion = ctx.resilient_parsing
        ctx.meta[_KEY] = self._dialect_params(None if is_completion else named, installed=is_completion)
        try:
            return super().parse_args(ctx, list(args))
        except click.UsageError:
            if is_completion:
                raise
        ctx.meta[_KEY] = self._dialect_params(named, installed=True)
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        own = super().get_params(ctx)
        if _KEY not in ctx.meta:
            ctx.meta[_KEY] = self._dialect_params(None, installed=False)
        return [*own, *ctx.meta[_KEY]]

    def _dialect_params(self, named: str | None, *, installed: bool) -> list[click.Parameter]:
        own = {name for each in self.params for name in (*each.opts, *each.secondary_opts)}
        dialects = dialect_options.available_dialects(named, installed=installed)
        return dialect_options.parameters(dialects, {*own, "-h", "--help"}, named)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options in groups: the command's own, then those of each dialect that applies."""
        own = [each for each in super().get_params(ctx) if isinstance(each, click.Option)]
        for title, records in option_sections(ctx, own, ctx.meta.get(AT_HAND, AtHand())):
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


_PROBE = click.Command(
    "probe",
    params=[click.Option(["--dialect"])],
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)


def _dialect_named(args: list[str]) -> str | None:
    """The dialect a line names; which options there are depends on it."""
    if not any(word.startswith("--dialect") for word in args):
        return None
    named: str | None = _PROBE.make_context("probe", list(args), resilient_parsing=True).params.get("dialect")
    return named


dialect_option = click.option(
    "--dialect", metavar="NAME", is_eager=True, help="The system the inputs are for; auto-detected if not given."
)
compat_option = click.option(
    "--compat",
    type=click.Choice(COMPATS),
    default="program",
    show_default=True,
    help="Follow the program, or its manual where the two differ.",
)
allow_path = click.option(
    "--allow-path",
    multiple=True,
    metavar="DIR",
    help="Let inputs refer to files in DIR (includes, nested templates), besides their own folders; repeatable.",
)
target_option = click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="NAME",
    help="A target of the project, or a pattern such as 'site-*'; repeatable.",
)
project_option = click.option(
    "--project",
    metavar="FILE",
    help="The project file, or the folder it is in.  [default: without INPUT, searched for in this folder and above]",
)
_inputs = click.argument("inputs", nargs=-1, metavar="INPUT...", type=click.Path(allow_dash=True))


COMPAT = "compat"
"""The notes that say where the program and its manual differ."""
ALL = "all"
"""Every note."""

notes_option = click.option(
    "--notes",
    "kinds",
    multiple=True,
    type=click.Choice([COMPAT, ALL]),
    help="Print these notes, too: compat is where the program and its manual differ; all is every note.",
)


jobs_option = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    show_default=True,
    help="Number of processes that work on targets.",
)


def inputs_and_options(function: Decorated) -> Decorated:
    """The arguments of every command that works on targets, except for the options of dialects."""
    for each in (_inputs, jobs_option, project_option, target_option, allow_path, compat_option, dialect_option):
        function = each(function)
    return function
