"""`lamina store backup`: write a whole store to one file, while servers use it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from lamina.cli.click_options import example
from lamina.cli.output import print_error
from lamina.cli.service_libraries import require_service


@click.command("backup", epilog=example("lamina store backup monday.db --store sqlite:///documents.db"))
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--store", "url", required=True, metavar="URL", help="sqlite:///FILE or postgresql://...")
def command(file: Path, url: str) -> int:
    """Write the store to FILE, as it is at this moment, and check what was written.

    Servers may run meanwhile. Encrypted documents are in it as they are stored; keep the key elsewhere.
    """
    require_service()
    from lamina.service.backup import backup
    from lamina.service.database import Database
    from lamina.views.diff.phrases import count

    with closing(Database(url)) as database:
        database.require_current()
        found = backup(database, file)
    secrets = f", {count(found.secrets, 'secret')}: keep the key, too" if found.secrets else ""
    print_error(f"{file}: {count(found.revisions, 'revision')}{secrets}")
    return 0
