"""JSON Schemas of types: typed dictionaries, lists, pairs, literals, unions, and what is in their annotations.

A typed dictionary has exactly the members that it declares. Texts below a member, and the docstring of a type, describe
them; a dictionary in `Annotated` is taken over into the schema.
"""

from __future__ import annotations

import ast
import inspect
import re
from itertools import pairwise
from textwrap import dedent
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

_SIMPLE: Final = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


def schema_of_type(kind: type) -> dict[str, Any]:
    """The schema of a typed dictionary, with the definitions of all others that it uses."""
    types = _Definitions()
    schema = types.members(kind)
    return {**schema, **({"$defs": types.found} if types.found else {})}


def member_docs(kind: type) -> dict[str, str]:
    """The texts below the members of a class, those of the classes it is made from included."""
    found: dict[str, str] = {}
    for each in reversed(getattr(kind, "__orig_bases__", ())):
        if is_typeddict(each):
            found |= member_docs(each)
    try:
        (tree,) = ast.parse(dedent(inspect.getsource(kind))).body
    except (OSError, ValueError):
        return found
    members = getattr(tree, "body", [])
    for member, text in pairwise(members):
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name) and isinstance(text, ast.Expr):
            value = text.value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                found[member.target.id] = _one_line(value.value)
    return found


def _one_line(text: str) -> str:
    return " ".join(text.split())


def type_name(kind: type) -> str:
    """What a type is called in schemas: in small letters, with underscores."""
    bare = re.sub(r"(Data|Table)$", "", kind.__name__)
    return re.sub(r"(?<=.)(?=[A-Z])", "_", bare).lower()


class _Definitions:
    """The schemas of the types that a type uses."""

    def __init__(self) -> None:
        self.found: dict[str, dict[str, Any]] = {}

    def members(self, kind: type) -> dict[str, Any]:
        """The schema of a typed dictionary itself."""
        docs = member_docs(kind)
        declared = get_type_hints(kind, include_extras=True)
        keys: frozenset[str] = kind.__required_keys__  # type: ignore[attr-defined]
        required = [name for name, each in declared.items() if name in keys and get_origin(each) is not NotRequired]
        about = kind.__doc__ if kind.__doc__ != dict.__doc__ else None
        schema: dict[str, Any] = {"description": _one_line(about)} if about else {}
        schema["type"] = "object"
        if required:
            schema["required"] = required
        schema["properties"] = {
            name: self._schema(each) | ({"description": docs[name]} if name in docs else {})
            for name, each in declared.items()
        }
        return {**schema, "additionalProperties": False}

    def _schema(self, kind: Any) -> dict[str, Any]:
        origin, inside = get_origin(kind), get_args(kind)
        if kind is Any:
            return {}
        if isinstance(kind, type) and kind in _SIMPLE:
            return {"type": _SIMPLE[kind]}
        if is_typeddict(kind):
            return self._reference(kind)
        if origin is NotRequired:
            return self._schema(inside[0])
        if origin is Annotated:
            return self._schema(inside[0]) | {key: value for each in inside[1:] for key, value in each.items()}
        if origin is Literal:
            return {"const": inside[0]} if len(inside) == 1 else {"enum": list(inside)}
        if origin in (Union, UnionType):
            return self._union(inside)
        return self._collection(origin, inside)

    def _reference(self, kind: type) -> dict[str, Any]:
        name = type_name(kind)
        if name not in self.found:
            self.found[name] = {}  # it may use itself
            self.found[name] = self.members(kind)
        return {"$ref": f"#/$defs/{name}"}

    def _union(self, kinds: tuple[Any, ...]) -> dict[str, Any]:
        schemas = [self._schema(kind) for kind in kinds]
        if all(list(schema) == ["type"] for schema in schemas):
            return {"type": [schema["type"] for schema in schemas]}
        if all("enum" in schema or schema == {"type": "null"} for schema in schemas):
            return {"enum": [word for schema in schemas for word in schema.get("enum", [None])]}
        return {"anyOf": schemas}

    def _collection(self, origin: Any, inside: tuple[Any, ...]) -> dict[str, Any]:
        if origin is list:
            return {"type": "array", "items": self._schema(inside[0])}
        if origin is tuple:
            items = [self._schema(each) for each in inside]
            return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
        if origin is dict:
            names = self._schema(inside[0])
            limited = {"propertyNames": {"enum": names["enum"]}} if "enum" in names else {}
            values = self._schema(inside[1])
            return {"type": "object", **limited, **({"additionalProperties": values} if values else {})}
        raise TypeError(f"{origin} has no schema")
