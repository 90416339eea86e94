"""Records: classes that only hold named values.

A record is written like a dataclass and is made much faster, since every command pays for all of them when it starts
and uses only some: its constructor is written when more than a few are made, and comparing, hashing and printing are
the same code for all. The values lie in slots. Type checkers hold records for frozen unless told otherwise.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Kind = TypeVar("Kind")

ABSENT: Any = type("ABSENT", (), {"__repr__": lambda self: "ABSENT"})()  # noqa: ARG005 - a method's parameter
"""The default of a field that has none."""
_NOTHING_ELSE: Mapping[str, Any] = {}
_FEW = 4
"""How many records of a kind are made before a constructor is written for it."""


class Field:
    """One field: its name, its default or what makes it, and what else is known of it."""

    __slots__ = ("by_name", "default", "default_factory", "init", "metadata", "name")

    def __init__(
        self,
        default: Any = ABSENT,
        default_factory: Any = ABSENT,
        metadata: Mapping[str, Any] = _NOTHING_ELSE,
        init: bool = True,
    ) -> None:
        self.name = ""
        self.by_name = False
        self.default = default
        self.default_factory = default_factory
        self.metadata = metadata
        self.init = init


def field(
    *,
    default: Any = ABSENT,
    default_factory: Callable[[], Any] = ABSENT,
    metadata: Mapping[str, Any] = _NOTHING_ELSE,
    init: bool = True,
) -> Any:
    """A field that is more than a name and a default: made anew for each record, not given at all, or described."""
    return Field(default, default_factory, metadata, init)


@overload
def record(kind: type[Kind], /) -> type[Kind]: ...
@overload
def record(*, eq: bool = False, frozen: bool = True) -> Callable[[type[Kind]], type[Kind]]: ...
@dataclass_transform(frozen_default=True, kw_only_default=True, eq_default=False, field_specifiers=(field,))
def record(kind: type[Kind] | None = None, /, *, eq: bool = False, frozen: bool = True) -> Any:  # noqa: ARG001 - read by type checkers
    """A class as a record; values are given by name. With `eq`, records of equal values are equal."""
    return _made(kind, eq=eq, by_name=True) if kind else lambda kind: _made(kind, eq=eq, by_name=True)


@overload
def ordered_record(kind: type[Kind], /) -> type[Kind]: ...
@overload
def ordered_record(*, eq: bool = False, frozen: bool = True) -> Callable[[type[Kind]], type[Kind]]: ...
@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def ordered_record(kind: type[Kind] | None = None, /, *, eq: bool = False, frozen: bool = True) -> Any:  # noqa: ARG001 - likewise
    """A class as a record; values are given in order or by name."""
    return _made(kind, eq=eq, by_name=False) if kind else lambda kind: _made(kind, eq=eq, by_name=False)


def fields(kind: Any) -> tuple[Field, ...]:
    """The fields of a record."""
    known: tuple[Field, ...] | None = getattr(kind, "__record_fields__", None)
    if known is None:
        raise TypeError(f"{kind!r} is no record: decorate the class with lamina.records.record")
    return known


def replace(given: Kind, /, **changes: Any) -> Kind:
    """A record like the one given, but for these values."""
    values = {each.name: getattr(given, each.name) for each in fields(given) if each.init}
    return type(given)(**{**values, **changes})


def _made(kind: type[Any], *, eq: bool, by_name: bool) -> type[Any]:
    inherited: tuple[Field, ...] = getattr(kind, "__record_fields__", ())
    body = dict(kind.__dict__)
    annotated = body.get("__annotations__", {}).items()
    own = [_field(name, body, by_name) for name, type_ in annotated if "ClassVar" not in str(type_)]
    known = {each.name: each for each in (*inherited, *own)}
    body["__record_fields__"] = tuple(known.values())
    body["__match_args__"] = tuple(each.name for each in known.values() if not each.by_name)
    slots = [each.name for each in own if all(each.name != other.name for other in inherited)]
    body["__slots__"] = (*body.get("__slots__", ()), *slots)
    body["__init__"] = _construct_first
    body["__record_few__"] = _FEW
    body.setdefault("__repr__", _shown)
    if eq:
        body["__record_values__"] = attrgetter(*known) if known else type
        body.setdefault("__eq__", _equal)
        body.setdefault("__hash__", _hashed)
    body.pop("__dict__", None)
    body.pop("__weakref__", None)
    made: type[Any] = type(kind)(kind.__name__, kind.__bases__, body)  # type: ignore[misc]  # with the metaclass it has
    return made


def _field(name: str, body: dict[str, Any], by_name: bool) -> Field:
    given = body.pop(name, ABSENT)
    found = given if type(given) is Field else Field(given)
    found.name, found.by_name = name, by_name
    return found


def _shown(self: Any) -> str:
    told = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in fields(self))
    return f"{type(self).__qualname__}({told})"


def _equal(self: Any, other: object) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    kind: Any = type(self)
    return kind.__record_values__(self) == kind.__record_values__(other)


def _hashed(self: Any) -> int:
    return hash(type(self).__record_values__(self))


def _construct_first(self: Any, *given: Any, **named: Any) -> None:
    """The constructor of the first few records of a kind: one that serves all, slowly."""
    kind: Any = next(each for each in type(self).__mro__ if "__record_fields__" in each.__dict__)
    kind.__record_few__ -= 1
    in_order = dict(zip(kind.__match_args__, given, strict=False))
    if kind.__record_few__ < 0 or len(in_order) != len(given) or not _filled(self, kind, in_order, named):
        made = _constructor(kind)
        kind.__init__ = made  # from now on the real one
        made(self, *given, **named)


def _filled(self: Any, kind: Any, values: dict[str, Any], named: dict[str, Any]) -> bool:
    """Fill a record; False where the real constructor has something to say about what was given."""
    if values.keys() & named.keys():
        return False
    values.update(named)
    for each in kind.__record_fields__:
        if not each.init:
            continue
        if each.name in values:
            value = values.pop(each.name)
        elif each.default is not ABSENT:
            value = each.default
        elif each.default_factory is not ABSENT:
            value = each.default_factory()
        else:
            return False
        setattr(self, each.name, value)
    if values:
        return False
    if hasattr(kind, "__post_init__"):
        self.__post_init__()
    return True


def _constructor(kind: type[Any]) -> Callable[..., None]:
    """The constructor of a record: each field a parameter, set as it is given or else to its default."""
    names: dict[str, Any] = {"ABSENT": ABSENT}
    in_order: list[str] = []
    by_name: list[str] = []
    lines: list[str] = []
    for each in fields(kind):
        name = each.name
        if not each.init:
            continue
        parameter, value = name, name
        if each.default_factory is not ABSENT:
            names[f"make_{name}"] = each.default_factory
            parameter, value = f"{name}=ABSENT", f"make_{name}() if {name} is ABSENT else {name}"
        elif each.default is not ABSENT:
            names[f"default_{name}"] = each.default
            parameter = f"{name}=default_{name}"
        (by_name if each.by_name else in_order).append(parameter)
        lines.append(f"    self.{name} = {value}")
    if hasattr(kind, "__post_init__"):
        lines.append("    self.__post_init__()")
    parameters = ", ".join(["self", *in_order, *(["*", *by_name] if by_name else [])])
    exec("\n".join([f"def __init__({parameters}):", *(lines or ["    pass"])]), names)
    made: Callable[..., None] = names["__init__"]
    made.__qualname__ = f"{kind.__qualname__}.__init__"
    return made
