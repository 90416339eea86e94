"""`--format`, and `--json` for the form that other programs read, for every command that prints JSON."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Decorated = TypeVar("Decorated", bound="Callable[..., Any]")

TEXT_OR_JSON = ("text", "json")


def format_option(
    choices: Sequence[str] = TEXT_OR_JSON, default: str | None = "text", about: str = "Output format."
) -> Callable[[Decorated], Decorated]:
    """Give a command `--format`, one of these forms, which it gets as `form`; `--json` is short for one of them."""

    def decorated(function: Decorated) -> Decorated:
        @wraps(function)
        def command(*, form: str | None, as_json: bool, **given: Any) -> Any:
            return function(form=_chosen(form) if as_json else form, **given)

        short = click.option("--json", "as_json", is_flag=True, help="Short for --format json.")
        return form(short(command))  # type: ignore[return-value]  # click returns what it was given

    form = click.option(
        "--format", "form", type=click.Choice(choices), default=default, show_default=default is not None, help=about
    )
    return decorated


def _chosen(form: str | None) -> str:
    """JSON, unless another form is asked for, too."""
    given = click.get_current_context().get_parameter_source("form") is ParameterSource.COMMANDLINE
    if given and form != "json":
        raise click.UsageError(f"--json cannot be used with --format {form}.")
    return "json"
