"""Templates: the types of parameters, and nothing else of them.

A template has one version key. `heat_template_version` brings types in small letters, the two older keys bring the
CloudFormation names for the same types. Only `type` counts: defaults, constraints, `hidden`, `immutable` and tags play
no part in merging. An attached file without a version key is no template and is passed over; one that has it and is
not a template Heat takes makes Heat refuse the whole request, and so does one that is too large, template or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina._support import suggestions
from lamina.engine.node import SourceNode
from lamina.errors import Diagnostic, InputError
from lamina.paths import show_key
from lamina.sources import document_cache
from lamina.values import word_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lamina.origins import Origin
    from lamina.sources.source import Source

STRING: Final = "string"
NUMBER: Final = "number"
LIST: Final = "comma_delimited_list"
JSON: Final = "json"
BOOLEAN: Final = "boolean"

_HOT: Final = {kind: kind for kind in (STRING, NUMBER, LIST, JSON, BOOLEAN)}
_CFN: Final = {"String": STRING, "Number": NUMBER, "CommaDelimitedList": LIST, "Json": JSON, "Boolean": BOOLEAN}

_HOT_VERSIONS: Final = (
    *("2013-05-23", "2014-10-16", "2015-04-30", "2015-10-15", "2016-04-08", "2016-10-14", "newton"),
    *("2017-02-24", "ocata", "2017-09-01", "pike", "2018-03-02", "queens", "2018-08-31", "rocky"),
    *("2021-04-16", "wallaby"),
)
_VERSIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "heat_template_version": _HOT_VERSIONS,
    "HeatTemplateFormatVersion": ("2012-12-12",),
    "AWSTemplateFormatVersion": ("2010-09-09",),
}

_BEGIN: Final = "begin with heat_template_version: 2018-08-31"

MAX_SIZE: Final = 512 * 1024
"""How many characters an attached file may have; Heat's own default."""


@dataclass(frozen=True, slots=True)
class Declared:
    """The type of a parameter, and where a template says so."""

    kind: str
    origin: Origin | None


Types = dict[str, Declared]
"""The declared parameters by name."""


class BadTemplateError(Exception):
    """A template Heat would refuse; says why."""

    def __init__(self, finding: Diagnostic) -> None:
        super().__init__(finding)
        self.finding = finding


def types_from(root: Source | None, attached: Iterable[Source]) -> Types:
    """All declared parameters: of the attached files the later one wins, and the root template wins over all."""
    types: Types = {}
    for source in attached:
        check_size(source)
        node = template_node(source)
        if node is not None:
            types.update(declared(node))
    if root is not None:
        types.update(declared(_root_node(root)))
    return types


def check_size(source: Source) -> None:
    """Refuse an attached file that is too large."""
    if len(source.data) > MAX_SIZE and len(source.data.decode("utf-8", "replace")) > MAX_SIZE:
        raise BadTemplateError(
            Diagnostic(
                code="invalid-template",
                message=f"{source.name} is larger than {MAX_SIZE // 1024} KiB, so Heat refuses the whole request",
                at=source.locate(0, 0),
                hint="split it, or have max_template_size raised in heat.conf",
                subject=source.name,
            )
        )


def template_node(source: Source) -> SourceNode | None:
    """The template in a file, or None if it holds none."""
    try:
        document = document_cache.yaml_document_text_dates(source)
    except InputError:
        return None
    if not isinstance(document.value, dict) or not any(key in document.value for key in _VERSIONS):
        return None
    return SourceNode(document.value, (), document.tape, 0, source.name)


def _root_node(source: Source) -> SourceNode:
    try:
        document = document_cache.yaml_document_text_dates(source)
    except InputError as error:
        finding = error.diagnostic
        raise BadTemplateError(_bad(finding.message, finding.at, source.name, finding.hint)) from None
    if not isinstance(document.value, dict):
        message = f"a template must be a mapping, not {word_for(document.value)}"
        raise BadTemplateError(_bad(message, document.origin, source.name, _BEGIN))
    return SourceNode(document.value, (), document.tape, 0, source.name)


def declared(node: SourceNode) -> Types:
    """The parameters a template declares."""
    key = _version_key(node)
    section, field, words = (
        ("parameters", "type", _HOT) if key == "heat_template_version" else ("Parameters", "Type", _CFN)
    )
    parameters = node.value.get(section)
    if not parameters:
        return {}
    holder = node.child(section)
    if not isinstance(parameters, dict) or not isinstance(holder, SourceNode):
        message = f"{section} must be a mapping, not {word_for(parameters)}"
        hint = f"write NAME: {{{field}: {next(iter(words))}}}, one parameter a line"
        raise BadTemplateError(_bad(message, node.key_origin(section), node.layer, hint))
    return {name: _declared(holder, name, schema, field, words) for name, schema in parameters.items()}


def _declared(holder: SourceNode, name: Any, schema: Any, field: str, words: Mapping[str, str]) -> Declared:
    origin = holder.key_origin(name)
    if not isinstance(schema, dict) or schema.get(field) is None:
        message = f"the parameter {show_key(name)} has no type"
        raise BadTemplateError(_bad(message, origin, holder.layer, f"write {field}: one of {', '.join(words)}"))
    kind = schema[field]
    if not isinstance(kind, str) or kind not in words:
        hint = suggestions.meant(str(kind).lower(), words)
        message = f"the parameter {show_key(name)} has the unknown type {kind!r}"
        raise BadTemplateError(_bad(message, origin, holder.layer, f"{hint}known types: {', '.join(words)}"))
    return Declared(words[kind], origin)


def _version_key(node: SourceNode) -> str:
    found = [key for key in _VERSIONS if isinstance(node.value.get(key), str)]
    if len(found) != 1:
        message = f"a template needs one version key, this one has {' and '.join(found) or 'none'}"
        raise BadTemplateError(_bad(message, node.origin(), node.layer, _BEGIN))
    key = found[0]
    if node.value[key] not in _VERSIONS[key]:
        message = f"{key} {node.value[key]!r} is none that Heat knows"
        meant = suggestions.meant(node.value[key], _VERSIONS[key])
        hint = f"{meant}known versions: {', '.join(_VERSIONS[key])}"
        raise BadTemplateError(_bad(message, node.key_origin(key), node.layer, hint))
    return key


def _bad(message: str, at: Origin | None, name: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic(
        code="invalid-template", message=f"{name} is no valid template: {message}", at=at, hint=hint, subject=name
    )
