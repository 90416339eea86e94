"""Completion: the keys that other files use at the same path, and those that the system itself knows there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from lamina.protocol.extensions import known_keys_of
from lamina.views.diff.phrases import count
from lamina.workspace.outline import entries_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.editor.open_project import OpenProject
    from lamina.paths import Path
    from lamina.workspace.outline import OutlineEntry

_BEGUN: Final = re.compile(r"(?P<indent>(?: |- )*)(?P<begun>[\w.:/-]*)$")
_MOST: Final = 200


def completion(project: OpenProject, path: str, position: types.Position) -> types.CompletionList | None:
    """The keys that may be meant where one is being written."""
    text = project.text_of(path)
    line = text.line(position.line)[: text.column_of(position)]
    begun = _BEGUN.match(line)
    if begun is None or project.workspace.file(path) is None:
        return None
    outline = project.workspace.outline(path)
    place = _place(outline, position.line + 1, len(begun["indent"]), is_item="-" in begun["indent"])
    there = {
        each.path[-1] for each in entries_of(outline) if each.path[:-1] == place and each.line != position.line + 1
    }
    found: dict[str, types.CompletionItem] = {}
    for name, about in _known(project, path, place):
        found[name] = _item(name, about)
    for name, uses in project.workspace.keys_at(place):
        detail = f"in {count(uses, 'document')}"
        found.setdefault(name, _item(name, detail)).detail = detail
    items = [item for name, item in found.items() if name not in there][:_MOST]
    return types.CompletionList(is_incomplete=len(found) > _MOST, items=items)


def _item(name: str, about: str) -> types.CompletionItem:
    return types.CompletionItem(
        name, kind=types.CompletionItemKind.Property, insert_text=f"{name}: ", documentation=about or None
    )


def _place(outline: Iterable[OutlineEntry], line: int, indent: int, *, is_item: bool) -> Path:
    """The path of the mapping that a key on a line with this indentation is in."""
    around: OutlineEntry | None = None
    for entry in entries_of(list(outline)):
        if entry.line < line and not entry.is_document and entry.column - 1 < indent:
            inner = [each for each in entry.inside if each.line < line]
            if entry.last_line >= line - 1 or not _has_between(outline, entry, line):
                around = entry
                last = inner[-1] if inner else None
                beside = last is not None and last.column - 1 == indent and len(last.path) == len(entry.path) + 2
                step: Path = (0,) if is_item or beside else ()
                place = (*entry.path, *step)
    return () if around is None else place


def _has_between(outline: Iterable[OutlineEntry], entry: OutlineEntry, line: int) -> bool:
    """Whether something that is no further in than an entry begins between it and a line."""
    return any(entry.line < each.line < line and each.column <= entry.column for each in entries_of(list(outline)))


def _known(project: OpenProject, path: str, place: Path) -> Iterable[tuple[str, str]]:
    """The keys that the systems of the targets that read a file know."""
    readers = project.workspace.readers_of(path)
    targets = [each.target for each in project.workspace.seen().outcomes if each.target.name in readers]
    systems = {each.dialect: each.system for each in targets}
    for system in systems.values():
        keys = known_keys_of(system)
        if keys is not None:
            yield from ((each.name, each.about) for each in keys(place))
