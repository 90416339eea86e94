"""`lamina schema`: print the JSON Schema of a JSON output."""

from __future__ import annotations

import click

from lamina.cli.click_options import example
from lamina.cli.output import echo


@click.command("schema", epilog=example("lamina schema explain"))
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """Print the JSON Schema of what the command NAME prints as JSON; without NAME, list those that have one."""
    from lamina.views.schemas import names, text_of

    echo(text_of(name) if name else "".join(f"{each}\n" for each in names()))
