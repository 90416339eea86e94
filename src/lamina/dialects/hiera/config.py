"""hiera.yaml: the levels of a hierarchy, checked as a whole before anything is looked up."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NoReturn

from lamina import plugin as lp
from lamina.dialects.hiera import psych_reader

if TYPE_CHECKING:
    from collections.abc import Iterable

FUNCTIONS: Final = ("data_hash", "lookup_key", "data_dig", "hiera3_backend")
_ONE: Final = ("path", "glob", "uri")
_MANY: Final = ("paths", "globs", "uris", "mapped_paths")
_LEVEL: Final = ("name", "datadir", "options", *_ONE, *_MANY, *FUNCTIONS)
_ROOT: Final = ("version", "defaults", "hierarchy", "default_hierarchy", "plan_hierarchy")
_DEFAULTS: Final = ("datadir", "options", *FUNCTIONS[:3])
_OPTION: Final = re.compile(r"[A-Za-z](:?[0-9A-Za-z_-]*[0-9A-Za-z])?")
_RESERVED: Final = ("path", "uri")
_MAPPED: Final = 3


@dataclass(frozen=True, slots=True)
class Written:
    """A string of hiera.yaml and where it is."""

    text: str
    at: lp.Origin | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Level:
    """One entry of a hierarchy."""

    name: str
    at: lp.Origin | None
    kind: str | None
    """How its files are named: path, paths, glob, globs, uri, uris, mapped_paths; None if they are not."""
    paths_of_level: tuple[Written, ...]
    datadir: Written
    function: tuple[str, str] | None
    """The kind of function and its name."""
    options: tuple[Written, ...]
    """The texts of its options, which are filled in."""
    has_options: bool
    folder: str
    """The folder of its hiera.yaml."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Config:
    """A hiera.yaml that holds: its levels, and those of a module's default_hierarchy."""

    file: str
    levels: tuple[Level, ...]
    default_levels: tuple[Level, ...] = ()
    plan_levels: tuple[Level, ...] = ()
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
    raise lp.Reject(
        lp.Diagnostic(
            code="hiera-version",
            message=f"unsupported hiera.yaml version {version}; Lamina supports version 5",
            at=node.origin(),
            hint="convert the file to version 5; Puppet's manual describes how",
        )
    )


class _ConfigReading:
    """The parser of one hiera.yaml."""

    def __init__(self, root: lp.SourceNode, file: str, layer: str) -> None:
        self.root, self.file, self.layer = root, file, layer
        self.folder = posixpath.dirname(file)

    def config(self) -> Config:
        self.known(self.root, _ROOT, "hiera.yaml")
        if self.layer != "module" and "default_hierarchy" in self.root.value:
            key = self.root.key_origin("default_hierarchy")
            self.fail("default_hierarchy is allowed only in modules", key, "move its levels to the end of hierarchy")
        defaults = self.defaults()
        plan_levels = self.levels("plan_hierarchy", defaults) or ()
        levels = self.levels("hierarchy", defaults)
        if levels is None:
            level = self.level_of("Common", None, self.root, defaults)
            levels = (replace(level, kind="path", paths_of_level=(Written("common.yaml", self.root.origin()),)),)
        default_levels = self.levels("default_hierarchy", defaults) or ()
        return Config(file=self.file, levels=levels, default_levels=default_levels, plan_levels=plan_levels)

    def fail(self, message: str, at: lp.Origin | None, hint: str) -> NoReturn:
        raise lp.Reject(lp.Diagnostic(code="hiera-config", message=message, at=at, hint=hint))

    def known(self, node: lp.SourceNode, names: tuple[str, ...], what: str) -> None:
        for key in node.value:
            if key not in names:
                self.fail(f"unknown field {key!r} in {what}", node.key_origin(key), lp.did_you_mean(str(key), names))

    def expect(self, holds: bool, node: lp.Node, what: str, expected: str) -> None:
        if not holds:
            self.fail(f"{what} must be {expected}, not {lp.word_for(node.value)}", node.origin(), f"write {expected}")

    def defaults(self) -> lp.SourceNode | None:
        node = _member(self.root, "defaults")
        if node is None or node.value is None:
            return None
        self.expect(isinstance(node.value, dict), node, "defaults", "a mapping")
        self.known(node, _DEFAULTS, "defaults")
        self.fields(node, "defaults")
        return node

    def levels(self, name: str, defaults: lp.SourceNode | None) -> tuple[Level, ...] | None:
        node = _member(self.root, name)
        if node is None or node.value is None:
            return None
        self.expect(isinstance(node.value, list), node, name, "a list of levels")
        found = [self.level(_item(node, at), defaults) for at in range(len(node.value))]
        names: set[str] = set()
        for level in found:
            if level.name in names:
                self.fail(f"two levels of {name} are named {level.name!r}", level.at, "rename one of them")
            names.add(level.name)
        return tuple(found)

    def level(self, node: lp.SourceNode, defaults: lp.SourceNode | None) -> Level:
        self.expect(isinstance(node.value, dict), node, "a level", "a mapping with a name")
        self.known(node, _LEVEL, "a level")
        name = _member(node, "name")
        if name is None:
            self.fail("a level has no name", node.origin(), "add a name")
        self.text(name, "name")
        self.fields(node, f"the level {name.value!r}")
        kinds = [kind for kind in (*_ONE, *_MANY) if kind in node.value]
        if len(kinds) > 1:
            what = f"the level {name.value!r} has both {kinds[0]} and {kinds[1]}"
            self.fail(what, node.key_origin(kinds[1]), "remove one of them")
        if "hiera3_backend" in node.value and self.layer != "global":
            self.fail(
                "hiera3_backend is allowed only in the global layer", node.key_origin("hiera3_backend"), "remove it"
            )
        return self.level_of(name.value, kinds[0] if kinds else None, node, defaults)

    def fields(self, node: lp.SourceNode, what: str) -> None:
        """Check the types of fields, of which there may be few."""
        for name in (*_ONE, "datadir", *FUNCTIONS):
            if (member := _member(node, name)) is not None:
                self.text(member, name)
        for name in _MANY:
            if (member := _member(node, name)) is not None:
                self.check_strings(member, name)
        functions = [name for name in FUNCTIONS if name in node.value]
        if len(functions) > 1:
            at = node.key_origin(functions[1])
            self.fail(f"{what} has both {functions[0]} and {functions[1]}", at, "remove one of them")
        if (options := _member(node, "options")) is not None:
            self.options(options)

    def text(self, node: lp.Node, what: str) -> None:
        self.expect(isinstance(node.value, str) and node.value != "", node, what, "a non-empty string")

    def check_strings(self, node: lp.SourceNode, what: str) -> None:
        self.expect(isinstance(node.value, list) and len(node.value) > 0, node, what, "a list of strings")
        for at in range(len(node.value)):
            self.text(_item(node, at), f"an item of {what}")
        if what == "mapped_paths" and len(node.value) != _MAPPED:
            hint = "write [variable, name, template]"
            self.fail(f"mapped_paths must have three items, not {len(node.value)}", node.origin(), hint)

    def options(self, node: lp.SourceNode) -> None:
        self.expect(isinstance(node.value, dict), node, "options", "a mapping")
        for key in node.value:
            if not isinstance(key, str) or not _OPTION.fullmatch(key) or key in _RESERVED:
                hint = "use letters, digits, _ and -; path and uri are reserved"
                self.fail(f"invalid option name {key!r}", node.key_origin(key), hint)

    def level_of(self, name: str, kind: str | None, node: lp.SourceNode, defaults: lp.SourceNode | None) -> Level:
        own = node if node is not self.root else None
        paths_of_level: tuple[Written, ...] = ()
        if own is not None and kind is not None:
            found = _member(own, kind)
            paths_of_level = tuple(_strings(found)) if found is not None else ()
        datadir = self.chosen("datadir", own, defaults)
        options = self.chosen("options", own, defaults)
        return Level(
            name=name,
            at=node.origin(),
            kind=kind,
            paths_of_level=paths_of_level,
            datadir=Written(datadir.value, datadir.origin()) if datadir is not None else Written("data", None),
            function=self.function(own, defaults),
            options=tuple(_strings(options)) if options is not None else (),
            has_options=options is not None and bool(options.value),
            folder=self.folder,
        )

    @staticmethod
    def chosen(name: str, own: lp.SourceNode | None, defaults: lp.SourceNode | None) -> lp.SourceNode | None:
        """A field of the level, else of the defaults."""
        for node in (own, defaults):
            if node is not None and (found := _member(node, name)) is not None:
                return found
        return None

    @staticmethod
    def function(own: lp.SourceNode | None, defaults: lp.SourceNode | None) -> tuple[str, str] | None:
        for node in (own, defaults):
            for kind in FUNCTIONS if node is not None else ():
                if node is not None and kind in node.value:
                    return kind, node.value[kind]
        return ("data_hash", "yaml_data") if defaults is None else None


def _member(node: lp.SourceNode, name: str) -> lp.SourceNode | None:
    found = node.child(name) if name in node.value else None
    return found if isinstance(found, lp.SourceNode) else None


def _item(node: lp.SourceNode, at: int) -> lp.SourceNode:
    found = node.child(at)
    assert isinstance(found, lp.SourceNode)
    return found


def _strings(node: lp.SourceNode) -> Iterable[Written]:
    """All texts in a value."""
    value: Any = node.value
    if isinstance(value, str):
        yield Written(value, node.origin())
    elif isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from _strings(_item(node, key))
