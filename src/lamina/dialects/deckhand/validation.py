"""Validation: documents against Deckhand's schemas and against those they bring along.

Before rendering every document must have a schema and metadata of the right form, no two may have the same schema,
layer and name, and control documents must have the data their kind asks for. After rendering, if asked for, concrete
documents are checked against the schema of their kind: Deckhand's own, or a DataSchema document of that name.

Each schema is made ready once. Messages name what was found as Python writes it, as people know them from Deckhand;
what a secret holds is not repeated.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from lamina._support import suggestions
from lamina.dialects.deckhand import schemas
from lamina.dialects.deckhand.document import DATA_SCHEMA, SiteDocument
from lamina.errors import Diagnostic
from lamina.paths import show
from lamina.values import word_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from jsonschema_rs import Draft4Validator, ValidationError

    from lamina.paths import Path

_CODE = "invalid-document-format"
_VERSION_OF_METADATA = "v1"


def before(documents: Iterable[SiteDocument], *, documented: bool) -> list[tuple[SiteDocument, Diagnostic]]:
    """What is wrong with documents as they are written."""
    documents = list(documents)
    data_schemas = DataSchemas(documents)
    found: list[tuple[SiteDocument, Diagnostic]] = []
    seen: dict[tuple[str, str, str], SiteDocument] = {}
    for document in documents:
        wrong = list(_form(document, documented))
        if not wrong and document.control:
            wrong = list(data_schemas.check(document, document.value.get("data")))
        first = seen.setdefault(document.meta, document)
        if first is not document:
            wrong.append(_duplicate(document, first))
        found.extend((document, finding) for finding in wrong)
    return found


def _form(document: SiteDocument, documented: bool) -> Iterator[Diagnostic]:
    value: dict[str, Any] = {"schema": document.value.get("schema"), "metadata": document.value.get("metadata")}
    if not documented or document.control:
        both = _both(document.control)
        if both is not None and _valid(both, value):
            return
    wrong = list(_check(_ready("base"), value))
    if not wrong:
        version = value["metadata"]["schema"].rsplit("/", 1)[1]
        if version != _VERSION_OF_METADATA:
            named = value["metadata"]["schema"]
            hint = f"write metadata/Document/{_VERSION_OF_METADATA} or metadata/Control/{_VERSION_OF_METADATA}"
            yield _finding(document, f"the metadata schema {named} is not known", ("metadata", "schema"), hint)
            return
        kind = "control" if document.control else "documented" if documented else "document"
        wrong = [(text, hint, ("metadata", *path)) for text, hint, path in _check(_ready(kind), value["metadata"])]
    for text, hint, path in wrong:
        yield _finding(document, text, path, hint)


@cache
def _ready(name: str) -> Draft4Validator:
    made = {
        "base": schemas.BASE,
        "document": schemas.DOCUMENT,
        "documented": schemas.DOCUMENTED,
        "control": schemas.CONTROL,
    }
    return _validator(made[name])


@cache
def _both(control: bool) -> Draft4Validator | None:
    """The schemas of a document and of its metadata in one: most documents pass both, and are looked at once."""
    metadata = schemas.CONTROL if control else schemas.DOCUMENT
    known = {"schema": {"pattern": f"/{_VERSION_OF_METADATA}$"}}
    inside = {"properties": {"metadata": {"allOf": [metadata, {"properties": known}]}}}
    return _validator({"allOf": [schemas.BASE, inside]})


def _validator(schema: Any) -> Draft4Validator:
    from jsonschema_rs import Draft4Validator

    return Draft4Validator(schema)


def _valid(validator: Draft4Validator, value: Any) -> bool:
    try:
        return validator.is_valid(value)
    except ValueError:
        return validator.is_valid(_jsonable(value))


def _check(validator: Draft4Validator, value: Any) -> Iterator[tuple[str, str, Path]]:
    """What a validator finds, in words, what to do, and where."""
    try:
        errors = list(validator.iter_errors(value))
    except ValueError:
        # Dates and keys that are no text: JSON has none, and neither fits a schema that asks for text.
        value = _jsonable(value)
        errors = list(validator.iter_errors(value))
    for error in errors:
        path = tuple(error.instance_path)
        found = _at(value, path)
        yield words_for(error, found), _remedy(error, found), path


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _jsonable(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _jsonable(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_jsonable(inner) for inner in value]
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    return {"a value JSON has no word for": str(value)}


def words_for(error: ValidationError, found: Any, *, secret: bool = False) -> str:
    """A finding of the validator in words; what was found is only called by its kind if it is secret."""
    shown = word_for(found) if secret else _short(found)
    wanted = error.kind.value
    match error.kind.name:
        case "required":
            return f"{wanted!r} is a required property"
        case "type":
            return f"{shown} is not of type {', '.join(repr(kind) for kind in wanted)}"
        case "enum":
            return f"{shown} is not one of {wanted!r}"
        case "pattern":
            return f"{shown} does not match {wanted!r}"
        case "additionalProperties":
            listed = ", ".join(repr(name) for name in wanted)
            return (
                f"Additional properties are not allowed ({listed} {'was' if len(wanted) == 1 else 'were'} unexpected)"
            )
        case "minItems" | "minProperties" if wanted == 1:
            return f"{shown} should be non-empty"
        case "anyOf" | "oneOf":
            return f"{shown} is not valid under any of the given schemas"
        case name:
            return f"{shown} breaks {name}" + ("" if wanted is None else f" {wanted!r}")


def _short(value: Any, limit: int = 120) -> str:
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _remedy(error: ValidationError, found: Any) -> str:
    """What to do about a finding of the validator."""
    wanted = error.kind.value
    match error.kind.name:
        case "required":
            return f"add {wanted}"
        case "enum":
            return suggestions.meant(found, wanted, f"write one of {', '.join(str(word) for word in wanted)}")
        case "type":
            return "quotes make a text of a number or a boolean, and leaving them out makes it one"
        case "pattern" if wanted == schemas.SCHEMA_NAME:
            return "write NAMESPACE/KIND/vNUMBER, such as example/Kind/v1"
        case "additionalProperties":
            return "remove it, or correct its name"
        case _:
            return "correct it; --validate report renders what can be rendered all the same"


def _finding(document: SiteDocument, message: str, path: Path, hint: str) -> Diagnostic:
    return Diagnostic(
        code=_CODE,
        message=f"{document.title or 'a document'}: {show(path)}: {message}",
        at=document.origin(*path),
        path=path,
        hint=hint,
        subject=document.title,
    )


def _duplicate(document: SiteDocument, first: SiteDocument) -> Diagnostic:
    return Diagnostic(
        code=_CODE,
        message=f"{document.title}: Duplicate document exists: schema, layer and name are the same",
        at=document.origin(),
        related=(("the first one is here", first.origin()),),
        hint="remove one of them, or give it another name",
        subject=document.title,
    )


class DataSchemas:
    """The schemas of kinds: Deckhand's own, and those the set brings along; the first of a name counts."""

    def __init__(self, documents: Iterable[SiteDocument]) -> None:
        self._schemas: dict[str, Any] = dict(schemas.KINDS)
        self._ready: dict[str, Draft4Validator | str] = {}
        self.broken: list[tuple[SiteDocument, Diagnostic]] = []
        for document in documents:
            data = document.value.get("data")
            if document.schema.startswith(DATA_SCHEMA) and re.match(schemas.SCHEMA_NAME, document.name) and data:
                self._schemas.setdefault(document.name, data)

    def check(
        self,
        document: SiteDocument,
        data: Any,
        secret: Callable[[Path], bool] = lambda path: False,  # noqa: ARG005
    ) -> Iterator[Diagnostic]:
        """What is wrong with the data of a document; `secret` tells what of it must not be repeated."""
        validator = self._validator(document.schema)
        if validator is None:
            return
        if isinstance(validator, str):
            hint = f"correct the DataSchema {document.schema}; it must be a JSON Schema of draft 4"
            yield _finding(document, f"its DataSchema cannot be used: {validator}", ("schema",), hint)
            return
        try:
            errors = list(validator.iter_errors(data))
        except ValueError:
            data = _jsonable(data)
            errors = list(validator.iter_errors(data))
        for error in errors:
            path = tuple(error.instance_path)
            found, hidden = _at(data, path), secret(path)
            hint = f"see the DataSchema {document.schema}" if hidden else _remedy(error, found)
            yield _finding(document, words_for(error, found, secret=hidden), ("data", *path), hint)

    def _validator(self, schema: str) -> Draft4Validator | str | None:
        if schema not in self._schemas:
            return None
        known = self._ready.get(schema)
        if known is None:
            try:
                known = _validator(self._schemas[schema])
            except Exception as error:  # whatever the validator makes of a schema from data
                known = str(error).partition("\n")[0]
            self._ready[schema] = known
        return known
