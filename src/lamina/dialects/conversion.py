"""Conversion: a set of layers, as one dialect exports it and another one imports it.

It has what every system has: files, targets with their files in order (or patterns with facts of a node), and rules by
path in the words of the dialect `layers`. For everything else there is a remark: it names the line, and the paths of
the result that differ because of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from lamina.paths import show_key
from lamina.values import same

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lamina.dialects.extensions import FoundTargets
    from lamina.engine.node import Node
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.sources.inputs import Inputs
    from lamina.sources.source import Source
    from lamina.views.result import Result

Settings: TypeAlias = "Mapping[str, Any]"
"""The content of a rules file of the dialect `layers`: nulls, lists, references and rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionRemark:
    """Something that cannot be expressed in the other system.

    `path` is where results differ because of it, `()` for everything; None if they do not differ. `targets` are those
    that differ; None for all.
    """

    what: str
    why: str
    at: Origin | None = None
    path: Path | None = None
    targets: frozenset[str] | None = None

    def names(self, target: str, path: Path) -> bool:
        """Whether this remark is about a difference of a target; positions in lists are ignored."""
        if self.path is None or (self.targets is not None and target not in self.targets):
            return False
        own, other = _keys(self.path), _keys(path)
        shorter = min(len(own), len(other))
        return own[:shorter] == other[:shorter]


def _keys(path: Path) -> Path:
    return tuple(step for step in path if not isinstance(step, int))


class ConvertedDifference(NamedTuple):
    """A value that differs between the results; MISSING on the side that does not have it."""

    path: Path
    before: Any
    after: Any
    whole: Any = None
    """The whole expected result."""


Reason: TypeAlias = "Callable[[ConvertedDifference], str | None]"
"""Why a difference was expected; None for an unexpected one."""


@dataclass(frozen=True, slots=True)
class ConvertedFile:
    """A file of the other system: its value, and the file it was read from, if that contained all of it.

    `rewritten` converts the text of that file to the other system's notation, if some of it differs.
    """

    name: str
    value: Any
    source: Source | None = None
    rewritten: Callable[[str], str] | None = None

    def kept(self, read: Callable[[str, bytes], Any]) -> bytes | None:
        """The original text, without the keys that the value does not have; None if it would not read as the value."""
        if self.source is None:
            return None
        data = self.source.data
        if self.rewritten is not None:
            data = self.rewritten(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        for each in (data, _without_keys(data, self.value)):
            if same(read(self.name, each), self.value):
                return each
        return None


_ROOT_KEY = re.compile(rb"(?P<quote>[\"']?)(?P<key>[\w.:-]+)(?P=quote)\s*:(?=\s|$)")


def _without_keys(data: bytes, value: Any) -> bytes:
    """A block mapping without the root keys that a value does not have; comments above the others stay."""
    kept: list[bytes] = []
    waiting: list[bytes] = []
    is_dropped = False
    for line in data.splitlines(keepends=True):
        match = _ROOT_KEY.match(line)
        if match is not None:
            is_dropped = isinstance(value, dict) and match["key"].decode("utf-8", "replace") not in value
        elif is_dropped and (not line.strip() or line.startswith(b"#")):
            waiting.append(line)
            continue
        if not is_dropped:
            kept += waiting
            kept.append(line)
        waiting = []
    return b"".join([*kept, *waiting])


def result_root(result: Result) -> Node:
    """The root of a result with one output."""
    return result.outputs[0].node


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertedTarget:
    """A target: its files, the lowest layer first, its facts if there are patterns, and how to render it here.

    `options` select it in the inputs, `node` in the result.
    """

    name: str
    layers: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    settings: Settings = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    node: Callable[[Result], Node] = result_root
    left_out: ConversionRemark | None = None
    """Why it cannot be converted at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayeredSet:
    """A set of layers that is converted from one system to another."""

    about: str
    targets: tuple[ConvertedTarget, ...]
    files: Mapping[str, ConvertedFile]
    entries: tuple[str, ...] | None = None
    """The layers of all targets as patterns, the lowest first; without them each target has its own files."""
    settings: Settings = field(default_factory=dict)
    """The rules of all targets, if there are patterns."""
    remarks: tuple[ConversionRemark, ...] = ()
    reasons: tuple[Reason, ...] = ()

    def renamed(self, name_of: Callable[[str], str]) -> LayeredSet:
        """The same with other names of files; only for a set without patterns."""
        return replace(
            self,
            files={name_of(name): replace(file, name=name_of(name)) for name, file in self.files.items()},
            targets=tuple(replace(each, layers=tuple(map(name_of, each.layers))) for each in self.targets),
        )


class ConvertFrom(Protocol):
    """Exports the layers of some inputs; `name`, if given, is the name of the target, or the prefix of the names."""

    def __call__(self, inputs: Inputs, options: Any, name: str, /) -> LayeredSet: ...


class WrittenSet(NamedTuple):
    """Files of a system, the entries of a project file for its targets, and what could not be expressed."""

    files: Mapping[str, bytes]
    entries: Sequence[FoundTargets]
    remarks: Sequence[ConversionRemark] = ()
    reasons: Sequence[Reason] = ()


class ConvertTo(Protocol):
    """Writes layers as files of a system, below a folder."""

    def __call__(self, layers: LayeredSet, folder: str, /) -> WrittenSet: ...


def pattern_of(path: Path) -> str:
    """The pattern of exactly one path in a rule; positions in lists are ignored."""
    return ".".join(_pattern_key(step) for step in _keys(path))


def _pattern_key(key: Any) -> str:
    text = key if isinstance(key, str) else show_key(key)
    if re.fullmatch(r"[^.\"\[\]*?\\]+", text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def holds_reference(value: Any) -> bool:
    """Whether any string of a value would be read as a reference by the dialect `layers`."""
    if isinstance(value, dict):
        return any(holds_reference(each) for pair in value.items() for each in pair)
    if isinstance(value, (list, tuple)):
        return any(map(holds_reference, value))
    return isinstance(value, str) and "${" in value
