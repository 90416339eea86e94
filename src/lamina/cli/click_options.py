"""Common options of the commands: inputs, targets, the dialect and its options, the format, the notes wanted."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click
from click.core import ParameterSource

from lamina.protocol.dialect import COMPATS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from lamina.errors import Note
    from lamina.views.result import Result

Decorated = TypeVar("Decorated", bound="Callable[..., Any]")

_KEY = "lamina.dialects"
AT_HAND = "lamina.dialect_at_hand"
FLAG = "flag_"
"""The prefix of the parameters of dialects' options, which keeps them apart from a command's own."""


def example(*lines: str) -> str:
    """The end of a command's help: how it is used."""
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in lines)


class AtHand(NamedTuple):
    """What a command line says of the dialect: its name, or inputs that may look like it."""

    named: str | None = None
    inputs: Sequence[str] = ()


class DialectCommand(click.Command):
    """A command that takes the options of dialects.

    Dialects are loaded only for options that the command itself and the dialect that is named do not have, and for
    help; installed ones only if Lamina's own do not have them, either. What a command does not need neither slows it
    down nor breaks it.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        named = _dialect_named(args)
        ctx.meta[AT_HAND] = AtHand(named, args)
        if ctx.resilient_parsing:  # completion
            *_, ctx.meta[_KEY] = self._dialect_params(None)
            return super().parse_args(ctx, list(args))
        failure = None
        for params in self._dialect_params(named):
            ctx.meta[_KEY] = params
            try:
                return super().parse_args(ctx, list(args))
            except click.UsageError as error:
                failure = error
        assert failure is not None
        raise failure

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        own = super().get_params(ctx)
        if _KEY not in ctx.meta:
            *_, ctx.meta[_KEY] = self._dialect_params(None)
        return [*own, *ctx.meta[_KEY]]

    def _dialect_params(self, named: str | None) -> Iterator[list[click.Parameter]]:
        """The options of dialects that a line may have: of the one that is named, of Lamina's own, of all."""
        if named is None:
            yield []
        from lamina.cli.dialect_options import available_dialects, parameters
        from lamina.dialects.registry import find

        own = {"-h", "--help", *(name for each in self.params for name in (*each.opts, *each.secondary_opts))}
        if named is not None:
            yield parameters([find(named)], own, named)
        for installed in (False, True):
            yield parameters(available_dialects(named, installed=installed), own, named)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options in groups: the command's own, then those of each dialect that applies."""
        from lamina.cli.help_sections import write_options

        own = [each for each in super().get_params(ctx) if isinstance(each, click.Option)]
        write_options(ctx, own, ctx.meta.get(AT_HAND, AtHand()), formatter)


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
strict_option = click.option(
    "--strict", is_flag=True, help="Fail if anything is unknown, assumed, dropped or not readable."
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


def notes_of(result: Result, kinds: Collection[str]) -> tuple[Note, ...]:
    """The notes of a result; those on differences from the manual only on request, since they take another render."""
    return (*result.notes, *result.compat_notes) if {COMPAT, ALL} & {*kinds} else result.notes


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
    for each in (
        _inputs,
        jobs_option,
        project_option,
        target_option,
        allow_path,
        strict_option,
        compat_option,
        dialect_option,
    ):
        function = each(function)
    return function


TEXT_OR_JSON = ("text", "json")


def format_option(
    choices: Sequence[str] = TEXT_OR_JSON, default: str | None = "text", about: str = "Output format."
) -> Callable[[Decorated], Decorated]:
    """Give a command `--format`, one of these forms, which it gets as `form`; `--json` is short for one of them."""

    def decorated(function: Decorated) -> Decorated:
        @wraps(function)
        def command(*, form: str | None, as_json: bool, **given: Any) -> Any:
            return function(form=_chosen(form) if as_json else form, **given)

        short = click.option("--json", "as_json", is_flag=True, help="Short for --format json.")
        return form(short(command))  # type: ignore[return-value]  # click returns what it was given

    form = click.option(
        "--format", "form", type=click.Choice(choices), default=default, show_default=default is not None, help=about
    )
    return decorated


def _chosen(form: str | None) -> str:
    """JSON, unless another form is asked for, too."""
    given = click.get_current_context().get_parameter_source("form") is ParameterSource.COMMANDLINE
    if given and form != "json":
        raise click.UsageError(f"--json cannot be used with --format {form}.")
    return "json"


def given_flags(given: dict[str, Any]) -> dict[str, Any]:
    """The options of dialects that were given, taken out of the arguments of a command."""
    names = [name for name in given if name.startswith(FLAG)]
    taken = {name: given.pop(name) for name in names}
    return {
        "--" + name.removeprefix(FLAG).replace("_", "-"): value
        for name, value in taken.items()
        if value not in (None, (), False)
    }
