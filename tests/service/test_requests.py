"""Requests made from the OpenAPI document: whatever is sent, the server does not fail."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lamina.service.explorer.announcements import EVENTS
from service.servers import LAYERING_POLICY, Server, document

EXAMPLES = 200 if os.environ.get("LAMINA_FAULTS") == "long" else 20


@pytest.mark.slow
def test_no_request_makes_the_server_fail(server: Server, tmp_path: Path) -> None:
    server.put("m", LAYERING_POLICY, document("a"), document("b", "{y: [1, 2]}"))
    server.put("n", document("c"))
    server.call("POST", "/revisions/1/tags/t")
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "run", f"{server.url}/openapi.json"),
        *("--checks", "not_a_server_error,status_code_conformance,content_type_conformance"),
        *("--max-examples", str(EXAMPLES), "--seed", "7", "--no-color", "--suppress-health-check", "all"),
        *("--exclude-path", EVENTS),  # an answer without an end
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_document_describes_what_is_answered(server: Server) -> None:
    described = json.loads(server.send("GET", "/openapi.json").body)
    operations = {path: set(methods) for path, methods in described["paths"].items()}
    assert operations["/api/v1.0/revisions/{revision}/tags/{tag}"] == {"get", "post", "delete"}
    assert operations[EVENTS] == {"get"}
    names = [each["operationId"] for path in described["paths"].values() for each in path.values()]
    assert len(names) == len(set(names))
    listed = described["paths"]["/api/v1.0/revisions"]["get"]
    shape = listed["responses"]["200"]["content"]["application/x-yaml"]["schema"]
    assert shape == {"$ref": "#/components/schemas/Revisions"}
    assert {each["name"] for each in listed["parameters"]} == {"limit", "tag", "sort", "order", "newest", "before"}
    assert "422" not in json.dumps(described)


@pytest.mark.parametrize(
    "dest", ["{path: '.x[0]'}", "{path: .x, pattern: (}", "{path: '.x[?(@.a)]'}"], ids=["index", "pattern", "path"]
)
def test_a_substitution_that_cannot_be_carried_out_is_an_error_of_the_documents(server: Server, dest: str) -> None:
    """Deckhand fails with 500, which asks its clients to try again."""
    source = "{schema: example/Kind/v1, name: a, path: .x}"
    takes = document("b", "{x: text}", more=f", substitutions: [{{src: {source}, dest: {dest}}}]")
    server.put("m", LAYERING_POLICY, document("a", "{x: taken}"), takes)
    reply = server.call("GET", "/revisions/1/rendered-documents")
    assert reply.status == 400
    assert reply.one["details"]["errorType"] == "UnknownSubstitutionError"
    assert reply.one["retry"] is False


def test_a_report_on_many_violations_has_a_bounded_size(sqlite: str) -> None:
    schema = (
        "schema: deckhand/DataSchema/v1\nmetadata: {schema: metadata/Control/v1, name: example/Kind/v1}\n"
        "data: {properties: {rows: {items: {type: integer}}}}\n"
    )
    rows = [f"{number}".zfill(60) for number in range(1000)]
    with Server(sqlite, "--quiet") as server:
        assert server.put("b", LAYERING_POLICY, schema, document("a", f"{{rows: {rows}}}")).status == 200
        reply = server.call("GET", "/revisions/1/rendered-documents")
    assert reply.status == 400
    # The list around each of the thousand violations would be some 60 MB.
    assert len(reply.body) < 20_000_000
    listed = reply.body.decode()
    assert "errorCount: 1000" in listed
    assert "Left out, since the report is long." in listed
