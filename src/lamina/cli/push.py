"""`lamina push`: make documents the content of a bucket on a server."""

from __future__ import annotations

from typing import Any

import click

from lamina._support.escapes import one_line
from lamina.cli.help_sections import example
from lamina.cli.output import echo_json, print_error
from lamina.cli.server_options import client_of, server_options


@click.command("push", epilog=example("lamina push site documents"))
@click.argument("bucket")
@click.argument("inputs", nargs=-1, metavar="FILE...", type=click.Path(allow_dash=True))
@click.option("--empty", is_flag=True, help="Remove all documents of the bucket.")
@click.option("--dry-run", is_flag=True, help="Write nothing; print what would change in the rendered documents.")
@server_options
def command(bucket: str, inputs: tuple[str, ...], empty: bool, dry_run: bool, **given: Any) -> int:
    """Make the documents of FILE... the whole content of BUCKET: a new revision.

    FILE may be a folder. Documents that the bucket had and that are not in the files are removed from it.
    """
    if bool(inputs) == empty:
        raise click.UsageError("Give files to push, or --empty to remove all documents of the bucket.")
    body = _body(inputs)
    client = client_of(given)
    if dry_run:
        from urllib.parse import quote

        echo_json(client.text("POST", f"/revisions/{client.newest()}/impact/{quote(bucket, safe='')}", body))
        return 0
    stored = [each for each in client.put(bucket, body) if isinstance(each, dict)]
    revision = stored[0]["status"]["revision"] if stored else None
    count = sum("schema" in each for each in stored)
    message = f"{bucket}: {count} documents" + ("" if revision is None else f", revision {revision}")
    print_error(one_line(message if stored else f"{bucket}: nothing to do"))
    return 0


def _body(inputs: tuple[str, ...]) -> bytes:
    """The documents of the files as one stream; all of them are read before anything is sent."""
    from lamina.dialects.deckhand.load_documents import documents
    from lamina.sources.inputs import gather
    from lamina.sources.yaml.writer import Writer

    if not inputs:
        return b"# no documents\n"
    found = documents(gather(list(inputs), ()))
    return Writer(sort_keys=False, allow_unicode=True).dump_all([each.value for each in found]).encode()
