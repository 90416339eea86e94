"""The project file: `lamina.toml`, or `[tool.lamina]` in `pyproject.toml`.

It lists the targets of a repository, what is ignored, and how it is linted. It is data and grants no rights: options
that lift a protection are rejected, and no path may lead out of the folder of the file. All errors are reported at
once, each with its line.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from posixpath import normpath
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects import registry as dialects
from lamina.dialects.data_options import Bounds, options_from_data
from lamina.errors import Diagnostic, InputError, LaminaError, Severity
from lamina.project.declared import SOURCES, DeclaredTargets, LintSettings, ProjectFile
from lamina.project.file_view import leads_out
from lamina.protocol.dialect import unknown
from lamina.protocol.extensions import fleet_of
from lamina.sources.inputs import read_file
from lamina.sources.toml.reader import read_toml
from lamina.values import word_for

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.origins import Origin
    from lamina.sources.source import Source
    from lamina.sources.toml.reader import Steps, TomlDocument

NAME: Final = "lamina.toml"
PYPROJECT: Final = "pyproject.toml"

FIELDS: Final = ("ignore", "lint", "targets", "patterns")
LINT_FIELDS: Final = ("select", "ignore", "fail-on", "severity", "baseline")
TARGET_FIELDS: Final = ("dialect", "inputs", "options", "guessed")
PATTERN_FIELDS: Final = ("dialect", "each", "nodes", "repositories", "manifest", "name", "inputs", "options", "guessed")
_STARS: Final = 3
"""How many stars a name in a pattern may have: each one multiplies the time to match a long name."""
FAIL_ON: Final = ("error", "warning", "info", "never")


def find(start: str) -> str | None:
    """The nearest project file of a folder or its parents, up to the root of the repository."""
    folder = os.path.realpath(start)
    while True:
        if (path := in_folder(folder)) is not None:
            return path
        parent = os.path.dirname(folder)
        if parent == folder or os.path.exists(os.path.join(folder, ".git")):
            return None
        folder = parent


def in_folder(folder: str) -> str | None:
    """The project file of a folder itself."""
    if os.path.isfile(path := os.path.join(folder, NAME)):
        return path
    return path if os.path.isfile(path := os.path.join(folder, PYPROJECT)) and _has_table(path) else None


def _has_table(path: str) -> bool:
    """Whether a pyproject.toml has a table for Lamina; one that cannot be read is reported by other programs."""
    try:
        source = read_file(path, path)
        tools = read_toml(source).value.get("tool") if b"lamina" in source.data else None
        return isinstance(tools, dict) and "lamina" in tools
    except InputError:
        return False


def load(path: str, shown: str) -> ProjectFile:
    """Read a project file; `shown` is its name in messages."""
    return parse(read_file(path, shown), os.path.dirname(os.path.abspath(path)))


def parse(source: Source, folder: str) -> ProjectFile:
    """Parse a project file in a folder."""
    document = read_toml(source)
    inside = source.name.replace(os.sep, "/").rpartition("/")[2] == PYPROJECT
    root = _TomlTable(document, ("tool", "lamina") if inside else (), [])
    shown = os.path.dirname(source.name)
    bounds = Bounds(folder, f"{shown}/" if shown else "")
    root.check(FIELDS)
    ignore = root.paths("ignore")
    lint = _lint(root.table("lint"))
    declared = [_declared(each, bounds, is_pattern=False) for each in root.tables("targets")]
    declared += [_declared(each, bounds, is_pattern=True) for each in root.tables("patterns")]
    if not declared and not root.findings:
        root.add_error(
            (), "there is no target", "add one: [targets.NAME] with dialect and inputs; lamina init finds them"
        )
    if root.findings:
        raise InputError.of(root.findings)
    return ProjectFile(os.path.join(folder, os.path.basename(source.name)), tuple(declared), ignore, lint)


def _lint(table: _TomlTable) -> LintSettings:
    table.check(LINT_FIELDS)
    fail_on = table.string("fail-on")
    if fail_on is not None:
        table.one_of("fail-on", fail_on, FAIL_ON)
    levels = {each.word: each for each in Severity}
    severity: dict[str, Severity] = {}
    given = table.table("severity")
    for code in given.value:
        word = given.string(code)
        if word is not None and given.one_of(code, word, tuple(levels)):
            severity[code] = levels[word]
    return LintSettings(table.strings("select"), table.strings("ignore"), fail_on, severity, table.path("baseline"))


def _declared(table: _TomlTable, bounds: Bounds, *, is_pattern: bool) -> DeclaredTargets:
    table.check(PATTERN_FIELDS if is_pattern else TARGET_FIELDS)
    sources = [name for name in SOURCES if name in table.value]
    if is_pattern and len(sources) != 1:
        hint = "each is a pattern of paths, nodes a folder whose nodes the dialect finds, manifest a fleet manifest"
        table.add_error((), f"a pattern has exactly one of {', '.join(SOURCES)}", hint)
    dialect = table.string("dialect")
    if dialect is not None and dialect not in dialects.BUILT_IN:
        table.one_of("dialect", dialect, dialects.names(), "dialect")
    elif dialect is None and "manifest" not in sources and "dialect" not in table.value:
        table.add_error((), "the dialect is missing", f"add dialect = one of {', '.join(dialects.names())}")
    inputs = table.paths("inputs")
    if not inputs and not {"nodes", "manifest"} & set(sources) and not table.findings:
        table.add_error((), "the inputs are missing", 'add inputs = ["FILE or FOLDER", ...] in the order of merging')
    return DeclaredTargets(
        key=str(table.steps[-1]),
        dialect=dialect,
        inputs=inputs,
        options=table.options(dialect, bounds),
        name=table.string("name"),
        guessed=table.boolean("guessed"),
        place=table.place,
        repositories=_repositories(table, dialect) if is_pattern else (),
        each=table.path("each"),
        nodes=table.path("nodes"),
        manifest=table.path("manifest"),
    )


def _repositories(table: _TomlTable, dialect: str | None) -> tuple[str, ...]:
    """Further folders that the nodes of a folder are made from."""
    folders = table.paths("repositories")
    if folders and "nodes" not in table.value:
        table.add_error(("repositories",), "repositories are for nodes", "add nodes = the folder that has the nodes")
    elif folders and dialect in dialects.names():
        fleet = fleet_of(dialects.find(dialect))
        if fleet is not None and not fleet.repositories:
            message = f"the nodes of {dialect} come from one folder"
            table.add_error(("repositories",), message, "leave repositories out")
    return folders


@dataclass(frozen=True, slots=True)
class _TomlTable:
    """A table of the file; its errors are added to the findings of the whole file."""

    document: TomlDocument
    steps: Steps
    findings: list[Diagnostic]

    @property
    def value(self) -> dict[str, Any]:
        value: Any = self.document.value
        for step in self.steps:
            value = value.get(step) if isinstance(value, dict) else None
        return value if isinstance(value, dict) else {}

    def place(self, *keys: str | int) -> Origin:
        return self.document.origin((*self.steps, *keys))

    def add_error(self, keys: Steps, message: str, hint: str, code: str = "bad-project") -> None:
        where = ".".join(map(str, self.steps))
        message = f"{where}: {message}" if where and code == "bad-project" else message
        self.findings.append(Diagnostic(code=code, message=message, at=self.place(*keys), hint=hint))

    def check(self, known: Iterable[str]) -> None:
        """Report unknown keys."""
        for key in self.value:
            if key not in known:
                found = unknown("field", key, tuple(known))
                self.add_error((key,), found.message, found.hint or "")

    def one_of(self, key: str, word: str, known: Iterable[str], what: str = "value") -> bool:
        """Report an unknown value."""
        if word in known:
            return True
        found = unknown(what, word, tuple(known))
        self.add_error((key,), found.message, found.hint or "")
        return False

    def table(self, key: str) -> _TomlTable:
        """The table of a key; an empty one if there is none."""
        if not isinstance(self.value.get(key, {}), dict):
            self._wrong_type(key, "a table", f"write [{'.'.join(map(str, (*self.steps, key)))}]")
        return _TomlTable(self.document, (*self.steps, key), self.findings)

    def tables(self, key: str) -> list[_TomlTable]:
        """The tables in the table of a key."""
        outer = self.table(key)
        return [outer.table(name) for name in outer.value]

    def string(self, key: str) -> str | None:
        value = self.value.get(key)
        if value is not None and (not isinstance(value, str) or not value):
            self._wrong_type(key, "a string", f'write {key} = "..."')
            return None
        return value

    def boolean(self, key: str) -> bool:
        value = self.value.get(key, False)
        if not isinstance(value, bool):
            self._wrong_type(key, "true or false", f"write {key} = true, or remove it")
        return value is True

    def strings(self, key: str) -> tuple[str, ...]:
        value = self.value.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
            self._wrong_type(key, "a list of strings", f'write {key} = ["...", "..."]')
            return ()
        return tuple(value)

    def path(self, key: str) -> str | None:
        """A normalised path in the project; the root is the empty string."""
        value = self.string(key)
        return None if value is None else self._inside((key,), value)

    def paths(self, key: str) -> tuple[str, ...]:
        return tuple(self._inside((key, at), value) for at, value in enumerate(self.strings(key)))

    def _inside(self, keys: Steps, path: str) -> str:
        if "\0" in path or leads_out(path):
            hint = "a project file names files and folders in its own folder and below"
            self.add_error(keys, f"{path} is outside the folder of the project", hint, "outside-folder")
        path = normpath(path)
        stars = [0 if part == "**" else part.count("*") for part in path.split("/")]
        if max(stars) > _STARS or path.split("/").count("**") > _STARS:
            hint = f"use at most {_STARS} stars in a name, and ** at most {_STARS} times"
            self.add_error(keys, f"the pattern {path} has too many stars", hint)
        return "" if path == "." else path

    def options(self, dialect: str | None, bounds: Bounds) -> dict[str, Any]:
        """The options of a dialect; names may have dashes instead of underscores."""
        table = self.table("options")
        if dialect is None or dialect not in dialects.names():
            return dict(table.value)
        chosen = dialects.find(dialect)
        key_names = {key.replace("-", "_"): key for key in table.value}
        given = {name: table.value[key] for name, key in key_names.items()}
        try:
            resolved_options = options_from_data(chosen, given, bounds, lambda name: table.place(key_names[name]))
            for name, value in resolved_options.items():
                dialects.make_options(chosen, {name: value})
            return resolved_options
        except LaminaError as error:
            for each in error.diagnostics:
                hint = each.hint or ""
                self.findings.append(
                    each if each.at else Diagnostic(code=each.code, message=each.message, at=table.place(), hint=hint)
                )
            return {}

    def _wrong_type(self, key: str, wanted: str, hint: str) -> None:
        self.add_error((key,), f"{key} must be {wanted}, not {word_for(self.value[key])}", hint)
