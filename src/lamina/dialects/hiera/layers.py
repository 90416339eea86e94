"""The three layers that data comes from: global, environment and module."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from lamina.dialects.hiera.config import Config, read_config
from lamina.dialects.hiera.once import once
from lamina.plugin import hierarchy as lph

if TYPE_CHECKING:
    from collections.abc import Hashable

    from lamina import plugin as lp
    from lamina.dialects.hiera.config import HieraLevel
    from lamina.dialects.hiera.data_files import DataFile, LevelIndex
    from lamina.dialects.hiera.options import HieraOptions

_MODULE: Final = re.compile(r"[a-z][a-z0-9_]*")
HIERA_YAML: Final = "hiera.yaml"
ENVIRONMENTS: Final = "/etc/puppetlabs/code/environments"
"""The folder of the environments on a Puppet server, unless it is configured otherwise."""


@dataclass(frozen=True, slots=True, eq=False)
class DataLayer:
    """One layer: its kind, its hiera.yaml, and the module it belongs to."""

    kind: str
    config: Config
    module: str | None = None

    @property
    def title(self) -> str:
        return f"module {self.module}" if self.module else self.kind


@dataclass(slots=True, eq=False)
class HieraSite:
    """What all nodes of a tree share: the layers, and where modules are."""

    tree: lph.Tree
    layers: tuple[DataLayer, ...]
    files: dict[tuple[HieraLevel, str], DataFile] = field(default_factory=dict)
    """Files of levels that were read lately, by their paths; nodes have many in common."""
    indexes: dict[tuple[Hashable, ...], LevelIndex] = field(default_factory=dict)
    """What levels have by key, by the ids of their files."""
    _modules: dict[str, DataLayer | None] = field(default_factory=dict)
    _names: list[str] | None = None

    def mapped_datadir(self, level: HieraLevel, environment: str) -> str | None:
        """The folder of the data of a level in the tree, whatever the node is; None if that depends on the node."""
        written = level.datadir.text.replace("%{environment}", environment).replace("%{::environment}", environment)
        if "%{" in written:
            return None
        if not written.startswith("/"):
            return lph.within(level.folder, written)
        inside = written.removeprefix(f"{ENVIRONMENTS}/{environment}/").strip("/")
        return lph.within(inside) if self.tree.is_folder(inside) else None

    def module(self, name: str, run: lp.Run) -> DataLayer | None:
        """The layer of a module; None if there is no such module, or it has no data."""
        found: DataLayer | None = once(self._modules, name, lambda: self._find(name, run))
        return found

    def _find(self, name: str, run: lp.Run) -> DataLayer | None:
        if not _MODULE.fullmatch(name):
            return None
        for folder in self.module_folders():
            path = lph.within(folder, name)
            if path is not None and self.tree.is_folder(path):
                file = f"{path}/{HIERA_YAML}"
                source = self.tree.read(file)
                config = None if source is None else read_config(source, file, "module", run)
                return None if config is None else DataLayer("module", config, name)
        return None

    def module_folders(self) -> list[str]:
        """The folders that hold modules, as environment.conf names them."""
        source = self.tree.read("environment.conf")
        for line in source.data.decode("utf-8", "replace").splitlines() if source else ():
            name, equals, value = line.partition("=")
            if equals and name.strip() == "modulepath":
                folders = (each.strip() for each in value.strip().strip("\"'").split(":"))
                return [folder for folder in folders if folder and not folder.startswith(("/", "$"))]
        return ["modules"]

    def modules(self) -> list[str]:
        """The names of all modules that have a hiera.yaml."""
        if self._names is None:
            self._names = self._module_names()
        return self._names

    def _module_names(self) -> list[str]:
        found: dict[str, None] = {}
        for folder in self.module_folders():
            for name in self.tree.listing(lph.within(folder) or ""):
                plain = name.rstrip("/")
                if name.endswith("/") and self.tree.read(f"{folder}/{plain}/{HIERA_YAML}"):
                    found[plain] = None
        return list(found)


def site_of(inputs: lp.Inputs, options: HieraOptions) -> HieraSite:
    """The layers of a tree, read once for its inputs."""
    return inputs.derived.once(("hiera site", options.hiera_config), lambda: _site(inputs, options))


def _site(inputs: lp.Inputs, options: HieraOptions) -> HieraSite:
    tree = lph.tree_of(inputs)
    layers: list[DataLayer] = []
    if options.hiera_config != HIERA_YAML:
        layers += _layer(tree, options.hiera_config, "global", inputs.run)
    layers += _layer(tree, HIERA_YAML, "environment", inputs.run)
    return HieraSite(tree, tuple(layers))


def _layer(tree: lph.Tree, name: str, kind: str, run: lp.Run) -> list[DataLayer]:
    source = tree.read(name)
    config = None if source is None else read_config(source, name, kind, run)
    return [] if config is None else [DataLayer(kind, config)]
