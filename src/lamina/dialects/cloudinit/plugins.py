"""Custom mergers: classes that other packages bring through the entry-point group `lamina.cloudinit.mergers`.

The contract is cloud-init's own. The entry point's name is the merger's; it loads a class that is called with
(root, options). A method `_on_<type>(old, new)` handles old values whose class name in lower case is `<type>`
(`_on_int`, `_on_nonetype`, ...) and returns the merged value; `root.merge(old, new)` goes through the whole rule. Only
packages the user installed are looked at; nothing named in data is ever imported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.dialects.cloudinit import messages
from lamina.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lamina.dialects.cloudinit.custom_mergers import Root
    from lamina.engine.policy import Operator

GROUP = "lamina.cloudinit.mergers"


def installed() -> Iterable[Any]:
    """The entry points of all installed mergers."""
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


@dataclass(frozen=True, slots=True)
class Plugin:
    """An installed merger: its name, the object it loads, and the package that brings it."""

    name: str
    value: str
    package: str
    version: str


def listed() -> list[Plugin]:
    """All installed mergers, as `lamina --version -v` shows them; nothing is loaded."""
    found = [
        Plugin(point.name, point.value, point.dist.name if point.dist else "", point.dist.version if point.dist else "")
        for point in installed()
    ]
    return sorted(found, key=lambda plugin: (plugin.name, plugin.package))


def load(name: str) -> Any:
    """The class of an installed merger, or None when there is none of that name."""
    point = next((point for point in installed() if point.name == name), None)
    if point is None:
        return None
    try:
        return point.load()
    except Exception as error:  # a package that cannot be imported says so in any way it likes
        raise UsageError(messages.BROKEN_PLUGIN.at(name=name, value=point.value, error=error)) from error


def handler(kind: Any, name: str, root: Root, options: Any) -> Callable[[Any], Operator | None]:
    """The merger as a handler: given an old value, the operator for it, if the class has a method for its type."""
    from lamina.dialects.cloudinit.custom_mergers import Foreign

    instance = kind(root, options)

    def handle(old: Any) -> Operator | None:
        method = getattr(instance, f"_on_{type(old).__name__.lower()}", None)
        return None if method is None else Foreign(name, method, root, "clash")

    return handle
