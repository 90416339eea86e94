"""`lamina check`: whether the system accepts the merged result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lamina._support.escapes import one_line
from lamina.cli.click_options import DialectCommand, inputs_and_options
from lamina.cli.format_option import format_option
from lamina.cli.help_sections import example
from lamina.cli.lint import FORMS, THRESHOLDS, fails, writer_for
from lamina.cli.output import FINDINGS, echo, echo_json, print_error
from lamina.cli.render_request import render_request_of
from lamina.dialects.extensions import check_of

if TYPE_CHECKING:
    from lamina.dialects.base import Dialect


@click.command("check", cls=DialectCommand, epilog=example("lamina check user-data.yaml"))
@format_option(FORMS)
@click.option(
    "--fail-on",
    type=click.Choice(THRESHOLDS),
    default="warning",
    show_default=True,
    help="The lowest severity that makes the exit status 1.",
)
@inputs_and_options
def command(form: str, fail_on: str, **given: Any) -> int:
    """Check the merged result against what the system accepts: unknown keys, wrong types, deprecated keys.

    Everything rendering reports is included, such as dropped parts and unknown first lines. For likely mistakes in
    the layers themselves use lamina lint, which includes these checks.
    """
    from lamina.views.lint.api import lint_with

    request = render_request_of(given)
    check = check_of(request.dialect)
    if check is None:
        raise click.UsageError(f"{request.dialect.name} has no check of its own; use lamina lint.")
    linted = lint_with(request.dialect, request.inputs, request.options(), _selection(request.dialect, check.codes))
    (echo_json if form in ("json", "sarif") else echo)(writer_for(form)(linted))
    if form == "text" and not linted.findings:
        echo("accepted: no findings\n")
    print_error(one_line(f"checked against {check.schema(request.options())}"))
    return FINDINGS if fails(linted, fail_on) else 0


def _selection(dialect: Dialect[Any], codes: tuple[str, ...]) -> Any:
    """Everything except lint rules about other things."""
    from lamina.views.lint.rules import rules_for
    from lamina.views.lint.selection import Selection, fits

    others = (rule.code for rule in rules_for(dialect) if not fits(rule.code, codes))
    return Selection(ignore=tuple(others))
