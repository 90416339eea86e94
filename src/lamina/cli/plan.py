"""`lamina plan`: the steps and the rules, stage by stage."""

from __future__ import annotations

from typing import Any

import click

from lamina.cli.arguments import inputs_and_options
from lamina.cli.main import echo
from lamina.cli.results import rendered_for, say, status_of
from lamina.planning import as_data, as_text


@click.command("plan")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to write it."
)
@click.option("-q", "--quiet", is_flag=True, help="Print no notes.")
@inputs_and_options
def command(form: str, quiet: bool, **given: Any) -> int:
    """Show what is laid on top of what, in which order, by which rule, and which line says so."""
    result = rendered_for(given)
    if form == "json":
        from lamina.sources.json_writer import dump

        echo(dump({"version": 1, "stages": as_data(result.plan)}))
    else:
        echo(as_text(result.plan))
    if not quiet:
        say(result.notes)
    return status_of(result.notes)
