"""The commands as click knows them: found by name, imported when they are used."""

from __future__ import annotations

from importlib import import_module

import click

from lamina.cli.commands import COMMANDS


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

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - likewise
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - likewise
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])


def _version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from lamina._support.native import missing
        from lamina.version import VERSION

        click.echo(f"lamina {VERSION} ({'pure Python' if missing() else 'compiled'})")
        ctx.exit()


@click.command(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="\b\nExample:\n  lamina explain users[0].name base.yaml site.yaml",
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print the version."
)
@click.option(
    "--debug",
    is_flag=True,
    expose_value=False,
    help="Show the traceback of an error; works anywhere on the line.",
)
def lamina() -> None:
    """Merge layered configuration as cloud-init, Heat, Deckhand, Datum and Hiera do, and show where each value came
    from.
    """
