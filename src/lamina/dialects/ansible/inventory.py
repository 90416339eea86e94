"""What all sources of an inventory fill: groups, hosts, and the variables that sources set on them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.ansible.faults import fault, warning
from lamina.dialects.ansible.merge_rules import MAGIC

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

ALL: Final = "all"
UNGROUPED: Final = "ungrouped"
PRIORITY: Final = "ansible_group_priority"
LOCALHOSTS: Final = ("localhost", "127.0.0.1", "::1")


@dataclass(slots=True, eq=False)
class Host:
    """A host: the groups that name it, and the variables that sources set on it, in order."""

    name: str
    at: lp.Origin | None
    groups: dict[str, Group] = field(default_factory=dict)
    variables: list[lp.SourceNode] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Group:
    """A group; its depth is known once all sources are read."""

    name: str
    at: lp.Origin | None
    hosts: dict[str, Host] = field(default_factory=dict)
    parents: dict[str, Group] = field(default_factory=dict)
    children: dict[str, Group] = field(default_factory=dict)
    variables: list[lp.SourceNode] = field(default_factory=list)
    priority: int = 1
    depth: int = 0

    @property
    def rank(self) -> tuple[int, int, str]:
        """What the order of groups is by; the highest one wins."""
        return self.depth, self.priority, self.name

    def __str__(self) -> str:
        return f"group {self.name} (depth {self.depth}, priority {self.priority})"


class Inventory:
    """The groups and hosts of all sources."""

    def __init__(self, run: lp.Run) -> None:
        self.groups: dict[str, Group] = {}
        self.hosts: dict[str, Host] = {}
        self.notes: list[lp.Diagnostic] = []
        self._run = run
        self._orders: dict[frozenset[str], Sequence[Group]] = {}
        """The order of groups by the groups that name a host; many hosts have the same."""
        self.add_group(ALL, None)
        self.add_child(ALL, self.add_group(UNGROUPED, None).name, None)

    def add_group(self, name: str, at: lp.Origin | None) -> Group:
        """The group of a name, new or known."""
        if name not in self.groups:
            self.groups[name] = Group(name, at)
        return self.groups[name]

    def add_host(self, name: str, group: str, at: lp.Origin | None, port: lp.SourceNode | None = None) -> None:
        """Let a host be in a group; a port counts only for a host that is new."""
        if not name:
            fault("unparsed-inventory", "a host has no name", at, "write a name")
        host = self.hosts.get(name)
        if host is None:
            host = self.hosts[name] = Host(name, at)
            if port is not None:
                host.variables.append(port)
            if name in LOCALHOSTS and sum(each in self.hosts for each in LOCALHOSTS) > 1:
                message = f"{name} is one more name of localhost; the first one of the inventory is used"
                self.notes.append(warning("several-localhosts", message, at, "keep one of them"))
        self.groups[group].hosts[name] = host
        host.groups[group] = self.groups[group]

    def add_child(self, parent: str, child: str, at: lp.Origin | None) -> None:
        """Let a group be a child of another one."""
        above, below = self.groups[parent], self.groups[child]
        if above is below or (above.parents and below.children and below in self._above(above)):
            message = f"{child} becomes a child of {parent}, which it contains"
            fault("group-loop", message, at, f"remove {child} from the children of {parent}, or the other way round")
        above.children[child] = below
        below.parents[parent] = above

    def set_variables(self, entity: str, node: lp.SourceNode) -> None:
        """Set the variables of a mapping on what has this name; a group comes before a host."""
        group = self.groups.get(entity)
        for name in node.value:
            if not isinstance(name, str) or not is_variable_name(name):
                message = f"{name!r} is no name that templates can use"
                hint = "use letters, digits and underscores"
                self.notes.append(warning("variable-name", message, node.key_origin(name), hint))
        if group is None:
            self.hosts[entity].variables.append(node)
            return
        if PRIORITY in node.value:
            group.priority = _number(node)
            node = node.without((PRIORITY,))
        group.variables.append(node)

    def finish(self) -> None:
        """What holds once all sources are read: everything is below `all`, and has a depth."""
        for parent in self.groups[ALL].parents.values():
            message = f"the group all is a child of {parent.name}, which it contains"
            fault("group-loop", message, parent.at, f"remove all from the children of {parent.name}")
        for group in self.groups.values():
            if group.name != ALL and not group.parents:
                self.add_child(ALL, group.name, group.at)
        self._check_names()
        self._sort_out_ungrouped()
        self._set_depths()
        for name in self.groups.keys() & self.hosts.keys():
            message = f"{name} is a group and a host; what the inventory sets on the host is set on the group"
            hint = "give one of them another name"
            self.notes.append(warning("group-and-host", message, self.hosts[name].at, hint))

    def _check_names(self) -> None:
        odd = [group for group in self.groups.values() if not (group.name.isidentifier() and group.name.isascii())]
        if odd:
            others = f" (and so do {len(odd) - 1} more groups)" if len(odd) > 1 else ""
            message = f"the group {odd[0].name} has a name that is no identifier{others}"
            finding = warning("group-name", message, odd[0].at, "use letters, digits and underscores")
            self.notes.append(replace(finding, severity=lp.Severity.INFO))

    def _sort_out_ungrouped(self) -> None:
        """Hosts without a group are in `ungrouped`, those with one are not."""
        ungrouped = self.groups[UNGROUPED]
        for host in self.hosts.values():
            known = {group.name for group in self._closure(host.groups.values())}
            if UNGROUPED in known and known - {ALL, UNGROUPED}:
                host.groups.pop(UNGROUPED, None)
                if ungrouped.hosts.pop(host.name, None) and not host.groups:
                    message = f"{host.name} is in no group: its group ungrouped is a child of another one"
                    hint = "remove ungrouped from the children of other groups"
                    self.notes.append(warning("lost-host", message, host.at, hint))
            elif not known - {ALL}:
                self.add_host(host.name, UNGROUPED, host.at)

    def _set_depths(self) -> None:
        """The longest way down from `all`; what a loop would need was rejected before."""
        waiting = {name: len(group.parents) for name, group in self.groups.items()}
        ready = [self.groups[ALL]]
        while ready:
            group = ready.pop()
            for child in group.children.values():
                child.depth = max(child.depth, group.depth + 1)
                waiting[child.name] -= 1
                if not waiting[child.name]:
                    ready.append(child)

    def order_of(self, host: Host) -> Sequence[Group]:
        """The groups of a host without `all`, in the order in which their variables are merged."""
        key = frozenset(host.groups)
        if key not in self._orders:
            found = [group for group in self._closure(host.groups.values()) if group.name != ALL]
            self._orders[key] = sorted(found, key=lambda group: group.rank)
        return self._orders[key]

    def hosts_of(self, group: Group) -> Mapping[str, Host]:
        """The hosts of a group and of all groups below it."""
        found: dict[str, Host] = {}
        seen = {group: None}
        for each in seen_while_growing(seen, lambda group: group.children.values()):
            found.update(each.hosts)
        return found

    def _closure(self, groups: Iterable[Group]) -> Sequence[Group]:
        """Groups with all that are above them."""
        found = seen_while_growing(dict.fromkeys(groups), lambda group: group.parents.values())
        self._run.charge(len(found))
        return found

    def _above(self, group: Group) -> Sequence[Group]:
        return self._closure(group.parents.values())


def seen_while_growing(seen: dict[Group, None], following: Any) -> Sequence[Group]:
    """Groups, and those that follow from them, each once, the first ones first."""
    pending = list(seen)
    for group in pending:
        for each in following(group):
            if each not in seen:
                seen[each] = None
                pending.append(each)
    return pending


def is_variable_name(name: str) -> bool:
    """Whether templates can use a name."""
    words = ("False", "None", "True", "false", "none", "not", "true")
    return name.isidentifier() and name.isascii() and name not in words


def _number(node: lp.SourceNode) -> int:
    """The priority that a mapping sets."""
    value = node.value[PRIORITY]
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        fault("unparsed-inventory", f"{PRIORITY} is {value!r}", node.child(PRIORITY).origin(), "use a whole number")


def without_magic(node: lp.SourceNode) -> lp.SourceNode:
    """A mapping of variables without those that Ansible sets itself."""
    return node if MAGIC.isdisjoint(node.value) else node.without(MAGIC & node.value.keys())
