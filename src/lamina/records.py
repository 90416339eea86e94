"""Records: classes that only hold named values.

A record is a dataclass without the comparisons and printed forms that most of ours never use, and its constructor is
written when the first one is made: writing code at run time is most of what it costs to make a dataclass, every command
pays for it when it starts, and uses only some of the records. Type checkers hold records for frozen.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Callable

Kind = TypeVar("Kind")


@dataclass_transform(frozen_default=True, kw_only_default=True, eq_default=False, field_specifiers=(field,))
def record(kind: type[Kind]) -> type[Kind]:
    """A class as a record; values are given by name."""
    return _with_late_constructor(dataclass(init=False, eq=False, repr=False, slots=True, kw_only=True)(kind))


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def ordered_record(kind: type[Kind]) -> type[Kind]:
    """A class as a record; values are given in order or by name."""
    return _with_late_constructor(dataclass(init=False, eq=False, repr=False, slots=True)(kind))


def _with_late_constructor(kind: type[Kind]) -> type[Kind]:
    def construct(self: Any, *given: Any, **named: Any) -> None:
        made = _constructor(kind)
        kind.__init__ = made  # type: ignore[method-assign]  # from now on the real one
        made(self, *given, **named)

    kind.__init__ = construct  # type: ignore[method-assign]  # until the first is made
    return kind


def _constructor(kind: type[Any]) -> Callable[..., None]:
    """The constructor of a record: each field a parameter, set as it is given or else to its default."""
    names: dict[str, Any] = {"ABSENT": MISSING}
    in_order: list[str] = []
    by_name: list[str] = []
    lines: list[str] = []
    for each in fields(kind):
        name = each.name
        parameter, value = name, name
        if each.default_factory is not MISSING:
            names[f"make_{name}"] = each.default_factory
            parameter, value = f"{name}=ABSENT", f"make_{name}() if {name} is ABSENT else {name}"
        elif each.default is not MISSING:
            names[f"default_{name}"] = each.default
            parameter = f"{name}=default_{name}"
        (by_name if each.kw_only else in_order).append(parameter)
        lines.append(f"    self.{name} = {value}")
    if hasattr(kind, "__post_init__"):
        lines.append("    self.__post_init__()")
    parameters = ", ".join(["self", *in_order, *(["*", *by_name] if by_name else [])])
    exec("\n".join([f"def __init__({parameters}):", *(lines or ["    pass"])]), names)
    made: Callable[..., None] = names["__init__"]
    made.__qualname__ = f"{kind.__qualname__}.__init__"
    return made
