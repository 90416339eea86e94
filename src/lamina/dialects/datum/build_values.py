"""What the caller provides instead of a build: variables for scripts, and properties that a loader adds to nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.datum.messages import BAD_SETTING
from lamina.dialects.datum.powershell_data.caseless_document import without_case_value
from lamina.errors import UsageError
from lamina.sources.caseless_keys import caseless
from lamina.sources.yaml.scalars import YAMLDOTNET

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lamina.dialects.datum.options import DatumOptions
    from lamina.sources.inputs import Inputs


def variables(options: DatumOptions, inputs: Inputs) -> dict[str, Any]:
    """The variables given, by name without case."""
    given = options.variable
    return {name.lower(): value for name, value in _pairs(given, "--variable", inputs)} if given else {}


def node_properties(options: DatumOptions, inputs: Inputs) -> dict[Any, Any]:
    """The properties given for nodes."""
    given = options.node_property
    return {caseless(name): value for name, value in _pairs(given, "--node-property", inputs)} if given else {}


def _pairs(given: Any, flag: str, inputs: Inputs) -> Iterator[tuple[str, Any]]:
    if isinstance(given, dict):
        yield from ((str(name), without_case_value(value)) for name, value in _items(given))
        return
    for text in given or ():
        name, equals, value = str(text).partition("=")
        if not name.strip() or not equals:
            raise UsageError(BAD_SETTING.at(flag=flag, text=text))
        yield name.strip().lstrip("$"), _read(value[1:], inputs) if value.startswith("@") else _scalar(value)


def _items(given: Mapping[Any, Any]) -> Iterator[tuple[Any, Any]]:
    yield from given.items()


def _scalar(text: str) -> Any:
    """A value on the command line, read as in a data file."""
    return YAMLDOTNET.plain(text) if text else ""


def _read(path: str, inputs: Inputs) -> Any:
    from lamina.dialects.datum.tree import read_document

    return read_document(inputs.opened(path)[0], inputs.run).value
