"""Data files as levels have them: what has to be done with each value before it is used, and an index of their keys.

Most values are the same for every node: what a node sees of them is made of the indexes of its levels alone. Of the
others, what depends on the file only is kept with its key.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.hiera.interpolation import HieraFound, expressions_in
from lamina.dialects.hiera.psych_scalars import Symbol
from lamina.dialects.hiera.ruby_text import NonStringRubyKey, inspect
from lamina.plugin import hierarchy as lph

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.dialects.hiera.config import HieraLevel
    from lamina.dialects.hiera.interpolation import Expressions

EYAML: Final = "eyaml_lookup_key"
OPTIONS_KEY: Final = "lookup_options"
_ENCLOSED: Final = re.compile(r"ENC\[.*?\]")
_CIPHER: Final = re.compile(r"ENC\[(\w+,)?([a-zA-Z0-9+/ =\n]+?)\]")
_MARKS: Final = (b"%{", b"ENC[", b"\\", b"&")
_SINGLE: Final = frozenset((str, int, float, bool, type(None)))
_KEYS: Final = frozenset((str, int, float))


@dataclass(frozen=True, slots=True)
class KeyFacts:
    """What is done with the value of a key before it is used."""

    fill: bool
    bad: tuple[lp.Path, str] | None
    ciphers: tuple[lp.Path, ...]
    expressions: Expressions = ()
    """What is filled in."""


_PLAIN: Final = KeyFacts(fill=False, bad=None, ciphers=())
"""Nothing: the value is the same for every node."""


@dataclass(slots=True, eq=False)
class FileKey:
    """A key of a file: what is known of its value, whatever node sees it."""

    file: DataFile
    name: str
    facts: KeyFacts
    node: lp.SourceNode
    same: HieraFound | None
    """The value, if it is the same for every node."""
    is_cipher: bool = field(init=False)
    results: dict[Any, Any] = field(default_factory=dict)
    """What the value became, by what was filled in; nodes have much of that in common."""

    def __post_init__(self) -> None:
        self.is_cipher = self.file.decrypts and bool(self.facts.ciphers)


@dataclass(slots=True, eq=False)
class DataFile:
    """A file of a level that exists."""

    name: str
    level: HieraLevel
    document: lp.LayerDocument
    root: lp.SourceNode
    source: lp.Source
    value: dict[Any, Any] = field(init=False)
    """Its keys; a file that is not a mapping has none."""
    decrypts: bool = field(init=False)
    _keys: dict[str, FileKey] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.value = self.root.value if isinstance(self.root.value, dict) else {}
        self.decrypts = self.level.function is not None and self.level.function[1] == EYAML

    def key(self, name: str) -> FileKey:
        """A key with what is known of it."""
        found = self._keys.get(name)
        if found is None:
            facts, node = self.facts(name), self.root.child(name)
            assert isinstance(node, lp.SourceNode)
            same = HieraFound(node.value, node, self.name) if facts is _PLAIN else None
            found = self._keys[name] = FileKey(self, name, facts, node, same)
        return found

    def facts(self, key: str) -> KeyFacts:
        """What is known of the value of a key, computed once per document."""
        facts_by_key: dict[str, KeyFacts] = self.document.document.derived.once("hiera keys", dict)
        if key not in facts_by_key:
            facts_by_key[key] = _facts_of(self.value[key])
        return facts_by_key[key]

    @property
    def has_marks(self) -> bool:
        """Whether any string of the file may hold an expression or a ciphertext, however it is written."""
        return any(mark in self.source.data for mark in _MARKS)

    def index(self) -> dict[str, Any]:
        """What every node sees for each key: the value, or the key where something has to be done with it."""
        own = {key: value for key, value in self.value.items() if isinstance(key, str) and key != OPTIONS_KEY}
        if self.has_marks:
            return {key: value if self.facts(key) is _PLAIN else self.key(key) for key, value in own.items()}
        return {key: value if _is_plain(value) else self.key(key) for key, value in own.items()}


class LevelIndex:
    """The keys of the files of a level, which nodes have in common."""

    def __init__(self, files: Sequence[DataFile], doubts: Mapping[DataFile, lp.Unknown]) -> None:
        """`doubts` are the files of which it is not known whether the level has them, each with the reason."""
        self.files = tuple(files)
        self.doubts = doubts
        self.first = lph.first_of(
            [file.index() if file not in doubts else dict.fromkeys(file.index(), doubts[file]) for file in files]
        )
        """What the highest file has for each key; its `FileKey` where something has to be done with the value."""

    @cached_property
    def holders(self) -> dict[str, list[DataFile]]:
        """The files that have a key, the highest first."""
        found: dict[str, list[DataFile]] = {}
        for file in self.files:
            for key in file.value:
                if isinstance(key, str):
                    found.setdefault(key, []).append(file)
        return found

    @cached_property
    def modules(self) -> frozenset[str]:
        """The names before the first `::` of keys: each may be a module with data of its own."""
        return frozenset(key.partition("::")[0] for key in self.first if "::" in key)

    @cached_property
    def may_hold_secrets(self) -> bool:
        """Whether anything may be encrypted or Sensitive; rather once too often than too rarely."""
        return any(file.decrypts or b"convert_to" in file.source.data for file in self.files)


def _is_plain(value: Any) -> bool:
    """Whether a value has nothing but types that Puppet allows; one that is held twice is looked at twice."""
    if type(value) in _SINGLE:
        return True
    if type(value) is dict:
        inside: Any = value.values()
        if not _KEYS.issuperset(map(type, value)):
            return False
    elif type(value) is list:
        inside = value
    else:
        return False
    return _SINGLE.issuperset(map(type, inside)) or all(map(_is_plain, inside))


def _facts_of(value: Any) -> KeyFacts:
    fill = False
    bad: tuple[lp.Path, str] | None = None
    ciphers: list[lp.Path] = []
    seen: set[int] = set()
    pending: list[tuple[Any, lp.Path]] = [(value, ())]
    while pending:
        current, path = pending.pop()
        if isinstance(current, str):
            fill = fill or "%{" in current or "ENC[" in current
            if "ENC[" in current and _ENCLOSED.search(current) and _CIPHER.search(current):
                ciphers.append(path)
        elif isinstance(current, Symbol):
            bad = bad or (path, f"the symbol {current!r}")
        elif isinstance(current, (dict, list)) and id(current) not in seen:
            seen.add(id(current))
            for key in current if isinstance(current, dict) else range(len(current)):
                written = key.value if isinstance(key, NonStringRubyKey) else key
                if isinstance(current, dict) and type(written) not in _KEYS:
                    bad = bad or (path, f"the key {inspect(key)}")
                fill = fill or (isinstance(key, str) and "%{" in key)
                pending.append((current[key], (*path, key)))
    if not fill and bad is None and not ciphers:
        return _PLAIN
    return KeyFacts(fill, bad, tuple(sorted(ciphers, key=str)), expressions_in(value) if fill else ())


def without_break(text: str) -> str:
    """A string that looks encrypted and is not loses one line break at its end."""
    return text[:-1] if text.endswith("\n") and _ENCLOSED.search(text) and not _CIPHER.search(text) else text
