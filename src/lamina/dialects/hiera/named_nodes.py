"""Nodes without facts: those that levels have a file for, because its path has the name of the node.

`nodes/%{trusted.certname}.yaml` names a node for each file in the folder. All that is known of it is its name, and what
other variables in the path must be for the file to be its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.hiera.interpolation import REFERENCES, expression_of
from lamina.dialects.hiera.layers import site_of
from lamina.dialects.hiera.variables import trusted_of
from lamina.plugin import hierarchy as lph

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lamina import plugin as lp
    from lamina.dialects.hiera.config import Level
    from lamina.dialects.hiera.options import HieraOptions

_CERTNAMES: Final = ("trusted.certname", "clientcert", "facts.clientcert")
_WHOLE: Final = (*_CERTNAMES, "fqdn", "facts.fqdn", "networking.fqdn", "facts.networking.fqdn")
_SHORT: Final = (
    *("trusted.hostname", "hostname", "facts.hostname", "networking.hostname", "facts.networking.hostname"),
)
"""The variables that are the name of a node, whole or without its domain."""
_FOLDERS: Final = re.compile(r"(?:^|/)(?:per-)?(?:nodes?|hosts?|hostnames?|certnames?|fqdns?|machines?)/")
"""Folders whose files are those of nodes, if the name of a file is a variable, whatever that is called."""
_MOST: Final = 10_000
"""How many nodes are found at most."""


@dataclass(frozen=True, slots=True)
class NamedNode:
    """A node of which the name is known, and little else."""

    facts: dict[str, Any]
    trusted: dict[str, Any]

    @classmethod
    def by_certname(cls, name: str) -> NamedNode:
        """The node whose certificate has a name."""
        return cls(_network(name, is_whole="." in name), _trusted(name, is_whole=True))

    @classmethod
    def by_variables(cls, found: Mapping[str, str]) -> tuple[str, NamedNode]:
        """The name of a node and what is known of it, from the variables in the path of its file."""
        variable = next((each for each in (*_WHOLE, *_SHORT) if each in found), list(found)[-1])
        name, is_whole = found[variable], variable in _WHOLE
        facts = _network(name, is_whole=is_whole)
        for other, value in found.items():
            if other not in (*_WHOLE, *_SHORT) and not other.startswith("trusted."):
                _put(facts, other.removeprefix("facts.").split("."), value)
        return name, cls(facts, _trusted(name, is_whole=is_whole))


def _network(name: str, *, is_whole: bool) -> dict[str, Any]:
    hostname, dot, domain = name.partition(".")
    known = {"hostname": hostname}
    if is_whole:
        known |= {"fqdn": name, **({"domain": domain} if dot else {})}
    return {**known, **({"clientcert": name} if is_whole else {}), "networking": dict(known)}


def _trusted(name: str, *, is_whole: bool) -> dict[str, Any]:
    """What is trusted; the extensions of a certificate are not known."""
    known = trusted_of(name, {})
    del known["extensions"], known["external"]
    if not is_whole:
        del known["certname"], known["domain"]
    return known


def _put(facts: dict[str, Any], keys: list[str], value: str) -> None:
    for key in keys[:-1]:
        facts = facts.setdefault(key, {})
    facts[keys[-1]] = value


def nodes_of_levels(inputs: lp.Inputs, options: HieraOptions) -> Mapping[str, NamedNode]:
    """The nodes that the levels of a tree have files for, sorted by their names."""
    site = site_of(inputs, options)
    patterns = [
        pattern
        for layer in site.layers
        for level in layer.config.levels
        for pattern in _patterns(level, site.mapped_datadir(level, options.environment), options.environment)
    ]
    if not patterns:
        return {}
    found: dict[str, NamedNode] = {}
    for path in site.tree.names():
        for pattern, variables in patterns:
            match = pattern.fullmatch(path)
            if match is not None and len(found) < _MOST:
                name, node = NamedNode.by_variables(dict(zip(variables, match.groups(), strict=True)))
                found.setdefault(name, node)
    return dict(sorted(found.items()))


def _patterns(level: Level, datadir: str | None, environment: str) -> Iterator[tuple[re.Pattern[str], tuple[str, ...]]]:
    """What the paths of a level look like that have the name of a node, with the variables in them."""
    if datadir is None or level.kind not in ("path", "paths"):
        return
    for place in level.paths_of_level:
        variables: list[str] = []
        pieces: list[str] = []
        for part in REFERENCES.parts(place.text):
            name = None if isinstance(part, str) else (expression_of(part) or "").removeprefix("::")
            if name is None:
                pieces.append(re.escape(str(part)))
            elif name == "environment":
                pieces.append(re.escape(environment))
            elif name in variables:
                pieces.append(rf"(?P=v{variables.index(name)})")
            else:
                pieces.append(rf"(?P<v{len(variables)}>[^/]+)")
                variables.append(name)
        has_folder = _FOLDERS.search(place.text) and re.search(r"/%\{[^}]+\}\.\w+$", place.text)
        if not {*_WHOLE, *_SHORT}.intersection(variables) and not (variables and has_folder):
            continue
        folder = lph.within(datadir)
        if folder is not None:
            prefix = re.escape(f"{folder}/") if folder else ""
            yield re.compile(prefix + "".join(pieces)), tuple(variables)
