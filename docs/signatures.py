"""The page of signatures: what the public modules have, as the code declares it."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MODULES = (
    "lamina",
    "lamina.plugin",
    "lamina.plugin.operators",
    "lamina.plugin.formats",
    "lamina.plugin.hierarchy",
    "lamina.plugin.references",
    "lamina.plugin.settings",
    "lamina.plugin.extensions",
)
_START = """\
# Signatures

Made from the program: what may be imported, with its arguments and what it says of itself. What things are for is in
[the Python interface](api.md) and in [lamina.plugin](plugin.md).
"""


def as_page() -> str:
    """All public names of all public modules."""
    return "\n".join([_START, *(line for name in MODULES for line in _module(name))]) + "\n"


def _module(name: str) -> Iterator[str]:
    module = import_module(name)
    yield from (f"## {name}", "")
    for each in sorted(module.__all__, key=str.lower):
        if not each.startswith("__"):
            yield from _entry(each, getattr(module, each))


def _entry(name: str, thing: Any) -> Iterator[str]:
    if inspect.isclass(thing):
        yield from (f"`class {name}{_signature(thing)}`", f": {_about(thing)}", "")
        yield from (f"  - {line}" for line in _members(thing))
        yield ""
    elif callable(thing) and hasattr(thing, "__name__"):
        yield from (f"`{name}{_signature(thing)}`", f": {_about(thing)}", "")
    else:
        yield from (f"`{name}`", f": {type(thing).__name__}", "")


def _members(kind: type) -> Iterator[str]:
    """The public methods and properties of a class that it has of its own."""
    for name, member in vars(kind).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property) or type(member).__name__ == "cached_property":
            yield f"`{name}`: {_about(member)}"
        elif isinstance(member, (classmethod, staticmethod)):
            shown = _signature(member.__func__, without_first=isinstance(member, classmethod))
            yield f"`{name}{shown}`: {_about(member)}"
        elif inspect.isfunction(member):
            yield f"`{name}{_signature(member, without_first=True)}`: {_about(member)}"


class _AsWritten:
    """An annotation that is shown as it is in the source."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _signature(thing: Callable[..., Any], *, without_first: bool = False) -> str:
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    parameters = [each.replace(annotation=_shown(each.annotation)) for each in found.parameters.values()]
    shown = found.replace(parameters=parameters[without_first:], return_annotation=_shown(found.return_annotation))
    text = str(shown)
    return text.removesuffix(" -> None") if inspect.isclass(thing) else text


def _shown(annotation: Any) -> Any:
    return _AsWritten(annotation) if isinstance(annotation, str) else annotation


def _about(thing: Any) -> str:
    """The first paragraph of a docstring, on one line."""
    text = inspect.getdoc(thing) or ""
    return " ".join(text.partition("\n\n")[0].split())
