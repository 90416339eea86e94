"""`lamina store revisions`: list the revisions on a server."""

from __future__ import annotations

import json
from typing import Any

import click

from lamina._support.escapes import one_line
from lamina.cli.click_options import example, format_option
from lamina.cli.output import echo, echo_json, print_error
from lamina.cli.server_options import client_of, server_options


@click.command("revisions", epilog=example("lamina store revisions"))
@click.option("--tag", metavar="NAME", help="Only revisions with this tag.")
@click.option("--newest", metavar="NUMBER", type=click.IntRange(1), help="Look at so many of the newest only.")
@format_option()
@server_options
def command(tag: str | None, newest: int | None, form: str, **given: Any) -> int:
    """List the revisions, the oldest first: number, time, the buckets written in each, tags, and who made it why."""
    found = [each for each in client_of(given).revisions(newest) if tag is None or tag in each["tags"]]
    found = found if newest is None else found[-newest:]
    if form == "json":
        echo_json(json.dumps({"version": 1, "revisions": found}, indent=2, default=str) + "\n")
        return 0
    if not found:
        print_error("no revisions yet" if tag is None else one_line(f"no revision has the tag {tag}"))
    for each in found:
        tags = f"  [{', '.join(each['tags'])}]" if each["tags"] else ""
        said = ": ".join(str(each[name]) for name in ("author", "message") if each.get(name))
        line = f"{each['id']:>6}  {each.get('createdAt', '')}  {', '.join(each['buckets'])}{tags}"
        echo(one_line(f"{line}  {said}" if said else line) + "\n")
    return 0
