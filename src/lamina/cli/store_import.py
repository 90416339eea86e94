"""`lamina store import`: copy all revisions of a running Deckhand into a store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lamina.cli.click_options import example
from lamina.cli.output import print_error
from lamina.cli.server_options import client_of, server_options
from lamina.cli.service_libraries import require_service


@click.command("import", epilog=example("lamina store import --store sqlite:///documents.db"))
@click.option("--store", "url", required=True, metavar="URL", help="An empty store: sqlite:///FILE or postgresql://...")
@click.option("--key-file", metavar="FILE", type=click.Path(path_type=Path), help="The key for encrypted documents.")
@click.option("-q", "--quiet", is_flag=True, help="Print no progress.")
@server_options
def command(url: str, key_file: Path | None, quiet: bool, **given: Any) -> int:
    """Copy all revisions of the Deckhand at --server, with buckets and tags, into a new store.

    Revisions keep their numbers. Nothing is changed in the Deckhand. A copy that broke off goes on where it ended.
    """
    require_service()
    from lamina.service.deckhand_import import import_revisions
    from lamina.service.server import open_store

    def show_progress(words: str) -> None:
        if not quiet:
            print_error(words)

    count = import_revisions(client_of(given), open_store(url, key_file), show_progress)
    print_error(f"{count} revision{'' if count == 1 else 's'} imported")
    return 0
