"""The commands as click knows them: found by name, imported when they are used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from lamina.cli.commands import COMMANDS, GROUPS

if TYPE_CHECKING:
    from collections.abc import Mapping


class CommandGroup(click.Group):
    """A group that names the nearest command when one is not known."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            from lamina.cli.usage_errors import no_such_command

            raise no_such_command(args[0], known, ctx)
        return super().resolve_command(ctx, args)


class LazyGroup(CommandGroup):
    """A group that imports a sub-command only when it is used."""

    def __init__(self, *arguments: Any, commands_of: Mapping[str, tuple[str, str]], **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.commands_of = commands_of

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(self.commands_of)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - likewise
        if cmd_name not in self.commands_of:
            return None
        command: click.Command = import_module(self.commands_of[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - likewise
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in self.commands_of.items()])


class ProgramGroup(LazyGroup):
    """All commands, in groups; without any arguments the first group is what there is to say."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - likewise
        for title, names in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, COMMANDS[name][1]) for name in names])


def _version(*, with_plugins: bool) -> str:
    from lamina._support.native import missing
    from lamina.version import VERSION

    text = f"lamina {VERSION} ({'pure Python' if missing() else 'compiled'})\n"
    if not with_plugins:
        return text
    from lamina.cli.plugins import plugins_listed

    return text + plugins_listed()


_DAILY = next(iter(GROUPS))


def _at_a_glance() -> str:
    """What `lamina` alone prints."""
    width = max(map(len, GROUPS[_DAILY]))
    lines = (f"  {name:<{width}}  {COMMANDS[name][1]}" for name in GROUPS[_DAILY])
    return "\n".join(
        (
            "Usage: lamina COMMAND [OPTIONS] [INPUT...]",
            "",
            *lines,
            "",
            f"Example: {_EXAMPLE}",
            "",
            "lamina --help lists all commands.",
            "",
        )
    )


_EXAMPLE = "lamina explain users[0].name base.yaml site.yaml"


@click.group(
    cls=ProgramGroup,
    commands_of=COMMANDS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"\b\nExample:\n  {_EXAMPLE}",
)
@click.option("--version", is_flag=True, help="Print the version.")
@click.option("-v", "--verbose", is_flag=True, help="With --version: list the dialects and mergers, too.")
@click.option(
    "--debug",
    is_flag=True,
    expose_value=False,
    help="Show the traceback of an error; works anywhere on the line.",
)
@click.pass_context
def lamina(ctx: click.Context, version: bool, verbose: bool) -> None:
    """Merge layered configuration as cloud-init, Heat, Deckhand, Datum and Hiera do, and show where each value came
    from.
    """
    if version:
        click.echo(_version(with_plugins=verbose), nl=False)
        ctx.exit()
    if ctx.invoked_subcommand is None:
        click.echo(_at_a_glance(), nl=False)
