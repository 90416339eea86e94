"""The tags of Compose: `!reset` removes what earlier files set at its key, `!override` replaces it as a whole.

A tag is an instruction about its key and no part of the value. So the text of a tag is blanked before the file is
read, which leaves every position as it is; and what it says becomes a rule for the one path, in this layer only. Tags
inside of lists say nothing about a path; they are left for the reader to reject.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from yaml import events

from lamina import plugin as lp
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Iterator

PRESETS: Final = ("docker-compose",)
"""The presets of tools that know the tags."""
_WORDS: Final = {"!reset": "delete", "!override": "take"}
"""How a value with a tag is merged."""
_LINE: Final = re.compile(r"[^\n\r\x85\u2028\u2029]*(?:\r\n|[\n\r\x85\u2028\u2029]|\Z)")
"""A line with its end, as YAML counts them."""


def may_have_tags(source: lp.Source) -> bool:
    """Whether a file may have any of the tags."""
    return any(tag.encode() in source.data for tag in _WORDS)


def tagged_paths(source: lp.Source) -> list[tuple[lp.Path, str, lp.Origin]]:
    """The paths of the values that have a tag, with how they are merged and where the tag is."""
    if not may_have_tags(source):
        return []
    return [(path, _WORDS[tag], source.locate(mark.line, mark.column)) for path, tag, mark in _tagged(source) if path]


def without_tags(source: lp.Source) -> lp.Source:
    """The file with blanks in the place of the tags."""
    lines = _LINE.findall(source.data.decode("utf-8", "surrogateescape"))
    for _, tag, mark in _tagged(source):
        line = lines[mark.line]
        lines[mark.line] = line[: mark.column] + line[mark.column :].replace(tag, " " * len(tag), 1)
    return lp.Source(source.name, "".join(lines).encode("utf-8", "surrogateescape"))


@dataclass(slots=True)
class _TaggedHolder:
    """A collection that is being read: its path, and the key whose value comes next."""

    path: lp.Path | None
    """None inside of lists."""
    is_mapping: bool
    key: str | None = None


def _tagged(source: lp.Source) -> Iterator[tuple[lp.Path, str, Any]]:
    """The paths of the values that have a tag, outside of lists, each with the tag and where it begins."""
    stack: list[_TaggedHolder] = []
    for event in lpf.yaml_events(source, lpf.Limits()):
        if isinstance(event, events.CollectionEndEvent):
            stack.pop()
        elif isinstance(event, events.NodeEvent):
            path = _path_of(event, stack)
            tag = getattr(event, "tag", None)
            if tag in _WORDS and path is not None:
                yield path, tag, event.start_mark
            if isinstance(event, events.CollectionStartEvent):
                stack.append(_TaggedHolder(path, isinstance(event, events.MappingStartEvent)))


def _path_of(event: events.NodeEvent, stack: list[_TaggedHolder]) -> lp.Path | None:
    """The path of a value; None for a key, and inside of lists."""
    if not stack:
        return ()
    holder = stack[-1]
    if holder.is_mapping and holder.key is None:
        holder.key = str(getattr(event, "value", ""))
        return None
    key, holder.key = holder.key, None
    return None if holder.path is None or key is None else (*holder.path, key)
