"""Nodes without facts: those that levels have a file for, because its path has the name of the node.

`nodes/%{trusted.certname}.yaml` names a node for each file in the folder. All that is known of it is its name, and what
other variables in the path must be for the file to be its own.

If no level has names of nodes, any node of a kind stands for all of that kind: `role/%{facts.role}.yaml` has those with
`role=web` for `role/web.yaml`. The highest level that has such files says which kinds there are; if none has, there is
one kind, any node.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lamina.dialects.hiera.interpolation import REFERENCES, expression_of
from lamina.dialects.hiera.layers import site_of
from lamina.dialects.hiera.variables import trusted_of
from lamina.plugin import hierarchy as lph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from lamina import plugin as lp
    from lamina.dialects.hiera.config import HieraLevel
    from lamina.dialects.hiera.options import HieraOptions

_CERTNAMES: Final = ("trusted.certname", "clientcert", "facts.clientcert")
_WHOLE: Final = (*_CERTNAMES, "fqdn", "facts.fqdn", "networking.fqdn", "facts.networking.fqdn")
_SHORT: Final = (
    *("trusted.hostname", "hostname", "facts.hostname", "networking.hostname", "facts.networking.hostname"),
)
"""The variables that are the name of a node, whole or without its domain."""
_FOLDERS: Final = re.compile(r"(?:^|/)(?:per-)?(?:nodes?|hosts?|hostnames?|certnames?|fqdns?|machines?)/")
"""Folders whose files are those of nodes, if the name of a file is a variable, whatever that is called."""
_ANY: Final = "any node"
_MOST: Final = 10_000
"""How many nodes are found at most."""


@dataclass(frozen=True, slots=True)
class NodeByName:
    """A node of which the name is known, and little else."""

    facts: dict[str, Any]
    trusted: dict[str, Any]

    @classmethod
    def by_certname(cls, name: str) -> NodeByName:
        """The node whose certificate has a name."""
        return cls(_network(name, is_whole="." in name), _trusted(name, is_whole=True))

    @classmethod
    def by_variables(cls, found: Mapping[str, str]) -> tuple[str, NodeByName]:
        """The name of a node and what is known of it, from the variables in the path of its file."""
        variable = next((each for each in (*_WHOLE, *_SHORT) if each in found), list(found)[-1])
        name, is_whole = found[variable], variable in _WHOLE
        known = {other: value for other, value in found.items() if other not in (*_WHOLE, *_SHORT)}
        return name, cls(_with(_network(name, is_whole=is_whole), known), _trusted(name, is_whole=is_whole))

    @classmethod
    def of_kind(cls, found: Mapping[str, str]) -> tuple[str, NodeByName]:
        """Any node for which variables have these values."""
        plain = {name.removeprefix("facts."): value for name, value in found.items()}
        trusted = {name.removeprefix("trusted."): value for name, value in found.items() if name.startswith("trusted.")}
        name = ",".join(f"{variable}={value}" for variable, value in plain.items())
        return name or _ANY, cls(_with({}, found), _with({}, trusted))


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


def _with(facts: dict[str, Any], variables: Mapping[str, str]) -> dict[str, Any]:
    """Facts, and those among some variables."""
    for name, value in variables.items():
        if name.startswith("trusted."):
            continue
        *outer, last = name.removeprefix("facts.").split(".")
        holder = facts
        for key in outer:
            holder = holder.setdefault(key, {})
        holder[last] = value
    return facts


def nodes_of_levels(inputs: lp.Inputs, options: HieraOptions) -> Mapping[str, NodeByName]:
    """The nodes that the levels of a tree have files for, sorted by their names; else the kinds of nodes."""
    site = site_of(inputs, options)
    paths = [
        path
        for layer in site.layers
        for level in layer.config.levels
        for path in _paths(level, site.mapped_datadir(level, options.environment), options.environment)
    ]
    names = tuple(site.tree.names())
    with_names = [path for path in paths if path.has_name]
    found = _matching(names, with_names, NodeByName.by_variables)
    if found or with_names:
        return found
    of_kinds = (_matching(names, [path], NodeByName.of_kind) for path in paths if path.variables)
    any_node = _matching(names, [path for path in paths if not path.variables], NodeByName.of_kind)
    return next(filter(None, of_kinds), any_node)


class _PathPattern(NamedTuple):
    """What a path of a level looks like, with the variables in it, and whether these name a node."""

    pattern: re.Pattern[str]
    variables: tuple[str, ...]
    has_name: bool


def _matching(
    names: Iterable[str],
    paths: Sequence[_PathPattern],
    node_of: Callable[[Mapping[str, str]], tuple[str, NodeByName]],
) -> dict[str, NodeByName]:
    """The nodes of the files that paths of levels lead to."""
    found: dict[str, NodeByName] = {}
    for name in names if paths else ():
        for pattern, variables, _ in paths:
            match = pattern.fullmatch(name)
            if match is not None and len(found) < _MOST:
                found.setdefault(*node_of(dict(zip(variables, match.groups(), strict=True))))
    return dict(sorted(found.items()))


def _paths(level: HieraLevel, datadir: str | None, environment: str) -> Iterator[_PathPattern]:
    """The paths of a level whose files are found by their names."""
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
        has_name = bool({*_WHOLE, *_SHORT}.intersection(variables) or (variables and has_folder))
        folder = lph.within(datadir)
        if folder is not None:
            prefix = re.escape(f"{folder}/") if folder else ""
            yield _PathPattern(re.compile(prefix + "".join(pieces)), tuple(variables), has_name)
