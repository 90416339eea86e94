"""What the commands have in common: inputs, the dialect, and the options each dialect brings."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import click

from lamina.dialect import OPTIONS
from lamina.errors import Diagnostic, UsageError
from lamina.records import fields

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from lamina.records import Field

Decorated = TypeVar("Decorated", bound="Callable[..., Any]")


def inputs_and_options(function: Decorated) -> Decorated:
    """The arguments of every command that renders; they arrive as `request`."""
    function = click.argument("inputs", nargs=-1, metavar="INPUT...", type=click.Path(allow_dash=True))(function)
    function = dialect_options(function)
    function = click.option(
        "-e", "--environment", "environments", multiple=True, metavar="FILE", help="Another input, before the others."
    )(function)
    return dialect_and_manner(function)


def dialect_options(function: Decorated) -> Decorated:
    """The options all dialects bring."""
    for flag, uses in reversed(dialect_flags().items()):
        function = _dialect_option(flag, uses)(function)
    return function


def dialect_and_manner(function: Decorated) -> Decorated:
    """The options that say which system is followed, and in what."""
    function = click.option(
        "--compat",
        type=click.Choice(["shipped", "documented"]),
        default="shipped",
        show_default=True,
        help="What the program does, or what its manual says.",
    )(function)
    return click.option("--dialect", metavar="NAME", help="The system the inputs are for; found out if not given.")(
        function
    )


def request(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `lamina.render`, from those of a command; what is left in `given` is the command's own."""
    compat, dialect = given.pop("compat"), given.pop("dialect")
    inputs = [*given.pop("environments"), *given.pop("inputs")]
    return {"inputs": inputs, "dialect": dialect, "compat": compat, "flags": flags_of(given)}


def flags_of(given: dict[str, Any]) -> dict[str, Any]:
    """The options of dialects that were given, taken out of the arguments of a command."""
    return _set({flag: given.pop(_parameter(flag)) for flag in dialect_flags()})


def _set(flags: Mapping[str, Any]) -> dict[str, Any]:
    return {flag: value for flag, value in flags.items() if value not in (None, (), False)}


def options_for(dialect: str, flags: Mapping[str, Any]) -> dict[str, Any]:
    """The flags given, as options of the dialect; a flag of another dialect is refused."""
    known_fields = list(_fields(dialect)) if dialect in OPTIONS else []
    known = {field.metadata["flag"]: field.name for field in known_fields}
    usual = {
        field.name: field.metadata["on_command_line"]
        for field in known_fields
        if field.metadata["on_command_line"] is not None
    }
    for flag in flags:
        if flag not in known:
            owners = [name for name, _ in dialect_flags()[flag]]
            raise UsageError(
                Diagnostic(
                    code="option-of-other-dialect",
                    message=f"{flag} is an option of {' and '.join(owners)}, not of {dialect}",
                    hint=f"leave it out, or force the dialect with --dialect {owners[0]}",
                )
            )
    return {**usual, **{known[flag]: value for flag, value in flags.items()}}


def owners_of(flags: Mapping[str, Any]) -> list[str]:
    """The dialects that have all the flags given."""
    known = dialect_flags()
    owners = [{dialect for dialect, _ in known[flag]} for flag in flags]
    return sorted(set.intersection(*owners)) if owners else []


def dialect_flags() -> dict[str, list[tuple[str, Field]]]:
    """All flags the dialects bring, each with the dialects that have it."""
    flags: dict[str, list[tuple[str, Field]]] = {}
    for dialect in OPTIONS:
        for field in _fields(dialect):
            flags.setdefault(field.metadata["flag"], []).append((dialect, field))
    return flags


def _fields(dialect: str) -> Iterator[Field]:
    module, _, name = OPTIONS[dialect].partition(":")
    for field in fields(getattr(import_module(module), name)):
        if field.metadata.get("flag"):
            yield field


def _dialect_option(flag: str, uses: list[tuple[str, Field]]) -> Callable[[Decorated], Decorated]:
    field = uses[0][1]
    about = "; ".join(f"{dialect}: {each.metadata['about']}" for dialect, each in uses)
    choices = list(dict.fromkeys(choice for _, each in uses for choice in each.metadata["choices"]))
    kind: dict[str, Any] = {"type": click.Choice(choices)} if choices else {}
    if field.default is False:
        kind = {"is_flag": True}
    elif field.metadata["many"]:
        kind["multiple"] = True
    names = [*field.metadata.get("short", ()), flag]
    return click.option(*names, _parameter(flag), help=about, **kind)


def _parameter(flag: str) -> str:
    return "flag_" + flag.lstrip("-").replace("-", "_")
