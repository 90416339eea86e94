"""The public names of a module as a stub file would have them: signatures, with what the docstrings begin with."""

from __future__ import annotations

import inspect
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Any, ForwardRef

from lamina.views.schemas.json_schema import member_docs

if TYPE_CHECKING:
    from collections.abc import Iterator

_WIDTH = 110

MODULES = (
    "lamina",
    "lamina.plugin",
    "lamina.plugin.operators",
    "lamina.plugin.formats",
    "lamina.plugin.hierarchy",
    "lamina.plugin.references",
    "lamina.plugin.settings",
    "lamina.plugin.extensions",
)

_START = """# Signatures

Made from the program: the public names of Lamina, as a stub file would have them. [The Python interface](api.md) and
[lamina.plugin](plugin.md) say what they are for; what these two pages do not name may change between releases.
"""


def as_page() -> str:
    """The signatures of all modules that others import."""
    return "\n".join([_START, *(f"## {name}\n\n```python\n{stub_of(name)}```\n" for name in MODULES)])


def stub_of(module_name: str) -> str:
    """The public names of a module, in the order of `__all__`."""
    module = import_module(module_name)
    names = [name for name in module.__all__ if not name.startswith("__")]
    entries = ["\n".join(_entry(name, getattr(module, name))) for name in names]
    return "\n".join(f"{entry}\n" if "\n" in entry else entry for entry in entries if entry).strip() + "\n"


def _entry(name: str, value: Any) -> Iterator[str]:
    if inspect.isclass(value) and value.__name__ == name:
        yield from _class(name, value)
    elif inspect.isfunction(value):
        yield from _function(name, value, "")
    elif not inspect.ismodule(value):
        yield f"{name}: {'type' if inspect.isclass(value) else type(value).__name__}"


def _class(name: str, kind: type) -> Iterator[str]:
    bases = ["NamedTuple" if hasattr(kind, "_fields") and base is tuple else base.__name__ for base in kind.__bases__]
    bases = [base for base in bases if base not in ("object", "Generic")]
    yield f"class {name}{'(' + ', '.join(bases) + ')' if bases else ''}:"
    about = _first_sentence(kind)
    members = list(_members(kind))
    if about:
        yield f'    """{about}"""'
    yield from members or ([] if about else ["    ..."])


def _members(kind: type) -> Iterator[str]:
    if issubclass(kind, Enum):
        yield from (f"    {member.name} = {member.value!r}" for member in kind)
        return
    texts = member_docs(kind)
    for field, written in inspect.get_annotations(kind).items():
        if not field.startswith("_"):
            about = f"  # {_sentence(texts[field])}" if field in texts else ""
            yield from _comment_above(f"    {field}: {_written(written)}", about)
    for name, member in vars(kind).items():
        if isinstance(member, property) and not name.startswith("_"):
            result = inspect.get_annotations(member.fget).get("return", "Any") if member.fget else "Any"
            about = f"  # {text}" if (text := _first_sentence(member)) else ""
            yield from _comment_above(f"    {name}: {_written(result)}", about)
    for name, member in vars(kind).items():
        plain = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        own = name == "__init__" and "__dataclass_fields__" not in vars(kind)
        if inspect.isfunction(plain) and (own or not name.startswith("_")):
            yield from _function(name, plain, "    ", type(member).__name__)


def _comment_above(line: str, comment: str) -> list[str]:
    if len(line) + len(comment) <= _WIDTH:
        return [line + comment]
    return ["    " + comment.strip(), line]


def _function(name: str, value: Any, indent: str, kind: str = "function") -> Iterator[str]:
    if kind in ("classmethod", "staticmethod"):
        yield f"{indent}@{kind}"
    signature = inspect.signature(value)
    parts = list(_parameters(signature))
    result = "" if name == "__init__" else f" -> {_written(signature.return_annotation)}"
    line = f"{indent}def {name}({', '.join(parts)}){result}: ..."
    if len(line) > _WIDTH:
        inside = "".join(f"{indent}    {part},\n" for part in parts)
        line = f"{indent}def {name}(\n{inside}{indent}){result}: ..."
    yield line
    if name != "__init__" and (about := _first_sentence(value)):
        yield f"{indent}    # {about}"


def _parameters(signature: inspect.Signature) -> Iterator[str]:
    """The parameters as they are written, with the marks between kinds."""
    parameters = list(signature.parameters.values())
    starred = any(each.kind is each.VAR_POSITIONAL for each in parameters)
    for at, each in enumerate(parameters):
        if each.kind is each.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        yield _parameter(each)
        following = parameters[at + 1].kind if at + 1 < len(parameters) else None
        if each.kind is each.POSITIONAL_ONLY and following is not each.POSITIONAL_ONLY:
            yield "/"


def _parameter(each: inspect.Parameter) -> str:
    mark = "*" if each.kind is each.VAR_POSITIONAL else "**" if each.kind is each.VAR_KEYWORD else ""
    written = "" if each.annotation is each.empty else f": {_written(each.annotation)}"
    if each.default is each.empty:
        return f"{mark}{each.name}{written}"
    default = _default(each.default)
    return f"{mark}{each.name}{written} = {default}" if written else f"{each.name}={default}"


def _default(value: Any) -> str:
    """A default as it is written; objects without a form of their own are left out."""
    text = repr(value)
    return "..." if text.startswith("<") or len(text) > 40 else text


def _written(annotation: Any) -> str:
    if annotation is inspect.Signature.empty:
        return "Any"
    if isinstance(annotation, ForwardRef):
        return annotation.__forward_arg__
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _first_sentence(value: Any) -> str:
    about = value.__doc__ or ""
    return "" if about.startswith(f"{getattr(value, '__name__', '')}(") else _sentence(about)


def _sentence(text: str) -> str:
    return " ".join(text.strip().partition("\n\n")[0].split())
