"""JSON Patch parts (RFC 6902): operations on what was merged before them, all or nothing.

The first line, exactly `#cloud-config-jsonp`, is removed, and the rest must be strict JSON: a list of operations. The
library that cloud-init uses decides whether it is a valid patch; the operations are applied here, so that every value
has its origin.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.cloudinit.cloud_config import LIMIT_CODES, dropped
from lamina.dialects.cloudinit.deep_copy import deep_copied
from lamina.dialects.cloudinit.patch_step import Patch, PatchOperation
from lamina.engine.node import ComputedNode, SourceNode
from lamina.engine.plan import Directive, OnFault
from lamina.errors import Diagnostic, InputError, Message
from lamina.sources import document_cache
from lamina.sources.source import Starts

if TYPE_CHECKING:
    from lamina.dialects.cloudinit.part_walker import Part
    from lamina.engine.node import Node
    from lamina.engine.plan import Fail
    from lamina.run import Run
    from lamina.sources.document import Document
    from lamina.sources.source import Source

PREFIX: Final = "#cloud-config-jsonp"
_SHAPE: Final = 'write [{"op": "add", "path": "/key", "value": ...}, ...]'

FAULTS: Final = MappingProxyType(
    {
        "malformed": Message(
            code="bad-json-patch",
            message="operation {number} of {layer}: {detail}; {layer} is dropped",
            hint=_SHAPE.replace("{", "{{").replace("}", "}}"),
        ),
        "no-such-place": Message(
            code="json-patch-conflict",
            message="operation {number} of {layer} cannot be applied: {detail}; all of {layer} is dropped",
            hint="compare the path with the result of the parts before it (`lamina explain` shows it)",
        ),
        "unequal": Message(
            code="json-patch-test-failed",
            message="operation {number} of {layer}: the test failed: {detail}; all of {layer} is dropped",
            hint="change the value that the test expects, or remove the test",
        ),
        "cyclic": Message(
            code="cyclic-alias",
            message="operation {number} of {layer}: {detail}, and Lamina does not support recursive values",
            hint="move it elsewhere, or write the shared value out wherever it is used",
        ),
    }
)


def patch_step(part: Part, run: Run) -> Patch | Fail:
    """The step that applies a patch, or the one that drops it with a reason."""
    body = _body(part.source)
    try:
        document = document_cache.json_document(body, run)
    except InputError as error:
        found = error.diagnostic
        if found.code in LIMIT_CODES:
            raise
        return dropped(_bad(f"it is not valid JSON: {found.message}", found.at, found.hint), part.name)
    plain = _grouped(document, body)
    problem = _problem(plain)
    # The same patch may be applied twice, and must not add the same object twice.
    root = SourceNode(deep_copied(document.value), (), document.positions, 0, part.name)
    if problem:
        code, message = problem
        return dropped(_bad(message, root.origin(), _SHAPE, code), part.name)
    changes = tuple(_change(root, position, operation) for position, operation in enumerate(plain))
    return Patch(
        directive=Directive(f"JSON patch of {len(changes)} operations", root.origin()),
        changes=changes,
        faults=FAULTS,
        subject=part.name,
        on_fault=OnFault.SKIP,
    )


def _bad(message: str, at: Any, hint: str | None, code: str = "bad-json-patch") -> Diagnostic:
    return Diagnostic(code=code, message=message, at=at, hint=hint)


def _body(source: Source) -> Source:
    """The text after the first word, as an inner source."""
    text = source.data.decode("utf-8", "surrogateescape")
    start = len(text) - len(text.lstrip())
    if text.startswith(PREFIX, start):
        start += len(PREFIX)
    line = text.count("\n", 0, start)
    column = start - (text.rfind("\n", 0, start) + 1)
    # Bytes that are not UTF-8 are carried along as lone surrogates, which JSON can only hold as escapes.
    data = text[start:].encode("utf-8", "backslashreplace")
    return source.inner_source(None, data, Starts(((line, column), (line + 1, 0))))


def _grouped(document: Document, body: Source) -> Any:
    """The plain patch; a repeated key has the list of all values, as the library reads it."""
    if not document.notes:
        return document.value
    import json

    def group(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, list[Any]] = {}
        for key, value in pairs:
            found.setdefault(key, []).append(value)
        return {key: values[0] if len(values) == 1 else values for key, values in found.items()}

    return json.loads(body.data, object_pairs_hook=group)


def _problem(plain: Any) -> tuple[str, str] | None:
    """The code and the message for a patch that is invalid as a whole; None if it is valid."""
    from jsonpatch import JsonPatch, JsonPatchException, JsonPointerException

    try:
        JsonPatch(plain)
    except JsonPointerException as error:
        # A path that is not a pointer is of the same kind as one that leads nowhere.
        return "json-patch-conflict", str(error)
    except (JsonPatchException, TypeError, AttributeError, KeyError) as error:
        return "bad-json-patch", _problem_text(plain, error)
    return None


def _problem_text(plain: Any, error: Exception) -> str:
    """The message for a malformed patch; the library's own message only for errors inside an operation."""
    if not isinstance(plain, list):
        return "a JSON patch must be a list of operations"
    if not all(isinstance(operation, dict) for operation in plain):
        return "every operation must be a mapping"
    words = str(error) or type(error).__name__
    return words[0].lower() + words[1:]


def _change(root: SourceNode, position: int, operation: dict[str, Any]) -> PatchOperation:
    node = root.child(position)
    source: tuple[str, ...] = ()
    problem: tuple[str, str] | None = None
    if operation["op"] in ("move", "copy"):
        try:
            source = _tokens(operation["from"])
        except (KeyError, TypeError):
            problem = ("malformed", f"{operation['op']} needs a path under 'from'")
        except ValueError as error:
            problem = ("no-such-place", str(error))
    return PatchOperation(
        operation=operation["op"],
        path=_tokens(operation["path"]),
        source=source,
        value=_value(node, operation),
        node=node,
        problem=problem,
    )


def _value(node: Node, operation: dict[str, Any]) -> Node | None:
    if "value" not in operation:
        return None
    written = node.child("value")
    if written.value is operation["value"] or written.value == operation["value"]:
        return written
    return ComputedNode(operation["value"], (), (node,), "all values of a duplicate key")


def _tokens(pointer: Any) -> tuple[str, ...]:
    from jsonpointer import JsonPointer, JsonPointerException

    try:
        return tuple(JsonPointer(pointer).parts)
    except JsonPointerException as error:
        raise ValueError(str(error)) from None
