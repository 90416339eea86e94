"""Findings as SARIF 2.1.0, the form code-scanning services read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from lamina.errors import Severity
from lamina.paths import show
from lamina.sources.json.writer import dump
from lamina.version import VERSION
from lamina.views.lint.formats.groups import message_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.protocol.lint import LintRule
    from lamina.views.lint.api import Linted
    from lamina.views.lint.fixes import PlacedEdit

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.INFO: "note", Severity.WARNING: "warning", Severity.ERROR: "error"}


def as_sarif(linted: Linted) -> str:
    """One run with the rules that were looked for and a result for each finding."""
    rules = {rule.code: _rule_data(rule) for rule in linted.rules}
    for note in linted.causes:
        # Notes that rendering gives have no rule of their own here; a name is all SARIF needs.
        rules.setdefault(note.code, {"id": note.code})
    numbers = {code: number for number, code in enumerate(rules)}
    driver = {"name": "Lamina", "version": VERSION, "rules": list(rules.values())}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [
            {**_result_data(note, numbers), **_fix_data(note, linted.edits), **_targets_data(note, linted.targets)}
            for note in linted.causes
        ],
    }
    return dump({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule_data(rule: LintRule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "shortDescription": {"text": f"{rule.title}."},
        "fullDescription": {"text": rule.about},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result_data(note: Note, numbers: Mapping[str, int]) -> dict[str, Any]:
    text = message_of(note)
    data: dict[str, Any] = {
        "ruleId": note.code,
        "ruleIndex": numbers[note.code],
        "level": _LEVELS[note.severity],
        "message": {"text": text},
    }
    if note.at:
        location = _location(note.at)
        if note.path:
            location["logicalLocations"] = [{"fullyQualifiedName": show(note.path)}]
        data["locations"] = [location]
    if note.related:
        data["relatedLocations"] = [
            {"id": number, "message": {"text": label}, **_location(origin)}
            for number, (label, origin) in enumerate(note.related, start=1)
        ]
    return data


def _fix_data(note: Note, edits: Mapping[Note, PlacedEdit] | None) -> dict[str, Any]:
    """The edit that fixes a finding, in the form SARIF has for it."""
    edit = edits.get(note) if edits else None
    if edit is None:
        return {}
    (start, column), (end, end_column) = edit.start, edit.end
    region = {"startLine": start, "startColumn": column, "endLine": end, "endColumn": end_column}
    change = {
        "artifactLocation": {"uri": quote(_bytes_of(edit.source))},
        "replacements": [{"deletedRegion": region, "insertedContent": {"text": edit.text}}],
    }
    return {"fixes": [{"description": {"text": edit.title}, "artifactChanges": [change]}]}


def _targets_data(note: Note, targets: Mapping[Note, tuple[str, ...]] | None) -> dict[str, Any]:
    """The targets of a finding, as SARIF has it for what it does not know."""
    return {} if targets is None else {"properties": {"targets": list(targets[note])}}


def _location(origin: Origin) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(_bytes_of(origin.source))},
            "region": {"startLine": origin.line, "startColumn": origin.column},
        }
    }


def _bytes_of(name: str) -> bytes:
    """A file name as the file system has it; lone surrogates are bytes that are not UTF-8."""
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return name.encode("utf-8", "surrogatepass")
