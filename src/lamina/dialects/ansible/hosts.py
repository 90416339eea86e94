"""The hosts of a site: which ones are asked for, what makes the variables of each, and what is to be said of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from lamina import plugin as lp
from lamina.dialects.ansible import host_patterns
from lamina.dialects.ansible.faults import warning
from lamina.dialects.ansible.inventory import ALL, LOCALHOSTS
from lamina.dialects.ansible.merge_rules import RESERVED
from lamina.dialects.ansible.site import START, AnsibleSite, VariableLayer
from lamina.plugin import extensions as lpx
from lamina.plugin import hierarchy as lph

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lamina.dialects.ansible.options import AnsibleOptions
    from lamina.dialects.ansible.variable_files import VariableFile


class AnsibleHosts(lph.NodeSystem):
    """The hosts of an inventory that are asked for."""

    noun: ClassVar[str] = "host"

    def __init__(self, site: AnsibleSite, options: AnsibleOptions) -> None:
        self.site = site
        self.options = options
        self.unknown: dict[str, list[str]] = {}
        """The encrypted files that hosts would have to read, with these hosts."""
        self.used: dict[VariableFile, None] = {}
        """What hosts read, in that order."""
        self._notes: list[lp.Diagnostic] = []
        self._nodes: dict[str, lp.Origin | None] | None = None

    def nodes(self) -> Mapping[str, lp.Origin | None]:
        """All hosts, or those that the limit meets."""
        if self._nodes is None:
            inventory, limit = self.site.inventory, self.options.limit
            hosts = inventory.hosts_of(inventory.groups[ALL])
            met = hosts if limit is None else host_patterns.matching(inventory, limit, self._notes)
            self._nodes = {name: hosts[name].at for name in sorted(hosts) if name in met}
        return self._nodes

    def named(self, name: str) -> str:
        """A host by its name, or by a pattern that meets one host; the implicit localhost too."""
        if name in self.site.inventory.hosts or name in LOCALHOSTS:
            return name
        met = list(host_patterns.matching(self.site.inventory, name, []))
        if len(met) == 1:
            return met[0]
        why = f": the pattern meets {len(met)} hosts" if met else ""
        raise lph.no_such_node(name, self.site.inventory.hosts, why)

    def steps(self, name: str) -> Iterator[lp.Start | lp.Merge]:
        """The steps that make the variables of a host."""
        yield START
        layers = self._filled(name)
        if self.site.settings.hash_behaviour == "merge":
            yield from self.site.merged_first(layers)
        else:
            yield from (self.site.step_of(layer, layer.file.node) for layer in layers if layer.file.node is not None)

    def _filled(self, name: str) -> Iterator[VariableLayer]:
        """The layers of a host that set anything."""
        for layer in self.site.layers_of(self.site.host(name)):
            file = layer.file
            self.used[file] = None
            if file.faults:
                raise lp.Reject(*file.faults)
            if file.is_encrypted:
                self._encrypted(file, name)
            elif file.node is not None and file.node.value:
                yield layer

    def _encrypted(self, file: VariableFile, host: str) -> None:
        hosts = self.unknown.setdefault(file.name, [])
        if host not in hosts[-1:]:
            hosts.append(host)

    def layers(self, name: str) -> Iterator[lpx.NodeLayer]:
        """The layers of a host, for `lamina targets`."""
        for layer in self.site.layers_of(self.site.host(name)):
            origin = None if layer.file.node is None else layer.file.node.origin()
            yield lpx.NodeLayer(layer.file.name, str(layer), layer.file.name, origin)

    def secrets(self) -> Literal["none", "show", "redact"]:
        if not any(file.node is not None and file.node.holds_secret for file in self.used):
            return "none"
        return "show" if self.options.cleartext_secrets else "redact"

    def notes(self) -> Sequence[lp.Diagnostic]:
        site, playbook_dir = self.site, self.options.playbook_dir
        found = [*site.settings.notes, *site.inventory.notes, *site.files.notes, *self._notes]
        found += [note for file in self.used for note in file.notes]
        found += self._reserved()
        if playbook_dir is not None and not site.has_playbook_dir():
            message = f"the folder of the playbook, {playbook_dir}, holds nothing that can be read"
            found.append(warning("playbook-dir", message, None, "correct the path, which starts at the input folder"))
        if not self.nodes():
            found.append(warning("no-hosts", "the inventory has no hosts", None, "name another one with --inventory"))
        if self.unknown:
            found.append(_unknown(self.unknown))
        return [*dict.fromkeys(found)]

    def _reserved(self) -> Iterator[lp.Diagnostic]:
        """Variables that are called like a keyword of plays."""
        for file in self.used:
            names = RESERVED.intersection(file.node.value) if file.node is not None else ()
            for name in names:
                assert file.node is not None
                message = f"the variable {name} is called like a keyword of plays"
                yield warning("reserved-name", message, file.node.key_origin(name), "give it another name")


_LISTED: Final = 20


def _unknown(files: Mapping[str, Sequence[str]]) -> lp.Diagnostic:
    """What is not known because files are encrypted."""
    count = len({host for hosts in files.values() for host in hosts})
    (first, hosts), *others = files.items()
    what = f"{first} is encrypted: what it sets" if not others else ""
    what = what or f"{first} and {len(others)} more files are encrypted: what they set"
    for_whom = hosts[0] if count == 1 else f"{count} hosts"
    finding = warning(
        "encrypted-file",
        f"{what} for {for_whom} is not known, and may replace what is shown",
        lp.Origin(first, 1, 1),
        "decrypt it for Lamina; --strict makes it an error",
    )
    related = [(f"this one is for {', '.join(hosts[:3])}", lp.Origin(name, 1, 1)) for name, hosts in others[:_LISTED]]
    return replace(finding, related=tuple(related), error_if_strict=True)


def hosts_of(inputs: lp.Inputs, options: AnsibleOptions) -> AnsibleHosts:
    """The hosts of some inputs; their site is made once for all."""
    same_for_all = replace(options, node=None, limit=None, strict=False, cleartext_secrets=False)
    key = "ansible site", repr(same_for_all)
    return AnsibleHosts(inputs.derived.once(key, lambda: AnsibleSite(inputs, same_for_all)), options)


def _stores(inputs: lp.Inputs, options: AnsibleOptions) -> Sequence[lpx.FileStore]:  # noqa: ARG001
    """None: a rule of the dialect says which files of variables nothing reads, and other files are not its business."""
    return ()


compile_inputs = lph.compiler_of(hosts_of)
FLEET: Final = lph.fleet_of(hosts_of)._replace(stores=_stores)
