"""`lamina man`: print the man page."""

from __future__ import annotations

import click

from lamina.cli.output import echo


@click.command("man")
def command() -> None:
    """Print the man page, made from the commands themselves.

    To read it: lamina man | man -l -
    """
    from lamina.cli.man_page import as_man_page

    echo(as_man_page())
