"""What can be asked of the dialect of plain files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from lamina.protocol.dialect import one_path, option, strict_option

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PRESETS: Final = ("ansible-combine", "ansible-combine-recursive", "docker-compose", "helm-values")
"""The files in the folder `presets`."""
NO_PRESET: Final = "none"
"""No preset, whatever the files are called."""


def _rules_paths(value: Any, replaced: Callable[[str], str]) -> Any:
    """The paths in rules: the file that holds them, or the schema that they name where they are written out."""
    if isinstance(value, dict):
        return {key: one_path(each, replaced) if key == "schema" else each for key, each in value.items()}
    return one_path(value, replaced)


def _assigned_paths(value: Any, replaced: Callable[[str], str]) -> Any:
    """The files in assignments such as `motd=banner.txt`."""
    pairs = [(each, *each.partition("=")) for each in value if isinstance(each, str)]
    return tuple(f"{key}={replaced(path)}" if sign and path else each for each, key, sign, path in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayersOptions:
    """How files are merged."""

    strict: bool = strict_option()
    rules: Any = option(
        None,
        flag="--merge-rules",
        short="--rules",
        paths=_rules_paths,
        about="a file (TOML, YAML or JSON) with rules by path, required keys and a schema",
    )
    preset: str | None = option(
        None,
        flag="--preset",
        choices=(*PRESETS, NO_PRESET),
        about="merge as a known tool does; rules given come before its own. If not given, files that are called "
        "compose.yaml, or values.yaml beside a Chart.yaml, have that of their tool",
    )
    null: str | None = option(
        None,
        flag="--null",
        choices=("delete", "keep", "delete-defaults", "ignore"),
        about="what a null does: delete the key, be a value as any other (if not given: keep), delete only keys of "
        "the lowest layer, or replace nothing",
    )
    set: tuple[str, ...] = option(
        (),
        flag="--set",
        metavar="PATH=VALUE",
        many=True,
        about="PATH=VALUE, a layer above all files; the value is read as YAML",
    )
    set_file: tuple[str, ...] = option(
        (), flag="--set-file", many=True, paths=_assigned_paths, about="PATH=FILE: the text of a file as a string"
    )
    env_prefix: str | None = option(
        None,
        flag="--env-prefix",
        metavar="PREFIX",
        grants="reading environment variables",
        about="a layer from the environment: with LAMINA__, the variable LAMINA__a__b sets a.b",
    )
    environment: Mapping[str, str] | None = option(None, about="the variables that env_prefix selects from")
    no_references: bool = option(False, flag="--no-references", about="leave ${path} in strings as it is")
    node: str | None = option(None, flag="--node", metavar="NAME", about="one node of a folder with a hierarchy")
    all_nodes: bool = option(False, flag="--all-nodes", about="every node, as when no node is named")


def scope(options: LayersOptions) -> LayersOptions | None:
    """All nodes, unless one is asked for."""
    return replace(options, all_nodes=True) if options.node is None else None
