"""Inventories in YAML: groups with their hosts, variables and children."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.ansible import yaml_values
from lamina.dialects.ansible.faults import fault, warning
from lamina.dialects.ansible.host_names import expanded, without_port
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.dialects.ansible.inventory import Inventory

_SECTIONS: Final = ("vars", "children", "hosts")


class YamlReading:
    """One traversal of a document; what comes before a fault stays in the inventory."""

    def __init__(self, source: lp.Source, inventory: Inventory, group_name: Callable[[str], str], run: lp.Run) -> None:
        self._source = source
        self._inventory = inventory
        self._group_name = group_name
        self._document = yaml_values.read(source, run)

    def read(self) -> None:
        """Fill the inventory."""
        root = yaml_values.root(self._document, self._source.name)
        if not root.value or not isinstance(root.value, dict):
            what = lp.word_for(root.value) if root.value else "nothing"
            hint = "write groups with hosts, vars and children"
            fault("unparsed-inventory", f"the file holds {what}, no groups", root.origin(), hint)
        if root.value.get("plugin"):
            fault(
                "inventory-plugin",
                f"the inventory comes from the plugin {root.value['plugin']}, which Lamina does not run",
                root.child("plugin").origin(),
                "write what `ansible-inventory --list --yaml` prints into a file, and use that as inventory",
            )
        self._inventory.notes.extend(self._document.notes)
        for name in root.value:
            self._group(name, root)

    def _group(self, name: Any, holder: lp.Node, parent: str | None = None) -> None:
        assert isinstance(holder, lp.SourceNode)
        at, group = holder.key_origin(name), holder.child(name)
        if group.value is not None and not isinstance(group.value, dict):
            message = f"{name} is no group, but {lp.word_for(group.value)}"
            hint = "a group is a mapping with hosts, vars and children"
            if parent is not None:
                fault("unparsed-inventory", message, at, hint)
            self._skip(message, at, hint)
            return
        if not name or not isinstance(name, str):
            fault("unparsed-inventory", f"{name!r} is no name of a group", at, "put the name in quotes")
        known = name if name in self._inventory.groups else self._group_name(name)
        self._inventory.add_group(known, at)
        if group.value is not None:
            assert isinstance(group, lp.SourceNode)
            self._sections(known, group)
        if parent is not None:
            self._inventory.add_child(parent, known, at)

    def _sections(self, name: str, group: lp.SourceNode) -> None:
        for section in _SECTIONS:
            value = group.value.get(section)
            if value is not None and not isinstance(value, (dict, str)):
                message = f"{section} of the group {name} must be a mapping, not {lp.word_for(value)}"
                hint = "write names with a colon behind each, and no dashes"
                fault("unparsed-inventory", message, group.child(section).origin(), hint)
        for section, value in group.value.items():
            if isinstance(value, str) and section in _SECTIONS:  # the only key, with null
                at = group.child(section).origin()
                assert at is not None
                self._section(name, section, lpf.written_at({value: None}, at, self._source.name))
            elif value is None:
                continue
            elif section not in _SECTIONS or not isinstance(value, dict):
                message = f"{section} of the group {name} is skipped: it is none of hosts, vars and children"
                hint = "move variables into vars; hosts are the keys of hosts"
                self._skip(message, group.key_origin(section), hint)
            else:
                self._section(name, section, group.child(section))

    def _section(self, name: str, section: str, node: lp.Node) -> None:
        assert isinstance(node, lp.SourceNode)
        if section == "vars":
            self._inventory.set_variables(name, node)
        elif section == "children":
            for child in node.value:
                self._group(child, node, name)
        else:
            for pattern in node.value:
                self._hosts(name, pattern, node)

    def _hosts(self, group: str, pattern: Any, holder: lp.SourceNode) -> None:
        at, node = holder.key_origin(pattern), holder.child(pattern)
        if not isinstance(pattern, str):
            fault("unparsed-inventory", f"{pattern!r} is no name of a host", at, "put the name in quotes")
        name, port = without_port(pattern)
        names = expanded(name, at)
        variables = node.value or {}
        port_node = lpf.written_at({"ansible_port": port}, at, self._source.name) if port and at else None
        for host in names:
            self._inventory.add_host(host, group, at, port_node)
            if not isinstance(variables, dict):
                message = f"the host {pattern} has {lp.word_for(variables)} in the place of its variables"
                fault("unparsed-inventory", message, node.origin(), "write a mapping of variables, or nothing")
            if variables:
                assert isinstance(node, lp.SourceNode)
                self._inventory.set_variables(host, node)

    def _skip(self, message: str, at: lp.Origin | None, hint: str) -> None:
        self._inventory.notes.append(warning("skipped-in-inventory", message, at, hint))
