"""`lamina store serve`: answer Deckhand's API over a store, and show its revisions in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lamina.cli.click_options import example
from lamina.cli.output import print_error
from lamina.cli.serve_options import ServeRequest, run_server, serve_options
from lamina.cli.service_libraries import require, require_service


@click.command("serve", epilog=example("lamina store serve --store sqlite:///documents.db"))
@click.option("--store", "url", metavar="URL", required=True, help="sqlite:///FILE, sqlite:// or postgresql://...")
@click.option(
    "--auth",
    type=click.Choice(["none", "token", "keystone", "proxy"]),
    default="none",
    show_default=True,
    help="Who may call: anybody, anybody with a token of this server or of Keystone, or whom a trusted proxy names.",
)
@click.option(
    "--keystone-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="For --auth keystone: a file with the section [keystone_authtoken].",
)
@click.option("--key-file", metavar="FILE", type=click.Path(path_type=Path), help="The key for encrypted documents.")
@click.option(
    "--old-key-file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The key the store has had: its encrypted documents are encrypted again with the other key.",
)
@click.option(
    "--workers",
    default=2,
    show_default=True,
    type=click.IntRange(0, 64),
    metavar="NUMBER",
    help="Processes for requests that render or compare; each is ended at the time limit. 0 uses threads.",
)
@click.option("--redact", is_flag=True, help="Redact secrets unless a request asks for them with cleartext-secrets.")
@click.option(
    "--tls-certificate", metavar="FILE", type=click.Path(path_type=Path), help="Serve https: the certificate chain."
)
@click.option("--tls-key", metavar="FILE", type=click.Path(path_type=Path), help="The key of the certificate.")
@click.option("--check", "checks", is_flag=True, help="Say whether this could be served, and change nothing.")
@serve_options
def command(url: str, key_file: Path | None, old_key_file: Path | None, checks: bool, **given: Any) -> int:
    """Keep documents in a store and answer Deckhand's API at /api/v1.0; the page at / shows the revisions.

    Without --auth anybody who reaches the address may do everything, so it must be on the local host. The OpenAPI
    document is at /openapi.json, figures for Prometheus at /metrics.
    """
    request = ServeRequest(**given)
    request.check(for_store=True)
    require_service()
    if request.auth == "keystone":
        require(("keystonemiddleware",), "keystone")
    request.tls()  # what is wrong with the files is said before a store is made
    if checks:
        from lamina.service.check import checked

        for line in checked(url, request.settings(), key_file, old_key_file):
            print_error(line)
        return 0
    from lamina.service.http_server import ended_by_sigterm
    from lamina.service.server import application

    with ended_by_sigterm(), application(url, request.settings(), key_file, old_key_file) as served:
        return run_server(served, request)
