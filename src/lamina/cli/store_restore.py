"""`lamina store restore`: put a backup into a new store."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from lamina.cli.click_options import example
from lamina.cli.output import print_error
from lamina.cli.service_libraries import require_service


@click.command("restore", epilog=example("lamina store restore monday.db --store sqlite:///again.db"))
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--store", "url", required=True, metavar="URL", help="A new store: sqlite:///FILE or postgresql://...")
@click.option("--key-file", metavar="FILE", type=click.Path(path_type=Path), help="The key of the store it came from.")
def command(file: Path, url: str, key_file: Path | None) -> int:
    """Put the backup in FILE into a new store: revisions, tags, validations, tokens and the audit.

    It may be another database than the one it was taken from. If there are secrets, each is decrypted to see that the
    key is right.
    """
    require_service()
    from lamina.service.backup import restore
    from lamina.service.database import Database
    from lamina.service.encryption import Seal
    from lamina.service.server import given_key
    from lamina.views.diff.phrases import count

    key = given_key(key_file)
    with closing(Database(url)) as database:
        found = restore(file, database, None if key is None else Seal(key))
    secrets = "; start the server with the same key" if found.secrets else ""
    print_error(f"{count(found.revisions, 'revision')} restored{secrets}")
    return 0
