"""What can be asked of the Datum dialect."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from lamina.dialects.base import compat_option, option


class _NotGiven:
    """No default was given; null would be one."""

    def __repr__(self) -> str:
        return "not given"


NOT_GIVEN: Final[Any] = _NotGiven()


@dataclass(frozen=True, slots=True, kw_only=True)
class DatumOptions:
    """Which lookup in which hierarchy."""

    compat: str = compat_option()
    node: Any = option(
        None, flag="--node", metavar="NAME", about="the node to look up for: the name of its file, or its data"
    )
    lookup: str | None = option(
        None, flag="--lookup", metavar="PATH", about=r"the path to look up, such as SoftwareBaseline\Packages"
    )
    all_nodes: bool = option(False, flag="--all-nodes", about="the resultant set of every node")
    strict: bool = option(
        False, flag="--strict", about="refuse files that cannot be read, instead of passing them over"
    )
    no_handlers: bool = option(
        False,
        flag="--no-handlers",
        about="leave value handlers alone, and take a node's name from its data instead of its file",
    )
    handlers: bool | None = option(None, about="the opposite of no_handlers, where given; golden cases say it")
    variable: Any = option(
        (),
        flag="--variable",
        metavar="NAME=VALUE",
        many=True,
        about="a variable that scripts read and the build sets: NAME=VALUE or NAME=@FILE",
    )
    node_property: Any = option(
        (),
        flag="--node-property",
        metavar="KEY=VALUE",
        short="--set",
        many=True,
        about="a property that the build adds to nodes: KEY=VALUE",
    )
    tree: bool | None = option(None, about="the inputs are a folder with a Datum.yml; found out if not given")
    rsop: bool = option(False, about="the resultant set of the node; so when no lookup is given")
    layers: Any = option(None, about="instead of a tree: the names of the files, most specific first")
    lookup_options: Any = option(None, about="without a tree: the table of option entries")
    default_lookup_options: Any = option(None, about="without a tree: the default strategy")
    api: str = option(
        "resolve", choices=("resolve", "lookup"), about="lookup: a null result is an error unless there is a default"
    )
    default: Any = option(NOT_GIVEN, about="what a strict lookup gives when nothing is found")
    check_key_order: bool = option(False, about="golden cases: the order of keys counts")
    warns: bool = option(False, about="golden cases: the program warned of different types")

    @property
    def as_built(self) -> bool:
        """Whether values are handled and nodes are named as builds do it."""
        return not self.no_handlers if self.handlers is None else self.handlers

    @property
    def documented(self) -> bool:
        return self.compat == "manual"


def scope(options: DatumOptions) -> DatumOptions | None:
    """All nodes, unless one or a lookup is asked for."""
    return replace(options, all_nodes=True) if options.node is None and options.lookup is None else None
