"""`lamina store rollback`: go back to the content of an older revision on a server."""

from __future__ import annotations

from typing import Any

import click

from lamina.cli.click_options import example
from lamina.cli.output import print_error
from lamina.cli.server_options import client_of, message_option, server_options


@click.command("rollback", epilog=example("lamina store rollback 3"))
@click.argument("revision", type=click.IntRange(0))
@message_option
@server_options
def command(revision: int, message: str | None, **given: Any) -> int:
    """Make a new revision with exactly the content of REVISION; 0 empties every bucket. History stays."""
    revision_made = client_of(given).mapping("POST", f"/rollback/{revision}", message=message)
    print_error(f"revision {revision_made['id']} has the content of revision {revision}")
    return 0
