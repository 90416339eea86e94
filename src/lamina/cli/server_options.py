"""Common options of the commands that talk to a server: its address and a token."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from lamina.errors import Diagnostic, InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.service.client import Client

Decorated = TypeVar("Decorated", bound="Callable[..., Any]")

_server = click.option(
    "--server",
    envvar="LAMINA_SERVER",
    default="http://127.0.0.1:9000",
    show_default=True,
    metavar="URL",
    help="The server; the environment variable LAMINA_SERVER also sets it.",
)
_token_file = click.option(
    "--token-file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A file with the token; without it, the environment variable LAMINA_TOKEN is used.",
)


message_option = click.option("-m", "--message", metavar="MESSAGE", help="What to note about it in the history.")


def server_options(function: Decorated) -> Decorated:
    """The options that say which server to talk to."""
    return _server(_token_file(function))


def client_of(given: dict[str, Any]) -> Client:
    """A client for the server that was given."""
    from lamina.service.client import Client

    path: Path | None = given["token_file"]
    token = os.environ.get("LAMINA_TOKEN")
    if path is not None:
        try:
            token = path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                Diagnostic(
                    code="missing-file",
                    message=f"the token file {path} cannot be read: {getattr(error, 'strerror', None) or 'not text'}",
                    hint="check the path",
                )
            ) from None
    return Client(given["server"], token)
