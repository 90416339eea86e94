"""What real repositories do on purpose is not reported as a mistake, and what is one among it still is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.cli.main import main
from support.planted import HERE

POLICY = """---
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: layering-policy}
data: {layerOrder: [global, site]}
"""
GLOBAL = """---
schema: example/Chart/v1
metadata:
  schema: metadata/Document/v1
  name: chart-global
  storagePolicy: cleartext
  labels: {name: chart-global}
  layeringDefinition: {abstract: true, layer: global}
data: {prefix: airship, size: 1}
"""
SITE = """---
schema: example/Chart/v1
metadata:
  schema: metadata/Document/v1
  name: chart
  storagePolicy: cleartext
  layeringDefinition:
    abstract: false
    layer: site
    parentSelector: {name: chart-global}
    actions: [{method: replace, path: .size}]
data: {prefix: PREFIX, size: 2}
"""


def found(inputs: Any, **options: Any) -> list[tuple[str, str]]:
    return [(note.code, note.severity.word) for note in lamina.lint(inputs, **options)]


def of_project(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    with pytest.raises(SystemExit):
        main(["lint", "--format", "json", *arguments])
    return [each["code"] for each in json.loads(capsys.readouterr().out)["findings"]]


@pytest.fixture
def sites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of two sites, of which one uses the abstract chart."""
    (tmp_path / "global.yaml").write_text(POLICY + GLOBAL)
    (tmp_path / "one.yaml").write_text(SITE)
    (tmp_path / "two.yaml").write_text(
        GLOBAL.replace("chart-global", "other").replace("abstract: true", "abstract: false")
    )
    targets = "".join(
        f'[targets.{name}]\ndialect = "deckhand"\ninputs = ["global.yaml", "{name}.yaml"]\n' for name in ("one", "two")
    )
    (tmp_path / "lamina.toml").write_text(targets)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_another_site_uses_is_used(sites: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "abstract-without-children" not in of_project(capsys)
    (sites / "one.yaml").write_text((sites / "two.yaml").read_text())
    assert "abstract-without-children" in of_project(capsys)


def test_one_target_says_nothing_of_what_it_does_not_use(sites: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sites.is_dir()
    assert "abstract-without-children" not in of_project(capsys, "--target", "two")
    assert of_project(capsys, "global.yaml", "two.yaml") == []
    assert of_project(capsys, "--target", "two", "--select", "abstract-without-children") == [
        "abstract-without-children"
    ]


def test_data_that_the_parent_has_alike_is_in_the_result() -> None:
    def lint(prefix: str) -> list[tuple[str, str]]:
        return found([("site.yaml", POLICY + GLOBAL + SITE.replace("PREFIX", prefix))], select=["data-not-selected"])

    assert lint("airship") == []
    assert lint("other") == [("data-not-selected", "warning")]


def test_a_source_that_may_be_missing_is_a_note() -> None:
    substituted = SITE.replace(
        "  layeringDefinition",
        "  substitutions:\n  - {src: {schema: deckhand/Certificate/v1, name: c, path: .}, dest: {path: .c}}\n"
        "  layeringDefinition",
    )
    inputs = [("site.yaml", POLICY + GLOBAL + substituted.replace("PREFIX", "airship"))]
    assert ("substitution-source-not-found", "error") in found(inputs)
    assert ("substitution-source-not-found", "info") in found(inputs, allow_missing_sources=True)


def test_a_secret_is_reported_once() -> None:
    key = GLOBAL.replace("example/Chart/v1", "deckhand/CertificateKey/v1").replace(
        "data: {prefix: airship, size: 1}", "data: |\n  -----BEGIN RSA PRIVATE KEY-----\n  MIIEow\n"
    )
    assert found([("site.yaml", POLICY + key)]) == [("secret-not-encrypted", "warning")]


DATUM = """DatumStructure:
  - {StoreName: AllNodes, StoreProvider: 'Datum::File', StoreOptions: {Path: AllNodes}}
  - {StoreName: Locations, StoreProvider: 'Datum::File', StoreOptions: {Path: Locations}}
  - {StoreName: Global, StoreProvider: 'Datum::File', StoreOptions: {Path: Global}}
ResolutionPrecedence:
  - AllNodes\\$($Node.NodeName)
  - Locations\\$($Node.Location)
  - Locations\\Common
"""


def test_a_location_without_nodes_and_data_for_scripts_are_no_mistakes(tmp_path: Path) -> None:
    files = {
        "Datum.yml": DATUM,
        "AllNodes/web01.yml": "NodeName: web01\nLocation: Frankfurt\nConfigurations: [Ntp]\n",
        "Locations/Frankfurt.yml": "Ntp: {Server: a}\n",
        "Locations/London.yml": "Ntp: {Server: b}\n",
        "Locations/Frankfrut.yml": "Ntp: {Server: c}\n",
        "Global/Azure.yml": "Subscription: a\n",
        "Global/Domain.yml": "Name: a\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    notes = lamina.lint([str(tmp_path)], select=["never-used"])
    assert [(note.message, note.severity.word) for note in notes] == [
        ("the layer Locations\\Common matches no file for any node", "warning"),
        ("nothing uses Locations/Frankfrut.yml", "warning"),
        ("nothing uses Locations/London.yml", "info"),
    ]


def test_fields_of_which_the_position_counts_are_not_duplicates() -> None:
    fields = "#cloud-config\nmount_default_fields: [None, None, auto, defaults]\n"
    assert found([("team.yaml", fields)], select=["duplicate-entry"]) == []


def test_binary_content_is_a_string() -> None:
    text = "#cloud-config\nwrite_files:\n- {path: /a, content: !!binary aGVsbG8=}\n- {path: /b, content: [1]}\n"
    notes = lamina.lint([("team.yaml", text)], select=["config-wrong-type"])
    assert [note.path for note in notes] == [("write_files", 1, "content")]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("http://[[user][:pass]@]host[:port]/", []),
        ("http://user:s3cret@host/", ["cleartext-secret"]),
        ('"-----BEGIN RSA PRIVATE KEY-----\\nYOUR-ORGS-VALIDATION-KEY-HERE\\n-----END RSA PRIVATE KEY-----"', []),
        ('"-----BEGIN RSA PRIVATE KEY-----\\nMIIEowIBAAKC\\n-----END RSA PRIVATE KEY-----"', ["cleartext-secret"]),
    ],
)
def test_a_placeholder_for_a_secret_is_not_one(value: str, expected: list[str]) -> None:
    text = (
        f"#cloud-config\napt: {{proxy: {value!r}}}\n"
        if value.startswith("http")
        else f"#cloud-config\nchef: {{validation_key: {value}}}\n"
    )
    assert [code for code, _ in found([("team.yaml", text)], select=["cleartext-secret"])] == expected


ENVIRONMENT = "parameters:\n  Used: a\n  ElsewhereOnly: b\n  Nowhere: c\n"


def test_a_parameter_that_another_template_of_the_tree_declares_is_declared(tmp_path: Path) -> None:
    head = "heat_template_version: 2018-08-31\nparameters:\n"
    (tmp_path / "overcloud.yaml").write_text(head + "  Used: {type: string}\n")
    (tmp_path / "service.yaml").write_text(
        head + "  # other services\n\n  ElsewhereOnly: {type: string}\nresources: {}\n"
    )
    (tmp_path / "env.yaml").write_text(ENVIRONMENT)
    inputs = [str(tmp_path / "env.yaml")]

    def undeclared() -> list[tuple[str, str]]:
        notes = lamina.lint(inputs, "heat", templates=str(tmp_path), select=["undeclared-parameter"])
        return [(str(note.path[-1]), note.severity.word) for note in notes]

    assert undeclared() == [("ElsewhereOnly", "info"), ("Nowhere", "warning")]
    (tmp_path / "overcloud.yaml").rename(tmp_path / "overcloud.j2.yaml")
    assert {severity for _, severity in undeclared()} == {"info"}


def test_a_list_emptied_or_replaced_without_any_strategies_is_how_heat_works(tmp_path: Path) -> None:
    base = ("base.yaml", "parameters:\n  Services: [a, b]\n  Ports: [c]\n")
    last = ("last.yaml", "parameters:\n  Services: []\n  Ports: [d]\n")
    declared = "{type: comma_delimited_list}"
    template = f"heat_template_version: 2018-08-31\nparameters:\n  Services: {declared}\n  Ports: {declared}\n"
    (tmp_path / "template.yaml").write_text(template)
    name = str(tmp_path / "template.yaml")
    notes = lamina.lint([base, last], "heat", template=name, allow_paths=[tmp_path], select=["entries-overridden"])
    assert [(note.path[-1], note.severity.word) for note in notes] == [("Ports", "info")]


def test_a_mapping_that_repeats_all_keys_loses_nothing() -> None:
    base = ("image.yaml", "#cloud-config\nntp: {enabled: true}\n")
    team = ("team.yaml", "#cloud-config\nntp: {enabled: true, servers: [a]}\n")
    assert "mapping-replaced" not in [code for code, _ in found([base, team])]
    assert "mapping-replaced" in [code for code, _ in found([team, base])]


def test_the_same_finding_in_many_documents_is_one_entry(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    bad = (HERE / "secret-not-encrypted/bad/site.yaml").read_text()
    head, _, document = bad.partition("schema: deckhand/Passphrase/v1")
    name = next(line for line in document.splitlines() if "name:" in line).split(":")[1].strip()
    many = [
        f"schema: deckhand/Passphrase/v1{document}".replace(f"name: {name}", f"name: n{number}") for number in range(9)
    ]
    Path("site.yaml").write_text(head + "---\n".join(many))
    with pytest.raises(SystemExit):
        main(["lint", "--select", "secret-not-encrypted", "site.yaml"])
    text = capsys.readouterr().out
    assert text.count("[secret-not-encrypted]") == 1
    assert "and 8 more like it; --format json lists them" in text
    assert text.endswith("9 warnings in 1 file\n")


def test_what_a_pattern_replaces_as_a_whole_is_used() -> None:
    """A chart that is a result itself and the parent of another: its place-holder must be there for the pattern."""
    chart = GLOBAL.replace("abstract: true", "abstract: false").replace(
        "data: {prefix: airship, size: 1}", "data: {device: DEVICE, size: 1}"
    )
    filled = chart.replace(
        "data: {",
        "  substitutions:\n"
        "    - src: {schema: example/Addresses/v1, name: addresses, path: .device}\n"
        "      dest: {path: .device, pattern: DEVICE}\n"
        "data: {",
    )
    addresses = GLOBAL.replace("Chart", "Addresses").replace("chart-global", "addresses")
    addresses = addresses.replace("abstract: true", "abstract: false").replace("prefix: airship", "device: bond0")
    child = SITE.replace("data: {prefix: PREFIX, size: 2}", "data: {size: 2}")
    texts = [("site.yaml", POLICY + addresses + filled + child)]
    assert found(texts, select=["always-overridden", "invalid", "substitution"]) == []
    assert lamina.render(texts, "deckhand").value[2]["data"] == {"device": "bond0", "size": 2}
