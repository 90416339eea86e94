"""`lamina completion`: the completion script for a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from lamina.cli.click_options import example
from lamina.cli.group import lamina
from lamina.cli.output import echo


@click.command(
    "completion", epilog=example("lamina completion bash > ~/.local/share/bash-completion/completions/lamina")
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish", "powershell"]))
def command(shell: str) -> None:
    """Print the script that completes lamina's commands and options in a shell.

    In the profile of PowerShell, write: lamina completion powershell | Out-String | Invoke-Expression
    """
    from lamina.cli import powershell_completion  # noqa: F401 - registers itself

    kind = get_completion_class(shell)
    assert kind is not None
    echo(kind(lamina, {}, "lamina", "_LAMINA_COMPLETE").source())
