"""Dialects: the rules of one system, as a compiler from inputs to a plan.

A dialect is a dataclass with nine fields. What only some commands need (lint rules, nodes of a fleet, golden cases)
is an extension, which is named here and loaded on first use.
"""

from __future__ import annotations

import re
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

from lamina.engine.plan import ResultSpec
from lamina.errors import Diagnostic, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lamina.engine.plan import Compiler
    from lamina.sources.inputs import Inputs

__all__ = ["Dialect", "ResultSpec", "lazy", "load", "option", "unknown"]

Options = TypeVar("Options")

EXTENSIONS = (
    "lint",
    "explain",
    "plan",
    "graph",
    "fleet",
    "golden",
    "scope",
    "secrets",
    "check",
    "keys",
    "boot",
    "layer_names",
    "resembles",
    "fallback",
    "targets",
    "means",
    "codes",
)
"""The names of all extensions; `lamina.protocol.extensions` defines them."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dialect(Generic[Options]):
    """The rules of one system."""

    name: str
    """The name for `--dialect`."""
    title: str
    """What its inputs are, in a word or two."""
    manual: str = "the manual"
    """The name of the system's manual in messages about differences between program and manual."""
    header: str = ""
    """What a document of this system starts with, if that says what it is; inputs that are mappings get it."""
    known_by: str = ""
    """What a folder of this system is known by, in a few words, for the message that nothing was found."""
    options: type[Options]
    """A dataclass. Fields made with `option` are on the command line; a field `compat` says that the dialect can follow
    the manual instead of the program, and makes results be compared in both compatibility modes."""
    detect: Callable[[Inputs], bool]
    """Whether inputs look like this system's. Called for all inputs of an unknown dialect, so it must be cheap to
    import and to run."""
    compile: Callable[[Inputs, Options], Compiler]
    """Yields an optional `ResultSpec`, then the stages of the plan; `lazy` names it without importing it."""
    extensions: Mapping[str, Any] = field(default_factory=dict)
    """The extensions, each as `module:NAME`, which is loaded on first use, or itself; see
    `lamina.protocol.extensions`."""

    def __post_init__(self) -> None:
        if not is_dataclass(self.options):
            raise TypeError(f"the options of {self.name} must be a dataclass")
        for name in self.extensions:
            if name not in EXTENSIONS:
                raise ValueError(f"there is no extension {name!r}; known: {', '.join(EXTENSIONS)}")

    def extension(self, name: str) -> Any:
        """Load an extension; None if the dialect does not have it."""
        at = self.extensions.get(name)
        return load(at, f"the extension {name} of {self.name}") if isinstance(at, str) else at


def has_compat(options: Any) -> bool:
    """Whether options, or a type of options, have a second compatibility mode."""
    return any(each.name == "compat" for each in fields(options))


def load(at: str, what: str) -> Any:
    """Import `module:NAME`; if that fails, the error says what was to be loaded."""
    module, _, name = at.partition(":")
    try:
        return getattr(import_module(module), name)
    except Exception as error:  # an installed package may fail in any way
        raise UsageError(broken(what, f"{at}: {type(error).__name__}: {error}")) from error


def broken(what: str, why: str) -> Diagnostic:
    """The finding that a part of an installed package cannot be used."""
    return Diagnostic(
        code="broken-plugin",
        message=f"{what} cannot be loaded: {why}",
        hint="fix or uninstall its package; `lamina --version -v` lists what is installed",
    )


def lazy(at: str) -> Callable[..., Any]:
    """A function that imports `module:NAME` when it is first called."""

    known: list[Callable[..., Any]] = []

    def called(*arguments: Any) -> Any:
        if not known:
            known.append(load(at, at))
        return known[0](*arguments)

    return called


def command_line_defaults(dialect: Dialect[Any]) -> dict[str, Any]:
    """The defaults of a dialect's options that differ on the command line."""
    defaults = {each.name: each.metadata.get("on_command_line") for each in fields(dialect.options)}
    return {name: value for name, value in defaults.items() if value is not None}


PathsIn: TypeAlias = "Callable[[Any, Callable[[str], str]], Any]"
"""Returns the value of an option with each path in it replaced by the result of a function."""


COMPATS: Final = ("program", "manual")
"""The compatibility modes: what the program does, and what its manual says."""


def compat_option() -> Any:
    """The field `compat` of a dialect that can follow the system's manual instead of the program."""
    return option(
        "program",
        choices=COMPATS,
        about="program: what the program does; manual: what its manual says",
    )


def strict_option() -> Any:
    """The field `strict` of a dialect, which is on the command line of every command."""
    return option(False, about="an error if anything is unknown, assumed, dropped or not readable")


def one_path(value: Any, replaced: Callable[[str], str]) -> Any:
    """The `paths` function of an option whose value is one path or None."""
    if value is not None and not isinstance(value, str):
        raise UsageError(
            Diagnostic(
                code="not-a-path",
                message=f"this option is the name of a file or folder, not {value!r}",
                hint="write a path as a string",
            )
        )
    return value if value is None else replaced(value)


def many_paths(value: Any, replaced: Callable[[str], str]) -> Any:
    """The `paths` function of an option whose value is a list of paths."""
    return tuple(one_path(each, replaced) for each in value)


def option(
    default: Any = None,
    *,
    about: str,
    flag: str | None = None,
    short: str | None = None,
    metavar: str | None = None,
    choices: Sequence[str] = (),
    many: bool = False,
    on_command_line: Any = None,
    grants: str | None = None,
    paths: PathsIn | None = None,
) -> Any:
    """A field of a dialect's options; `flag` is its name on the command line, if it has one.

    `metavar` is the placeholder for the value in the help (FILE, DIR, URL, NAME). `on_command_line` is the default on
    the command line, if that differs. `grants` says what the option permits, if it lifts a protection: only the caller
    may set such an option, never data such as a manifest. `paths` finds the paths in a value, for an option that names
    files or folders: if data sets it, they are relative to the file that sets them and must stay in its folder.
    """
    long, other = r"--[a-z][a-z0-9-]*", r"-[a-zA-Z]|--[a-z][a-z0-9-]*"
    if not re.fullmatch(long, flag or "--none") or not re.fullmatch(other, short or "-n"):
        raise ValueError(f"a flag is written --name, its other name -n or --name; not {flag} {short or ''}".rstrip())
    metadata = {
        "about": about,
        "flag": flag,
        "short": (short,) if short else (),
        "metavar": metavar,
        "choices": tuple(choices),
        "many": many,
        "on_command_line": on_command_line,
        "grants": grants,
        "paths": paths,
    }
    return field(default=default, metadata=metadata)


def is_switch(each: Field[Any]) -> bool:
    """Whether an option is a flag without a value."""
    return each.default is False or (each.default is MISSING and each.type in (bool, "bool"))


_LISTED = 30
"""How many known names a hint lists."""


def unknown(what: str, name: str, known: Sequence[str], of: str = "") -> Diagnostic:
    """The finding for an unknown name, with the most similar known one."""
    from lamina._support import suggestions

    near = suggestions.nearest(name, known)
    listed = ", ".join(known[:_LISTED]) + (", …" if len(known) > _LISTED else "")
    rest = f"known: {listed}" if known else "there are none"
    return Diagnostic(
        code=f"unknown-{what}",
        message=f"unknown {what} {name!r}{of}",
        hint=f"did you mean {near!r}? {rest}" if near else rest,
    )
