"""`lamina mcp`: the server for assistants."""

from __future__ import annotations

import click

from lamina.cli.click_options import example
from lamina.cli.service_libraries import require


@click.command("mcp", epilog=example("lamina mcp ."))
@click.argument("folder", required=False, default=".", metavar="[DIR]", type=click.Path(exists=True, file_okay=False))
def command(folder: str) -> int:
    """Answer an assistant about the project in DIR: where values come from, and what an edit would change.

    Assistants start it. It speaks the Model Context Protocol over standard input and output; its tools only read.
    """
    require(("mcp",), "mcp")
    from lamina.editor.assistant import make_server
    from lamina.project.folder_project import project_at

    make_server(project_at(folder, None, {})).run("stdio")
    return 0
