"""`lamina man`: print the man page."""

from __future__ import annotations

import click

from lamina.cli.help_sections import example
from lamina.cli.output import echo


@click.command("man", epilog=example("lamina man | man -l -"))
def command() -> None:
    """Print the man page, made from the commands themselves."""
    from lamina.cli.man_page import as_man_page

    echo(as_man_page())
