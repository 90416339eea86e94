"""lookup_options: which key is merged how, and what it is converted to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.hiera import messages
from lamina.dialects.hiera.strategies import FIRST, LookupRule, rule_of
from lamina.plugin import extensions as lpx
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.plugin.hierarchy import Hit

FIELDS: Final = ("merge", "convert_to")
"""What Puppet looks for in an entry."""


@dataclass(frozen=True, slots=True, eq=False)
class KeyOptions:
    """What lookup_options say of some keys: `key` is a name, or a pattern if it begins with ^."""

    key: str
    node: lp.Node
    pattern: lpf.SafePattern | None = None

    @property
    def at(self) -> lp.Origin | None:
        return next(iter(lpx.origins_of(self.node)), None)

    def holds_for(self, key: str) -> bool:
        """Whether the entry is about a key."""
        return self.key == key if self.pattern is None else self.pattern.search(key) is not None

    @property
    def _fields(self) -> dict[Any, Any]:
        if isinstance(self.node.value, str):
            return {}
        if not isinstance(self.node.value, dict):
            raise lp.Reject(messages.ENTRY_NOT_A_MAPPING.at(self.at, key=self.key, kind=lp.word_for(self.node.value)))
        return self.node.value

    @property
    def rule(self) -> LookupRule:
        """How values of the key are merged."""
        fields = self._fields
        at = next(iter(lpx.origins_of(self.node.child("merge"))), self.at) if "merge" in fields else self.at
        return rule_of(fields.get("merge"), at, f"lookup_options of {self.key}")

    @property
    def convert_to(self) -> Any:
        """The type that the value is converted to, perhaps with arguments; None if it is not."""
        return self._fields.get("convert_to")


@dataclass(slots=True, eq=False)
class LookupOptions:
    """The entries that hold for a node, exact names and patterns."""

    exact: dict[str, KeyOptions] = field(default_factory=dict)
    patterns: list[KeyOptions] = field(default_factory=list)

    def find(self, key: str) -> KeyOptions | None:
        """The entry for a key: that of its name, else the first pattern that matches."""
        if key in self.exact:
            return self.exact[key]
        for entry in self.patterns:
            with _readable(entry):
                if entry.holds_for(key):
                    return entry
        return None

    def rule(self, key: str) -> LookupRule:
        """How a key is merged."""
        entry = self.find(key)
        return FIRST if entry is None else entry.rule


class _readable:  # noqa: N801 - reads as a word after `with`
    """A pattern that takes too long is an error of its entry."""

    def __init__(self, entry: KeyOptions) -> None:
        self._entry = entry

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, lpf.BadPattern):
            raise bad_options(f"lookup_options: {error}", self._entry.at) from None


def bad_options(message: str, at: lp.Origin | None) -> lp.Reject:
    """The error for lookup_options that cannot be used."""
    return lp.Reject(messages.BAD_LOOKUP_OPTIONS.at(at, problem=message))


def entries_of(node: lp.Node | None) -> LookupOptions:
    """The entries of merged lookup_options."""
    found = LookupOptions()
    for entry in _entries(node):
        if entry.pattern is None:
            found.exact[entry.key] = entry
        else:
            found.patterns.append(entry)
    return found


def _entries(node: lp.Node | None) -> Iterator[KeyOptions]:
    for key, value in node.value.items() if node is not None else ():
        assert node is not None
        inside = node.child(key)
        if not isinstance(key, str):
            at = node.key_origin(key) if isinstance(node, lp.SourceNode) else inside.origin()
            raise bad_options(f"lookup_options contains the key {key}, which is not a string", at)
        if not key.startswith("^"):
            if value is not None:
                yield KeyOptions(key, inside)
            continue
        try:
            yield KeyOptions(key, inside, lpf.SafePattern(key))
        except lpf.BadPattern as error:
            raise bad_options(f"lookup_options: {error}", inside.origin()) from None


def written_entries(node: lp.Node) -> list[tuple[KeyOptions, lp.Origin | None]]:
    """The entries as one file has them, with the place of their key; none if they cannot be used. Those whose key is
    filled in are left out."""
    if not isinstance(node, lp.SourceNode) or not isinstance(node.value, dict):
        return []
    try:
        entries = entries_of(node)
    except lp.Reject:
        return []
    written = (entry for entry in (*entries.exact.values(), *entries.patterns) if "%{" not in entry.key)
    return [(entry, node.key_origin(entry.key)) for entry in written]


def check_layer(found: Hit) -> bool:
    """Whether one layer has lookup_options; null counts as none."""
    if found.value is None:
        return False
    if not isinstance(found.value, dict):
        at = next(iter(lpx.origins_of(found.node)), None)
        raise bad_options(f"lookup_options must be a mapping, not {lp.word_for(found.value)}", at)
    return True


def check_module(node: lp.Node, module: str) -> None:
    """lookup_options of a module are about its own keys."""
    for key in node.value:
        if not str(key).startswith((f"{module}::", f"^{module}::")):
            at = next(iter(lpx.origins_of(node.child(key))), None)
            raise bad_options(
                f"lookup_options of the module {module} contains {key}, which belongs to another module", at
            )
