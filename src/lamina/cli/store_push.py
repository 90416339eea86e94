"""`lamina store push`: make documents the content of a bucket on a server."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from lamina._support.escapes import one_line
from lamina.cli.click_options import example, format_option
from lamina.cli.output import echo, echo_json, print_error
from lamina.cli.server_options import client_of, message_option, server_options
from lamina.cli.store_pull import is_withheld
from lamina.engine.secrecy import SECRET
from lamina.errors import Diagnostic, InputError
from lamina.service.client import ServerError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.dialects.deckhand.document import SiteDocument
    from lamina.service.client import Client

_REFERENCE = re.compile(r"https?://\S+/secrets/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@click.command("push", epilog=example("lamina store push site documents"))
@click.argument("bucket")
@click.argument("inputs", nargs=-1, metavar="FILE...", type=click.Path(allow_dash=True))
@click.option("--empty", is_flag=True, help="Remove all documents of the bucket.")
@click.option("--dry-run", is_flag=True, help="Write nothing; print what would change in the rendered documents.")
@format_option(about="Output format of --dry-run.")
@message_option
@server_options
def command(
    bucket: str, inputs: tuple[str, ...], empty: bool, dry_run: bool, form: str, message: str | None, **given: Any
) -> int:
    """Make the documents of FILE... the whole content of BUCKET: a new revision.

    FILE may be a folder. Documents that the bucket had and that are not in the files are removed from it.
    """
    if bool(inputs) == empty:
        raise click.UsageError("Give files to push, or --empty to remove all documents of the bucket.")
    if not bucket or "/" in bucket:
        raise click.UsageError(f"{bucket!r} is not the name of a bucket; it must not be empty or contain a slash.")
    documents = _documents(inputs)
    if not documents and not empty:
        # The bucket would be emptied, which nobody means who gives files.
        raise click.UsageError(
            "There are no documents in the files; use --empty to remove all documents of the bucket."
        )
    try:
        client, body = client_of(given), _body(documents)
        return _tried(client, bucket, body, form) if dry_run else _pushed(client, bucket, body, message)
    except ServerError as error:
        raise ServerError(*(_located(each, documents) for each in error.diagnostics)) from None


def _tried(client: Client, bucket: str, body: bytes, form: str) -> int:
    from lamina.cli.impact_text import impact_text

    impact = client.impact(bucket, body)
    if form == "json":
        echo_json(json.dumps(impact, indent=2) + "\n")
    else:
        echo(impact_text(impact))
    return 0


def _pushed(client: Client, bucket: str, body: bytes, said: str | None) -> int:
    from lamina.views.diff.phrases import count

    stored = [each for each in client.put(bucket, body, said) if isinstance(each, dict)]
    revision = stored[0]["status"]["revision"] if stored else None
    number = sum("schema" in each for each in stored)
    message = f"{bucket}: {count(number, 'document')}" + ("" if revision is None else f", revision {revision}")
    print_error(one_line(message if stored else f"{bucket}: nothing to do"))
    return 0


def _documents(inputs: tuple[str, ...]) -> Sequence[SiteDocument]:
    """The documents of the files; all of them are read before anything is sent."""
    from lamina.dialects.deckhand.load_documents import documents
    from lamina.sources.inputs import gather

    found = documents(gather(list(inputs), ())) if inputs else ()
    for each in found:
        _check_secret(each)
    return found


def _check_secret(document: SiteDocument) -> None:
    """Reject a secret of which only a reference is there, or that was withheld, as `lamina store pull` prints it: it
    would replace the secret."""
    data = document.value.get("data")
    if document.encrypted and is_withheld(data):
        raise InputError(
            Diagnostic(
                code="secret-reference",
                message=f"{document.title} has {SECRET} in place of a secret that was withheld",
                hint="write the secret there, as it was pushed before",
                at=document.origin("data"),
            )
        )
    if document.encrypted and isinstance(data, str) and _REFERENCE.fullmatch(data):
        raise InputError(
            Diagnostic(
                code="secret-reference",
                message=f"{document.title} has a reference to a secret in place of the secret itself",
                hint="write the secret there, as it was pushed before",
                at=document.origin("data"),
            )
        )


def _body(documents: Sequence[SiteDocument]) -> bytes:
    from lamina.sources.yaml.writer import Writer

    if not documents:
        return b"# no documents\n"
    # Escaped: PyYAML's way of writing U+0085 as it is cannot be read again.
    return Writer(sort_keys=False).dump_all([each.value for each in documents]).encode()


def _located(found: Diagnostic, documents: Sequence[SiteDocument]) -> Diagnostic:
    """What a server says about a document, with the place of that."""
    own = next((each for each in documents if each.title == found.subject), None)
    return found if own is None else replace(found, at=own.origin())
