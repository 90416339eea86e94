"""Option entries: which strategy applies at a path.

1. The entry for that very path, without case; `/` and `\\` are the same separator, and both spellings of one path are
   an error.
2. Else the first entry, in the order of the file, that begins with `^` and whose pattern is found in the path.
3. Else the default: `default_lookup_options`, or MostSpecific.

The program keeps the patterns in a table without order, the default among them, so that the choice is random from run
to run; Lamina always uses the order of the file, the default last. A user's own `^.*` replaces the default but is an
entry like any other: under `deep` it then governs nested tables, not their parent's entry.

See Which strategy holds in docs/reference/datum.md; golden cases in options.json.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lamina._support.derived import Derived
from lamina.dialects.datum import messages, powershell_regex
from lamina.dialects.datum.equality import truth
from lamina.dialects.datum.operators.deeper import TablePolicy
from lamina.dialects.datum.strategy import MOST_SPECIFIC, Strategy, strategy_of, unknown_words
from lamina.dialects.datum.strategy_tables import rules_of
from lamina.engine.node import SourceNode
from lamina.engine.policy import PathRule, Policy
from lamina.errors import MergeError
from lamina.sources.caseless_keys import folded
from lamina.values import word_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lamina.engine.node import Node
    from lamina.engine.policy import Names
    from lamina.errors import Note
    from lamina.origins import Origin

SEPARATOR: Final = "\\"
EVERYTHING: Final = "^.*"


def split(path: str) -> tuple[str, ...]:
    """The names in a path, whichever separator it is written with."""
    return tuple(path.replace("/", SEPARATOR).split(SEPARATOR))


def joined(names: Names) -> str:
    """A path as options write it."""
    return SEPARATOR.join(map(str, names)).replace("/", SEPARATOR)


@dataclass(frozen=True, slots=True)
class OptionEntry:
    """One option entry: its key as written, its strategy, and its origin."""

    key: str
    strategy: Strategy
    origin: Origin | None = None
    default: bool = False

    @property
    def is_pattern(self) -> bool:
        return self.key.startswith("^")

    @property
    def label(self) -> str:
        """The name of the entry in output."""
        if not self.default:
            return f"lookup_options {self.key}: {self.strategy.written}"
        if self.origin is None and self.strategy is MOST_SPECIFIC:
            return "no entry, so MostSpecific"
        return f"default_lookup_options: {self.strategy.written}"

    def matches(self, names: Names) -> bool:
        """Whether the entry is the one for a path, or its pattern is found in it."""
        path = joined(names)
        if not self.is_pattern:
            return len(path) == len(self.key) and folded(path) == _normalized(self.key)
        return powershell_regex.search(self.key, path, self.origin) or (
            "/" in self.key and powershell_regex.search(self.key, path.replace(SEPARATOR, "/"), self.origin)
        )


def _normalized(key: str) -> str:
    return folded(key.replace("/", SEPARATOR))


class PathLookup:
    """The lookup of a path, as far as it is the same for all nodes."""

    __slots__ = ("derived", "entry", "names", "path")

    def __init__(self, path: str) -> None:
        self.names = split(path)
        self.path = joined(self.names)
        """The path as options write it."""
        self.entry: OptionEntry | None = None
        """The entry in force at the path, once it is known."""
        self.derived = Derived()
        """What was made of it."""


class Entries:
    """All option entries of a hierarchy, in the order they are matched."""

    def __init__(
        self, entries: Sequence[OptionEntry], default: OptionEntry, notes: Sequence[Note], *, documented: bool
    ) -> None:
        self.exact = [entry for entry in entries if not entry.is_pattern]
        self.patterns = [entry for entry in entries if entry.is_pattern]
        self.default = default
        self.notes = tuple(notes)
        self.documented = documented
        self.rounds_are_silent = all(
            entry.strategy.rounds_are_silent(documented=documented) for entry in (*entries, default)
        )
        """Whether no strategy reports anything when a merged simple table is merged with one of its layers again."""
        self.clean = any(entry.strategy.cleans(documented=documented) for entry in (*entries, default))
        """Whether some strategy may find something to clean up in a simple table."""
        self._merge = self._policy(lambda rules: rules.merge)
        self._clean = self._policy(lambda rules: rules.clean)
        self._lookups: dict[str, PathLookup] = {}
        self._merging: dict[Names, TablePolicy] = {}
        self._cleaning: dict[Names, TablePolicy] = {}

    def _policy(self, table: Callable[[Any], Any]) -> tuple[list[PathRule], Policy]:
        def of(entry: OptionEntry) -> Any:
            return table(rules_of(entry.strategy, self.documented, entry.origin))

        rules = [
            PathRule(entry.matches, of(entry), entry.label, entry.origin) for entry in (*self.exact, *self.patterns)
        ]
        return rules, Policy(of(self.default), self.default.label, self.default.origin)

    def find(self, names: Names) -> OptionEntry:
        """The entry in force at a path."""
        return next((entry for entry in (*self.exact, *self.patterns) if entry.matches(names)), self.default)

    def lookup_of(self, path: str) -> PathLookup:
        """The lookup of a path, for all nodes."""
        found = self._lookups.get(path)
        if found is None:
            found = self._lookups[path] = PathLookup(path)
        return found

    def merging(self, names: Names) -> TablePolicy:
        """How values at a path, and below it, are merged."""
        if names not in self._merging:
            self._merging[names] = TablePolicy(*self._merge, names)
        return self._merging[names]

    def cleaning(self, names: Names) -> TablePolicy:
        """How the value at a path is cleaned up."""
        if names not in self._cleaning:
            self._cleaning[names] = TablePolicy(*self._clean, names)
        return self._cleaning[names]


def entries_of(options: Node, default: Node, *, documented: bool) -> Entries:
    """The entries in `lookup_options` and `default_lookup_options`."""
    _check_types(options, default)
    found: dict[str, OptionEntry] = {}
    notes: list[Note] = []
    for key, value in options.value.items() if isinstance(options.value, dict) else ():
        origin = _key_origin(options, key)
        entry = OptionEntry(str(key), strategy_of(value, documented=documented), origin)
        notes.extend(unknown_words(str(key), value, origin, documented=documented))
        if not entry.is_pattern and not isinstance(value, str) and not truth(value):
            continue
        if entry.is_pattern and (problem := _broken(entry)):
            notes.append(problem)
            continue
        _add(entry, found)
    fallback = OptionEntry(EVERYTHING, MOST_SPECIFIC, default=True)
    if truth(default.value):
        origin = default.origin()
        fallback = OptionEntry(EVERYTHING, strategy_of(default.value, documented=documented), origin, default=True)
        notes.extend(unknown_words("default_lookup_options", default.value, origin, documented=documented))
    return Entries(list(found.values()), fallback, notes, documented=documented)


def _check_types(options: Node, default: Node) -> None:
    """Reject options that are neither a table nor, for the default, a preset's name: every lookup fails on them."""
    for node, name, kinds in ((options, "lookup_options", dict), (default, "default_lookup_options", (dict, str))):
        if truth(node.value) and not isinstance(node.value, kinds):
            wanted = "a table of paths" if kinds is dict else "the name of a preset, or a table"
            problem = f"{name} must be {wanted}, not {word_for(node.value)}"
            hint = f"write {name}: {{PATH: hash}}" if kinds is dict else f"write {name}: MostSpecific"
            raise MergeError(messages.INVALID_DEFINITION.at(node.origin(), problem=problem, hint=hint))


def _key_origin(options: Node, key: Any) -> Origin | None:
    return options.key_origin(key) if isinstance(options, SourceNode) else None


def _broken(entry: OptionEntry) -> Note | None:
    """The note on an invalid pattern, which the program skips. One without a counterpart here is rejected."""
    try:
        powershell_regex.compiled(entry.key)
    except powershell_regex.BadPowerShellPattern as bad:
        if bad.foreign:
            raise MergeError(powershell_regex.unusable(entry.key, bad, entry.origin)) from None
        return messages.IGNORED_PATTERN.at(entry.origin, pattern=entry.key, problem=bad)
    return None


def _add(entry: OptionEntry, found: dict[str, OptionEntry]) -> None:
    path = folded(entry.key) if entry.is_pattern else folded(entry.key.replace("/", SEPARATOR))
    other = found.pop(path, None)
    if other is not None and folded(other.key) != folded(entry.key):
        related = (("first defined here", other.origin),)
        raise MergeError(
            messages.DUPLICATE_OPTION_PATH.at(entry.origin, related=related, one=other.key, other=entry.key)
        )
    found[path] = entry


class Barrier(NamedTuple):
    """An entry that keeps a nested one from being used: always, or only where the nested value is a table."""

    entry: OptionEntry
    for_tables: bool = False

    def stops(self, values: Sequence[Any]) -> bool:
        """Whether the nested entry is not used for these values, which layers have at its path."""
        return not self.for_tables or all(isinstance(value, dict) for value in values)

    def reason(self, looked_up: str) -> str:
        """Why the nested entry is not used by the lookup of a path."""
        if self.entry.strategy.merges:
            return f"{self._path(looked_up)} merges only its own keys, not tables below it ({self.entry.label})"
        return f"the lookup of {self._path(looked_up)} does not merge ({self.entry.label})"

    def fix(self, looked_up: str) -> str:
        """What to write instead of the entry, or in addition."""
        wanted = f"{self._path(looked_up)}: {'deep' if self.entry.strategy.merges else 'hash'}"
        return f"change that entry to {wanted}" if self._is_exact else f"add {wanted} to lookup_options"

    def _path(self, looked_up: str) -> str:
        return self.entry.key if self._is_exact else looked_up

    @property
    def _is_exact(self) -> bool:
        return not self.entry.default and not self.entry.is_pattern


def unreachable(entries: Entries, names: Names) -> Iterable[tuple[OptionEntry, Barrier]]:
    """Nested entries that a lookup of a path never uses, each with the entry that prevents it."""
    for entry in entries.exact:
        path = split(entry.key)
        if len(path) <= len(names) or any(folded(a) != folded(str(b)) for a, b in zip(path, names, strict=False)):
            continue
        barrier = _barrier(entries, path, len(names))
        if barrier is not None:
            yield entry, barrier


def _barrier(entries: Entries, path: tuple[str, ...], depth: int) -> Barrier | None:
    """The entry on the way to a nested path that does not merge, from the looked-up path on."""
    governing = entries.find(path[:depth])
    if not governing.strategy.merges:
        return Barrier(governing)
    for end in range(depth + 1, len(path)):
        own = entries.find(path[:end])
        # Nested tables are only merged under `deep`; without their own entry by their parent's.
        if governing.strategy.tables.value != "deep":
            return Barrier(governing)
        if not own.default:
            governing = own
            if not governing.strategy.merges:
                return Barrier(governing)
    return None if governing.strategy.tables.value == "deep" else Barrier(governing, for_tables=True)
