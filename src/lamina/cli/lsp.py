"""`lamina lsp`: the language server, for editors."""

from __future__ import annotations

import click

from lamina.cli.click_options import example
from lamina.cli.service_libraries import require


@click.command("lsp", epilog=example("lamina lsp --stdio"))
@click.option("--stdio", is_flag=True, help="Speak over standard input and output; it always does.")
def command(stdio: bool) -> int:  # noqa: ARG001 - editors add it
    """Answer an editor: what each line decides, what is wrong, and what an edit changes before it is saved.

    Editors start it. It speaks the Language Server Protocol over standard input and output, and ends with the editor.
    """
    require(("pygls", "lsprotocol"), "lsp")
    from lamina.editor.server import make_server

    make_server().start_io()
    return 0
