"""convert_to: what Puppet's `new(Type, value, ...)` makes of a value."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from lamina import plugin as lp
from lamina.dialects.hiera import messages
from lamina.dialects.hiera.interpolation import HieraFound
from lamina.dialects.hiera.ruby_text import float_text, hash_key
from lamina.dialects.hiera.strategies import has_number_keys
from lamina.plugin import extensions as lpx
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Callable

_NAME: Final = re.compile(r"\s*([A-Z]\w*(?:::[A-Z]\w*)*)\s*")
_ITEM: Final = re.compile(
    r"\s*(?:'([^']*)'|\"([^\"]*)\"|(-?\d+(?:\.\d+)?)|(default|true|false)|/((?:[^/\\]|\\.)*)/)\s*"
)
_INTEGER: Final = re.compile(r"\s*([-+]?)\s*(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0([0-7]+)|([1-9][0-9]*|0))", re.ASCII)
_OF_BASE: Final = re.compile(r"\s*([-+]?)\s*(0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+)", re.ASCII)
_DECIMAL: Final = re.compile(r"\s*[-+]?\s*[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?", re.ASCII)
_TRUE, _FALSE = ("true", "yes", "y"), ("false", "no", "n")
_Number = TypeVar("_Number", int, float)
_DEEPEST: Final = 20
_MOST_ITEMS: Final = 1_000_000
_ITEM_SIZE: Final = 32
"""What a number in a list takes, in bytes."""


class ConvertError(Exception):
    """A value cannot be converted; says why."""


@dataclass(frozen=True, slots=True)
class TypeName:
    """A type with its parameters, which are types or plain values."""

    name: str
    parameters: tuple[Any, ...] = ()


def converted(found: HieraFound, wanted: Any, key: str, run: lp.Run) -> HieraFound:
    """A value that was looked up, as the type that lookup_options want."""
    text, *arguments = wanted if isinstance(wanted, list) and wanted else [wanted]
    try:
        if not isinstance(text, str):
            raise ConvertError(f"{text!r} is not the name of a type")
        kind = parsed(text)
        if kind.name == "Sensitive":
            _check_arguments(kind.name, arguments)
            if kind.parameters:
                _check(found.value, kind.parameters[0])
            return HieraFound(found.value, lambda: lpx.secret(found.node), found.layer, found.outputs, sensitive=True)
        value = _new(kind, found.value, arguments, run)
    except ConvertError as error:
        raise lp.Reject(messages.CONVERT.at(key=key, text=text, error=error)) from None
    if value is found.value:
        return found
    made = lpf.MadeFrom(value, (), f"convert_to {text}")
    return HieraFound(
        value,
        lambda: made.node(found.node),
        found.layer,
        found.outputs,
        sensitive=found.sensitive,
        may_be_secret=found.may_be_secret,
    )


def _check_arguments(name: str, arguments: list[Any]) -> None:
    """Whether a type takes what is written after it; `String` takes formats, which Lamina does not support."""
    expected = _ARGUMENTS.get(name, ())
    if len(arguments) > len(expected):
        raise ConvertError(f"Lamina supports {len(expected) or 'no'} arguments of this type")
    for argument, wanted in zip(arguments, expected, strict=False):
        if type(argument) is not wanted:
            raise ConvertError(f"{argument!r} is not a valid argument")


def parsed(text: str) -> TypeName:
    """A type as Puppet writes it: `Optional[Integer[0, 9]]`."""
    kind, at = _type_at(text, 0, 0)
    if text[at:].strip():
        raise ConvertError("invalid type")
    return kind


def _type_at(text: str, at: int, depth: int) -> tuple[TypeName, int]:
    match = _NAME.match(text, at)
    if match is None or depth > _DEEPEST:
        raise ConvertError("invalid type")
    at = match.end()
    if text[at : at + 1] != "[":
        return TypeName(match[1]), at
    parameters: list[Any] = []
    while True:
        item = _ITEM.match(text, at + 1)
        if item is not None:
            parameters.append(_plain(item))
            at = item.end()
        else:
            inner, at = _type_at(text, at + 1, depth + 1)
            parameters.append(inner)
        if text[at : at + 1] == "]":
            return TypeName(match[1], tuple(parameters)), re.compile(r"\s*").match(text, at + 1).end()  # type: ignore[union-attr]
        if text[at : at + 1] != ",":
            raise ConvertError("invalid type")


def _plain(item: re.Match[str]) -> Any:
    if item[3] is not None:
        return float(item[3]) if "." in item[3] else int(item[3])
    if item[4] is not None:
        return {"default": None, "true": True, "false": False}[item[4]]
    if item[5] is not None:
        return lpf.SafePattern(item[5])
    return item[1] if item[1] is not None else item[2]


def _new(kind: TypeName, value: Any, arguments: list[Any], run: lp.Run) -> Any:
    if kind.name == "Optional" and kind.parameters:
        inner = kind.parameters[0]
        if (value is None and not arguments) or not isinstance(inner, TypeName):
            return value
        return _new(inner, value, arguments, run)
    converter = _CONVERTERS.get(kind.name)
    if converter is None:
        raise ConvertError("Lamina does not support this type")
    _check_arguments(kind.name, arguments)
    converted = converter(value, arguments, run)
    if kind.parameters or kind.name == "Data":
        _check(converted, kind)
    return converted


def _same(value: Any, arguments: list[Any], run: lp.Run) -> Any:
    return value


def _integer(value: Any, arguments: list[Any], run: lp.Run) -> int:
    return _absolute(_plain_integer(value, arguments, run), arguments[1:])


def _absolute(number: _Number, arguments: list[Any]) -> _Number:
    """A number without its sign, if the argument says so."""
    return abs(number) if arguments and arguments[0] is True else number


def _plain_integer(value: Any, arguments: list[Any], run: lp.Run) -> int:
    base = arguments[0] if arguments else None
    if base not in (None, 2, 8, 10, 16):
        raise ConvertError(f"{base} is not a valid base")
    if isinstance(value, (bool, int)):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ConvertError("it is not finite")
        return int(value)
    if not isinstance(value, str):
        raise ConvertError(f"it is {lp.word_for(value)}")
    return _integer_text(value, run) if base is None else _in_base(value, base)


def _integer_text(text: str, run: lp.Run) -> int:
    match = _INTEGER.fullmatch(text)
    if match is None:
        raise ConvertError(f"{text!r} is not an integer")
    digits, base = next((match[at], base) for at, base in ((2, 16), (3, 2), (4, 8), (5, 10)) if match[at] is not None)
    run.charge(len(digits))
    try:
        return int(match[1] + digits, base)
    except ValueError:
        raise ConvertError("the number is too long") from None


def _in_base(text: str, base: int) -> int:
    match = _OF_BASE.fullmatch(text)
    if match is None:
        raise ConvertError(f"{text!r} is not an integer in base {base}")
    try:
        return int(match[1] + match[2].lower().removeprefix({16: "0x", 2: "0b"}.get(base, " ")), base)
    except ValueError:
        raise ConvertError(f"{text!r} is not an integer in base {base}") from None


def _float(value: Any, arguments: list[Any], run: lp.Run) -> float:
    if isinstance(value, str) and (match := _INTEGER.fullmatch(value)) and (digits := match[4] or match[5]):
        # A leading zero does not make a float octal.
        return _absolute(float(f"{match[1]}{digits}"), arguments)
    return float(_numeric(value, arguments, run))


def _numeric(value: Any, arguments: list[Any], run: lp.Run) -> int | float:
    return _absolute(_plain_numeric(value, run), arguments)


def _plain_numeric(value: Any, run: lp.Run) -> int | float:
    if isinstance(value, float) and not math.isnan(value):
        return value
    if isinstance(value, str) and not _INTEGER.fullmatch(value):
        if not _DECIMAL.fullmatch(value) or re.match(r"\s*[-+]?0[0-9]", value):
            raise ConvertError(f"{value!r} is not a number")
        return float(re.sub(r"\s", "", value))
    return _plain_integer(value, [], run)


def _boolean(value: Any, arguments: list[Any], run: lp.Run) -> bool:
    if isinstance(value, (bool, int, float)) and not (isinstance(value, float) and math.isnan(value)):
        return bool(value)
    if isinstance(value, str) and value.lower() in (*_TRUE, *_FALSE):
        return value.lower() in _TRUE
    raise ConvertError(f"it is {lp.word_for(value)}" if not isinstance(value, str) else f"{value!r} is not a boolean")


def _string(value: Any, arguments: list[Any], run: lp.Run) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return f"{value:f}" if math.isfinite(value) else float_text(value).replace("inity", "")
    return "" if value is None else _notation(value)


def _notation(value: Any) -> str:
    """A value in Puppet's own notation."""
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if value is None:
        return "undef"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_notation, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_notation(key)} => {_notation(item)}" for key, item in value.items()) + "}"
    return str(value)


def _array(value: Any, arguments: list[Any], run: lp.Run) -> list[Any]:
    if isinstance(value, list):
        return value
    if arguments and arguments[0] is True:
        return [value]
    if isinstance(value, dict):
        return [[key, item] for key, item in value.items()]
    return _iterated(value, run)


def _iterated(value: Any, run: lp.Run) -> list[Any]:
    """What Puppet iterates over: the letters of a string, the numbers from 0 up to a number."""
    if isinstance(value, str):
        return list(value)
    if type(value) is int and value >= 0:
        if value > _MOST_ITEMS:
            raise ConvertError(f"a list of {value} items is longer than {_MOST_ITEMS:,}, which is Lamina's limit")
        run.charge(value * _ITEM_SIZE)
        return list(range(value))
    raise ConvertError(f"it is {lp.word_for(value)}")


def _hash(value: Any, arguments: list[Any], run: lp.Run) -> dict[Any, Any]:
    if isinstance(value, dict):
        return value
    items = value if isinstance(value, list) else _iterated(value, run)
    if items and all(isinstance(item, list) and len(item) == 2 for item in items):
        pairs = [(key, item) for key, item in items]
    elif len(items) % 2 == 0:
        pairs = list(zip(items[::2], items[1::2], strict=True))
    else:
        raise ConvertError("the list has an odd number of items")
    made: dict[Any, Any] = {}
    for key, item in pairs:
        made[hash_key(key, made)] = item
    return made


_CONVERTERS: Final[dict[str, Callable[[Any, list[Any], lp.Run], Any]]] = {
    "Integer": _integer,
    "Float": _float,
    "Numeric": _numeric,
    "Boolean": _boolean,
    "String": _string,
    "Array": _array,
    "Hash": _hash,
    "Data": _same,
    "Any": _same,
}


_ARGUMENTS: Final[dict[str, tuple[type, ...]]] = {
    "Integer": (int, bool),
    "Float": (bool,),
    "Numeric": (bool,),
    "Array": (bool,),
}
"""What each type takes beside the value: a base, whether the sign is dropped, whether a value is wrapped."""


def _check(value: Any, kind: Any) -> None:
    if not _is(value, kind):
        raise ConvertError(f"{lp.word_for(value)} does not match the type")


def _is(value: Any, kind: Any) -> bool:
    """Whether a value is of a type; a type that is not known here is rejected."""
    if not isinstance(kind, TypeName) or kind.name not in _TESTS:
        raise ConvertError(f"Lamina does not support the type {getattr(kind, 'name', kind)}")
    return _TESTS[kind.name](value, kind.parameters)


def _range(size: Any, parameters: tuple[Any, ...]) -> bool:
    least, most = (*parameters, None, None)[:2]
    return (least is None or size >= least) and (most is None or size <= most)


def _is_array(value: Any, parameters: tuple[Any, ...]) -> bool:
    types = [each for each in parameters if isinstance(each, TypeName)]
    sizes = tuple(each for each in parameters if not isinstance(each, TypeName))
    if sizes and not types:
        raise ConvertError("Lamina does not support an Array without the type of its items")
    return isinstance(value, list) and _range(len(value), sizes) and all(_is(i, each) for each in types for i in value)


def _is_hash(value: Any, parameters: tuple[Any, ...]) -> bool:
    types = [each for each in parameters if isinstance(each, TypeName)]
    sizes = tuple(each for each in parameters if not isinstance(each, TypeName))
    if parameters and len(types) != 2:
        raise ConvertError("Lamina does not support a Hash without the types of its keys and values")
    if not isinstance(value, dict) or not _range(len(value), sizes):
        return False
    return not types or all(_is(key, types[0]) and _is(item, types[1]) for key, item in value.items())


def _is_string(value: Any, parameters: tuple[Any, ...]) -> bool:
    return isinstance(value, str) and _range(len(value), parameters)


def _number_test(*kinds: type) -> Callable[[Any, tuple[Any, ...]], bool]:
    return lambda value, parameters: type(value) in kinds and _range(value, parameters)


def _is_boolean(value: Any, parameters: tuple[Any, ...]) -> bool:
    return isinstance(value, bool) and (not parameters or value is parameters[0])


_TESTS: Final[dict[str, Callable[[Any, tuple[Any, ...]], bool]]] = {
    "Integer": _number_test(int),
    "Float": _number_test(float),
    "Numeric": _number_test(int, float),
    "Boolean": _is_boolean,
    "String": _is_string,
    "Array": _is_array,
    "Hash": _is_hash,
    "Data": lambda value, parameters: not has_number_keys(value),
    "Any": lambda value, parameters: True,
    "Undef": lambda value, parameters: value is None,
    "Optional": lambda value, parameters: value is None or all(_is(value, each) for each in parameters),
    "Enum": lambda value, parameters: value in parameters,
    "Variant": lambda value, parameters: any(_is(value, each) for each in parameters),
    "Pattern": lambda value, parameters: isinstance(value, str) and any(each.search(value) for each in parameters),
}
