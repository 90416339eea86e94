"""`lamina store prune`: remove revisions that are no longer needed from a store."""

from __future__ import annotations

from contextlib import closing

import click

from lamina.cli.click_options import example
from lamina.cli.output import print_error
from lamina.cli.service_libraries import require_service


@click.command("prune", epilog=example("lamina store prune --keep 100 --keep-tagged --store sqlite:///documents.db"))
@click.option("--store", "url", required=True, metavar="URL", help="sqlite:///FILE or postgresql://...")
@click.option("--keep", metavar="NUMBER", type=click.IntRange(1), help="Keep so many of the newest revisions.")
@click.option("--keep-days", "days", metavar="NUMBER", type=click.IntRange(1), help="Keep those of so many days.")
@click.option("--keep-tagged", "tagged", is_flag=True, help="Keep those that have a tag.")
@click.option("--dry-run", is_flag=True, help="Remove nothing; print how many revisions would be removed.")
def command(url: str, keep: int | None, days: int | None, tagged: bool, dry_run: bool) -> int:
    """Remove the revisions that no option keeps, with the documents and secrets that only they have.

    Servers may run meanwhile. Revisions that are kept stay as they are and keep their numbers; the newest is always
    kept.
    """
    if keep is None and days is None:
        raise click.UsageError("Say what is kept: --keep NUMBER, --keep-days NUMBER, or both.")
    require_service()
    from lamina.service.author import local_user
    from lamina.service.database import Database
    from lamina.service.retention import Retention, prune
    from lamina.views.diff.phrases import count

    with closing(Database(url)) as database:
        database.require_current()
        found = prune(database, Retention(keep or 1, days, tagged), local_user(), dry_run=dry_run)
    removed = f"{count(found.revisions, 'revision')} {'would be ' * dry_run}removed, {found.kept} kept"
    print_error(removed if dry_run else f"{removed}; {count(found.contents, 'document')} removed with them")
    return 0
