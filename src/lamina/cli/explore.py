"""`lamina explore`: all targets in the browser, every layer that sets a value, and what another value would change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lamina.cli.click_options import DialectCommand, example, inputs_and_options
from lamina.cli.serve_options import ServeRequest, run_server, serve_options
from lamina.cli.service_libraries import require_explorer
from lamina.cli.target_request import selected_targets


@click.command("explore", cls=DialectCommand, epilog=example("lamina explore --open"))
@click.option(
    "--auth",
    type=click.Choice(["none", "proxy"]),
    default="none",
    show_default=True,
    help="Who may look: anybody, or whom a trusted proxy names.",
)
@click.option("--embedded", is_flag=True, help="Let editors on this machine show the page inside of theirs.")
@serve_options
@inputs_and_options
def command(**given: Any) -> int:
    """Show targets in the browser: every layer that sets a value, and what another value would change.

    It follows the files and writes none. Without inputs, the targets are those of the project, or of the current
    folder.
    """
    names = ("listen", "auth", "proxies", "insecure", "max_body", "timeout", "rate", "opens", "quiet", "embedded")
    request = ServeRequest(**{name: given.pop(name) for name in names})
    request.check(for_store=False)
    selected = selected_targets(given, by_node=True)
    require_explorer()
    from lamina.cli.loaded_workspace import check_followed, loaded_workspace
    from lamina.service.explorer.application import explorer
    from lamina.service.http_server import ended_by_sigterm

    check_followed(selected)
    workspace = loaded_workspace(selected)
    with ended_by_sigterm(), explorer(workspace, Path(workspace.project.root).name, request.settings()) as served:
        return run_server(served, request)
