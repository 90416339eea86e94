"""The files of a level for one node, and the data in them."""

from __future__ import annotations

import posixpath
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from lamina import plugin as lp
from lamina.dialects.hiera import messages, psych_reader, ruby_json
from lamina.dialects.hiera.data_files import EYAML, DataFile
from lamina.dialects.hiera.glob_patterns import expand
from lamina.dialects.hiera.interpolation import ANY
from lamina.dialects.hiera.keys import segments_of
from lamina.dialects.hiera.layers import ENVIRONMENTS
from lamina.dialects.hiera.variables import unknown_variable
from lamina.plugin import hierarchy as lph

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lamina.dialects.hiera.config import HieraLevel
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
UNSUPPORTED: Final = messages.UNSUPPORTED_BACKEND.code
"""The code for a level whose function Lamina does not have."""


class LevelPath(NamedTuple):
    """A place where a level looks for a file."""

    text: str
    """As it is written, filled in."""
    path: str | None
    """The path in the tree; None if it is outside."""
    doubt: lp.Unknown | None = None
    """Why it is not known whether the level looks there: the file is one that it may have."""


class LevelFiles:
    """Finds the files of levels for one node.

    A variable that is not known matches a part of a name: the level may have any of the files that fit.
    """

    def __init__(
        self,
        site: HieraSite,
        variables: Variables,
        interpolator: Interpolator,
        mapped: Mapping[str, str],
        run: lp.Run,
        stubs: Mapping[str, lp.Source] = MappingProxyType({}),
    ) -> None:
        """`stubs` are files that stand for levels, by the names of these."""
        self._run = run
        self._tree = site.tree
        self._shared = site.files
        self._variables = variables
        self._interpolator = interpolator
        self._mapped = mapped
        """Folders of the tree by the absolute path they replace."""
        self.outside: dict[str, HieraLevel] = {}
        """Paths that lead out of the tree, absolute or from its root; they count as missing."""
        self.broken: dict[str, HieraLevel] = {}
        """Files that are links to nowhere, which count as missing."""
        self._site = site
        self._stubs = stubs
        self.guessed_folder: str | None = None
        """The absolute folder that was taken for the tree, if any was."""
        self.unreadable: dict[str, lp.InputError] = {}
        """Files that the node may have and that cannot be read."""

    def paths(self, level: HieraLevel) -> list[LevelPath]:
        """The places where a level looks for files, in order."""
        if level.name in self._stubs:
            name = self._stubs[level.name].name
            return [LevelPath(name, name)]
        for option in level.options:
            self._interpolator.path(option.text, option.at)
        datadir = self._inside(level, level.folder, self._interpolator.path(level.datadir.text, level.datadir.at))
        found: list[LevelPath] = []
        if level.kind in ("glob", "globs"):
            for place in level.paths_of_level:
                pattern = self._interpolator.path(place.text, place.at)
                with lp.blamed_on(place.at):
                    found += self._matching(level, datadir, pattern, place.text)
            return found
        if level.kind == "mapped_paths":
            written = [
                (text, " ".join(each.text for each in level.paths_of_level)) for text in self._mapped_names(level)
            ]
        else:
            written = [(self._interpolator.path(place.text, place.at), place.text) for place in level.paths_of_level]
        for text, template in written:
            path = self._inside(level, datadir, text)
            if path is None or ANY not in path:
                found.append(LevelPath(text.replace(ANY, "*"), path))
            else:
                doubt = self._doubt(level, template)
                found += [LevelPath(name, name, doubt) for name in expand(self._tree, "", _as_glob(path))]
        return found

    def _matching(self, level: HieraLevel, datadir: str | None, pattern: str, template: str) -> Iterator[LevelPath]:
        if datadir is None:
            return
        if ANY not in datadir and ANY not in pattern:
            yield from (LevelPath(name, name) for name in expand(self._tree, datadir, pattern))
            return
        doubt = self._doubt(level, template)
        for name in expand(self._tree, "", f"{_as_glob(datadir)}/{pattern.replace(ANY, '*')}"):
            yield LevelPath(name, name, doubt)

    def _doubt(self, level: HieraLevel, template: str) -> lp.Unknown:
        """Why it is not known which files a level has."""
        names = dict.fromkeys(self._interpolator.open_variables((level.datadir.text, template)))
        return unknown_variable(*(names or ("a variable",)), at=level.at)

    def _mapped_names(self, level: HieraLevel) -> Iterator[str]:
        variable, name, template = level.paths_of_level
        with lp.blamed_on(variable.at):
            found = self._variables.value(segments_of(variable.text), variable.text, lambda: variable.at)
        if found is not None and isinstance(found.value, lp.Unknown):
            found = lp.LiteralNode(ANY, ())
        for item in _items(found, variable):
            yield self._interpolator.path(template.text, template.at, {name.text: item})

    def _inside(self, level: HieraLevel, folder: str | None, path: str) -> str | None:
        if path.startswith("/"):
            inside = self.mapped(path)
            if inside is None:
                self._leads_outside(level, path)
            return inside
        found = None if folder is None else lph.within(folder, path)
        if found is None and folder is not None:
            self._leads_outside(level, posixpath.join(folder, path))
        return found

    def _leads_outside(self, level: HieraLevel, path: str) -> None:
        self.outside.setdefault(path.replace(ANY, "*"), level)

    def mapped(self, path: str) -> str | None:
        """The path in the tree for an absolute one."""
        for absolute, folder in self._mapped.items():
            if path == absolute or path.startswith(f"{absolute}/"):
                return lph.within(folder, path[len(absolute) :].lstrip("/"))
        environment = f"{ENVIRONMENTS}/{self._variables.environment}"
        inside = path.removeprefix(f"{environment}/")
        if inside == path or not self._tree.is_folder(inside.partition("/")[0]):
            return None
        self.guessed_folder = environment
        return lph.within(inside)

    def can_read(self, level: HieraLevel) -> bool:
        """Whether a level has a function that Lamina has, or a file stands for it."""
        return level.name in self._stubs or level.function is None or level.function in _READERS

    def check(self, level: HieraLevel) -> None:
        """Reject a level that cannot be read: its function may take a folder, or files of another kind."""
        if not self.can_read(level):
            raise lp.Reject(_unsupported(level))
        if level.kind is None or level.kind.startswith("uri"):
            if level.function is None:
                raise lp.Reject(_unsupported(level))
            raise lp.Reject(messages.NO_PATH.at(level.at, name=level.name, function=level.function[1]))

    def read(self, level: HieraLevel) -> list[tuple[DataFile | None, lp.Unknown | None]]:
        """The files of a level, in order; None for one that does not exist. With each, why it may be another one's."""
        if level.name in self._stubs:
            return [(self._stub(level, self._stubs[level.name]), None)]
        self.check(level)
        return [
            (self._possible(level, each) if each.doubt else self.file(level, *each[:2]), each.doubt)
            for each in self.paths(level)
        ]

    def _stub(self, level: HieraLevel, source: lp.Source) -> DataFile:
        """The file that stands for a level."""
        document = psych_reader.read(source, self._run)
        return DataFile(source.name, level, document, document.root(level.name), source)

    def _possible(self, level: HieraLevel, place: LevelPath) -> DataFile | None:
        """A file that the level may have; one that cannot be read stops no node."""
        try:
            return self.file(level, place.text, place.path)
        except lp.InputError as error:
            self.unreadable[place.text] = error
            return None

    def file(self, level: HieraLevel, text: str, path: str | None) -> DataFile | None:
        """A file of a level; None if it does not exist."""
        source = None if path is None else self._source(level, text, path)
        return None if source is None or path is None else self._data(level, source, path)

    def _source(self, level: HieraLevel, text: str, path: str) -> lp.Source | None:
        source = self._tree.read(path) if path else None
        if path in self._tree.broken_links:
            self.broken[path] = level
        if source is None and self._tree.is_folder(path) and (path or text):
            raise lp.Reject(messages.FOLDER.at(level.at, name=level.name, path=text or path))
        return source

    def _data(self, level: HieraLevel, source: lp.Source, path: str) -> DataFile:
        cached = self._shared.get((level, path))
        if cached is not None and cached.source is source:
            return cached
        file = self._opened(level, source, path)
        if len(self._shared) >= _MOST_SHARED:
            self._shared.clear()
        self._shared[level, path] = file
        return file

    def _opened(self, level: HieraLevel, source: lp.Source, path: str) -> DataFile:
        if level.function is None:
            raise lp.Reject(_unsupported(level))
        reader = _READERS[level.function]
        if level.has_options and level.function and level.function[1] != EYAML:
            raise lp.Reject(messages.TAKES_NO_OPTIONS.at(level.at, function=level.function[1], name=level.name))
        document = reader(source, self._run)
        if reader is ruby_json.read and not isinstance(document.value, dict):
            raise lp.Reject(messages.NOT_A_HASH.at(document.document.origin, kind=lp.word_for(document.value)))
        return DataFile(path, level, document, document.root(level.name), source)


_SPECIAL: Final = re.compile(r"[\\*?\[\]]")


def _as_glob(path: str) -> str:
    """A path as a pattern: what is written in it stands for itself."""
    return _SPECIAL.sub(r"\\\g<0>", path).replace(ANY, "*")


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
        raise lp.Reject(messages.MAPPED_PATHS_TYPE.at(variable.at, text=variable.text, kind=lp.word_for(value)))


def _unsupported(level: HieraLevel) -> lp.Diagnostic:
    if level.function is None:
        return messages.NO_FUNCTION.at(level.at, name=level.name)
    return messages.UNSUPPORTED_BACKEND.at(level.at, name=level.name, function=level.function[1])
