"""`lamina store audit`: who changed what in the store on a server."""

from __future__ import annotations

import json
from typing import Any

import click

from lamina._support.escapes import one_line
from lamina.cli.click_options import example, format_option
from lamina.cli.output import echo, echo_json, print_error
from lamina.cli.server_options import client_of, server_options

_NAMES = ("time", "author", "address", "action")


@click.command("audit", epilog=example("lamina store audit --limit 20"))
@click.option(
    "--limit", metavar="NUMBER", default=100, show_default=True, type=click.IntRange(1, 1000), help="How many entries."
)
@click.option("--before", metavar="NUMBER", type=click.IntRange(1), help="Only entries before this one.")
@format_option()
@server_options
def command(limit: int, before: int | None, form: str, **given: Any) -> int:
    """List what was done to the store, the newest first: when, by whom, from where, what, and why.

    It needs a token with the role admin.
    """
    at = None if before is None else str(before)
    found = client_of(given).mapping("GET", "/audit", limit=str(limit), before=at)["results"]
    if form == "json":
        echo_json(json.dumps({"version": 1, "audit": found}, indent=2, default=str) + "\n")
        return 0
    if not found:
        print_error("nothing was done yet")
    for each in found:
        about = "  ".join(str(each.get(name) or "-") for name in _NAMES)
        revision = f"  revision {each['revision']}" if "revision" in each else ""
        said = "".join(f"  {each[name]}" for name in ("subject", "message") if name in each)
        echo(one_line(f"{each['id']:>6}  {about}{revision}{said}") + "\n")
    return 0
