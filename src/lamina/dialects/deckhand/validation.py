"""Validation: documents against Deckhand's schemas and against DataSchema documents.

Before rendering every document must have a schema and metadata of the right form, no two may have the same schema,
layer and name, and control documents must have the data their kind asks for. After rendering, if asked for, concrete
documents are checked against the schema of their kind: Deckhand's own, or a DataSchema document of that name.

A compiled validator checks first, and nearly all documents pass; its findings are checked again, since it differs from
Deckhand's in details (see `draft4`). Messages do not contain secrets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from lamina._support.json_schema.draft4 import path_to, to_check
from lamina.dialects.deckhand import messages, schemas
from lamina.dialects.deckhand.document import DATA_SCHEMA, SiteDocument
from lamina.paths import NonStringKey, child
from lamina.plugin import Diagnostic, InputError, show
from lamina.plugin.formats import LimitReached, Schema, UnusableSchema, check_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from jsonschema_rs import Draft4Validator

    from lamina._support.json_schema.violations import Violation
    from lamina.budget import Budget
    from lamina.plugin import Message, Path

_BEFORE: Final = "invalid-document-format"
_AFTER: Final = "invalid-document-format-post-render"
_TYPES: Final = {date: "a date", datetime: "a date and time", bytes: "binary", set: "a set"}
_VERSION_OF_METADATA = "v1"
_LISTED: Final = 1_000
"""How many violations are listed in a run, but for the first one of each document."""

_METADATA: Final = {"document": schemas.DOCUMENT, "documented": schemas.DOCUMENTED, "control": schemas.CONTROL}

_JSON: Final = (str, int, float, dict, list, type(None))
Finding = tuple[SiteDocument, Diagnostic]


def _not_secret(path: Path) -> bool:  # noqa: ARG001 - the signature of a test
    return False


@dataclass(slots=True, eq=False)  # a frozen one takes three times as long to make
class ValidatedDocument:
    """A rendered document."""

    document: SiteDocument
    data: Any
    secret: Callable[[Path], bool] = _not_secret
    """Whether a part of the data is secret."""


@dataclass(frozen=True, slots=True, eq=False)
class SchemaViolation:
    """A violation of the schema of its kind by a rendered document."""

    result: ValidatedDocument
    schema: Any
    violation: Violation

    @property
    def schema_path(self) -> Path:
        """The path of the violated keyword in the schema."""
        keyword = self.violation.keyword.rsplit(" ", 1)[-1]
        keyword = "additionalProperties" if keyword == "patternProperties" else keyword
        return (*path_to(self.violation.within, self.schema, to_check()), keyword)


def before(documents: Sequence[SiteDocument], *, documented: bool) -> list[Finding]:
    """The errors of documents as they are written."""
    schema_documents = [_as_written(document) for document in documents if document.schema.startswith(DATA_SCHEMA)]
    checks = _Checks(schema_documents, _BEFORE, documented)
    seen: dict[tuple[str, str, str], SiteDocument] = {}
    for document in documents:
        if document.control or not (_is_known_to_pass(document) and isinstance(document.value.get("data"), _JSON)):
            each = _as_written(document)
            if not checks.form(each) and document.control:
                checks.data(each)
        first = seen.setdefault(document.meta, document)
        if first is not document:
            checks.found.append(
                (
                    document,
                    messages.DUPLICATE_DOCUMENT.at(
                        document.origin(), subject=document.title, related=[("the first one is here", first.origin())]
                    ),
                )
            )
    return checks.found


def _as_written(document: SiteDocument) -> ValidatedDocument:
    return ValidatedDocument(document, document.value.get("data"))


def _is_known_to_pass(document: SiteDocument) -> bool:
    if document.passes is None:
        document.passes = _passes(document)
    return document.passes


def form_of(document: SiteDocument) -> list[Diagnostic]:
    """The errors in the form of one document, independent of its kind and of other documents."""
    checks = _Checks((), _BEFORE, documented=False)
    checks.form(_as_written(document))
    return [finding for _, finding in checks.found]


def after(rendered: Sequence[ValidatedDocument], *, documented: bool, checked: bool) -> list[Diagnostic]:
    """The errors of rendered documents; their form is not checked again if it was before."""
    checks = _Checks(rendered, _AFTER, documented)
    if checked:
        checks.found.clear()
    for each in rendered:
        if not (checks.type_of_data(each) if checked else checks.form(each)):
            checks.data(each)
    return [finding for _, finding in checks.found]


def schema_violations(rendered: Sequence[ValidatedDocument]) -> tuple[list[SchemaViolation], list[Diagnostic]]:
    """The violations of rendered documents, and the errors of the schemas themselves."""
    checks = _Checks(rendered, _AFTER, documented=False)
    for each in rendered:
        if not checks.type_of_data(each):
            checks.data(each)
    return checks.schema_violations, [finding for _, finding in checks.found if finding.code != _AFTER]


@cache
def _both(control: bool) -> Draft4Validator:
    """The schemas of a document and of its metadata in one: most documents pass both at once."""
    from jsonschema_rs import Draft4Validator

    metadata = schemas.CONTROL if control else schemas.DOCUMENT
    known = {"schema": {"pattern": f"/{_VERSION_OF_METADATA}$"}}
    inside = {"properties": {"metadata": {"allOf": [metadata, {"properties": known}]}}}
    return Draft4Validator({"allOf": [schemas.BASE, inside]})


def _passes(document: SiteDocument) -> bool:
    """Whether the compiled validator finds nothing; it cannot check dates, nor keys that are not strings."""
    try:
        value = {"schema": document.value.get("schema"), "metadata": document.value.get("metadata")}
        return _both(document.control).is_valid(value)
    except ValueError:
        return False


class _KindSchema:
    """The schema of a kind of documents, and the document it is from unless it is Deckhand's own."""

    def __init__(self, root: Any, budget: Budget, document: SiteDocument | None = None) -> None:
        self.schema = Schema(root, budget)
        self.document = document
        self.checked = document is None
        self.broken = False
        """Whether the schema cannot be used."""


class _Checks:
    """The checks of one stage, and their findings."""

    def __init__(self, data_schemas: Iterable[ValidatedDocument], code: str, documented: bool) -> None:
        self.found: list[Finding] = []
        self.schema_violations: list[SchemaViolation] = []
        self._code = code
        self._documented = documented
        self._budget = to_check()
        self._base = Schema(schemas.BASE, self._budget)
        self._metadata_schemas = {kind: Schema(schema, self._budget) for kind, schema in _METADATA.items()}
        self._listed = 0
        self._data_schemas: dict[str, ValidatedDocument] = {}
        self._kinds: dict[str, _KindSchema | None] = {}
        for each in data_schemas:
            if each.document.schema.startswith(DATA_SCHEMA):
                self._register(each)

    def _register(self, checked: ValidatedDocument) -> None:
        """Register a DataSchema document; the first one of a name is used, and Deckhand's own before it."""
        name = checked.document.name
        if not re.match(schemas.SCHEMA_NAME, name) or not checked.data:
            return
        if name.rsplit("/", 1)[1] not in schemas.VERSIONS:
            versions = " or ".join(schemas.VERSIONS)
            self._add(
                checked.document, messages.UNKNOWN_SCHEMA_VERSION, ("metadata", "name"), name=name, listed=versions
            )
        elif name not in schemas.KINDS:
            self._data_schemas.setdefault(name, checked)

    def form(self, checked: ValidatedDocument) -> bool:
        """Whether anything is wrong with the form of a document, whatever its kind."""
        try:
            return self._form(checked)
        except LimitReached as error:
            raise _too_complex(checked.document, None, error) from None

    def _form(self, checked: ValidatedDocument) -> bool:
        document, known = checked.document, len(self.found)
        if _is_known_to_pass(document):
            # Who passes the program's schema passes that of the manual, too.
            return self.type_of_data(checked)
        value: dict[str, Any] = {"schema": document.value.get("schema"), "metadata": document.value.get("metadata")}
        kind = "control" if document.control else "documented" if self._documented else "document"
        self._list(document, self._base, value, ())
        if len(self.found) == known:
            self._metadata(document, kind, value["metadata"])
        self.type_of_data(checked)
        return len(self.found) > known

    def type_of_data(self, checked: ValidatedDocument) -> bool:
        """Whether the data is of no type that JSON has."""
        if isinstance(checked.data, _JSON):
            return False
        kind = _TYPES.get(type(checked.data), type(checked.data).__name__)
        self._add(checked.document, messages.NOT_A_JSON_TYPE, ("data",), kind=kind)
        return True

    def _metadata(self, document: SiteDocument, kind: str, metadata: dict[Any, Any]) -> None:
        named = metadata["schema"]
        if named.rsplit("/", 1)[1] == _VERSION_OF_METADATA:
            self._list(document, self._metadata_schemas[kind], metadata, ("metadata",))
            return
        words = {"named": named, "version": _VERSION_OF_METADATA}
        self._add(document, messages.UNKNOWN_METADATA_SCHEMA, ("metadata", "schema"), **words)

    def data(self, checked: ValidatedDocument) -> None:
        """Check the data of a document by the schema of its kind; abstract ones are exempt."""
        document = checked.document
        kind = None if document.abstract else self._kind(document)
        if kind is None or kind.broken:
            return
        try:
            if not kind.checked:
                self._check_schema(kind, document)
            if not kind.broken:
                self._list(document, kind.schema, checked.data, ("data",), checked.secret, checked)
        except UnusableSchema as error:
            path = path_to(kind.schema.current, kind.schema.root, self._budget)
            self._unusable(kind, document, str(error), ("data", *path))
        except LimitReached as error:
            raise _too_complex(document, kind.document, error) from None

    def _kind(self, document: SiteDocument) -> _KindSchema | None:
        """The schema for documents of a kind, if there is one."""
        name = document.schema
        if name not in self._kinds:
            own = self._data_schemas.get(name)
            if name in schemas.KINDS:
                self._kinds[name] = _KindSchema(schemas.KINDS[name], self._budget)
            else:
                self._kinds[name] = _KindSchema(own.data, self._budget, own.document) if own else None
        return self._kinds[name]

    def _check_schema(self, kind: _KindSchema, document: SiteDocument) -> None:
        kind.checked = True
        problem = check_schema(kind.schema.root, self._budget)
        if problem is not None:
            self._unusable(kind, document, problem.message(), ("data", *problem.path))

    def _list(
        self,
        document: SiteDocument,
        schema: Schema,
        value: Any,
        prefix: Path,
        secret: Callable[[Path], bool] = _not_secret,
        result: ValidatedDocument | None = None,
    ) -> None:
        """List what is wrong with a part of a document: at least the first violation, whatever the number of others,
        since a document without findings counts as valid."""
        for number, violation in enumerate(schema.violations(value)):
            self._listed += 1
            if number and self._listed > _LISTED:
                return
            path = (*prefix, *violation.path)
            if result is not None:
                self.schema_violations.append(SchemaViolation(result, schema.root, violation))
            hidden = secret(violation.path)
            hint = f"see the DataSchema {document.schema}" if hidden else _hint(violation)
            shown = (*prefix, *_shown_path(violation.path, value))
            problem = violation.message(secret=hidden)
            if self._listed == _LISTED:
                problem += " (from here on, only the first violation of each document is listed)"
            self._add(document, messages.SCHEMA_VIOLATION, path, shown, problem=problem, hint=hint)

    def _add(
        self, document: SiteDocument, message: Message, path: Path, shown: Path | None = None, **words: Any
    ) -> None:
        """Add a finding; an error in the form of documents has the code of the stage."""
        finding = message.at(
            document.origin(*path),
            path,
            subject=document.title,
            document=document.title or "a document",
            shown=show(path if shown is None else shown),
            **words,
        )
        in_form = finding.code == _BEFORE
        self.found.append((document, replace(finding, code=self._code) if in_form else finding))

    def _unusable(self, kind: _KindSchema, document: SiteDocument, reason: str, path: Path) -> None:
        """Report once that a schema cannot be used; Deckhand stops there with its own error."""
        kind.broken = True
        holder = kind.document or document
        finding = messages.UNUSABLE_SCHEMA.at(
            holder.origin(*path),
            path,
            subject=holder.title,
            related=[("this document would be checked against it", document.origin())],
            shown_path=show(_shown_path(path, holder.value)),
            reason=reason,
        )
        self.found.append((holder, finding))


def _hint(violation: Violation) -> str:
    """What to do about it."""
    if violation.keyword == "pattern" and violation.wanted == schemas.SCHEMA_NAME:
        return "write NAMESPACE/KIND/vNUMBER, such as example/Kind/v1"
    return violation.hint or "correct it, or render what can be rendered with --validate report"


def _shown_path(path: Path, value: Any) -> Path:
    """A path for messages: keys that are numbers are distinct from positions."""
    steps: list[Any] = []
    for step in path:
        steps.append(NonStringKey(str(step)) if isinstance(value, dict) and not isinstance(step, str) else step)
        value = child(value, step)
    return tuple(steps)


def _too_complex(document: SiteDocument, schema: SiteDocument | None, error: LimitReached) -> InputError:
    """A schema can be made to branch without end, so this is an error however documents are validated."""
    checked = f" against {schema.title}" if schema else ""
    return InputError(
        messages.DATA_SCHEMA_TOO_COMPLEX.at(
            schema.origin("data") if schema else document.origin(),
            subject=document.title,
            related=(("this document was being checked", document.origin()),) if schema else (),
            checked=checked,
            error=error,
        )
    )
