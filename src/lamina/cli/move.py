"""`lamina move`: write a value in another file instead, with proof that no result changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lamina._support.escapes import text_of
from lamina.cli.click_options import DialectCommand, example, format_option, inputs_and_options
from lamina.cli.edit_text import patch, write_or_ask
from lamina.cli.output import echo, echo_json
from lamina.cli.set import path_from_root, workspace_of_all

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.views.schemas.proposals import MoveData
    from lamina.workspace.proposals.moves import Move
    from lamina.workspace.workspace import Workspace


@click.command("move", cls=DialectCommand, epilog=example("lamina move ntp.servers --to data/common.yaml"))
@click.argument("key")
@click.option("--to", "files", multiple=True, required=True, metavar="FILE", help="The file to have it; repeatable.")
@click.option("--write", is_flag=True, help="Write the edits.")
@format_option(("text", "json", "patch"))
@inputs_and_options
def command(key: str, files: tuple[str, ...], write: bool, form: str, **given: Any) -> int:
    """Write the value at KEY in another file instead of where it is set now.

    What all children of a layer set alike goes up into it; with several --to, what a layer sets goes down into these.
    The value is removed from all other files. All targets that read any of the files are rendered, and every result
    must be what it was; else nothing is proposed, and the first difference is named. Nothing is written without
    --write, or a yes on a terminal.
    """
    if given["targets"]:
        raise click.UsageError("--target cannot be used here: a move must not change any target.")
    workspace = workspace_of_all(given)
    found = workspace.propose_move(key, [path_from_root(workspace, file) for file in files])
    sources = {path: workspace.file(path) for path in found.texts}
    before = {path: None if source is None else source.data for path, source in sources.items()}
    edits = patch(workspace, found.texts, before)
    if form == "json":
        from lamina.sources.json.writer import dump

        echo_json(dump(_as_data(found, edits)))
    elif form == "patch":
        echo(edits)
    else:
        echo(text_of(_lines(workspace, found, edits)))
    write_or_ask(workspace, found.texts, write=write, ask=form == "text")
    return 0


def _lines(workspace: Workspace, found: Move, edits: str) -> Iterator[str]:
    yield from (f"add it to {file}" for file in found.added)
    yield from (f"remove it at {origin}" for origin in found.removed)
    yield from edits.splitlines()
    total = len(workspace.targets)
    some = "the result" if total == 1 else f"{found.checked} of {total} targets read these files, and every result"
    yield f"{some} stays the same"


def _as_data(found: Move, edits: str) -> MoveData:
    return {
        "version": 1,
        "added": list(found.added),
        "removed": [{"source": each.source, "line": each.line, "column": each.column} for each in found.removed],
        "checked": found.checked,
        "patch": edits,
    }
