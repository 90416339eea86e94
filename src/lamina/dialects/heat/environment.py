"""Environments: files read one by one, each with its data or with the reason why it is rejected.

A file is one YAML document (JSON is YAML), read with dates as text; duplicate keys: the last one is read. An empty
file, or one with nothing but comments, is an empty environment. Anything but a mapping is rejected.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lamina.dialects.heat import messages
from lamina.dialects.heat.template_tree import is_jinja, unrendered
from lamina.plugin import Diagnostic, Directive, InputError, Source, SourceNode, word_for
from lamina.plugin.formats import Folder, PositionMap
from lamina.sources import document_cache
from lamina.sources.inputs import Absent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina.errors import Note
    from lamina.plugin import Inputs, Origin, Run


@dataclass(slots=True, eq=False)  # one for each file: a frozen one takes three times as long to make
class Environment:
    """One file of the run: its mapping, or the reason why it has none."""

    name: str
    node: SourceNode
    rejected: Diagnostic | None = None
    notes: tuple[Note, ...] = ()
    shares: bool = False
    """Whether the file has aliases, so that one list or mapping may be in two places."""
    only_json: bool = False
    """Whether it is known to hold only what JSON has."""

    def section(self, name: str) -> Any:
        """The value of a section, or None if there is none."""
        return self.node.value.get(name)

    def origin_of(self, *path: Any) -> Origin | None:
        """Where the last key of a path was written."""
        holder = self.node.at(path[:-1])
        return holder.key_origin(path[-1]) if isinstance(holder, SourceNode) else None


class SectionDirective(Directive):
    """What caused the step of a section: the line of the section, which is looked up on demand."""

    __slots__ = ("_environment", "_section")

    _environment: Environment
    _section: str

    def __init__(self, environment: Environment, section: str) -> None:
        object.__setattr__(self, "text", f"the section {section}")
        object.__setattr__(self, "_environment", environment)
        object.__setattr__(self, "_section", section)

    @property
    def origin(self) -> Origin | None:
        return self._environment.origin_of(self._section)

    def __reduce__(self) -> tuple[Any, ...]:
        return Directive, (self.text, self.origin)


def read_environments(inputs: Inputs) -> list[Environment]:
    """The environments of a run, in order."""
    seen: set[Source] = set()
    return [_read(item, inputs.run, seen) for item in inputs.items]


def _read(item: Source | Folder | Absent, run: Run, seen: set[Source]) -> Environment:
    if isinstance(item, Absent):
        return _rejected(item.name, messages.MISSING_FILE.at(name=item.name))
    if isinstance(item, Folder):
        return _rejected(item.name, messages.NOT_A_FILE.at(name=item.name))
    if is_jinja(item.name):
        return _rejected(item.name, unrendered(item))
    try:
        document = document_cache.yaml_document_text_dates(item, run)
    except InputError as error:
        return _rejected(item.name, _malformed(error.diagnostic))
    value = {} if document.value is None else document.value
    if not isinstance(value, dict):
        return _rejected(item.name, messages.ENVIRONMENT_NOT_A_MAPPING.at(document.origin, found=word_for(value)))
    shares = b"*" in item.data and bool(document.positions.aliases)
    if shares:
        if item in seen:
            # Heat reads a file that is named twice twice over; what the two readings hold is not shared.
            value = deepcopy(value)
        seen.add(item)
    node = SourceNode(value, (), document.positions, 0, item.name)
    return Environment(item.name, node, None, tuple(document.notes), shares, document.only_json)


def _rejected(name: str, finding: Diagnostic) -> Environment:
    return Environment(name, empty_node(name), rejected=replace(finding, subject=name))


def empty_node(name: str) -> SourceNode:
    """The node of an environment without content."""
    source = Source(name, b"")
    positions = PositionMap(source.locate)
    positions.add(0, 0)
    return SourceNode({}, (), positions, 0, name)


def _malformed(finding: Diagnostic) -> Diagnostic:
    return replace(finding, code="malformed-yaml") if finding.code == "invalid-yaml" else finding


def all_notes(environments: Sequence[Environment]) -> list[Note]:
    """The notes of the reader on all files."""
    return [note for environment in environments for note in environment.notes]
