"""What can be asked of the Hiera dialect."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from lamina.dialects.base import option


@dataclass(frozen=True, slots=True, kw_only=True)
class HieraOptions:
    """Which key, for which node, with which facts."""

    node: str | None = option(
        None, flag="--node", metavar="NAME", about="the node to look up for: its certificate name"
    )
    key: str | None = option(
        None,
        flag="--lookup",
        metavar="KEY",
        about="the key to look up, such as ntp::servers or a.b.0; all keys if not given",
    )
    all_nodes: bool = option(False, flag="--all-nodes", about="every node that has a file of facts")
    facts: Any = option(
        None,
        flag="--facts",
        metavar="FILE",
        about="the facts of the node: a file, or a folder with one file a node; facts/ if it exists",
    )
    trusted: Any = option(None, about="fields of the variable trusted, laid over the usual ones")
    environment: str = option(
        "production", flag="--puppet-environment", metavar="NAME", about="what the variable environment is"
    )
    merge: Any = option(
        None, flag="--merge", metavar="STRATEGY", about="the merge strategy of this lookup, instead of lookup_options"
    )
    hiera_config: str = option(
        "hiera.yaml", flag="--hiera-config", metavar="FILE", about="a hiera.yaml of the tree that is the global layer"
    )
    map_path: tuple[str, ...] = option(
        (),
        flag="--map-path",
        metavar="PATH=DIR",
        many=True,
        about="ABSOLUTE=FOLDER: where in the tree an absolute datadir is",
    )
    modules: bool = option(False, flag="--modules", about="all keys: those that only modules have, too")
    cleartext_secrets: bool = option(
        False, flag="--cleartext-secrets", about="show Sensitive values and cipher texts, instead of leaving them out"
    )


def scope(options: HieraOptions) -> HieraOptions | None:
    """All nodes, unless one or a key is asked for."""
    return replace(options, all_nodes=True) if options.node is None and options.key is None else None
