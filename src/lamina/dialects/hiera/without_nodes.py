"""A tree that has no facts, and so no nodes: hiera.yaml and every file that a level may have, each read by itself.

What is wrong in a file is wrong for every node that reads it. Values are not looked up, since they depend on facts.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from lamina import plugin as lp
from lamina.dialects.hiera.data_files import OPTIONS_KEY
from lamina.dialects.hiera.level_files import UNSUPPORTED
from lamina.dialects.hiera.lookup import check_module_keys, check_value
from lamina.dialects.hiera.lookup_options import check_layer, check_module, entries_of
from lamina.dialects.hiera.possible_files import levels_with_files
from lamina.plugin import hierarchy as lph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lamina.dialects.hiera.config import HieraLevel
    from lamina.dialects.hiera.data_files import DataFile
    from lamina.dialects.hiera.layers import DataLayer, HieraSite
    from lamina.dialects.hiera.possible_files import PossibleFiles


class TreeFiles(NamedTuple):
    """What lint rules may ask of a tree without nodes."""

    files: tuple[DataFile, ...]
    unknown: frozenset[str]
    """The modules that have a file or level that cannot be read, so that not all of their keys are known; an empty name
    for the other layers."""


class TreeReading:
    """Reads the files of a tree, and keeps what is wrong in them."""

    def __init__(self, site: HieraSite, possible: PossibleFiles, run: lp.Run) -> None:
        self._run = run
        self.files: dict[str, DataFile] = {}
        self.faults: dict[str, list[lp.Diagnostic]] = {}
        """What cannot be used, a file, a key of one or a level, and why."""
        self.unread: list[tuple[str, lp.Diagnostic]] = []
        """Levels that Lamina cannot read, each after the module it is of, if it is of one."""
        self._unknown: set[str] = set()
        self._possible = possible
        for layer in site.layers:
            self._read_layer(layer)
        for module in site.modules():
            self._try(module, partial(self._read_module, site, module))

    def found(self) -> TreeFiles:
        """What was read."""
        return TreeFiles(tuple(self.files.values()), frozenset(self._unknown))

    def _read_module(self, site: HieraSite, module: str) -> None:
        layer = site.module(module, self._run)
        if layer is not None:
            self._read_layer(layer)

    def _read_layer(self, layer: DataLayer) -> None:
        for level in levels_with_files(layer):
            name = f"{layer.config.file}: {level.name}"
            self._try(name, partial(self._read_level, layer, level), layer)

    def _read_level(self, layer: DataLayer, level: HieraLevel) -> None:
        self._possible.check(level)
        for text, path, _ in self._possible.paths(level):
            if path is not None and path not in self.files:
                self._try(path, partial(self._read_file, layer, level, text, path), layer)

    def _read_file(self, layer: DataLayer, level: HieraLevel, text: str, path: str) -> None:
        file = self._possible.file(level, text, path)
        if file is not None:
            self.files[path] = file
            for fault in _faults_of(file, layer):
                self.faults.setdefault(f"{path}: {fault.subject}", []).append(fault)

    def _try(self, name: str, read: Callable[[], None], layer: DataLayer | None = None) -> None:
        """Read something; what stops it is kept, once for all levels that lead there."""
        try:
            read()
        except (lp.Reject, lp.InputError) as error:
            self._unknown.add(name if layer is None else layer.module or "")
            if error.diagnostic.code != UNSUPPORTED:
                self.faults[name] = list(error.diagnostics)
            else:
                message = f"{error.diagnostic.message}, so it was not read"
                note = replace(error.diagnostic, message=message, severity=lp.Severity.WARNING)
                self.unread.append(("" if layer is None else layer.module or "", note))


def _faults_of(file: DataFile, layer: DataLayer) -> Iterator[lp.Diagnostic]:
    """What is wrong in a file that can be read: values that Puppet does not allow, and lookup_options."""
    checks: dict[str, Callable[[], None]] = {"keys": partial(check_module_keys, (file,))} if layer.module else {}
    keys = [key for key in file.value if isinstance(key, str)]
    checks |= {key: partial(check_value, file.key(key)) for key in keys}
    if OPTIONS_KEY in keys and not file.facts(OPTIONS_KEY).fill:
        checks[f"all {OPTIONS_KEY}"] = partial(_check_options, file, layer)
    for subject, check in checks.items():
        try:
            check()
        except lp.Reject as error:
            yield from (replace(each, subject=subject) for each in error.diagnostics)


def _check_options(file: DataFile, layer: DataLayer) -> None:
    """Reject lookup_options that every lookup would reject, or that of their key."""
    own = file.root.child(OPTIONS_KEY)
    if not check_layer(lph.Hit(own.value, own)):
        return
    if layer.module is not None:
        check_module(own, layer.module)
    options = entries_of(own)
    faults: list[lp.Diagnostic] = []
    for entry in (*options.exact.values(), *options.patterns):
        try:
            _ = entry.rule
        except lp.Reject as error:
            faults += error.diagnostics
    if faults:
        raise lp.Reject(*faults)
