"""The forms findings are written in."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest

from lamina.dialects import registry as dialects
from lamina.errors import Diagnostic, Severity
from lamina.origins import Origin
from lamina.sources.inputs import gather
from lamina.views.lint.api import Linted, lint_with
from lamina.views.lint.formats.data import as_json
from lamina.views.lint.formats.github import as_github
from lamina.views.lint.formats.sarif import as_sarif
from lamina.views.lint.formats.text import as_text
from lamina.views.lint.selection import Selection

FINDINGS = (
    Diagnostic(
        code="type-change",
        message="a is 100% odd,\nreally: odd",
        at=Origin("a folder/b,c:d.yaml", 3, 5, "part-001"),
        path=("a", 0, "b"),
        related=(("the other one", Origin("other.yaml", 1, 1)),),
        hint="mend it",
        severity=Severity.WARNING,
    ),
    Diagnostic(code="some-note", message="nowhere in particular", severity=Severity.INFO),
)

TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
LOCATION = {
    "type": "object",
    "required": ["physicalLocation"],
    "properties": {
        "id": {"type": "integer", "minimum": 0},
        "message": TEXT,
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation", "region"],
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "required": ["uri"],
                    "additionalProperties": False,
                    "properties": {"uri": {"type": "string", "format": "uri-reference", "pattern": "^[^\\s]+$"}},
                },
                "region": {
                    "type": "object",
                    "required": ["startLine"],
                    "additionalProperties": False,
                    "properties": {
                        "startLine": {"type": "integer", "minimum": 1},
                        "startColumn": {"type": "integer", "minimum": 1},
                    },
                },
            },
            "additionalProperties": False,
        },
        "logicalLocations": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["fullyQualifiedName"],
                "additionalProperties": False,
                "properties": {"fullyQualifiedName": {"type": "string"}},
            },
        },
    },
    "additionalProperties": False,
}
RULE = {
    "type": "object",
    "required": ["id"],
    "additionalProperties": False,
    "properties": {
        "id": {"type": "string", "pattern": "^[a-z0-9-]+$"},
        "shortDescription": TEXT,
        "fullDescription": TEXT,
        "defaultConfiguration": {
            "type": "object",
            "required": ["level"],
            "additionalProperties": False,
            "properties": {"level": LEVEL},
        },
    },
}
RESULT = {
    "type": "object",
    "required": ["ruleId", "message"],
    "additionalProperties": False,
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": LEVEL,
        "message": TEXT,
        "locations": {"type": "array", "items": LOCATION},
        "relatedLocations": {"type": "array", "uniqueItems": True, "items": LOCATION},
    },
}
SARIF = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "additionalProperties": False,
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "additionalProperties": False,
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "additionalProperties": False,
                                "properties": {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "rules": {"type": "array", "uniqueItems": True, "items": RULE},
                                },
                            }
                        },
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "results": {"type": "array", "items": RESULT},
                },
            },
        },
    },
}
"""The parts of SARIF 2.1.0 that are written, as its specification has them; nothing else may appear."""


@pytest.fixture
def linted() -> Linted:
    chosen = dialects.find("cloud-init")
    inputs = gather([("a.yaml", "#cloud-config\nmerge_how: list(extend)+dict()+str()\npassword: hunter22\n")])
    found = lint_with(chosen, inputs, dialects.make_options(chosen, {}), Selection())
    return Linted((*FINDINGS, *found.findings), found.rules)


def test_sarif_has_the_parts_the_specification_asks_for(linted: Linted) -> None:
    data = json.loads(as_sarif(linted))
    jsonschema_rs.validator_for(SARIF).validate(data)


def test_the_schema_can_fail(linted: Linted) -> None:
    data = json.loads(as_sarif(linted))
    data["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    with pytest.raises(jsonschema_rs.ValidationError):
        jsonschema_rs.validator_for(SARIF).validate(data)


def test_every_sarif_result_points_at_its_rule(linted: Linted) -> None:
    run = json.loads(as_sarif(linted))["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert len(run["results"]) == len(linted.findings)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert len({rule["id"] for rule in rules}) == len(rules)


def test_sarif_names_files_as_references(linted: Linted) -> None:
    result = json.loads(as_sarif(linted))["runs"][0]["results"][0]
    assert result["level"] == "warning"
    place = result["locations"][0]["physicalLocation"]
    assert place == {
        "artifactLocation": {"uri": "a%20folder/b%2Cc%3Ad.yaml"},
        "region": {"startLine": 3, "startColumn": 5},
    }
    assert "locations" not in json.loads(as_sarif(linted))["runs"][0]["results"][1]


def test_github_commands_escape_what_would_end_them() -> None:
    assert as_github(Linted(FINDINGS, ())).splitlines() == [
        "::warning file=a folder/b%2Cc%3Ad.yaml,line=3,col=5,title=lamina type-change"
        "::a is 100%25 odd,%0Areally: odd%0Amend it",
        "::notice title=lamina some-note::nowhere in particular",
    ]


def test_json_holds_everything() -> None:
    data: dict[str, Any] = json.loads(as_json(Linted(FINDINGS, ())))
    assert data["version"] == 1
    assert data["counts"] == {"error": 0, "warning": 1, "info": 1}
    assert data["findings"][0] == {
        "code": "type-change",
        "severity": "warning",
        "message": "a is 100% odd,\nreally: odd",
        "at": {"source": "a folder/b,c:d.yaml", "line": 3, "column": 5, "part": "part-001"},
        "path": "a[0].b",
        "related": [{"message": "the other one", "at": {"source": "other.yaml", "line": 1, "column": 1}}],
        "hint": "mend it",
        "subject": None,
        "consequences": [],
        "targets": [],
    }
    assert data["findings"][1]["at"] is None


def test_text_groups_by_file_and_ends_with_counts() -> None:
    assert as_text(Linted(FINDINGS, ())).splitlines() == [
        "a folder/b,c:d.yaml",
        "  3:5 warning: a is 100% odd,",
        "  really: odd [type-change] (part-001)",
        "    other.yaml:1:1: the other one",
        "    hint: mend it",
        "",
        "(no file)",
        "  info: nowhere in particular [some-note]",
        "",
        "1 warning, 1 info in 1 file",
    ]
    assert as_text(Linted((), ())) == "no findings\n"
