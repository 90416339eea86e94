"""The options of the Hiera dialect."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lamina.protocol.dialect import option, strict_option

if TYPE_CHECKING:
    from collections.abc import Callable


def _stub_paths(given: Any, replaced: Callable[[str], str]) -> Any:
    """The files in texts such as `Vault=secrets.yaml`."""
    pairs = [(each, *each.partition("=")) for each in given if isinstance(each, str)]
    return tuple(f"{name}={replaced(path)}" if sign and path else each for each, name, sign, path in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class HieraOptions:
    """Which key, for which node, with which facts."""

    node: str | None = option(None, flag="--node", metavar="NAME", about="render this node: its certificate name")
    key: str | None = option(
        None,
        flag="--lookup",
        metavar="KEY",
        about="look up only this key, such as ntp::servers or a.b.0",
    )
    all_nodes: bool = option(
        False, flag="--all-nodes", about="render every node: those with facts, else those whose names levels have"
    )
    facts: Any = option(
        None,
        flag="--facts",
        metavar="FILE",
        about="the facts of the node: a file, or a folder with one file per node; default: facts/. An export of "
        "PuppetDB (a JSON list) has those of many nodes",
    )
    fact: tuple[str, ...] = option(
        (),
        flag="--fact",
        metavar="NAME=VALUE",
        many=True,
        about="NAME=VALUE: a fact or variable of every node, such as role=web or os.family=Debian; comes before those "
        "of files",
    )
    stub_level: tuple[str, ...] = option(
        (),
        flag="--stub-level",
        metavar="NAME=FILE",
        many=True,
        paths=_stub_paths,
        about="NAME=FILE: a YAML file with what a level has that Lamina cannot read",
    )
    trusted: Any = option(None, about="fields of the variable trusted; they override the defaults")
    strict: bool = strict_option()
    environment: str = option(
        "production", flag="--puppet-environment", metavar="NAME", about="the value of the variable environment"
    )
    merge: Any = option(
        None,
        flag="--merge",
        metavar="STRATEGY",
        about="merge strategy of every key that is asked for; overrides lookup_options",
    )
    hiera_config: str = option(
        "hiera.yaml",
        flag="--hiera-config",
        metavar="FILE",
        about="the hiera.yaml of the global layer, inside the input folder",
    )
    map_path: tuple[str, ...] = option(
        (),
        flag="--map-path",
        metavar="PATH=DIR",
        many=True,
        about="ABSOLUTE=FOLDER: read an absolute datadir from this folder of the input",
    )
    modules: bool = option(False, flag="--modules", about="also render keys that only modules set")
    cleartext_secrets: bool = option(
        False, flag="--cleartext-secrets", about="show Sensitive values and ciphertext instead of hiding them"
    )


def scope(options: HieraOptions) -> HieraOptions | None:
    """All nodes, unless one or a key is asked for."""
    return replace(options, all_nodes=True) if options.node is None and options.key is None else None
