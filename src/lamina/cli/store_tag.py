"""`lamina store tag`: give a revision on a server a tag."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import click

from lamina._support.escapes import one_line
from lamina.cli.click_options import example
from lamina.cli.output import print_error
from lamina.cli.server_options import client_of, message_option, server_options


@click.command("tag", epilog=example("lamina store tag 3 release-1"))
@click.argument("revision", type=click.IntRange(1))
@click.argument("tag", metavar="TAG")
@message_option
@server_options
def command(revision: int, tag: str, message: str | None, **given: Any) -> int:
    """Give REVISION the tag TAG, by which `lamina store revisions --tag` finds it."""
    client_of(given).mapping("POST", f"/revisions/{revision}/tags/{quote(tag, safe='')}", message=message)
    print_error(one_line(f"revision {revision} has the tag {tag}"))
    return 0
