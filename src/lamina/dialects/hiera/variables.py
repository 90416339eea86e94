"""The variables that a lookup knows: the facts of a node, what the server trusts, and the environment."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lamina import plugin as lp
from lamina.dialects.hiera.keys import Segment, value_at_segments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def without_nulls(value: Any) -> Any:
    """Facts that are null, at any depth, are empty texts."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    return "" if value is None else value


def trusted_of(certname: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """What the server knows of a node from its certificate; fields that are given replace the usual ones."""
    hostname, dot, domain = certname.partition(".")
    common_facts: dict[str, Any] = {
        "authenticated": "remote",
        "certname": certname,
        "hostname": hostname,
        "domain": domain if dot else None,
        "extensions": {},
        "external": {},
    }
    return {**common_facts, **given}


@dataclass(slots=True)
class Variables:
    """The variables of one node. `facts` and `trusted` are nodes, so that what is filled in knows its line."""

    facts: lp.Node
    trusted: lp.Node
    environment: str
    server_facts: lp.Node = field(default_factory=lambda: lp.LiteralNode({}, ()))
    """What the server says of itself, as a file of facts has it; the environment is added."""
    unknown: dict[str, lp.Origin | None] = field(default_factory=dict)
    """Variables, with their fields, that were asked for and are not there: where each was first written."""
    are_complete: bool = True
    """Whether these are all facts of the node, so that what is not there is nothing; otherwise it is not known."""

    def find(self, name: str, local: Mapping[str, lp.Node] | None = None) -> lp.Node | None:
        """The variable of a name; None if it is not defined."""
        if local is not None and name in local:
            return local[name]
        plain = name.removeprefix("::")
        if plain == "facts":
            return self.facts
        if plain == "trusted":
            return self.trusted
        if plain == "environment":
            return lp.LiteralNode(self.environment, (plain,))
        if plain == "server_facts":
            environment = lp.LiteralNode(self.environment, ("environment",))
            server_facts = {key: self.server_facts.child(key) for key in self.server_facts.value}
            return lp.gathered({**server_facts, "environment": environment})
        if "::" in plain:
            return None
        holder = self.facts if plain in self.facts.value else self.server_facts
        return holder.child(plain) if plain in holder.value else None

    def value(
        self,
        segments: tuple[Segment, ...],
        name: str,
        origin_of: Callable[[], lp.Origin | None] = lambda: None,
        local: Mapping[str, lp.Node] | None = None,
    ) -> lp.Node | None:
        """The value of a name with its fields; None if there is none, which is recorded."""
        root, *rest = segments
        found = self.find(root, local) if isinstance(root, str) else None
        if found is not None and found.value is not None and rest:
            found = value_at_segments(found, tuple(rest), name)
        if found is None and not self.are_complete:
            return lp.LiteralNode(unknown_variable(name), ())
        if found is None or found.value is None:
            if name not in self.unknown:
                self.unknown[name] = origin_of()
            return None
        return found


def unknown_variable(*names: str, at: lp.Origin | None = None) -> lp.Unknown:
    """What depends on variables of a node whose facts are not known."""
    plain = [name.removeprefix("::") for name in names]
    options = " ".join(f"--fact {name.removeprefix('facts.')}=VALUE" for name in plain)
    verb = "is" if len(plain) == 1 else "are"
    hint = f"{options} tells, or --facts FILE with all facts of a node"
    return lp.Unknown(f"{' and '.join(plain)} of the node {verb} not known", at, hint=hint)
