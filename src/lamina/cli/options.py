"""Options of the command line as data.

click makes its options of them (`arguments.py`), and where a line holds nothing but what is declared here, it is read
without loading click (`plain`): loading it costs as much as reading a small file and merging it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from importlib import import_module
from typing import TYPE_CHECKING, Any

from lamina.dialects.registry import OPTIONS
from lamina.errors import Diagnostic, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from dataclasses import Field

Owners = list[tuple[str, "Field[Any]"]]
"""The dialects that have a flag, each with its field."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Option:
    """One option: its names, the parameter it sets, and the values it takes. `default` is False for a mere flag."""

    names: tuple[str, ...]
    parameter: str
    about: str
    default: Any = None
    choices: tuple[str, ...] = ()
    many: bool = False
    metavar: str | None = None


DIALECT = Option(
    names=("--dialect",),
    parameter="dialect",
    about="The system the inputs are for; found out if not given.",
    metavar="NAME",
)
COMPAT = Option(
    names=("--compat",),
    parameter="compat",
    about="What the program does, or what its manual says.",
    default="shipped",
    choices=("shipped", "documented"),
)
ENVIRONMENT = Option(
    names=("-e", "--environment"),
    parameter="environments",
    about="Another input, before the others.",
    default=(),
    many=True,
    metavar="FILE",
)
ALLOW_PATH = Option(
    names=("--allow-path",),
    parameter="allow_path",
    about="A folder whose files inputs may name (includes, nested templates), besides the folder each one is in.",
    default=(),
    many=True,
    metavar="DIR",
)
COMMON = (DIALECT, COMPAT, ENVIRONMENT, ALLOW_PATH)
"""What every command that renders takes besides inputs and the options of dialects."""


def plain(words: Iterable[str], own: Sequence[Option]) -> dict[str, Any] | None:
    """The parameters of a command that takes inputs; None where click is to read the words: help, or a mistake."""
    known = _by_name((*own, *COMMON))
    given: dict[str, Any] = {each.parameter: each.default for each in known.values()}
    inputs: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "-" or not word.startswith("-"):
            inputs.append(word)
            continue
        name, equals, value = word.partition("=")
        option = known.get(name) or _by_name(dialect_options()).get(name)
        if option is None or (equals and (option.default is False or not name.startswith("--"))):
            return None
        if option.default is False:
            given[option.parameter] = True
            continue
        value = value if equals else next(rest, "-")
        if value.startswith("-") or (option.choices and value not in option.choices):
            return None
        given[option.parameter] = (*given.get(option.parameter, ()), value) if option.many else value
    return {**given, "inputs": tuple(inputs)}


def _by_name(options: Iterable[Option]) -> dict[str, Option]:
    return {name: option for option in options for name in option.names}


def request(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `lamina.render`, from those of a command; what is left in `given` is the command's own."""
    compat, dialect = given.pop("compat"), given.pop("dialect")
    inputs = [*given.pop("environments"), *given.pop("inputs")]
    allowed = given.pop(ALLOW_PATH.parameter)
    return {"inputs": inputs, "allowed": allowed, "dialect": dialect, "compat": compat, "flags": flags_of(given)}


_FLAG = "flag_"
"""How the parameters of dialects' options begin, so that they cannot meet a command's own."""


def flags_of(given: dict[str, Any]) -> dict[str, Any]:
    """The options of dialects that were given, taken out of the arguments of a command."""
    names = [name for name in given if name.startswith(_FLAG)]
    flags = {"--" + name.removeprefix(_FLAG).replace("_", "-"): given.pop(name) for name in names}
    return {flag: value for flag, value in flags.items() if value not in (None, (), False)}


def options_for(dialect: str, flags: Mapping[str, Any]) -> dict[str, Any]:
    """The flags given, as options of the dialect, and what holds on the command line where none is given."""
    return {**usual_options(dialect), **given_options(dialect, flags)}


def usual_options(dialect: str) -> dict[str, Any]:
    """The options of a dialect that are not what they are elsewhere when none is given."""
    mine = _fields(dialect) if dialect in OPTIONS else ()
    usual = {field.name: field.metadata["on_command_line"] for field in mine}
    return {name: value for name, value in usual.items() if value is not None}


def given_options(dialect: str, flags: Mapping[str, Any]) -> dict[str, Any]:
    """The flags given, as options of the dialect; a flag of another dialect is rejected."""
    mine = _fields(dialect) if dialect in OPTIONS else ()
    known = {field.metadata["flag"]: field.name for field in mine}
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
    return {known[flag]: value for flag, value in flags.items()}


def owners_of(flags: Mapping[str, Any]) -> list[str]:
    """The dialects that have all the flags given."""
    known = dialect_flags()
    owners = [{dialect for dialect, _ in known[flag]} for flag in flags]
    return sorted(set.intersection(*owners)) if owners else []


def dialect_flags() -> dict[str, Owners]:
    """All flags the dialects bring, each with the dialects that have it."""
    flags: dict[str, Owners] = {}
    for dialect in OPTIONS:
        for field in _fields(dialect):
            flags.setdefault(field.metadata["flag"], []).append((dialect, field))
    return flags


def dialect_options() -> list[Option]:
    """The options all dialects bring, in their order."""
    return [_dialect_option(flag, owners) for flag, owners in dialect_flags().items()]


def _fields(dialect: str) -> Iterator[Field[Any]]:
    module, _, name = OPTIONS[dialect].partition(":")
    for field in fields(getattr(import_module(module), name)):
        if field.metadata.get("flag"):
            yield field


def _dialect_option(flag: str, owners: Owners) -> Option:
    field = owners[0][1]
    many = field.metadata["many"]
    return Option(
        names=(*field.metadata["short"], flag),
        parameter=_FLAG + flag.lstrip("-").replace("-", "_"),
        about="; ".join(f"{dialect}: {each.metadata['about']}" for dialect, each in owners),
        default=False if field.default is False else () if many else None,
        choices=tuple(dict.fromkeys(choice for _, each in owners for choice in each.metadata["choices"])),
        many=many,
    )
