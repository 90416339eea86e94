"""Archives: a YAML list whose entries are parts.

A string is the body of a part. A mapping has its body under `content`, and may have `type`, `filename` and
`launch-index`; every other key is a header. Without a type the start of the body decides, else it is cloud-config.
Entries of other types are skipped. The content of an entry is used as it is: an archive, an include or gzip inside an
archive is never unpacked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.cloudinit import messages, mime
from lamina.dialects.cloudinit.content_types import CLOUD_CONFIG, sniff
from lamina.dialects.cloudinit.part_walker import Entity, Header
from lamina.dialects.cloudinit.yaml_crash import crashes_on
from lamina.engine.node import SourceNode
from lamina.errors import InputError, MergeError
from lamina.sources import document_cache
from lamina.sources.source import FixedLocation, Starts
from lamina.sources.yaml.block_lines import line_starts
from lamina.values import word_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message

    from lamina.errors import Note
    from lamina.run import Run
    from lamina.sources.source import Source, Within

_OWN: Final = (
    "content",
    "filename",
    "type",
    "launch-index",
    "content-disposition",
    "number-attachments",
    "content-type",
)
_BINARY: Final = "application/octet-stream"


def entries(source: Source, run: Run) -> tuple[list[Entity], list[Note]]:
    """The parts of an archive, and notes on it."""
    try:
        document = document_cache.yaml_document(source, run)
    except InputError as error:
        found = error.diagnostic
        if found.code == "invalid-yaml" and crashes_on(source.data.decode("utf-8", "surrogateescape")):
            message = f"the archive cannot be read: {found.message}; cloud-init stops here"
            raise MergeError(replace(found, message=message)) from None
        note = messages.UNREADABLE_ARCHIVE.at(
            found.at, subject="archive", related=found.related, hint=found.hint, problem=found.message
        )
        return [], [note]
    root = SourceNode(document.value, (), document.positions, 0, source.name)
    if not isinstance(document.value, (list, set)):
        return [], [messages.ARCHIVE_NOT_A_LIST.at(root.origin(), subject="archive")]
    lines = source.data.decode("utf-8", "replace").split("\n")
    notes: list[Note] = list(document.notes)
    return list(_entries(root, lines, notes)), notes


def _entries(root: SourceNode, lines: list[str], notes: list[Note]) -> Iterator[Entity]:
    if isinstance(root.value, set):
        for value in root.value:
            if isinstance(value, str):
                yield _entity(root, root, value, lines)
        return
    for position, value in enumerate(root.value):
        node = root.child(position)
        assert isinstance(node, SourceNode)
        if isinstance(value, str):
            yield _entity(node, node, value, lines)
        elif isinstance(value, dict):
            yield _mapping(node, lines)
        else:
            notes.append(_skipped_entry(node))


def _skipped_entry(node: SourceNode) -> Note:
    return messages.UNEXPECTED_ARCHIVE_ENTRY.at(node.origin(), subject="archive")


def _mapping(node: SourceNode, lines: list[str]) -> Entity:
    """The part that a mapping describes; values on which the program would crash are rejected."""
    entry = node.value
    content = entry.get("content", "")
    if not isinstance(content, (str, bytes)):
        raise _rejected(node, "content", f"the content of an archive entry must be a string, not {word_for(content)}")
    kind = entry.get("type")
    if kind and (not isinstance(kind, str) or "/" not in kind):
        raise _rejected(node, "type", f"the type {kind!r} of an archive entry is not a content type")
    body = node.child("content")
    return _entity(node, body if isinstance(body, SourceNode) else node, content, lines, kind)


def _not_text(node: SourceNode, content: str | bytes, kind: str) -> MergeError:
    if isinstance(content, bytes):
        message, hint = f"is not UTF-8, as {kind} must be", "save the text as UTF-8, or give the entry its real type"
    else:
        message, hint = "has half of a surrogate pair", "write the character itself, or as \\U and eight digits"
    return _rejected(node, "content", f"the content of an archive entry {message}", hint)


def _rejected(
    node: SourceNode,
    key: str,
    message: str,
    hint: str = "write content as a block scalar (content: |) and type as text/cloud-config",
) -> MergeError:
    return MergeError(messages.BAD_ARCHIVE_ENTRY.at(node.key_origin(key) or node.origin(), hint=hint, message=message))


def _entity(
    node: SourceNode, body: SourceNode, content: str | bytes, lines: list[str], kind: str | None = None
) -> Entity:
    entry: dict[Any, Any] = node.value if isinstance(node.value, dict) else {}
    if not kind:
        head = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
        kind = sniff(head) or (_BINARY if isinstance(content, bytes) else CLOUD_CONFIG)
    declared = _declared(kind)
    try:
        data, has_lost_characters = _encoded(content, kind)
    except UnicodeError:
        raise _not_text(node, content, kind) from None
    filename = entry.get("filename")
    return Entity(
        content_type=declared.get_content_type(),
        data=data,
        within=_within(body, content, lines),
        headers=_headers(node, entry),
        filename=None if "filename" not in entry else str(filename).strip(),
        named=mime.named(declared),
        at=(node.positions.lines[node.index], node.positions.columns[node.index]),
        has_lost_characters=has_lost_characters,
    )


def _declared(kind: str) -> Message[str, str]:
    """A message with that type, which may be in any case and carry parameters."""
    from email.message import Message

    message: Message[str, str] = Message()
    message["Content-Type"] = kind
    return message


def _encoded(content: str | bytes, kind: str) -> tuple[bytes, bool]:
    """The bytes of a body, and whether characters were lost: only a type that starts with `text/` keeps all.

    Raises UnicodeError where the program does: for text that is not UTF-8, and for lone surrogates, of which only
    those that stand for bytes pass, and only under another type (see corners3.json).
    """
    is_text = kind.startswith("text/")
    if isinstance(content, bytes):
        if is_text:
            content.decode()
        return content, False
    if is_text or content.isascii():
        return content.encode(), False
    has_surrogates = any("\ud800" <= character <= "\udfff" for character in content)
    return content.encode(*(("ascii", "surrogateescape") if has_surrogates else ("raw-unicode-escape",))), True


def _headers(node: SourceNode, entry: dict[Any, Any]) -> dict[str, Header]:
    headers: dict[str, Header] = {}
    if "launch-index" in entry:
        headers["Launch-Index"] = Header(str(entry["launch-index"]), node.key_origin("launch-index"))
    for key, value in entry.items():
        if not isinstance(key, str):
            raise _rejected(node, key, f"the key {key!r} of an archive entry is not a string")
        if key.lower() in _OWN:
            continue
        if value is not None and not isinstance(value, str):
            raise _rejected(node, key, f"the header {key} of an archive entry must be a string, not {value!r}")
        # Keys that differ only in case all have the value of the first.
        first = next((header for name, header in headers.items() if name.lower() == key.lower()), None)
        headers[key] = first or Header(value or "", node.key_origin(key))
    return headers


def _within(body: SourceNode, content: str | bytes, lines: list[str]) -> Within:
    index = body.positions.resolve(body.index)
    line, column = body.positions.lines[index], body.positions.columns[index]
    starts = line_starts(lines, line, column, content) if isinstance(content, str) else None
    return Starts(starts) if starts else FixedLocation(line, column)
