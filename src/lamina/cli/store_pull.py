"""`lamina store pull`: print the documents of a revision on a server."""

from __future__ import annotations

from typing import Any

import click

from lamina._support.escapes import has_commands, one_line
from lamina.cli.click_options import example
from lamina.cli.output import echo, print_error
from lamina.cli.server_options import client_of, server_options


@click.command("pull", epilog=example("lamina store pull --rendered"))
@click.argument("revision", required=False, type=click.IntRange(1))
@click.option("--bucket", metavar="NAME", help="Only the documents of this bucket.")
@click.option("--rendered", is_flag=True, help="Print the rendered documents.")
@click.option("--redact", is_flag=True, help="Redact secrets.")
@server_options
def command(revision: int | None, bucket: str | None, rendered: bool, redact: bool, **given: Any) -> int:
    """Print the documents of REVISION, or of the newest one, as they can be pushed again.

    Of encrypted documents a reference is printed in place of their data; --rendered prints the data itself.
    """
    from lamina.sources.yaml.writer import Writer
    from lamina.views.diff.phrases import count

    client = client_of(given)
    number = client.newest() if revision is None else revision
    query = {} if bucket is None else {"status.bucket": bucket}
    query["cleartext-secrets"] = "false" if redact else "true"
    found = client.documents(f"/revisions/{number}/{'rendered-' * rendered}documents", **query)
    plain = [
        {"schema": each["schema"], "metadata": each["metadata"], "data": each["data"]}
        for each in found
        if "schema" in each
    ]
    if not plain and bucket is not None:
        print_error(one_line(f"revision {number} has no documents in the bucket {bucket}"))
    secret = sum(each["metadata"].get("storagePolicy") == "encrypted" for each in plain)
    if secret and (redact or not rendered):
        print_error(
            f"the data of {count(secret, 'encrypted document')} is not printed, and cannot be pushed again from here"
        )
    withheld = 0
    if rendered and not redact:
        withheld = sum(
            each["metadata"].get("storagePolicy") == "encrypted" and is_withheld(each["data"]) for each in plain
        )
    if withheld:
        print_error(f"secrets are withheld from {count(withheld, 'document')}: the token lacks the role secrets")
    text = Writer().dump_all(plain) if plain else ""
    echo(Writer(guarded=True).dump_all(plain) if has_commands(text) else text)
    return 0


def is_withheld(data: Any) -> bool:
    """Whether something in the data of a document is in place of a secret."""
    from lamina.engine.secrecy import SECRET
    from lamina.paths import leaf_values

    return any(value == SECRET for _, value in leaf_values(data))
