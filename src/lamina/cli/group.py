"""The commands as click knows them: found by name, imported when they are used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping


COMMANDS = {
    "render": ("lamina.cli.render", "Print the merged result."),
    "explain": ("lamina.cli.explain", "Show where a value came from and what it replaced."),
    "where": ("lamina.cli.where", "Show what a line of a file decides, and in which targets."),
    "lint": ("lamina.cli.lint", "Find likely mistakes, and what the system does not accept."),
    "diff": ("lamina.cli.diff", "Show what changes in the result, and which layer and line caused it."),
    "find": ("lamina.cli.find", "List where a value or a key is set, over all targets."),
    "plan": ("lamina.cli.plan", "Show the steps and the rules, stage by stage."),
    "report": ("lamina.cli.report", "Write a page that shows the result and where each value came from."),
    "explore": ("lamina.cli.explore", "Look at all targets in the browser, and at what edits change."),
    "lsp": ("lamina.cli.lsp", "Answer an editor: hover, diagnostics, and what an edit changes."),
    "mcp": ("lamina.cli.mcp", "Answer an assistant: where values come from, and what an edit would change."),
    "set": (
        "lamina.cli.set",
        "Propose the edit that makes a value what you want, with proof that nothing else changes.",
    ),
    "move": ("lamina.cli.move", "Write a value in another file instead, such as the layer that all share."),
    "init": ("lamina.cli.init", "Detect what a repository contains and write a project file; write an example."),
    "targets": ("lamina.cli.targets", "List the targets and the layers each is made of."),
    "rule": ("lamina.cli.rule", "Print what a code such as redundant-value means; list the lint rules."),
    "pack": ("lamina.cli.pack", "Build user-data from parts."),
    "store": ("lamina.cli.store", "Keep documents in a store that answers Deckhand's API, and work with it."),
    "schema": ("lamina.cli.schema", "Print the JSON Schema of a JSON output."),
    "completion": ("lamina.cli.completion", "Print the completion script for a shell."),
}
"""The commands: the module that holds each as `command`, and one line about it."""

GROUPS = {
    "Daily work": ("render", "explain", "where", "lint", "diff"),
    "Look": ("find", "plan", "report", "explore", "lsp", "mcp"),
    "Change": ("set", "move"),
    "Set up": ("init", "targets", "rule", "pack", "schema", "completion"),
    "Store": ("store",),
}
"""The commands as the help lists them."""

STORE = {
    "serve": ("lamina.cli.store_serve", "Answer Deckhand's API over a store."),
    "push": ("lamina.cli.store_push", "Make documents the content of a bucket on a server."),
    "pull": ("lamina.cli.store_pull", "Print the documents of a revision on a server."),
    "revisions": ("lamina.cli.store_revisions", "List the revisions on a server."),
    "rollback": ("lamina.cli.store_rollback", "Go back to the content of an older revision on a server."),
    "tag": ("lamina.cli.store_tag", "Give a revision on a server a tag."),
    "token": ("lamina.cli.store_token", "Make, list and revoke tokens for a server."),
    "audit": ("lamina.cli.store_audit", "List who changed what in the store on a server."),
    "prune": ("lamina.cli.store_prune", "Remove revisions that are no longer needed from a store."),
    "backup": ("lamina.cli.store_backup", "Write a whole store to one file, while servers use it."),
    "restore": ("lamina.cli.store_restore", "Put a backup into a new store."),
    "import": ("lamina.cli.store_import", "Copy all revisions of a Deckhand into a store."),
}
"""The commands of `lamina store`."""


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
    """Merge layered configuration as cloud-init, Heat, Deckhand, Datum, Hiera and Ansible do, and show where each
    value came from.
    """
    if version:
        click.echo(_version(with_plugins=verbose), nl=False)
        ctx.exit()
    if ctx.invoked_subcommand is None:
        click.echo(_at_a_glance(), nl=False)
