"""What is likely a mistake in an inventory and its files of variables: most of it Ansible never says."""

from __future__ import annotations

import re
from dataclasses import replace
from posixpath import join, splitext
from typing import TYPE_CHECKING, Final

from lamina import plugin as lp
from lamina.dialects.ansible.faults import warning
from lamina.dialects.ansible.hosts import AnsibleHosts
from lamina.dialects.ansible.inventory import PRIORITY, UNGROUPED
from lamina.dialects.ansible.variable_files import GROUP_VARS, HOST_VARS
from lamina.plugin import extensions as lpx
from lamina.plugin import hierarchy as lph

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

    from lamina.dialects.ansible.site import AnsibleSite

_LARGEST: Final = 1 << 20
"""How large a file may be in which names are looked for."""
_MENTION: Final = re.compile(rb"(?:group_vars|host_vars)/(?:\{\{.*?\}\}|[^\s\"'\[\],{}])+")
_TEMPLATE: Final = re.compile(r"\\\{\\\{.*?\\\}\\\}")
_NAME: Final = re.compile(rb"[\w.-]+")
_INVENTORY: Final = re.compile(r"(?:.*/)?(?:inventor(?:y|ies)/.*|(?:hosts|inventory)[^/]*)")


def _of_sites(
    check: Callable[[AnsibleHosts], Iterable[lp.Diagnostic]],
) -> Callable[[lpx.Checked], Iterable[lp.Diagnostic]]:
    def checked(checked: lpx.Checked) -> Iterator[lp.Diagnostic]:
        for stage in checked.plan.stages:
            if isinstance(stage.facts, AnsibleHosts):
                yield from check(stage.facts)

    return checked


def _folders(site: AnsibleSite) -> dict[str, None]:
    """The folders in which files of variables are looked for."""
    play = () if site.playbook_dir is None else (site.playbook_dir,)
    return dict.fromkeys((*site.beside, *play))


def _entries(site: AnsibleSite, kind: str) -> Iterator[tuple[str, str]]:
    """What is in the folders of one kind: the name it is for, and its path."""
    for folder in _folders(site):
        where = lph.within(folder, kind)
        for entry in () if where is None else site.tree.listing(where):
            name, ending = splitext(entry.rstrip("/"))
            if name.startswith(".") or name.endswith("~"):
                continue
            if ending in site.settings.yaml_valid_extensions:
                yield name, join(where or "", entry)
            elif entry.endswith("/") or not ending or kind == HOST_VARS:
                yield entry.rstrip("/"), join(where or "", entry)


def without_owner(hosts: AnsibleHosts) -> Iterator[lp.Diagnostic]:
    """Files of variables without a group or host, unless a playbook names them or another inventory does."""
    site = hosts.site
    owners: dict[str, Container[str]] = {GROUP_VARS: site.inventory.groups, HOST_VARS: site.inventory.hosts}
    unowned = [
        (kind, name, path)
        for kind, known in owners.items()
        for name, path in _entries(site, kind)
        if name not in known and splitext(name)[0] not in known
    ]
    if not unowned:
        return
    mentioned = _mentioned(site)
    elsewhere = _names_elsewhere(site)
    for kind, name, path in unowned:
        inside = [each[path.rindex(f"{kind}/") :] for each in _paths(site, path)]
        if name in elsewhere or any(pattern.match(each) for pattern in mentioned for each in inside):
            continue
        file = _first_file(site, path)
        if file is None:
            continue
        what = "group" if kind == GROUP_VARS else "host"
        known: Iterable[str] = site.inventory.groups if kind == GROUP_VARS else site.inventory.hosts
        near = next((each for each in known if lpx.is_similar(name, each)), None)
        hint = f"did you mean {near}?" if near else f"remove it, correct its name, or add the {what}"
        message = f"{path.rstrip('/')} is read for no host: there is no {what} {name}"
        yield warning("variables-without-owner", message, file.locate(0, 0), hint)


def _paths(site: AnsibleSite, path: str) -> Iterable[str]:
    """A file, or the files below a folder, which ends with a slash."""
    if not path.endswith("/"):
        return (path,)
    return site.tree.below(path.rstrip("/"))


def _first_file(site: AnsibleSite, path: str) -> lp.Source | None:
    return next((file for each in _paths(site, path) if (file := site.tree.read(each)) is not None), None)


def _mentioned(site: AnsibleSite) -> list[re.Pattern[str]]:
    """What playbooks and roles name in `vars_files` and the like, with anything in the place of templates."""
    found: dict[str, None] = {}
    for file in _files(site, lambda path: path.endswith((".yml", ".yaml")) and "_vars/" not in path):
        found.update((match.decode("utf-8", "replace"), None) for match in _MENTION.findall(file.data))
    return [re.compile(_TEMPLATE.sub("[^/]*", re.escape(text.rstrip("/"))) + r"(?:/|\Z)") for text in found]


def _names_elsewhere(site: AnsibleSite) -> set[str]:
    """The words of all files that may be other inventories."""
    found: set[str] = set()
    for file in _files(site, lambda path: _INVENTORY.fullmatch(path) is not None and "_vars/" not in path):
        found.update(word.decode("utf-8", "replace") for word in _NAME.findall(file.data))
    return found


def _files(site: AnsibleSite, takes: Callable[[str], bool]) -> Iterator[lp.Source]:
    for path in site.tree.names():
        if takes(path):
            try:
                file = site.tree.read(path)
            except lp.InputError:  # a link that leads elsewhere
                continue
            if file is not None and len(file.data) <= _LARGEST:
                yield file


def in_playbooks(hosts: AnsibleHosts) -> Iterator[lp.Diagnostic]:
    """Files of variables that playbooks name as well, so that they win there."""
    mentioned = _mentioned(hosts.site)
    for file in hosts.used if mentioned else ():
        kind = next((kind for kind in (GROUP_VARS, HOST_VARS) if f"{kind}/" in file.name), None)
        if file.node is None or kind is None:
            continue
        path = file.name[file.name.rindex(f"{kind}/") :]
        if not any(pattern.match(path) for pattern in mentioned):
            continue
        keys = [("this variable is set there too", file.node.key_origin(key)) for key in file.node.value]
        message = f"playbooks name {path} too, in vars_files or the like; there it wins over all that is shown"
        finding = warning(
            "also-in-playbooks",
            message,
            lp.Origin(file.name, 1, 1),
            "move it to another folder if only playbooks need it",
        )
        yield replace(finding, severity=lp.Severity.INFO, related=tuple((text, at) for text, at in keys if at))


def hidden(hosts: AnsibleHosts) -> Iterator[lp.Diagnostic]:
    """Files that are never read, since another one of the same name comes first."""
    site = hosts.site
    for kind in (GROUP_VARS, HOST_VARS):
        names = dict.fromkeys(name for name, _ in _entries(site, kind))
        for folder in _folders(site):
            for name in names:
                yield from _hidden_in(site, lph.within(folder, kind), name)


def _hidden_in(site: AnsibleSite, folder: str | None, name: str) -> Iterator[lp.Diagnostic]:
    if folder is None:
        return
    candidates = [join(folder, name + ending) for ending in ("", *site.settings.yaml_valid_extensions)]
    first, *others = [path for path in candidates if site.tree.first_path(path) is not None] or [""]
    for path in others:
        file = _first_file(site, f"{path}/" if site.tree.is_folder(path) else path)
        if file is not None:
            message = f"{path} is never read: {first} comes first"
            yield warning(
                "hidden-variables", message, file.locate(0, 0), f"remove it, or move it into {first} to have it read"
            )


def without_effect(hosts: AnsibleHosts) -> Iterator[lp.Diagnostic]:
    """Variables that Ansible sets itself, and priorities where they do not count."""
    for file in hosts.used:
        if file.node is None:
            continue
        for name in file.node.full.keys() - file.node.value.keys() if isinstance(file.node.full, dict) else ():
            if name != PRIORITY:
                message = f"{name} is set by Ansible itself, so this has no effect"
                hint = "give the variable another name"
                yield warning("magic-variable", message, file.node.key_origin(name), hint)
        if PRIORITY in file.node.value:
            message = f"{PRIORITY} counts only where the inventory sets it on a group"
            hint = "write it into [group:vars] or vars of the group in the inventory"
            yield warning("priority-without-effect", message, file.node.key_origin(PRIORITY), hint)


def similar_groups(hosts: AnsibleHosts) -> Iterator[lp.Diagnostic]:
    """Groups without hosts whose name is nearly that of another one; who writes a wrong name writes it once."""
    inventory = hosts.site.inventory
    filled = [name for name, group in inventory.groups.items() if inventory.hosts_of(group)]
    for name, group in inventory.groups.items():
        if name in filled or name == UNGROUPED or group.at is None or group.children or len(group.parents) > 1:
            continue
        near = next((each for each in filled if lpx.is_similar(name, each)), None)
        if near is not None:
            message = f"the group {name} has no hosts, and its name is nearly that of {near}"
            yield warning("similar-group", message, group.at, f"did you mean {near}?")


RULES: Final = (
    lpx.LintRule(
        code="variables-without-owner",
        title="Ansible: file of variables without a group or host",
        about="A file in group_vars or host_vars is for a name that no inventory has and no playbook mentions, so "
        "nothing reads it.",
        check=_of_sites(without_owner),
        of_all=True,
        covers=("never-used",),
    ),
    lpx.LintRule(
        code="also-in-playbooks",
        title="Ansible: file of variables that playbooks name too",
        about="A file in group_vars or host_vars is also in vars_files of a playbook, or included: its variables win "
        "there, whatever the inventory says. That others override them in the inventory is then not reported.",
        severity=lp.Severity.INFO,
        check=_of_sites(in_playbooks),
        covers=("always-overridden", "overridden-layer", "redundant-value"),
    ),
    lpx.LintRule(
        code="hidden-variables",
        title="Ansible: file of variables that another one hides",
        about="Of NAME, NAME.yml, NAME.yaml and NAME.json Ansible reads the first that exists and silently no other.",
        check=_of_sites(hidden),
        of_all=True,
    ),
    lpx.LintRule(
        code="magic-variable",
        title="Ansible: variable that Ansible sets itself",
        about="Variables such as inventory_hostname and groups are replaced by Ansible's own, so setting them does "
        "nothing.",
        check=_of_sites(without_effect),
    ),
    lpx.LintRule(
        code="priority-without-effect",
        title="Ansible: ansible_group_priority where it does not count",
        about="Only an inventory can set the priority of a group; in group_vars and on hosts it is a variable like "
        "any other.",
        check=_of_sites(without_effect),
    ),
    lpx.LintRule(
        code="similar-group",
        title="Ansible: group without hosts, named nearly like another one",
        about="The name of the group is probably misspelled, so what is written for it reaches no host.",
        check=_of_sites(similar_groups),
        of_all=True,
    ),
    lpx.LintRule(
        code="skipped-in-inventory",
        title="Ansible: part of an inventory that is skipped",
        about="A group of a YAML inventory has something other than hosts, vars and children, such as variables "
        "written straight under it; Ansible skips that with a warning.",
    ),
    lpx.LintRule(
        code="unparsed-inventory",
        title="Ansible: source that is read only up to a fault",
        about="Ansible warns and goes on with what the source had set before the fault.",
    ),
    lpx.LintRule(
        code="group-and-host",
        title="Ansible: host named like a group",
        about="What the inventory sets on the host is set on the group.",
    ),
    lpx.LintRule(
        code="lost-host",
        title="Ansible: host in no group at all",
        about="The group ungrouped is a child of another one, so Ansible drops its hosts from all.",
    ),
    lpx.LintRule(
        code="encrypted-file",
        title="Ansible: file of variables that is encrypted as a whole",
        about="What it sets is not known, and may replace what is shown.",
    ),
    lpx.LintRule(
        code="reserved-name",
        title="Ansible: variable called like a keyword of plays",
        about="Templates and tasks may find the keyword instead of the variable.",
    ),
    lpx.LintRule(
        code="group-name",
        title="Ansible: name of a group that is no identifier",
        about="Ansible warns of it, and groups.NAME cannot be written in templates.",
        severity=lp.Severity.INFO,
    ),
    lpx.LintRule(
        code="variable-name",
        title="Ansible: name of a variable that templates cannot use",
        about="A name in the inventory is no identifier.",
    ),
)
