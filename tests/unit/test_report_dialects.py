"""Reports of the systems whose results are several documents or nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

import lamina
from lamina.cli.main import main
from lamina.views.report.build_html import report
from lamina.views.report.page_data import collect
from lamina.views.rows import WITHHELD
from support.page_rows import rows_of

POLICY = "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: policy}\n"
DOCUMENT = """---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: {name}
  storagePolicy: {storage}
  labels: {{name: {name}}}
  layeringDefinition: {{abstract: false, layer: {layer}{parent}}}{more}
data:
  {data}
"""
ACTIONS = ", actions: [{method: merge, path: .}]"
SUBSTITUTION = """
  substitutions:
    - src: {schema: example/Kind/v1, name: vault, path: .password}
      dest: {path: .login}"""


def document(name: str, data: str, layer: str = "site", storage: str = "cleartext", **more: str) -> str:
    words = {"parent": "", "more": "", **more}
    return DOCUMENT.format(name=name, data=data, layer=layer, storage=storage, **words)


DOCUMENTS = "".join(
    [
        POLICY + "data: {layerOrder: [global, site]}\n",
        document("base", "port: 80", "global"),
        document("vault", "password: hunter2-in-the-vault", storage="encrypted"),
        document("web", "port: 81", parent=", parentSelector: {name: base}" + ACTIONS, more=SUBSTITUTION),
    ]
)


def test_deckhand_documents_are_linked_by_parents_and_substitutions() -> None:
    data = collect(lamina.render([("site.yaml", DOCUMENTS)], dialect="deckhand"), "")
    web = "example/Kind/v1/web (site)"
    assert data["links"] == [
        ("example/Kind/v1/base (global)", web, "parent"),
        ("example/Kind/v1/vault (site)", web, "substitution"),
    ]
    assert web in [output["name"] for output in data["outputs"]]


def test_what_deckhand_encrypts_is_not_on_the_page_wherever_it_went() -> None:
    result = lamina.render([("site.yaml", DOCUMENTS)], dialect="deckhand")
    assert "hunter2" in str(result.value)
    page = report(result)
    assert "withheld" in page
    assert "hunter2" not in page


def test_secrets_are_on_the_page_of_those_who_ask_for_them() -> None:
    asked = lamina.render([("site.yaml", DOCUMENTS)], dialect="deckhand", cleartext_secrets=True)
    texts = collect(asked, "")["texts"]
    assert "hunter2-in-the-vault" in texts
    assert WITHHELD not in texts
    hidden = lamina.render([("site.yaml", DOCUMENTS)], dialect="deckhand", cleartext_secrets=True, redact=True)
    assert "hunter2" not in report(hidden)


def hierarchy(folder: Path) -> None:
    """Write a hierarchy of two nodes."""
    files = {
        "Datum.yml": (
            "ResolutionPrecedence:\n  - AllNodes\\$($Node.Environment)\\$($Node.Name)\n  - Roles\\$($Node.Role)\n"
            "DatumStructure:\n"
            "  - {StoreName: AllNodes, StoreProvider: 'Datum::File', StoreOptions: {Path: ./AllNodes}}\n"
            "  - {StoreName: Roles, StoreProvider: 'Datum::File', StoreOptions: {Path: ./Roles}}\n"
        ),
        "AllNodes/Dev/web1.yml": "NodeName: web1\nEnvironment: Dev\nRole: Web\nPort: 81\n",
        "AllNodes/Dev/web2.yml": "NodeName: web2\nEnvironment: Dev\nRole: Web\n",
        "Roles/Web.yml": "Configurations: [Port]\nPort: 80\n",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_a_report_of_a_hierarchy_shows_all_nodes(tmp_path: Path) -> None:
    hierarchy(tmp_path)
    for named, shown in (["--node", "web2"], [False, True]), ([], [True, True]):
        with pytest.raises(SystemExit, match="0"):
            main(["report", str(tmp_path), "-q", "-o", str(tmp_path / "page.html"), *map(str, named)])
        page = (tmp_path / "page.html").read_text()
        assert [f'"name":"{node}"' in page for node in ("web1", "web2")] == shown


def test_datum_nodes_are_picked_one_by_one(tmp_path: Path) -> None:
    hierarchy(tmp_path)
    data = collect(lamina.render(tmp_path, dialect="datum", all_nodes=True), "")
    assert [output["name"] for output in data["outputs"]] == ["web1", "web2"]
    texts = data["texts"]
    ports = [
        (output["name"], texts[row[3]], texts[data["places"][row[4][1]][0]].removeprefix(f"{tmp_path}/"))
        for number, output in enumerate(data["outputs"])
        for row in rows_of(data, number)
        if texts[row[2]] == "Port"
    ]
    assert ports == [("web1", "81", "AllNodes/Dev/web1.yml"), ("web2", "80", "Roles/Web.yml")]
