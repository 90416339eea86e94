"""What a folder is to Ansible: its inventory, and the layers of variables that each host has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from posixpath import join
from typing import TYPE_CHECKING, Final

from lamina import plugin as lp
from lamina.dialects.ansible import extra_vars
from lamina.dialects.ansible.faults import fault, warning
from lamina.dialects.ansible.inventory import ALL, Group, Host, Inventory, without_magic
from lamina.dialects.ansible.merge_rules import (
    ALL_INVENTORY,
    ALL_PLUGINS_INVENTORY,
    ALL_PLUGINS_PLAY,
    GROUPS_INVENTORY,
    GROUPS_PLUGINS_INVENTORY,
    GROUPS_PLUGINS_PLAY,
    policy,
)
from lamina.dialects.ansible.settings import settings_of
from lamina.dialects.ansible.sources import InventorySource, SourceReading, folders_beside
from lamina.dialects.ansible.variable_files import GROUP_VARS, HOST_VARS, VariableFile, VariableFiles
from lamina.dialects.ansible.yaml_values import is_encrypted
from lamina.plugin import formats as lpf
from lamina.plugin import hierarchy as lph

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lamina.dialects.ansible.options import AnsibleOptions
    from lamina.dialects.ansible.settings import AnsibleSettings

HOST_INVENTORY: Final = "host_inventory"
HOST_PLUGINS_INVENTORY: Final = "host_plugins_inventory"
HOST_PLUGINS_PLAY: Final = "host_plugins_play"
EXTRA_VARS: Final = "extra_vars"
_USUAL_SOURCES: Final = (
    *("inventory", "hosts", "inventory.ini", "inventory.yml", "inventory.yaml", "hosts.ini", "hosts.yml"),
    *("hosts.yaml", "inventories"),
)
"""Where an inventory usually is, if nothing says so."""


@dataclass(frozen=True, slots=True, eq=False)
class VariableLayer:
    """Variables that a step brings for a group or a host."""

    step: str
    part: str
    """What of the step is merged first: the folder of files, or the owner of what the inventory sets."""
    owner: str
    file: VariableFile

    def __str__(self) -> str:
        return f"{self.step}, {self.owner}" if self.owner else self.step


class AnsibleSite:
    """An inventory with its files of variables; hosts have it in common."""

    def __init__(self, inputs: lp.Inputs, options: AnsibleOptions) -> None:
        self.tree = lph.tree_of(inputs)
        self.settings: AnsibleSettings = settings_of(self.tree, options)
        self.files = VariableFiles(self.tree, self.settings, inputs.run)
        self.sources = _sources_of(self.tree, self.settings, options)
        self.inventory: Inventory = SourceReading(self.tree, self.settings, inputs.run).read(self.sources)
        self.beside = folders_beside(self.tree, self.sources)
        self.playbook_dir = lph.within(options.playbook_dir or "")
        read = (extra_vars.read(text, self.tree, self.settings, inputs.run) for text in options.extra_vars)
        self.extra = [file for file in read if file is not None]
        self.run = inputs.run
        self.policy = policy(self.settings.hash_behaviour, self.settings.origins.get("hash_behaviour"))
        self._of_groups: dict[int, list[VariableLayer]] = {}
        """The layers of groups by the list of them, which the inventory keeps; many hosts have the same."""
        self._steps: dict[tuple[str, str, int], lp.Merge] = {}
        self._set_in_inventory: dict[int, VariableFile] = {}

    def host(self, name: str) -> Host:
        """A host of the inventory, or the implicit localhost."""
        found = self.inventory.hosts.get(name)
        if found is not None:
            return found
        at = lp.Origin("(implicit localhost)", 1, 1)
        return Host(name, None, variables=[lpf.written_at({"ansible_connection": "local"}, at, "implicit localhost")])

    def step_of(self, layer: VariableLayer, node: lp.SourceNode) -> lp.Merge:
        """The step of a layer, which hosts share."""
        key = layer.step, layer.owner, id(node)
        if key not in self._steps:
            self._steps[key] = lp.merge(node, self.policy, str(layer))
        return self._steps[key]

    def merged_first(self, layers: Iterable[VariableLayer]) -> Iterator[lp.Merge]:
        """The steps of layers of which those of one step are merged before they are laid over the others, and in it
        those of one part: where mappings are merged, that makes a difference."""
        for step, of_step in groupby(layers, key=lambda layer: layer.step):
            parts = [[*part] for _, part in groupby(of_step, key=lambda layer: layer.part)]
            merges = [
                self._together(f"all of {step} in {part[0].part or '.'}", [*map(self._merge_of, part)])
                for part in parts
            ]
            yield self._together(f"all of {step}", merges)

    def _merge_of(self, layer: VariableLayer) -> lp.Merge:
        assert layer.file.node is not None
        return self.step_of(layer, layer.file.node)

    def _together(self, name: str, merges: Sequence[lp.Merge]) -> lp.Merge:
        if len(merges) == 1:
            return merges[0]
        node = lp.folded(name, START, *merges, run=self.run)
        return lp.Merge(directive=lp.Directive(name), take=lp.From(source=node), policy=self.policy, forwards=True)

    def has_playbook_dir(self) -> bool:
        """Whether anything in the folder of the playbook can be read."""
        if self.playbook_dir is None:
            return False
        files = self.tree.below(self.playbook_dir)
        return any((source := self.tree.read(path)) is not None and not is_encrypted(source) for path in files)

    def layers_of(self, host: Host) -> Iterator[VariableLayer]:
        """The layers of a host in the order in which they are merged."""
        groups = self.inventory.order_of(host)
        if id(groups) not in self._of_groups:
            self._of_groups[id(groups)] = [*self._layers_of_groups(groups)]
        yield from self._of_groups[id(groups)]
        yield from self._of_inventory(HOST_INVENTORY, host)
        for folder in self.beside:
            yield from self._of_files(HOST_PLUGINS_INVENTORY, folder, host)
        yield from self._of_files(HOST_PLUGINS_PLAY, self.playbook_dir, host)
        yield from (VariableLayer(EXTRA_VARS, "", "", file) for file in self.extra)

    def _layers_of_groups(self, groups: Sequence[Group]) -> Iterator[VariableLayer]:
        everyone = self.inventory.groups[ALL]
        for step in self.settings.steps():
            match step:
                case "all_inventory":
                    yield from self._of_inventory(ALL_INVENTORY, everyone)
                case "groups_inventory":
                    yield from (layer for group in groups for layer in self._of_inventory(GROUPS_INVENTORY, group))
                case "all_plugins_inventory":
                    for folder in self.beside:
                        yield from self._of_files(ALL_PLUGINS_INVENTORY, folder, everyone)
                case "all_plugins_play":
                    yield from self._of_files(ALL_PLUGINS_PLAY, self.playbook_dir, everyone)
                case "groups_plugins_inventory":
                    for folder in self.beside:
                        for group in groups:
                            yield from self._of_files(GROUPS_PLUGINS_INVENTORY, folder, group)
                case "groups_plugins_play":
                    for group in groups:
                        yield from self._of_files(GROUPS_PLUGINS_PLAY, self.playbook_dir, group)

    def _of_inventory(self, step: str, owner: Group | Host) -> Iterator[VariableLayer]:
        for node in owner.variables:
            if id(node) not in self._set_in_inventory:
                self._set_in_inventory[id(node)] = VariableFile(node.origin().source, without_magic(node))
            yield VariableLayer(step, owner.name, _described(owner), self._set_in_inventory[id(node)])

    def _of_files(self, step: str, folder: str | None, owner: Group | Host) -> Iterator[VariableLayer]:
        kind = GROUP_VARS if isinstance(owner, Group) else HOST_VARS
        for file in () if folder is None else self.files.of(folder, kind, owner.name):
            yield VariableLayer(step, folder or "", _described(owner), file)


START: Final = lp.start({}, "no variables")


def _described(owner: Group | Host) -> str:
    return str(owner) if isinstance(owner, Group) else f"host {owner.name}"


def _sources_of(tree: lph.Tree, settings: AnsibleSettings, options: AnsibleOptions) -> Sequence[InventorySource]:
    """The sources that the caller names, else those of the configuration file, else the usual one."""
    if options.inventory:
        return [InventorySource(text, lph.within(text)) for text in options.inventory]
    if settings.inventory:
        at = settings.origins.get("inventory")
        folder = settings.folder if at is not None else ""
        return [InventorySource(text, lph.within(folder, text), at) for text in settings.inventory]
    usual = [path for path in _USUAL_SOURCES if tree.first_path(path) is not None]
    if not usual:
        fault("no-inventory", "nothing says which inventory to use", None, "name one with --inventory")
    settings.notes.append(
        replace(
            warning("guessed-inventory", f"the inventory is taken to be {usual[0]}", None, "name it with --inventory"),
            severity=lp.Severity.INFO,
        )
    )
    return [InventorySource(usual[0], join(usual[0]))]
