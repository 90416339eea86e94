"""Options set by data: which options an untrusted file may set.

Data never grants rights. An option that lifts a protection (`grants` where the dialect declares it) is rejected, and a
path stays in the folder of the file that names it, or in a folder the caller allowed. Both apply to every dialect, by
the declarations of its options.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from lamina.errors import Diagnostic, InputError, UsageError
from lamina.sources.inputs import outside_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from dataclasses import Field

    from lamina.origins import Origin
    from lamina.protocol.dialect import Dialect


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where paths in options may lead: below the folder they are relative to, or below allowed folders."""

    root: str
    shown: str = ""
    """The name of the folder in messages."""
    allowed: tuple[str, ...] = ()

    def resolved(self, name: str) -> str:
        """The file or folder of a name."""
        try:
            path = FilePath(self.root, name).resolve()
        except (ValueError, OSError, RuntimeError):  # an impossible file name, or a cycle of links
            raise outside_folder(name, self.shown) from None
        folders = (FilePath(self.root).resolve(), *map(FilePath, self.allowed))
        if not any(path.is_relative_to(folder) for folder in folders):
            raise outside_folder(name, self.shown)
        return str(path)


def options_from_data(
    dialect: Dialect[Any], given: Mapping[str, Any], bounds: Bounds, origin_of: Callable[[str], Origin | None]
) -> dict[str, Any]:
    """Options of a dialect that data sets, with their paths resolved; `origin_of` is where an option is set.

    Unknown options are left for `make_options` to reject.
    """
    known = {each.name: each for each in fields(dialect.options)}
    resolved_values: dict[str, Any] = {}
    findings: list[Diagnostic] = []
    for name, value in given.items():
        try:
            resolved_values[name] = _resolved(known[name], value, bounds) if name in known else value
        except (InputError, UsageError) as error:
            findings += [replace(each, at=origin_of(name)) for each in error.diagnostics]
    if findings:
        raise UsageError.of(findings)
    return resolved_values


def _resolved(field: Field[Any], value: Any, bounds: Bounds) -> Any:
    grants, paths = field.metadata.get("grants"), field.metadata.get("paths")
    if grants:
        flag = field.metadata.get("flag")
        raise UsageError(
            Diagnostic(
                code="caller-only-option",
                message=f"the option {field.name} cannot be set here: only the caller may permit {grants}",
                hint=f"remove it, and add {flag} to the command line if you trust these inputs"
                if flag
                else "remove it; the program that calls Lamina may set it",
            )
        )
    return paths(value, bounds.resolved) if paths else value


def paths_in(dialect: Dialect[Any], options: Mapping[str, Any]) -> list[str]:
    """The paths that options of a dialect name."""
    found: list[str] = []

    def noted(path: str) -> str:
        found.append(path)
        return path

    for each in fields(dialect.options):
        paths = each.metadata.get("paths")
        if paths and options.get(each.name):
            paths(options[each.name], noted)
    return found
