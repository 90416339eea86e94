"""DataSchema documents: nothing is read for them, hostile ones end with a message, and odd ones do as in Deckhand."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina._support.json_schema import draft4
from lamina._support.json_schema.draft4 import LimitReached, Schema, check_schema, to_check
from lamina._support.json_schema.violations import abbreviated
from lamina.errors import Diagnostic

POLICY = """\
---
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: p}
data: {layerOrder: [global, site]}
"""


def data_schema(data: Any, name: str = "example/Kind/v1") -> str:
    written = data if isinstance(data, str) else json.dumps(data)
    return (
        "---\nschema: deckhand/DataSchema/v1\n"
        f"metadata: {{schema: metadata/Control/v1, name: {name}}}\ndata: {written}\n"
    )


def control(data: str, metadata: str = "") -> str:
    """A control document of the kind: those are checked without being asked for."""
    return f"---\nschema: example/Kind/v1\nmetadata: {{schema: metadata/Control/v1, name: c{metadata}}}\ndata: {data}\n"


def document(data: str, abstract: bool = False) -> str:
    return (
        "---\nschema: example/Kind/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: one\n"
        f"  storagePolicy: cleartext\n  layeringDefinition: {{layer: site, abstract: {str(abstract).lower()}}}\n"
        f"data: {data}\n"
    )


def findings(*documents: str, **options: Any) -> tuple[Diagnostic, ...]:
    with pytest.raises(lamina.LaminaError) as raised:
        lamina.render([("site.yaml", POLICY + "".join(documents))], dialect="deckhand", **options)
    return raised.value.diagnostics


def rendered(*documents: str, **options: Any) -> Any:
    return lamina.render([("site.yaml", POLICY + "".join(documents))], dialect="deckhand", **options).value


class Listener:
    """A server that records connections."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}/schema.json"

    def was_called(self) -> bool:
        self._socket.settimeout(0)
        try:
            self._socket.accept()[0].close()
        except BlockingIOError:
            return False
        return True

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()


@pytest.mark.parametrize("command", ["render", "lint", "plan", "explain", "report"])
@pytest.mark.parametrize("post", [False, True])
def test_no_command_connects_to_the_address_in_a_schema(command: str, post: bool, tmp_path: Path) -> None:
    with Listener() as server:
        site = tmp_path / "site.yaml"
        checked = document("{a: 1}") if post else control("{a: 1}")
        reference = {"properties": {"a": {"$ref": server.address}}}
        site.write_text(POLICY + data_schema(reference) + checked)
        options = ["--validate", "reject", *(["--post-validate"] if post and command != "lint" else [])]
        arguments = [command, str(site), "--dialect", "deckhand", *(options if command != "lint" else [])]
        if command == "explain":
            arguments.append("--all")
        if command == "report":
            arguments += ["-o", str(tmp_path / "page.html")]
        ran = subprocess.run(
            [sys.executable, "-m", "lamina", *arguments], capture_output=True, text=True, timeout=120, check=False
        )
        assert not server.was_called()
        if command != "lint" or not post:
            assert "[invalid-data-schema]" in ran.stdout + ran.stderr
            assert ran.returncode in (1, 3)


def test_no_file_is_read_for_a_schema(tmp_path: Path) -> None:
    # If the file were read, the number would be rejected because it is not a string.
    other = tmp_path / "other.json"
    other.write_text('{"type": "string"}')
    for reference in (other.as_uri(), other.name, str(other)):
        schema = {"properties": {"a": {"$ref": reference}}}
        [finding] = findings(data_schema(schema), control("{a: 1}"))
        assert finding.code == "invalid-data-schema"
        assert "does not read schemas from files or URLs" in finding.message
        assert rendered(data_schema(schema), control("{b: 1}"))


def test_a_reference_is_reported_where_it_is_written_and_once() -> None:
    schema = data_schema('\n  properties:\n    a:\n      $ref: "#/definitions/none"')
    many = [document("{a: 1}"), document("{a: 2}").replace("name: one", "name: two")]
    [finding] = findings(schema, *many, post_validate=True)
    assert finding.path == ("data", "properties", "a")
    assert finding.at is not None
    assert finding.at.line == 11
    assert finding.subject == "deckhand/DataSchema/v1/example/Kind/v1"


def branching(levels: int, width: int) -> dict[str, Any]:
    """A small schema that takes width ** levels steps."""
    parts: dict[str, Any] = {"p0": {"type": "string"}}
    for level in range(1, levels + 1):
        parts[f"p{level}"] = {"anyOf": [{"$ref": f"#/definitions/p{level - 1}"}] * width}
    return {"definitions": parts, "$ref": f"#/definitions/p{levels}"}


@pytest.mark.slow
def test_a_schema_that_branches_without_end_stops_with_a_message(tmp_path: Path) -> None:
    site = tmp_path / "site.yaml"
    site.write_text(POLICY + data_schema(branching(14, 4)) + control("{a: 1}"))
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (2 ** 30, 2 ** 30));"
        "from lamina.cli.main import main; main()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, "render", "--dialect", "deckhand", str(site)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 3, ran.stderr
    assert ran.stdout == ""
    assert "a limit of Lamina" in ran.stderr
    assert "[data-schema-too-complex]" in ran.stderr


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (branching(14, 4), {"a": 1}),
        ({"allOf": [{"$ref": "#"}]}, 1),
        ({"uniqueItems": True}, [{"a": n} for n in range(4000)]),
        ({"enum": list(range(3000)), "items": {"enum": list(range(3000))}}, [-1] * 3000),
        ({"pattern": "(a|aa)+$"}, "a" * 100 + "b"),
        ({"pattern": "a{1,2}" * 20_000}, "b"),
    ],
)
def test_work_is_bounded(schema: Any, value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft4, "DEPTH", 100)
    budget = to_check(steps=100_000, seconds=2)
    with pytest.raises(LimitReached):
        list(Schema(schema, budget).violations(value))


def test_addresses_that_multiply_are_counted_with_their_length() -> None:
    """Every way through the alternatives has its own address, by which the reference at its end is remembered."""
    parts: list[Any] = [{"$ref": "http://h/#/end"}]
    for _ in range(16):
        parts = [{"id": f"{letter * 200}/", "anyOf": parts} for letter in "ab"]
    schema = {"id": "http://h/", "end": {"type": "string"}, "anyOf": parts}
    with pytest.raises(LimitReached):
        list(Schema(schema).violations(1))


def test_a_schema_that_expands_to_many_is_not_checked_without_end() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(40):
        schema = {"anyOf": [schema, schema]}
    with pytest.raises(LimitReached):
        check_schema(schema, to_check(steps=100_000))


def test_only_so_many_violations_are_listed() -> None:
    found = findings(data_schema({"items": {"type": "string"}}), control(json.dumps([1] * 3000)))
    assert len(found) == 1000
    assert "only the first" in found[-1].message
    assert "only the first" not in "".join(each.message for each in found[:-1])


@pytest.mark.parametrize("validate", ["reject", "report", "off"])
@pytest.mark.parametrize("one", ["---\n{schema: 1}\n", "---\n{schema: a/B/v1, metadata: {name: 1}}\n"])
def test_every_invalid_document_is_reported_however_many_there_are(one: str, validate: str) -> None:
    documents = [one] * 1001
    found = findings(*documents, validate=validate)
    assert len({each.at.line for each in found if each.at is not None}) == len(documents)
    assert {each.code for each in found} == {"invalid-document-format"}


def test_what_is_shown_of_a_value_is_bounded() -> None:
    value: Any = ["x" * 1000]
    for _ in range(60):
        value = [value, value]
    assert len(abbreviated(value)) == 120
    assert abbreviated({"a": [1, "b", None]}) == "{'a': [1, 'b', None]}"


@pytest.mark.parametrize(
    ("data", "column", "shown"),
    [
        ('{"80": 5}', 14, 'data."80"'),
        ("{80: 5}", 12, "data.(80)"),
        ('{a: {"80": 5}}', 18, 'data.a."80"'),
        ("{a: [{1: {2: x}}]}", 20, "data.a[0].(1).(2)"),
    ],
)
def test_an_error_below_a_key_of_digits_has_its_place(data: str, column: int, shown: str) -> None:
    inner = {"$ref": "#"}
    schema = {"type": ["array", "object"], "additionalProperties": inner, "items": inner}
    [finding] = findings(data_schema(schema), control(data))
    assert finding.code == "invalid-document-format"
    assert finding.at is not None
    assert (finding.at.line, finding.at.column) == (12, column)
    assert f"{shown}: " in finding.message


def test_an_error_below_a_label_that_is_a_number_has_its_place() -> None:
    [finding] = findings(control("1", ", labels: {1: 2}"))
    assert "metadata.labels.(1): 2 is not of type 'string'" in finding.message


def test_keys_that_are_numbers_are_distinguished_from_positions() -> None:
    [finding] = findings(data_schema({"additionalProperties": {"items": {"type": "string"}}}), control("{80: [a, 5]}"))
    assert "data.(80)[1]: 5 is not" in finding.message


@pytest.mark.parametrize("data", ["2020-01-01", "!!binary YQ==", "!!set {a}", "2020-01-01T00:00:00Z"])
def test_data_must_be_of_a_type_that_json_has(data: str) -> None:
    [finding] = findings(document(data))
    assert finding.code == "invalid-document-format"
    assert finding.path == ("data",)
    assert rendered(document(f"[{data}]"))


@pytest.mark.parametrize("data", ["", "hello", "[a]", "true", "5"])
def test_a_data_schema_may_hold_anything_until_it_is_used(data: str) -> None:
    assert rendered(data_schema(data), document("{a: 1}"))
    if data:
        [finding] = findings(data_schema(data), document("{a: 1}"), post_validate=True)
        assert finding.code == "invalid-data-schema"
    else:
        assert rendered(data_schema(data), document("{a: 1}"), post_validate=True)


def test_a_data_schema_for_an_unknown_version_is_an_error() -> None:
    [finding] = findings(data_schema({"type": "object"}, "example/Kind/v3"))
    assert finding.code == "invalid-data-schema"
    assert finding.path == ("metadata", "name")
    assert rendered(data_schema({"type": "object"}, "example/Kind/v2"))
    assert rendered(data_schema({}, "example/Kind/v3"))
    assert rendered(data_schema({"type": "object"}, "example/Kind/v3"), validate=False)


def test_abstract_documents_are_exempt() -> None:
    abstract = ", layeringDefinition: {layer: site, abstract: true}"
    assert rendered(data_schema({"type": "string"}), control("1", abstract))
    assert rendered(data_schema({"type": "string"}), document("1", abstract=True), post_validate=True)


def test_the_data_schema_counts_as_it_is_rendered() -> None:
    # A DataSchema with ordinary metadata is layered like any document, and hidden if it is abstract.
    layering = "layeringDefinition: {layer: site, abstract: true}"
    hidden = (
        "---\nschema: deckhand/DataSchema/v1\n"
        f"metadata: {{schema: metadata/Document/v1, name: example/Kind/v1, storagePolicy: cleartext, {layering}}}\n"
        "data: {type: string}\n"
    )
    assert rendered(hidden, document("1"), post_validate=True)
    [finding] = findings(hidden.replace("true", "false"), document("1"), post_validate=True)
    assert finding.code == "invalid-document-format-post-render"


def test_deckhands_own_kinds_cannot_be_replaced() -> None:
    [finding] = findings(data_schema({}, "deckhand/ValidationPolicy/v1"), VALIDATION_POLICY)
    assert finding.code == "invalid-document-format"


VALIDATION_POLICY = """\
---
schema: deckhand/ValidationPolicy/v1
metadata: {schema: metadata/Control/v1, name: v}
data: {}
"""


def test_a_part_in_another_draft_is_an_error() -> None:
    part = {"$schema": "http://json-schema.org/draft-07/schema#", "const": 1}
    [finding] = findings(data_schema({"properties": {"a": part}}), control("{a: 2}"))
    assert "a different draft" in finding.message
    # As a whole a schema is always one of draft 4, and `const` means nothing there.
    assert rendered(data_schema(part), control("{a: 2}"))


def test_nothing_is_reported_twice() -> None:
    version, form = data_schema({"type": "object"}, "example/Kind/v3"), document("1").replace("cleartext", "plain")
    reported = lamina.render(
        [("site.yaml", POLICY + version + form)], dialect="deckhand", validate="report", post_validate=True
    )
    assert [note.code for note in reported.notes] == ["invalid-data-schema", "invalid-document-format"]
    found = findings(form, validate="off", post_validate=True)
    assert [finding.code for finding in found] == ["invalid-document-format-post-render"]
