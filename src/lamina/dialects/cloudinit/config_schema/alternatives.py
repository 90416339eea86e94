"""Alternatives: schemas with several forms, and which of them a value was probably meant to have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lamina._support.json_schema.draft4 import Schema
    from lamina._support.json_schema.violations import Violation

_WORDS: Final = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "a boolean",
    "null": "null",
    "array": "a list",
    "object": "a mapping",
}
_LISTED: Final = 12
"""How many words are listed."""


def fits(form: Any, value: Any, schema: Schema) -> bool:
    """Whether a value fits a form in a schema."""
    return next(schema.violations(value, form), None) is None


def closest(forms: Sequence[Any], value: Any, schema: Schema) -> list[Violation] | None:
    """The violations of the form that the value is closest to; None if its type is wrong for all forms."""
    best: list[Violation] | None = None
    for form in forms:
        found = list(schema.violations(value, form))
        if any(not each.path and each.keyword in ("type", "enum") for each in found):
            continue
        if best is None or len(found) < len(best):
            best = found
    return best


def words_for(forms: Iterable[Any], root: dict[str, Any]) -> str:
    """The accepted types as text: `a string, a list or null`."""
    words = list(dict.fromkeys(word for form in forms for word in _words(form, root)))
    if len(words) > _LISTED:
        words = [*words[:_LISTED], "…"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}" if words else "something else"


def _words(form: Any, root: dict[str, Any]) -> list[str]:
    form = resolved(form, root)
    if not isinstance(form, dict):
        return []
    if isinstance(form.get("enum"), list):
        return [_literal(value) for value in form["enum"]]
    if "pattern" in form:
        return [f"a string that matches {form['pattern']}"]
    if "type" in form:
        names = [form["type"]] if isinstance(form["type"], str) else form["type"]
        return [_WORDS.get(name, str(name)) for name in names]
    inner = form.get("oneOf") or form.get("anyOf") or form.get("allOf") or ()
    return [word for each in inner for word in _words(each, root)]


def resolved(form: Any, root: dict[str, Any]) -> Any:
    """A form with its reference resolved; references lead to the schema itself, which was already checked."""
    seen = 0
    while isinstance(form, dict) and isinstance(form.get("$ref"), str) and seen < _LISTED:
        seen += 1
        part: Any = root
        for name in form["$ref"].removeprefix("#/").split("/"):
            part = part.get(name) if isinstance(part, dict) else None
        form = part
    return form


def _literal(value: Any) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)
