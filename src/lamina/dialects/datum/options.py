"""The options of the Datum dialect."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from lamina.protocol.dialect import compat_option, option, strict_option

if TYPE_CHECKING:
    from collections.abc import Callable


class _NotGiven:
    """No default was given; null would be one."""

    def __repr__(self) -> str:
        return "not given"


NOT_GIVEN: Final[Any] = _NotGiven()


def _read_paths(value: Any, replaced: Callable[[str], str]) -> Any:
    """The files in settings such as `parameters=@build.json`."""
    if not isinstance(value, (list, tuple)):
        return value
    return tuple(_read_path(str(each), replaced) for each in value)


def _read_path(text: str, replaced: Callable[[str], str]) -> str:
    name, equals, value = text.partition("=")
    return f"{name}=@{replaced(value[1:])}" if equals and value.startswith("@") else text


@dataclass(slots=True, kw_only=True, unsafe_hash=True)  # for each node: a frozen one takes three times as long to make
class DatumOptions:
    """Which lookup in which hierarchy."""

    compat: str = compat_option()
    node: Any = option(None, flag="--node", metavar="NAME", about="render this node: the name of its file")
    lookup: str | None = option(
        None, flag="--lookup", metavar="PATH", about=r"look up only this path, such as SoftwareBaseline\Packages"
    )
    all_nodes: bool = option(False, flag="--all-nodes", about="render every node")
    strict: bool = strict_option()
    no_handlers: bool = option(
        False,
        flag="--no-handlers",
        about="do not evaluate value handlers, and take node names from their data instead of their files",
    )
    handlers: bool | None = option(None, about="the opposite of no_handlers; used by golden cases")
    variable: Any = option(
        (),
        flag="--variable",
        metavar="NAME=VALUE",
        many=True,
        paths=_read_paths,
        about="a variable that your build sets for scripts: NAME=VALUE or NAME=@FILE",
    )
    node_property: Any = option(
        (),
        flag="--node-property",
        metavar="KEY=VALUE",
        short="--set",
        many=True,
        paths=_read_paths,
        about="a property that your build adds to nodes: KEY=VALUE",
    )
    tree: bool | None = option(None, about="the inputs are a folder with a Datum.yml; auto-detected by default")
    rsop: bool = option(False, about="give the resultant set of the node; the default without a lookup")
    layers: Any = option(None, about="without a Datum.yml: the layer files, most specific first")
    lookup_options: Any = option(None, about="without a Datum.yml: its lookup_options")
    default_lookup_options: Any = option(None, about="without a Datum.yml: its default_lookup_options")
    api: str = option(
        "resolve", choices=("resolve", "lookup"), about="lookup: a null result is an error unless a default is set"
    )
    default: Any = option(NOT_GIVEN, about="the result of api=lookup if nothing is found")
    check_key_order: bool = option(False, about="golden cases: compare the order of keys")
    warns: bool = option(False, about="golden cases: expect a warning about different types")

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
