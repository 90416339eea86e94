"""`lamina store`: a store of documents behind Deckhand's API."""

from __future__ import annotations

import click

from lamina.cli.click_options import example
from lamina.cli.group import STORE, LazyGroup


@click.command("store", cls=LazyGroup, commands_of=STORE, epilog=example("lamina store push site documents/"))
def command() -> None:
    """Keep documents in a store that answers Deckhand's API, and work with one on a server."""
