"""`lamina store token`: who may use a store through `lamina store serve --auth token`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from lamina._support.escapes import one_line
from lamina.cli.click_options import example
from lamina.cli.group import CommandGroup
from lamina.cli.output import echo
from lamina.cli.service_libraries import require_service

if TYPE_CHECKING:
    from lamina.service.tokens import TokenStore

ROLES = ("read", "write", "secrets", "admin")
_store = click.option("--store", "url", required=True, metavar="URL", help="sqlite:///FILE or postgresql://...")


def _tokens(url: str) -> TokenStore:
    require_service()
    from lamina.service.database import Database
    from lamina.service.tokens import TokenStore

    database = Database(url)
    database.upgrade()
    return TokenStore(database)


@click.group("token", cls=CommandGroup, epilog=example("lamina store token list --store sqlite:///documents.db"))
def command() -> None:
    """Make, list and revoke the tokens of a store; only their hashes are stored."""


@command.command("create", epilog=example("lamina store token create ci --role read --store sqlite:///documents.db"))
@click.argument("name")
@click.option("--role", "roles", multiple=True, required=True, type=click.Choice(ROLES), help="What it may do.")
@_store
def create(name: str, roles: tuple[str, ...], url: str) -> int:
    """Make a token and print it. It cannot be shown again."""
    echo(_tokens(url).create(name, roles) + "\n")
    return 0


@command.command("list", epilog=example("lamina store token list --store sqlite:///documents.db"))
@_store
def list_all(url: str) -> int:
    """List the tokens: name, roles, and when each was made."""
    for token in _tokens(url).all():
        echo(one_line(f"{token.name}  {','.join(token.roles)}  {token.created}") + "\n")
    return 0


@command.command("revoke", epilog=example("lamina store token revoke ci --store sqlite:///documents.db"))
@click.argument("name")
@_store
def revoke(name: str, url: str) -> int:
    """Remove a token; requests with it are rejected from now on."""
    _tokens(url).revoke(name)
    return 0
