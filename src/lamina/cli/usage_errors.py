"""Misuse of the command line, in words: what was not understood, and the nearest thing that would be."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from lamina._support import suggestions

if TYPE_CHECKING:
    from collections.abc import Iterable

_NOT_A_NUMBER = re.compile(r"is not a valid integer( range)?\.$")
_NOT_ONE_OF = re.compile(r"'([^']*)' is not one of ")


def message_of(error: click.ClickException) -> str:
    """What is said of a wrong command line."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return error.format_message()
    text = f"lamina: {_words(error)}"
    context = getattr(error, "ctx", None)
    return f"{text} (try '{context.command_path} --help')" if context and context.parent else text


def no_such_command(name: str, known: Iterable[str], context: click.Context) -> click.UsageError:
    """The error for a command that does not exist."""
    listed = f" Commands: {', '.join(known)}."
    return click.UsageError(f"No such command: {name!r}.{nearest(name, known) or listed}", context)


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word nearest to one that is not known, as a question; nothing if none is near."""
    near = suggestions.nearest(word, known)
    return f" Did you mean {near!r}?" if near else ""


def _words(error: click.ClickException) -> str:
    if isinstance(error, click.NoSuchOption):
        return f"No such option: {error.option_name!r}.{_nearest_option(error.option_name, error.ctx)}"
    message = error.format_message()
    if isinstance(error, click.MissingParameter):
        return " ".join(message.split())  # choices are listed in lines of their own
    message = _NOT_A_NUMBER.sub("is not a whole number.", message)
    kind = error.param.type if isinstance(error, click.BadParameter) and error.param else None
    found = _NOT_ONE_OF.search(message)
    return message + nearest(found[1], kind.choices) if found and isinstance(kind, click.Choice) else message


def _nearest_option(name: str, context: click.Context | None) -> str:
    """The option that may be meant: one with a similar name, or one of whose value it is a part (`--port` of `--listen
    HOST:PORT`). The dashes that all have in common do not make names similar."""
    params = context.command.get_params(context) if context else []
    options = [param for param in params if isinstance(param, click.Option)]
    by_name = {each.lstrip("-"): each for option in options for each in option.opts}
    by_part = {
        part.lower(): f"{option.opts[-1]} {option.metavar}"
        for option in options
        for part in (option.metavar or "").split(":")[1:]
    }
    word = name.lstrip("-")
    near = suggestions.nearest(word, by_name)
    found = by_part.get(word) or (by_name[near] if near is not None else None)
    return f" Did you mean {found!r}?" if found else ""
