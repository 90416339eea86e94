"""Templates: only the types of their parameters.

A template has one version key. `heat_template_version` has types in lower case, the two older keys bring the
CloudFormation names for the same types. Only `type` counts: defaults, constraints, `hidden`, `immutable` and tags play
no part in merging (`hidden` means that values are withheld), but a parameter whose schema Heat rejects makes Heat
reject the whole request. An attached file without a version key is not a template and is ignored; one that has it and
is not a template that Heat accepts is rejected, and so is a file that is too large, template or not.

The server reads text that is JSON as JSON and everything else as YAML. The client reads text that begins with `{` as
JSON only, and sends what it has read as JSON, so that names of parameters are strings.
"""

from __future__ import annotations

from base64 import encodebytes
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from lamina._support import suggestions
from lamina.dialects.heat import messages
from lamina.dialects.heat.converted_sources import ConvertedSource
from lamina.dialects.heat.json_values import JsonRoundTrip, length_in_json, spell_key
from lamina.dialects.heat.parameter_schema import STYLES, faults_in, is_plain
from lamina.plugin import Diagnostic, InputError, SourceNode, word_for
from lamina.sources import document_cache

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lamina.dialects.heat.parameter_schema import Style
    from lamina.plugin import Run, Source
    from lamina.plugin.formats import Document

_BEGIN: Final = "start with heat_template_version: 2018-08-31"

MAX_SIZE: Final = 512 * 1024
"""The maximum number of characters of an attached file; Heat's own default."""
SURELY_FITS: Final = MAX_SIZE // 2
"""A file of so many bytes is not too large, however it is sent."""
_MAX_GROWTH: Final = 6
"""How much longer JSON text may be than the file it was made from, aliases aside: a character may become an escape."""

_LIMITS: Final = ("too-deep", "too-many-aliases", "cyclic-alias", "number-too-long", "input-too-large")
"""What only Lamina rejects, not Heat."""


@dataclass(slots=True, eq=False)
class Declared:
    """The type of a parameter, if a template declares it, and whether any template hides its value."""

    kind: str
    hidden: bool = False


Types = dict[str, Declared]
"""The declared parameters by name."""


@dataclass(frozen=True, slots=True, eq=False)
class Attachment:
    """A file sent with the request: the template in it, as the server reads it, and the length of its text."""

    source: Source
    template: SourceNode | None
    size: int


class BadTemplateError(Exception):
    """A template that Heat would reject, with the reason."""

    def __init__(self, finding: Diagnostic, *more: Diagnostic) -> None:
        super().__init__(finding, *more)
        self.findings = (finding, *more)

    @property
    def finding(self) -> Diagnostic:
        return self.findings[0]


def types_from(root: SourceNode | None, attached: Iterable[Attachment]) -> Types:
    """All declared parameters: of the attached files the later one wins, and the root template wins over all."""
    types: Types = {}
    findings: list[Diagnostic] = list(_version_faults(root)) if root is not None else []
    for attachment in attached:
        findings += size_faults(attachment.source, attachment.size)
        if attachment.template is not None:
            findings += _version_faults(attachment.template) or _declare(attachment.template, types)
    if root is not None:
        findings += [] if _version_faults(root) else _declare(root, types)
    if findings:
        raise BadTemplateError(*findings)
    return types


def size_faults(source: Source, size: int) -> list[Diagnostic]:
    """The finding that an attached file is too large, if it is."""
    if size <= MAX_SIZE:
        return []
    return [messages.TEMPLATE_TOO_LARGE.at(source.locate(0, 0), subject=source.name, most=MAX_SIZE // 1024)]


def size_of(source: Source) -> int:
    """How many characters an attached file has; what is not UTF-8 is sent in base64."""
    if len(source.data) <= SURELY_FITS:
        return len(source.data)
    try:
        return len(source.data.decode())
    except UnicodeDecodeError:
        return len(encodebytes(source.data))


def size_in_json(node: SourceNode, source: Source) -> int:
    """How many characters a file has that is sent as JSON."""
    if len(source.data) * _MAX_GROWTH <= MAX_SIZE and not node.positions.aliases:
        return len(source.data)
    return length_in_json(node.value)


def template_node(source: Source, run: Run) -> SourceNode | None:
    """The template in a file as the server reads it, or None if it holds none."""
    document = _document(source, run, json_only=False)
    return _node(document, source) if document is not None and _has_version(document.value) else None


def template_for_client(source: Source, run: Run) -> SourceNode | None:
    """The template in a file as the client reads it, or None if it finds none."""
    document = _document(source, run, json_only=True)
    return _node(document, source) if document is not None and _has_version(document.value) else None


def as_json(node: SourceNode) -> SourceNode:
    """A template as the client sends it."""
    value = JsonRoundTrip().value(node.value)
    return node if value is node.value else ConvertedSource(node, value, spell_key)


def root_node(source: Source, run: Run, *, via_client: bool = False) -> SourceNode:
    """The root template; the client reads it before it is sent."""
    try:
        document = _read(source, run, json_only=via_client)
    except InputError as error:
        finding = error.diagnostic
        exceeds_limit = finding.code in _LIMITS
        bad = _limit_finding(source, finding) if exceeds_limit else _unread(source, finding, via_client=via_client)
        raise BadTemplateError(bad) from None
    if not isinstance(document.value, dict):
        raise BadTemplateError(
            messages.TEMPLATE_NOT_A_MAPPING.at(document.origin, subject=source.name, found=word_for(document.value))
        )
    return _node(document, source)


def _unread(source: Source, finding: Diagnostic, *, via_client: bool) -> Diagnostic:
    hint = finding.hint
    if via_client and finding.code == "invalid-json":
        hint = (
            "Heat's client reads a template that starts with { as JSON; write it as JSON, or without the outer braces"
        )
    return messages.UNREADABLE_TEMPLATE.at(finding.at, subject=source.name, message=finding.message, hint=hint)


def _document(source: Source, run: Run, *, json_only: bool) -> Document | None:
    """The content of a file that may be a template; None if it cannot be read."""
    try:
        return _read(source, run, json_only=json_only)
    except InputError as error:
        if error.diagnostic.code not in _LIMITS or not any(key.encode() in source.data for key in STYLES):
            return None
        # Heat would read it; Lamina has its own limits, and must not ignore what the template declares.
        raise BadTemplateError(_limit_finding(source, error.diagnostic)) from None


def _limit_finding(source: Source, finding: Diagnostic) -> Diagnostic:
    return Diagnostic(
        code=finding.code,
        message=f"the template {source.name} cannot be read: {finding.message}",
        at=finding.at,
        hint=finding.hint,
        subject=source.name,
    )


def _read(source: Source, run: Run, *, json_only: bool) -> Document:
    if source.data.lstrip().startswith(b"{"):
        try:
            return document_cache.json_document(source, run)
        except InputError as error:
            if json_only or error.diagnostic.code != "invalid-json":
                raise
    return document_cache.yaml_document_text_dates(source, run)


def _has_version(value: Any) -> bool:
    return isinstance(value, dict) and any(key in value for key in STYLES)


def _node(document: Document, source: Source) -> SourceNode:
    return SourceNode(document.value, (), document.positions, 0, source.name)


def _declare(node: SourceNode, types: Types) -> list[Diagnostic]:
    """Add the parameters a template declares to the types; what Heat rejects in them."""
    style = style_of(node)
    parameters = node.value.get(style.section)
    if not parameters:
        return []
    holder = node.child(style.section)
    if not isinstance(parameters, dict) or not isinstance(holder, SourceNode):
        return [
            messages.PARAMETERS_NOT_A_MAPPING.at(
                node.key_origin(style.section),
                subject=node.layer,
                section=style.section,
                found=word_for(parameters),
                type=style.type,
                word=next(iter(style.words)),
            )
        ]
    findings = [
        fault
        for name, schema in parameters.items()
        if not is_plain(schema, style)
        for fault in faults_in(holder, name, style)
    ]
    if not findings:
        _add(types, _declared(parameters, style))
    return findings


def _add(types: Types, more: Iterable[tuple[Any, Declared]]) -> None:
    """Declare more parameters; what one template hides stays hidden, whatever another one declares."""
    for name, known in more:
        earlier = types.get(name)
        types[name] = replace(known, hidden=True) if earlier and earlier.hidden else known


def _declared(parameters: Mapping[Any, Any], style: Style) -> Iterator[tuple[Any, Declared]]:
    for name, schema in parameters.items():
        yield name, Declared(style.words[schema[style.type]], _is_hidden(schema))


def _is_hidden(schema: Mapping[Any, Any]) -> bool:
    """Whether a template asks for a value not to be shown; the older templates do so with `NoEcho`, a string."""
    return bool(schema.get("hidden")) or ("NoEcho" in schema and str(schema["NoEcho"]).lower() == "true")


def style_of(node: SourceNode) -> Style:
    """How a template declares parameters; its version is one that Heat knows."""
    key = next(key for key in STYLES if isinstance(node.value.get(key), str))
    return STYLES[key][node.value[key]]


def _version_faults(node: SourceNode) -> list[Diagnostic]:
    found = [key for key in STYLES if isinstance(node.value.get(key), str)]
    if len(found) != 1:
        return [messages.NOT_ONE_VERSION.at(node.origin(), subject=node.layer, listed=" and ".join(found) or "none")]
    key = found[0]
    known = STYLES[key]
    if node.value[key] in known:
        return []
    return [
        messages.UNKNOWN_VERSION.at(
            node.key_origin(key),
            subject=node.layer,
            key=key,
            version=node.value[key],
            suggestion=suggestions.did_you_mean(node.value[key], known),
            listed=", ".join(known),
        )
    ]
