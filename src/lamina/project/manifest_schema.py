"""The schema of manifests, `fleet.schema.json`, and the messages for its violations."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from lamina._support.suggestions import nearest
from lamina.engine.node import SourceNode
from lamina.errors import Diagnostic, InputError
from lamina.protocol.dialect import unknown
from lamina.values import word_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jsonschema_rs import Draft202012Validator, ValidationError

MANIFEST_HINT = (
    "write dialect: NAME, perhaps options: {...} and inputs: [FILE, ...], and nodes: a list, or a file of lines"
)
NODE_HINT = 'a node is {"name": NAME, "inputs": [FILE, ...], "options": {...}}; options are optional'

_IN_MANIFEST = {
    "dialect": "dialect must be the name of a dialect",
    "options": "options must be a mapping of the dialect's options",
    "inputs": "inputs must be a list of paths",
    "nodes": "nodes must be a list, or the name of a file of JSON lines",
}
_IN_NODE = {
    "name": "a node needs a name, which is a string",
    "inputs": "the inputs of {name} must be a list of paths",
    "options": "the options of {name} must be a mapping",
}


@cache
def _schema() -> dict[str, Any]:
    text = files(__package__).joinpath("fleet.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


@cache
def _validator(of_node: bool) -> Draft202012Validator:
    from jsonschema_rs import Draft202012Validator

    schema = _schema()
    return Draft202012Validator({"$ref": "#/$defs/node", "$defs": schema["$defs"]} if of_node else schema)


def check_manifest(manifest: SourceNode) -> None:
    """Reject a manifest that violates the schema, with all errors."""
    _check(manifest, of_node=False)


def check_node(node: SourceNode) -> None:
    """Reject the entry of a node that violates the schema, with all errors."""
    _check(node, of_node=True)


def known_fields() -> frozenset[str]:
    """The fields a manifest may have."""
    return frozenset(_fields(of_node=False))


def is_node(value: Any) -> bool:
    """Whether a value is a valid entry of a node."""
    return bool(_validator(True).is_valid(_outline(value)))


def _check(root: SourceNode, of_node: bool) -> None:
    errors = _validator(of_node).iter_errors(_outline(root.value))
    findings = [finding for error in errors for finding in _findings(root, error, of_node)]
    if findings:
        raise InputError.of(findings)


def _outline(value: Any) -> Any:
    """The value with JSON types, as deep as the schema goes; the only scalars the schema accepts are strings."""
    if type(value) is str and value.isascii():  # as nearly all are
        return value
    if isinstance(value, dict):
        return {_text(key): _options(item) if key == "options" else _outline(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_outline(item) for item in value]
    return _text(value) if isinstance(value, str) else None


def _text(value: Any) -> str:
    """A string that UTF-8 can encode: a lone surrogate may be written as an escape."""
    if type(value) is str and value.isascii():
        return value
    return str(value).encode("utf-8", "replace").decode()


def _options(value: Any) -> Any:
    """The options, reduced to what is checked here: a mapping with string keys. The dialect checks the rest."""
    return {} if isinstance(value, dict) and all(isinstance(key, str) for key in value) else None


def _findings(root: SourceNode, error: ValidationError, of_node: bool) -> Iterator[Diagnostic]:
    holder, path = root, error.instance_path
    if not of_node and len(path) > 1 and path[0] == "nodes":
        holder, path, of_node = _inside(root, path[:2]), path[2:], True
    keyword = error.schema_path[-1]
    if keyword == "additionalProperties":
        yield from _unknown_fields(holder, of_node)
        return
    field = path[0] if path else None
    if keyword == "required":
        field = "name" if of_node else "nodes"
        if any(nearest(key, _fields(of_node)) == field for key in holder.value):
            return  # it is there, with a typing error that is reported as an unknown field
    yield Diagnostic(
        code="bad-manifest",
        message=_message(holder.value, field, of_node),
        at=_inside(holder, path).origin(),
        hint=NODE_HINT if of_node else MANIFEST_HINT,
    )


def _inside(node: SourceNode, path: Sequence[str | int]) -> SourceNode:
    for key in path:
        inner = node.child(key)
        assert isinstance(inner, SourceNode)  # the schema found something there
        node = inner
    return node


def _message(value: Any, field: str | int | None, of_node: bool) -> str:
    if field is not None:
        message = (_IN_NODE if of_node else _IN_MANIFEST)[str(field)]
        return message.format(name=_name(value)) if of_node else message
    if of_node:
        return f"a node is a mapping of name, inputs and options, not {word_for(value)}"
    return f"a manifest is a mapping of {', '.join(_fields(of_node))}, not {word_for(value)}"


def _name(value: dict[Any, Any]) -> str:
    name = value.get("name")
    return name if isinstance(name, str) and name else "a node"


def _fields(of_node: bool) -> tuple[str, ...]:
    schema = _schema()
    return tuple((schema["$defs"]["node"] if of_node else schema)["properties"])


def _unknown_fields(holder: SourceNode, of_node: bool) -> Iterator[Diagnostic]:
    known = _fields(of_node)
    for key in holder.value:
        if key not in known:
            near = unknown("field", str(key), known)
            yield Diagnostic(code="bad-manifest", message=near.message, at=holder.key_origin(key), hint=near.hint)
