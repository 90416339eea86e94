"""What the commands have in common, for click: inputs, the dialect, and the options each dialect brings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from lamina.cli import options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lamina.cli.options import Option

Decorated = TypeVar("Decorated", bound="Callable[..., Any]")


def inputs_and_options(function: Decorated) -> Decorated:
    """The arguments of every command that renders; they arrive as `request`."""
    function = click.argument("inputs", nargs=-1, metavar="INPUT...", type=click.Path(allow_dash=True))(function)
    return _with([*options.COMMON, *options.dialect_options()], function)


def dialect_options(function: Decorated) -> Decorated:
    """The options all dialects bring."""
    return _with(options.dialect_options(), function)


def dialect_and_manner(function: Decorated) -> Decorated:
    """The options that say which system is followed, and in what."""
    return _with([options.DIALECT, options.COMPAT], function)


def allow_path(function: Decorated) -> Decorated:
    """The option that lets inputs name files elsewhere."""
    return _with([options.ALLOW_PATH], function)


def command(name: str, run: Callable[..., int], own: Iterable[Option]) -> click.Command:
    """A command that takes inputs, made of its own options and what it does."""

    def called(**given: Any) -> int:
        return run(**given)

    called.__doc__ = run.__doc__
    return click.command(name)(_with(own, inputs_and_options(called)))


def _with(declared: Iterable[Option], function: Decorated) -> Decorated:
    for each in reversed(list(declared)):
        function = _click_option(each)(function)
    return function


def _click_option(option: Option) -> Callable[[Decorated], Decorated]:
    kind: dict[str, Any] = {"metavar": option.metavar} if option.metavar else {}
    if option.choices:
        kind["type"] = click.Choice(option.choices)
    if option.default is False:
        kind["is_flag"] = True
    elif option.many:
        kind["multiple"] = True
    elif option.default is not None:
        kind.update(default=option.default, show_default=True)
    return click.option(*option.names, option.parameter, help=option.about, **kind)
