"""The files of a level for one node, and the data in them."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final

from lamina import plugin as lp
from lamina.dialects.hiera import psych_reader, ruby_json
from lamina.dialects.hiera.data_files import EYAML, DataFile
from lamina.dialects.hiera.glob_patterns import expand
from lamina.dialects.hiera.keys import segments_of
from lamina.plugin import hierarchy as lph

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lamina.dialects.hiera.config import Level
    from lamina.dialects.hiera.interpolation import Interpolator
    from lamina.dialects.hiera.layers import HieraSite
    from lamina.dialects.hiera.variables import Variables
    from lamina.plugin import settings as lps

_READERS: Final = {
    ("data_hash", "yaml_data"): psych_reader.read,
    ("data_hash", "json_data"): ruby_json.read,
    ("lookup_key", "eyaml_lookup_key"): psych_reader.read,
}
_MOST_SHARED: Final = 1_000


class LevelFiles:
    """Finds the files of levels for one node."""

    def __init__(
        self,
        site: HieraSite,
        variables: Variables,
        interpolator: Interpolator,
        mapped: Mapping[str, str],
        run: lp.Run,
    ) -> None:
        self._run = run
        self._tree = site.tree
        self._shared = site.files
        self._variables = variables
        self._interpolator = interpolator
        self._mapped = mapped
        """Folders of the tree by the absolute path they replace."""
        self.outside: dict[str, Level] = {}
        """Paths that lead out of the tree, absolute or from its root; they count as missing."""
        self.broken: dict[str, Level] = {}
        """Files that are links to nowhere, which count as missing."""

    def paths(self, level: Level) -> list[tuple[str, str | None]]:
        """The locations of a level: as written, and the path in the tree it resolves to; None if it is outside."""
        for option in level.options:
            self._interpolator.path(option.text, option.at)
        datadir = self._inside(level, level.folder, self._interpolator.path(level.datadir.text, level.datadir.at))
        if level.kind in ("glob", "globs"):
            found: list[tuple[str, str | None]] = []
            for place in level.paths_of_level:
                pattern = self._interpolator.path(place.text, place.at)
                with lp.blamed_on(place.at):
                    files = [] if datadir is None else list(self._matching(datadir, pattern))
                found += [(name, name) for name in files]
            return found
        names = self._mapped_names(level) if level.kind == "mapped_paths" else self._plain_names(level)
        return [(text, self._inside(level, datadir, text)) for text in names]

    def _matching(self, datadir: str, pattern: str) -> Iterator[str]:
        return expand(self._tree, datadir, pattern)

    def _plain_names(self, level: Level) -> Iterator[str]:
        return (self._interpolator.path(place.text, place.at) for place in level.paths_of_level)

    def _mapped_names(self, level: Level) -> Iterator[str]:
        variable, name, template = level.paths_of_level
        with lp.blamed_on(variable.at):
            found = self._variables.value(segments_of(variable.text), variable.text, lambda: variable.at)
        for item in _items(found, variable):
            yield self._interpolator.path(template.text, template.at, {name.text: item})

    def _inside(self, level: Level, folder: str | None, path: str) -> str | None:
        if path.startswith("/"):
            inside = self.mapped(path)
            if inside is None:
                self._leads_outside(level, path)
            return inside
        found = None if folder is None else lph.within(folder, path)
        if found is None and folder is not None:
            self._leads_outside(level, posixpath.join(folder, path))
        return found

    def _leads_outside(self, level: Level, path: str) -> None:
        self.outside.setdefault(path, level)

    def mapped(self, path: str) -> str | None:
        """The path in the tree for an absolute one."""
        for absolute, folder in self._mapped.items():
            if path == absolute or path.startswith(f"{absolute}/"):
                return lph.within(folder, path[len(absolute) :].lstrip("/"))
        return None

    def read(self, level: Level) -> list[DataFile | None]:
        """The files of a level, in order; None for one that does not exist."""
        check_has_paths(level)
        return [self.file(level, text, path) for text, path in self.paths(level)]

    def file(self, level: Level, text: str, path: str | None) -> DataFile | None:
        """A file of a level; None if it does not exist."""
        source = None if path is None else self._source(level, text, path)
        return None if source is None or path is None else self._data(level, source, path)

    def _source(self, level: Level, text: str, path: str) -> lp.Source | None:
        source = self._tree.read(path) if path else None
        if path in self._tree.broken_links:
            self.broken[path] = level
        if source is None and self._tree.is_folder(path) and (path or text):
            message = f"the level {level.name!r} refers to {text or path}, which is a folder"
            raise lp.Reject(lp.Diagnostic(code="folder", message=message, at=level.at, hint="use the path of a file"))
        return source

    def _data(self, level: Level, source: lp.Source, path: str) -> DataFile:
        cached = self._shared.get((level, path))
        if cached is not None and cached.source is source:
            return cached
        file = self._opened(level, source, path)
        if len(self._shared) >= _MOST_SHARED:
            self._shared.clear()
        self._shared[level, path] = file
        return file

    def _opened(self, level: Level, source: lp.Source, path: str) -> DataFile:
        reader = _READERS.get(level.function) if level.function else None
        if reader is None:
            raise lp.Reject(_unsupported(level))
        if level.has_options and level.function and level.function[1] != EYAML:
            message = f"{level.function[1]} takes no options, but the level {level.name!r} has some"
            hint = "remove them, or set options: {} if they come from defaults"
            raise lp.Reject(lp.Diagnostic(code="hiera-config", message=message, at=level.at, hint=hint))
        document = reader(source, self._run)
        if reader is ruby_json.read and not isinstance(document.value, dict):
            raise lp.Reject(
                lp.Diagnostic(
                    code="not-a-hash",
                    message=f"the file must contain a mapping, not {lp.word_for(document.value)}",
                    at=document.document.origin,
                    hint="put { } around the keys",
                )
            )
        return DataFile(path, level, document, document.root(level.name), source)


def _items(found: lp.Node | None, variable: lps.Written) -> Iterator[lp.Node]:
    """What mapped_paths iterates over: a string, the items of a list, the pairs of a mapping."""
    value = None if found is None else found.value
    if found is None or value in ("", None):
        return
    if isinstance(value, str):
        yield found
    elif isinstance(value, list):
        yield from (found.child(at) for at in range(len(value)))
    elif isinstance(value, dict):
        yield from (lp.LiteralNode([key, item], ()) for key, item in value.items())
    else:
        raise lp.Reject(
            lp.Diagnostic(
                code="hiera-config",
                message=f"mapped_paths uses {variable.text}, which is {lp.word_for(value)}",
                at=variable.at,
                hint="use a variable that is a string, a list or a mapping",
            )
        )


def _unsupported(level: Level) -> lp.Diagnostic:
    if level.function is None:
        return lp.Diagnostic(
            code="hiera-config",
            message=f"the level {level.name!r} has no backend function, and defaults does not set one",
            at=level.at,
            hint="add data_hash: yaml_data to the level or to defaults",
        )
    return lp.Diagnostic(
        code="unsupported-backend",
        message=f"the level {level.name!r} uses the function {level.function[1]}, which Lamina does not support",
        at=level.at,
        hint="supported: yaml_data, json_data, eyaml_lookup_key; remove the level to render the rest",
    )


def check_has_paths(level: Level) -> None:
    """Reject a level without files, which every function that Lamina supports needs."""
    if level.kind is None or level.kind.startswith("uri"):
        raise lp.Reject(_no_files(level))


def _no_files(level: Level) -> lp.Diagnostic:
    if level.function is None or level.function not in _READERS:
        return _unsupported(level)
    return lp.Diagnostic(
        code="hiera-config",
        message=f"the level {level.name!r} has no path, which {level.function[1]} requires",
        at=level.at,
        hint="add path, paths, glob, globs or mapped_paths",
    )
