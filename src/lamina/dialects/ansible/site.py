"""What a folder is to Ansible: its inventory, and the layers of variables that each host has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from posixpath import join
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from lamina import plugin as lp
from lamina.dialects.ansible import extra_vars, host_patterns
from lamina.dialects.ansible.faults import fault, warning
from lamina.dialects.ansible.inventory import ALL, LOCALHOSTS, Group, Host, Inventory, without_magic
from lamina.dialects.ansible.merge_rules import (
    ALL_INVENTORY,
    ALL_PLUGINS_INVENTORY,
    ALL_PLUGINS_PLAY,
    GROUPS_INVENTORY,
    GROUPS_PLUGINS_INVENTORY,
    GROUPS_PLUGINS_PLAY,
    RESERVED,
    policy,
)
from lamina.dialects.ansible.settings import settings_of
from lamina.dialects.ansible.sources import InventorySource, SourceReading, folders_beside
from lamina.dialects.ansible.variable_files import GROUP_VARS, HOST_VARS, VariableFile, VariableFiles
from lamina.dialects.ansible.yaml_values import is_encrypted
from lamina.plugin import extensions as lpx
from lamina.plugin import hierarchy as lph

if TYPE_CHECKING:
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
class Layer:
    """Variables that a step brings for a group or a host."""

    step: str
    owner: str
    file: VariableFile

    def __str__(self) -> str:
        return f"{self.step}, {self.owner}" if self.owner else self.step


class AnsibleSite(lph.NodeSystem):
    """An inventory with its files of variables."""

    noun: ClassVar[str] = "host"

    def __init__(self, inputs: lp.Inputs, options: AnsibleOptions) -> None:
        self.tree = lph.tree_of(inputs)
        self.options = options
        self.settings: AnsibleSettings = settings_of(self.tree, options)
        self.files = VariableFiles(self.tree, self.settings, inputs.run)
        self.sources = _sources_of(self.tree, self.settings, options)
        self._reading = SourceReading(self.tree, self.settings, inputs.run)
        self.inventory: Inventory = self._reading.read(self.sources)
        self.beside = folders_beside(self.tree, self.sources)
        self.playbook_dir = lph.within(options.playbook_dir or "")
        self.extra = [
            file for text in options.extra_vars if (file := extra_vars.read(text, self.tree, self.settings, inputs.run))
        ]
        origins = self.settings.origins
        self._policy = policy(self.settings.hash_behaviour, origins.get("hash_behaviour"))
        self._steps: dict[tuple[str, str, int], lp.Merge] = {}
        self._nodes: dict[str, lp.Origin | None] | None = None
        self.unknown: dict[str, list[str]] = {}
        """The encrypted files that hosts would have to read, with these hosts."""
        self._inventory_files: dict[int, VariableFile] = {}

    def nodes(self) -> Mapping[str, lp.Origin | None]:
        """All hosts, or those that the limit meets."""
        if self._nodes is None:
            hosts = self.inventory.hosts_of(self.inventory.groups[ALL])
            limit = self.options.limit
            met = hosts if limit is None else host_patterns.matching(self.inventory, limit)
            self._nodes = {name: hosts[name].at for name in sorted(hosts) if name in met}
        return self._nodes

    def named(self, name: str) -> str:
        """A host by its name, or by a pattern that meets one host; the implicit localhost too."""
        if name in self.inventory.hosts or name in LOCALHOSTS:
            return name
        met = list(host_patterns.matching(self.inventory, name))
        if len(met) == 1:
            return met[0]
        why = f": the pattern meets {len(met)} hosts" if met else ""
        raise lph.no_such_node(name, self.inventory.hosts, why)

    def host(self, name: str) -> Host:
        """A host of the inventory, or the implicit localhost."""
        found = self.inventory.hosts.get(name)
        if found is not None:
            return found
        at = lp.Origin("(implicit localhost)", 1, 1)
        return Host(name, None, variables=[lp.written_at({"ansible_connection": "local"}, at, "implicit localhost")])

    def layers_of(self, host: Host) -> Iterator[Layer]:
        """The layers of a host in the order in which they are merged."""
        everyone, groups = self.inventory.groups[ALL], self.inventory.order_of(host)
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
        yield from self._of_inventory(HOST_INVENTORY, host)
        for folder in self.beside:
            yield from self._of_files(HOST_PLUGINS_INVENTORY, folder, host)
        yield from self._of_files(HOST_PLUGINS_PLAY, self.playbook_dir, host)
        yield from (Layer(EXTRA_VARS, "", file) for file in self.extra)

    def _of_inventory(self, step: str, owner: Group | Host) -> Iterator[Layer]:
        for node in owner.variables:
            if id(node) not in self._inventory_files:
                self._inventory_files[id(node)] = VariableFile(node.origin().source, without_magic(node))
            yield Layer(step, _described(owner), self._inventory_files[id(node)])

    def _of_files(self, step: str, folder: str | None, owner: Group | Host) -> Iterator[Layer]:
        kind = GROUP_VARS if isinstance(owner, Group) else HOST_VARS
        for file in () if folder is None else self.files.of(folder, kind, owner.name):
            yield Layer(step, _described(owner), file)

    def steps(self, name: str) -> Iterator[lp.Start | lp.Merge]:
        """The steps that make the variables of a host."""
        yield _START
        for layer in self.layers_of(self.host(name)):
            if layer.file.faults:
                raise lp.Reject(*layer.file.faults)
            if layer.file.is_encrypted:
                self._encrypted(layer.file, name)
            elif layer.file.node is not None and layer.file.node.value:
                yield self._merge(layer, layer.file.node)

    def _merge(self, layer: Layer, node: lp.SourceNode) -> lp.Merge:
        """The step of a layer, which hosts share."""
        key = layer.step, layer.owner, id(node)
        if key not in self._steps:
            self._steps[key] = lp.merge(node, self._policy, str(layer))
        return self._steps[key]

    def _encrypted(self, file: VariableFile, host: str) -> None:
        if self.options.refuse_encrypted:
            at = lp.Origin(file.name, 1, 1)
            fault("encrypted-file", f"{file.name} is encrypted", at, "without --refuse-encrypted the rest is rendered")
        hosts = self.unknown.setdefault(file.name, [])
        if host not in hosts[-1:]:
            hosts.append(host)

    def layers(self, name: str) -> Iterator[lpx.NodeLayer]:
        """The layers of a host, for `lamina targets`."""
        for layer in self.layers_of(self.host(name)):
            origin = None if layer.file.node is None else layer.file.node.origin()
            yield lpx.NodeLayer(str(layer), layer.file.name, layer.file.name, origin)

    def secrets(self) -> Literal["none", "show", "redact"]:
        nodes = [step.take.source for step in self._steps.values()]
        if not any(isinstance(node, lp.SourceNode) and node.holds_secret for node in nodes):
            return "none"
        return "show" if self.options.cleartext_secrets else "redact"

    def notes(self) -> Sequence[lp.Diagnostic]:
        found = [*self.settings.notes, *self.inventory.notes, *self.files.notes, *self._reserved()]
        if self.options.playbook_dir is not None and not self._has_playbook_dir():
            message = f"the folder of the playbook, {self.options.playbook_dir}, holds nothing that can be read"
            found.append(warning("playbook-dir", message, None, "correct the path, which starts at the input folder"))
        if not self.nodes():
            found.append(warning("no-hosts", "the inventory has no hosts", None, "name another one with --inventory"))
        found += [_unknown(name, hosts) for name, hosts in self.unknown.items()]
        return [*dict.fromkeys(found)]

    def _has_playbook_dir(self) -> bool:
        if self.playbook_dir is None:
            return False
        files = self.tree.below(self.playbook_dir, lambda name: True, lambda name: True)  # noqa: ARG005
        return any((source := self.tree.read(path)) is not None and not is_encrypted(source) for path in files)

    def _reserved(self) -> Iterator[lp.Diagnostic]:
        """Variables that are called like a keyword of plays."""
        for step in self._steps.values():
            node = step.take.source
            assert isinstance(node, lp.SourceNode)
            for name in RESERVED & node.value.keys():
                message = f"the variable {name} is called like a keyword of plays"
                yield warning("reserved-name", message, node.key_origin(name), "give it another name")


_START: Final = lp.start({}, "no variables")


def _described(owner: Group | Host) -> str:
    return str(owner) if isinstance(owner, Group) else f"host {owner.name}"


def _unknown(name: str, hosts: Sequence[str]) -> lp.Diagnostic:
    listed = ", ".join(hosts[:3]) + (f" and {len(hosts) - 3} more" if len(hosts) > 3 else "")
    return warning(
        "encrypted-file",
        f"{name} is encrypted: what it sets for {listed} is not known, and may replace what is shown",
        lp.Origin(name, 1, 1),
        "decrypt it for Lamina, or reject such hosts with --refuse-encrypted",
    )


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
        fault("inventory-unparsed", "nothing says which inventory to use", None, "name one with --inventory")
    settings.notes.append(
        replace(
            warning("guessed-inventory", f"the inventory is taken to be {usual[0]}", None, "name it with --inventory"),
            severity=lp.Severity.INFO,
        )
    )
    return [InventorySource(usual[0], join(usual[0]))]


def site_of(inputs: lp.Inputs, options: AnsibleOptions) -> AnsibleSite:
    """The site of some inputs."""
    return AnsibleSite(inputs, options)


compile_inputs = lph.compiler_of(site_of)
FLEET: Final = lph.fleet_of(site_of)
