"""The options of dialects on the command line: which flags there are, whose they are, and what was given.

Flags follow from the fields of a dialect's options that were made with `option`; those of installed dialects are no
different from those of Lamina's own. Two dialects may share a flag that is read the same way. Where they read it
differently, the flag can be used with `--dialect` only. A name may be the second one of an option in one of them.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from lamina.cli.click_options import FLAG
from lamina.cli.output import print_error
from lamina.dialects import registry
from lamina.errors import Diagnostic, UsageError
from lamina.protocol.dialect import is_switch, many_paths

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from dataclasses import Field

    from lamina.protocol.dialect import Dialect


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag of one dialect."""

    dialect: str
    field: Field[Any]

    @property
    def name(self) -> str:
        return str(self.field.metadata["flag"])

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.field.metadata["short"], self.name)

    @property
    def about(self) -> str:
        return str(self.field.metadata["about"])

    @property
    def metavar(self) -> str | None:
        """The placeholder for the value in the help; empty if the type is enough."""
        metavar: str | None = self.field.metadata["metavar"]
        return metavar or ("FILE" if self.field.metadata["paths"] else None)

    @property
    def shape(self) -> str:
        """How the command line reads it."""
        if is_switch(self.field):
            return "takes no value"
        return "may be repeated" if self.field.metadata["many"] else "takes a value"

    @property
    def type(self) -> click.ParamType[Any]:
        kind = type(self.field.default)
        return click.INT if kind is int else click.FLOAT if kind is float else click.STRING


def flags_of_dialect(dialect: Dialect[Any]) -> list[Flag]:
    """The flags a dialect brings, in the order of its options."""
    return [Flag(dialect.name, each) for each in fields(dialect.options) if each.metadata.get("flag")]


def available_dialects(named: str | None = None, *, installed: bool = False) -> Iterator[Dialect[Any]]:
    """Lamina's own dialects and the one that is named; if wanted, all that are installed.

    One that cannot be loaded is an error if it is named, and is reported otherwise.
    """
    for name in registry.BUILT_IN:
        yield registry.find(name)
    if named is not None and named not in registry.BUILT_IN:
        yield registry.find(named)
    for point in registry.installed() if installed else ():
        if point.name not in registry.BUILT_IN and point.name != named:
            try:
                yield registry.loaded(point)
            except UsageError as error:
                print_error(f"warning: {error}")


def parameters(dialects: Iterable[Dialect[Any]], own: Collection[str], named: str | None) -> list[click.Parameter]:
    """The options of dialects for click, without names that are a command's own.

    Where a dialect is named, its flags are read as it reads them, and those of others are rejected with the names of
    their owners.
    """
    flags = [flag for dialect in dialects for flag in flags_of_dialect(dialect)]
    of_dialect = [flag for flag in flags if flag.dialect == named]
    for flag in of_dialect:
        if set(flag.names) <= set(own):
            raise UsageError(_reserved(flag, flag.name))
    if named is None:
        return list(_declared(_by_name(flags, own)))
    others = _by_name(flags, {*own, *(name for flag in of_dialect for name in flag.names)})
    rejected = (_Rejected(name, owners, _of_other(name, owners, named)) for name, owners in others.items())
    return [*_declared(_by_name(of_dialect, own)), *rejected]


def _by_name(flags: Iterable[Flag], taken: Collection[str]) -> dict[str, list[Flag]]:
    """The owners of each name, without names that are taken."""
    found: dict[str, list[Flag]] = {}
    for flag in flags:
        for name in flag.names:
            if name not in taken:
                found.setdefault(name, []).append(flag)
    return found


def _declared(by_name: Mapping[str, list[Flag]]) -> Iterator[click.Parameter]:
    """Options for flags: one for each long name, and one that is rejected for each name that is ambiguous."""
    ambiguous = {name for name, owners in by_name.items() if len({flag.shape for flag in owners}) > 1}
    distinct = {name for name, owners in by_name.items() if len({flag.name for flag in owners}) > 1}
    for name in sorted(ambiguous):
        yield _Rejected(name, by_name[name], _ambiguous(name, by_name[name]))
    for name, owners in by_name.items():
        if name.startswith("--") and name not in ambiguous and name in (*distinct, owners[0].name):
            names = {name, *(each for flag in owners if flag.name == name for each in flag.names)}
            parameter = FLAG + name.lstrip("-").replace("-", "_")
            yield _option([*sorted(names & by_name.keys() - ambiguous - distinct | {name}), parameter], owners)


def _option(names: list[str], owners: list[Flag]) -> click.Option:
    """An option of one or several dialects."""
    first = owners[0]
    choices = tuple(dict.fromkeys(choice for flag in owners for choice in flag.field.metadata["choices"]))
    kind: dict[str, Any] = {"type": click.Choice(choices) if choices else first.type}
    if first.shape == "takes no value":
        kind = {"is_flag": True}
    elif first.shape == "may be repeated":
        kind["multiple"] = True
    about = "; ".join(f"{flag.dialect}: {flag.about}" for flag in owners)
    return click.Option(names, help=about, metavar=first.metavar, **kind)


class _Rejected(click.Option):
    """A flag that must not be used: dialects read it differently, or it belongs to another dialect."""

    def __init__(self, name: str, owners: list[Flag], finding: Diagnostic) -> None:
        about = "; ".join(f"{flag.dialect}: {flag.about}" for flag in owners)
        parameter = "rejected_" + name.strip("-").replace("-", "_")
        super().__init__([name, parameter], is_flag=True, is_eager=True, expose_value=False, help=about)
        self._finding = finding

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        if value and not ctx.resilient_parsing:
            raise UsageError(self._finding)
        return value


def _ambiguous(name: str, owners: list[Flag]) -> Diagnostic:
    meanings = [f"of {flag.dialect} ({flag.name}, {flag.shape})" for flag in owners]
    names = " or ".join(f"--dialect {flag.dialect}" for flag in owners)
    return Diagnostic(
        code="ambiguous-option",
        message=f"{name} is an option {' and '.join(meanings)}",
        hint=f"choose one: {names}",
    )


def _reserved(flag: Flag, name: str) -> Diagnostic:
    return Diagnostic(
        code="reserved-option",
        message=f"the dialect {flag.dialect} defines the option {name}, which this command already has",
        hint="the author of the dialect must choose another name",
    )


def given_options(dialect: Dialect[Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The flags given, as options of the dialect; a flag of another dialect is rejected."""
    of_dialect = {name: flag for flag in flags_of_dialect(dialect) for name in flag.names}
    options: dict[str, Any] = {}
    for name, value in given.items():
        if name not in of_dialect:
            raise UsageError(_of_other(name, owners_of(name), dialect.name))
        if of_dialect[name].shape != _shape_of(value):
            raise UsageError(_ambiguous(name, [*owners_of(name), of_dialect[name]]))
        field = of_dialect[name].field.name
        both = isinstance(value, tuple) and field in options  # given by both names of an option that may be repeated
        options[field] = (*options[field], *value) if both else value
    return options


def named_paths(given: Mapping[str, Any]) -> list[str]:
    """The files and folders that flags name, in the order of the flags."""
    found: list[str] = []

    def noted(path: str) -> str:
        found.append(path)
        return path

    for name, value in given.items():
        paths = next((flag.field.metadata["paths"] for flag in owners_of(name)), None)
        if paths:
            paths(value, noted)
    return found


def names_inputs(given: Mapping[str, Any]) -> bool:
    """Whether a flag that was given names inputs; files in assignments (`NAME=FILE`) only go with them."""
    fields = [flag.field.metadata for name in given for flag in owners_of(name)]
    return any(each["paths"] is many_paths or (each["paths"] and not each["many"]) for each in fields)


def _shape_of(value: Any) -> str:
    if value is True:
        return "takes no value"
    return "may be repeated" if isinstance(value, tuple) else "takes a value"


def _of_other(name: str, flags: list[Flag], dialect: str) -> Diagnostic:
    owners = [flag.dialect for flag in flags]
    listed = " and ".join(filter(None, [", ".join(owners[:-1]), owners[-1]]))
    return Diagnostic(
        code="option-for-other-dialect",
        message=f"{name} is an option of {listed}, not of {dialect}",
        hint=f"remove it, or use --dialect {owners[0]}",
    )


def owners_of(name: str) -> list[Flag]:
    """The dialects that have a flag: built-in ones, else installed ones."""
    for installed in (False, True):
        dialects = available_dialects(installed=installed)
        if found := [flag for dialect in dialects for flag in flags_of_dialect(dialect) if name in flag.names]:
            return found
    return []


def dialects_with(given: Collection[str]) -> list[str]:
    """The dialects that have all the flags given."""
    all_dialects = available_dialects(installed=True) if given else ()
    return sorted(
        dialect.name
        for dialect in all_dialects
        if set(given) <= {name for flag in flags_of_dialect(dialect) for name in flag.names}
    )
