"""`lamina store token`: who may use a store through `lamina store serve --auth token`."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from lamina._support.escapes import one_line
from lamina.cli.click_options import example
from lamina.cli.group import CommandGroup
from lamina.cli.output import echo, print_error
from lamina.cli.server_options import client_of, server_options
from lamina.cli.service_libraries import require_service

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina.service.tokens import TokenStore

ROLES = ("read", "write", "secrets", "admin")
_MOST_DAYS = 3650
_store = click.option(
    "--store",
    "url",
    metavar="URL",
    help="The store itself, sqlite:///FILE or postgresql://..., instead of a server: for the first token.",
)


def _where(function: Callable[..., int]) -> Callable[..., int]:
    """The options that say whose tokens are meant."""
    return _store(server_options(function))


@contextmanager
def _tokens(url: str) -> Iterator[TokenStore]:
    require_service()
    from lamina.service.database import Database
    from lamina.service.tokens import TokenStore

    with closing(Database(url)) as database:
        database.upgrade()
        yield TokenStore(database)


@click.group("token", cls=CommandGroup, epilog=example("lamina store token list --store sqlite:///documents.db"))
def command() -> None:
    """Make, list and revoke tokens, of a store or through a server; only their hashes are stored."""


@command.command("create", epilog=example("lamina store token create ci --role read --store sqlite:///documents.db"))
@click.argument("name")
@click.option("--role", "roles", multiple=True, required=True, type=click.Choice(ROLES), help="What it may do.")
@click.option("--bucket", "buckets", multiple=True, metavar="NAME", help="The only buckets it may write; repeatable.")
@click.option("--days", type=click.IntRange(1, _MOST_DAYS), metavar="NUMBER", help="After how many days it expires.")
@_where
def create(
    name: str, roles: tuple[str, ...], buckets: tuple[str, ...], days: int | None, url: str | None, **given: Any
) -> int:
    """Make a token and print it. It cannot be shown again."""
    if url is not None:
        from lamina.service.author import local_user

        with _tokens(url) as tokens:
            echo(tokens.create(name, roles, buckets=buckets, days=days, author=local_user()) + "\n")
        return 0
    wanted = {"roles": list(roles), "buckets": list(buckets), **({} if days is None else {"days": days})}
    from lamina.sources.yaml.writer import Writer

    made = client_of(given).mapping("POST", f"/tokens/{quote(name, safe='')}", Writer().dump(wanted).encode())
    echo(one_line(str(made["token"])) + "\n")
    return 0


@command.command("list", epilog=example("lamina store token list --store sqlite:///documents.db"))
@_where
def list_all(url: str | None, **given: Any) -> int:
    """List the tokens: name, roles, when each was made and when it expires, and the buckets it is limited to."""
    if url is not None:
        with _tokens(url) as tokens:
            found = [(each.name, each.roles, each.created, each.expires, each.buckets) for each in tokens.all()]
    else:
        listed = client_of(given).mapping("GET", "/tokens")["results"]
        names = ("name", "roles", "createdAt", "expiresAt", "buckets")
        found = [tuple(each[name] for name in names) for each in listed]
    if not found:
        print_error("no tokens yet")
    for name, roles, created, expires, buckets in found:
        until = f"  until {expires}" if expires else ""
        only = f"  only {', '.join(buckets)}" if buckets else ""
        echo(one_line(f"{name}  {','.join(roles)}  {created}{until}{only}") + "\n")
    return 0


@command.command("revoke", epilog=example("lamina store token revoke ci --store sqlite:///documents.db"))
@click.argument("name")
@_where
def revoke(name: str, url: str | None, **given: Any) -> int:
    """Remove a token; requests with it are rejected from now on."""
    if url is not None:
        from lamina.service.author import local_user

        with _tokens(url) as tokens:
            tokens.revoke(name, local_user())
    else:
        client_of(given).delete(f"/tokens/{quote(name, safe='')}")
    return 0
