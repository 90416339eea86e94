"""Finding dialects: by name, or by what inputs look like.

A dialect is found through the entry-point group `lamina.dialects`. Lamina's own are registered there too, and are also
known by name, so that a command need not scan the installed packages to find them.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from lamina.dialects.base import Dialect, broken, has_compat, load, unknown
from lamina.errors import Diagnostic, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lamina.sources.inputs import Inputs

GROUP = "lamina.dialects"

BUILT_IN: Mapping[str, str] = {
    "cloud-init": "lamina.dialects.cloudinit.dialect:DIALECT",
    "heat": "lamina.dialects.heat.dialect:DIALECT",
    "deckhand": "lamina.dialects.deckhand.dialect:DIALECT",
    "datum": "lamina.dialects.datum.dialect:DIALECT",
    "hiera": "lamina.dialects.hiera.dialect:DIALECT",
}
"""Lamina's own dialects, as they are registered in the entry-point group."""


def find(name: str) -> Dialect[Any]:
    """The dialect of that name."""
    if name in BUILT_IN:
        return _built_in(name)
    for point in installed():
        if point.name == name:
            return loaded(point)
    raise UsageError(unknown("dialect", name, names()))


def detect(inputs: Inputs) -> Dialect[Any]:
    """The dialect the inputs look like."""
    for name in BUILT_IN:
        dialect = _built_in(name)
        if dialect.detect(inputs):
            return dialect
    for point in installed():
        if point.name not in BUILT_IN and (other := loaded(point)).detect(inputs):
            return other
    raise UsageError(
        Diagnostic(
            code="unknown-dialect",
            message="the inputs do not look like any known dialect",
            hint=f"name it with --dialect: {', '.join(names())}",
        )
    )


def names() -> list[str]:
    """The names of all dialects there are."""
    return sorted({*BUILT_IN, *(point.name for point in installed())})


def installed() -> Iterable[Any]:
    """The entry points of all installed dialects."""
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def loaded(point: Any) -> Dialect[Any]:
    """The dialect of an entry point."""
    what = f"the dialect {point.name}"
    dialect = load(point.value, what)
    if not isinstance(dialect, Dialect):
        raise UsageError(broken(what, f"{point.value} is not a lamina.plugin.Dialect"))
    return dialect


def _built_in(name: str) -> Dialect[Any]:
    dialect: Dialect[Any] = load(BUILT_IN[name], f"the dialect {name}")
    return dialect


def make_options(dialect: Dialect[Any], given: Mapping[str, Any]) -> Any:
    """The dialect's options from plain values; a name it does not know is rejected.

    A dialect with one compatibility mode has no option `compat`; `shipped` is then what it does anyway.
    """
    if given.get("compat") == "shipped" and not has_compat(dialect.options):
        given = {name: value for name, value in given.items() if name != "compat"}
    known = {item.name: item for item in fields(dialect.options)}
    for name, value in given.items():
        if name not in known:
            raise UsageError(unknown("option", name, list(known), f" of {dialect.name}"))
        choices = known[name].metadata.get("choices", ())
        if choices and value not in choices:
            raise UsageError(unknown("value", str(value), list(choices), f" for {name}"))
    return dialect.options(**given)
