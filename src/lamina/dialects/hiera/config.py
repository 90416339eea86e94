"""hiera.yaml: the levels of a hierarchy, checked as a whole before anything is looked up."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NoReturn

from lamina import plugin as lp
from lamina.dialects.hiera import messages, psych_reader
from lamina.plugin import settings as lps

if TYPE_CHECKING:
    from collections.abc import Iterator

FUNCTIONS: Final = ("data_hash", "lookup_key", "data_dig", "hiera3_backend")
_ONE: Final = ("path", "glob", "uri")
_MANY: Final = ("paths", "globs", "uris", "mapped_paths")
_OPTION: Final = re.compile(r"[A-Za-z](:?[0-9A-Za-z_-]*[0-9A-Za-z])?")
_RESERVED: Final = ("path", "uri")
_MAPPED: Final = 3


def _texts(*names: str) -> tuple[lps.Field, ...]:
    return tuple(lps.text(name, "a non-empty string", filled=True) for name in names)


_OPTIONS: Final = lps.table("options", lps.Form("options", others=True))
_LEVEL: Final = lps.Form(
    "a level",
    lps.text("name", "a non-empty string", filled=True, needed="add a name"),
    *_texts("datadir", *_ONE, *FUNCTIONS),
    *(lps.strings(name, "a list of strings", alone=False, filled=True) for name in _MANY),
    _OPTIONS,
    hint="write a mapping with a name",
)
_DEFAULTS: Final = lps.Form("defaults", *_texts("datadir", *FUNCTIONS[:3]), _OPTIONS)
_CONFIG: Final = lps.Form(
    "hiera.yaml",
    lps.anything("version"),
    lps.table("defaults", _DEFAULTS, null=True),
    *(
        lps.tables(name, _LEVEL, "a list of levels", null=True)
        for name in ("hierarchy", "default_hierarchy", "plan_hierarchy")
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HieraLevel:
    """One entry of a hierarchy."""

    name: str
    at: lp.Origin | None
    kind: str | None
    """How its files are named: path, paths, glob, globs, uri, uris, mapped_paths; None if they are not."""
    paths_of_level: tuple[lps.Written, ...]
    datadir: lps.Written
    function: tuple[str, str] | None
    """The kind of function and its name."""
    options: tuple[lps.Written, ...]
    """The texts of its options, which are filled in."""
    has_options: bool
    folder: str
    """The folder of its hiera.yaml."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Config:
    """A hiera.yaml that holds: its levels, and those of a module's default_hierarchy."""

    file: str
    levels: tuple[HieraLevel, ...]
    default_levels: tuple[HieraLevel, ...] = ()
    plan_levels: tuple[HieraLevel, ...] = ()
    """Those of plan_hierarchy, which Bolt's plans look up outside of apply blocks, and no node does."""


def read_config(source: lp.Source, name: str, layer: str, run: lp.Run) -> Config | None:
    """The levels of a hiera.yaml; None for one of version 3, which is ignored but in the global layer."""
    root = psych_reader.read(source, run).root("hiera.yaml")
    if not isinstance(root.value, dict) or _version(root, layer) is None:
        if layer == "global":
            _bad_version(root, "3, or none at all")
        return None
    return _ConfigReading(root, name, layer).config()


def _version(root: lp.SourceNode, layer: str) -> int | None:
    version = root.value.get("version")
    if version is None or (type(version) is int and version == 3 and layer != "global"):
        return None
    if type(version) is not int or version != 5:
        _bad_version(root.child("version"), repr(version))
    return version


def _bad_version(node: lp.Node, version: str) -> NoReturn:
    raise lp.Reject(messages.HIERA_VERSION.at(node.origin(), version=version))


class _ConfigReading:
    """The reader of one hiera.yaml."""

    def __init__(self, root: lp.SourceNode, file: str, layer: str) -> None:
        self._settings = lps.Settings(root, _CONFIG, "hiera-config")
        self._defaults: lps.Settings | None = self._settings["defaults"]
        self._file, self._layer = file, layer
        self._folder = posixpath.dirname(file)

    def config(self) -> Config:
        settings = self._settings
        if self._layer != "module" and "default_hierarchy" in settings:
            hint = "move its levels to the end of hierarchy"
            at = settings.key_place("default_hierarchy")
            settings.add_error(at, "default_hierarchy is allowed only in modules", hint)
        if self._defaults is not None:
            _check_fields(self._defaults, "defaults")
        plan_levels = self._levels("plan_hierarchy") or ()
        levels = self._levels("hierarchy")
        if levels is None:
            common = (lps.Written("common.yaml", settings.place()),)
            levels = (self._level("Common", settings.place(), None, "path", common),)
        default_levels = self._levels("default_hierarchy") or ()
        settings.finish()
        return Config(file=self._file, levels=levels, default_levels=default_levels, plan_levels=plan_levels)

    def _levels(self, name: str) -> tuple[HieraLevel, ...] | None:
        entries: list[lps.Settings] | None = self._settings[name]
        if entries is None:
            return None
        found = [self._checked_level(entry) for entry in entries]
        names: set[str] = set()
        for level in found:
            if level.name is not None and level.name in names:
                self._settings.add_error(
                    level.at, f"two levels of {name} are named {level.name!r}", "rename one of them"
                )
            names.add(level.name)
        return tuple(found)

    def _checked_level(self, entry: lps.Settings) -> HieraLevel:
        name = entry["name"]
        what = f"the level {name!r}"
        _check_fields(entry, what)
        kinds = entry.any_of((*_ONE, *_MANY))
        if len(kinds) > 1:
            entry.add_error(
                entry.key_place(kinds[1]), f"{what} has both {kinds[0]} and {kinds[1]}", "remove one of them"
            )
        if "hiera3_backend" in entry and self._layer != "global":
            at = entry.key_place("hiera3_backend")
            entry.add_error(at, "hiera3_backend is allowed only in the global layer", "remove it")
        mapped = entry["mapped_paths"]
        if mapped and len(mapped) != _MAPPED:
            message = f"mapped_paths must have three items, not {len(mapped)}"
            entry.add_error("mapped_paths", message, "write [variable, name, template]")
        kind = kinds[0] if kinds else None
        found = () if kind is None else entry[kind] or ()
        paths = (lps.Written(found, entry.place(kind)),) if isinstance(found, str) else found
        return self._level(name, entry.place(), entry, kind, paths)

    def _level(
        self,
        name: str,
        at: lp.Origin | None,
        entry: lps.Settings | None,
        kind: str | None,
        paths: tuple[lps.Written, ...],
    ) -> HieraLevel:
        holders = [each for each in (entry, self._defaults) if each is not None]
        datadir = next((each for each in holders if "datadir" in each), None)
        options = next((each["options"].node for each in holders if each["options"]), None)
        functions = [(kind, each[kind]) for each in holders for kind in each.any_of(FUNCTIONS)]
        if not functions and self._defaults is None:
            functions = [("data_hash", "yaml_data")]
        return HieraLevel(
            name=name,
            at=at,
            kind=kind,
            paths_of_level=paths,
            datadir=lps.Written("data", None)
            if datadir is None
            else lps.Written(datadir["datadir"], datadir.place("datadir")),
            function=functions[0] if functions else None,
            options=tuple(_strings(options)) if options is not None else (),
            has_options=options is not None and bool(options.value),
            folder=self._folder,
        )


def _check_fields(settings: lps.Settings, what: str) -> None:
    """What holds for the fields of a level and for those of the defaults."""
    functions = settings.any_of(FUNCTIONS)
    if len(functions) > 1:
        at = settings.key_place(functions[1])
        settings.add_error(at, f"{what} has both {functions[0]} and {functions[1]}", "remove one of them")
    options: lps.Settings | None = settings["options"]
    if options is None:
        return
    for key in options.node.value:
        if not isinstance(key, str) or not _OPTION.fullmatch(key) or key in _RESERVED:
            hint = "use letters, digits, _ and -; path and uri are reserved"
            settings.add_error(options.key_place(key), f"invalid option name {key!r}", hint)


def _strings(node: lp.Node) -> Iterator[lps.Written]:
    """All texts in a value."""
    if isinstance(node.value, str):
        yield lps.Written(node.value, node.origin())
    elif isinstance(node.value, (dict, list)):
        for key in node.value if isinstance(node.value, dict) else range(len(node.value)):
            yield from _strings(node.child(key))
