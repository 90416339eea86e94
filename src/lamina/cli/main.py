"""The command `lamina`: finds the sub-command, and turns whatever goes wrong into a message and an exit status.

Exit status: 0 done, 1 findings or differences, 2 wrong usage, 3 the input could not be read or merged, 70 a defect of
Lamina's. Data goes to standard output, everything else to standard error.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

import click

FINDINGS = 1
USAGE = 2
UNREADABLE = 3
DEFECT = 70
_DEBUG = "--debug"

COMMANDS = {
    "render": ("lamina.cli.render", "Print the merged result."),
    "explain": ("lamina.cli.explain", "Say where a value came from and what it displaced."),
    "plan": ("lamina.cli.plan", "Show the steps and the rules, stage by stage."),
    "lint": ("lamina.cli.lint", "Find what is likely a mistake."),
    "diff": ("lamina.cli.diff", "Say what changes in the result, and which layer and line caused it."),
    "report": ("lamina.cli.report", "Write a page that shows the result and where each value came from."),
    "nodes": ("lamina.cli.nodes", "List the nodes of a folder and the layers each resolves to."),
    "fleet": ("lamina.cli.fleet", "Render many nodes, what they share done once."),
    "pack": ("lamina.cli.pack", "Build user-data from parts."),
    "plugins": ("lamina.cli.plugins", "List the dialects and mergers that are installed."),
    "schema": ("lamina.cli.schema", "Print the JSON Schema of a JSON output."),
    "man": ("lamina.cli.man", "Print the man page."),
    "completion": ("lamina.cli.completion", "Print the completion script for a shell."),
}
"""Sub-commands: the module that holds each as `command`, and one line about it."""


class Group(click.Group):
    """A group that names the nearest command when one is not known."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args and args[0] not in known and not args[0].startswith("-"):
            from lamina.cli.misuse import no_such_command

            raise no_such_command(args[0], known, ctx)
        return super().resolve_command(ctx, args)


class LazyGroup(Group):
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
        from lamina.version import VERSION

        click.echo(f"lamina {VERSION}")
        ctx.exit()


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print the version."
)
@click.option(_DEBUG, is_flag=True, expose_value=False, help="Show the traceback of an error; it may stand anywhere.")
def lamina() -> None:
    """Render layered configuration as cloud-init, Heat, Deckhand and Datum do, and say where every value came from."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit."""
    arguments = sys.argv[1:] if arguments is None else arguments
    # People who meet an error repeat the command with the option at its end.
    debug = _DEBUG in arguments
    arguments = [argument for argument in arguments if argument != _DEBUG]
    try:
        status = lamina.main(args=arguments, prog_name="lamina", standalone_mode=False)
    except BaseException as error:  # every way out of a command ends here, as a message and a status
        status = _report(error, debug=debug)
    sys.exit(status if isinstance(status, int) else 0)


def _report(error: BaseException, *, debug: bool) -> int:
    """Print what went wrong and give the exit status for it."""
    from lamina.errors import LaminaError, UsageError

    if debug and not isinstance(error, (click.exceptions.Exit, SystemExit)):
        import traceback

        traceback.print_exception(error)
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.ClickException):
        from lamina.cli.misuse import told

        return _say(told(error), USAGE)
    if isinstance(error, LaminaError):
        return _say(str(error), USAGE if isinstance(error, UsageError) else UNREADABLE)
    if isinstance(error, (KeyboardInterrupt, click.exceptions.Abort)):
        return _say("lamina: interrupted", 130)
    if isinstance(error, BrokenPipeError):
        # Whoever read our output has gone; nothing more can be said to them.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return _defect(error)


def _defect(error: BaseException) -> int:
    said = f"lamina: internal error: {type(error).__name__}: {error}"
    return _say(f"{said}\n  hint: this is a defect of Lamina's; --debug shows where", DEFECT)


def _say(text: str, status: int) -> int:
    click.echo(text, err=True)
    return status


def echo(text: str | bytes, **options: Any) -> None:
    """Print data to standard output, as one piece."""
    click.echo(text, nl=False, **options)


if __name__ == "__main__":
    main()
