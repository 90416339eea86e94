"""What a golden case of Ansible compares: variables, groups and their order, warnings, and what is a template."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.ansible.hosts import AnsibleHosts
from lamina.dialects.ansible.yaml_values import UNSAFE, VAULTS, is_template
from lamina.plugin import extensions as lpx
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CODES: Final = {
    "invalid-yaml": "yaml",
    "no-inventory": "inventory-unparsed",
    "variables-not-a-mapping": "not-a-mapping",
    "encrypted-file": "vault-file",
    "no-such-node": "unknown-host",
    "missing-file": "file-missing",
    "ansible-cfg": "unknown-precedence",
}
"""What cases call errors, where that is another word."""
_WARNINGS: Final = {
    "unparsed-inventory": "unparsed",
    "skipped-in-inventory": "skipped",
    "several-localhosts": "localhost",
    "ansible-cfg": "precedence",
    "deprecated-tag": "yaml-tag",
}
"""The same for warnings."""
_NO_WARNINGS: Final = ("encrypted-file", "no-hosts", "lost-host", "guessed-inventory")
"""What Ansible does not say."""


def observe(result: lpx.Rendered) -> Mapping[str, Any]:
    """The outcome of a case; it is refused as a whole where any host is."""
    errors = [note for note in result.notes if note.severity >= lp.Severity.ERROR]
    if errors:
        raise lp.MergeError(*errors)
    found = next(stage.facts for stage in result.plan.stages if isinstance(stage.facts, AnsibleHosts))
    inventory = found.site.inventory
    node = result.node_at(())
    value, marked = _marked(node)
    hosts = [result.options.node] if result.options.node is not None else list(found.nodes())
    warned = {_WARNINGS.get(note.code, note.code) for note in result.notes if note.code not in _NO_WARNINGS}
    return {
        "value": value,
        "groups": {name: sorted(inventory.hosts_of(group)) for name, group in inventory.groups.items()},
        "merge_order": {name: [each.name for each in inventory.order_of(found.site.host(name))] for name in hosts},
        "warned": sorted(warned),
        "unknown_files": sorted(found.unknown),
        **{name: marked.get(name, []) for name in ("templates", "unsafe", "vaults")},
    }


def _marked(node: lp.Node) -> tuple[Any, dict[str, list[str]]]:
    """A value with what is encrypted as Ansible writes it, and the leaves that are marked in some way."""
    marked: dict[str, list[str]] = {}

    def visited(node: lp.Node, pointer: str) -> Any:
        value = node.value
        if isinstance(value, dict):
            return {key: visited(node.child(key), f"{pointer}/{_escaped(key)}") for key in value}
        if isinstance(value, list):
            return [visited(node.child(at), f"{pointer}/{at}") for at in range(len(value))]
        tag = next((each.tag for each in lpf.written_for(node)), None) if isinstance(value, str) else None
        if tag in VAULTS:
            marked.setdefault("vaults", []).append(pointer)
            return {"__ansible_vault": value}
        if is_template(value):
            marked.setdefault("unsafe" if tag == UNSAFE else "templates", []).append(pointer)
        return value

    return visited(node, ""), marked


def _escaped(key: Any) -> str:
    return str(key).replace("~", "~0").replace("/", "~1")


def checks(options: Any, expect: Mapping[str, Any], result: lpx.Rendered) -> Iterator[str]:  # noqa: ARG001
    """What is marked without being expected to be."""
    found = observe(result)
    for name in ("warned", "unknown_files", "templates", "unsafe", "vaults"):
        if name not in expect and found[name]:
            yield f"{name}: expected nothing, got {found[name]}"


GOLDEN: Final = lpx.Golden(
    observe=observe,
    check=lambda options, expect, result: list(checks(options, expect, result)),
    options={"cleartext_secrets": True},
    words={"host": ("node", {}), "config": ("setting", {})},
    codes=_CODES,
)
