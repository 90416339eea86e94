"""The explorer's routes: what they answer, to whom, and what they reject."""

from __future__ import annotations

import http.client
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema_rs import validator_for

from lamina.dialects.datum.powershell_data import psd1_reader
from lamina.errors import UsageError
from lamina.service.explorer.announcements import MOST
from lamina.service.explorer.scalar_edit import with_psd1_value, with_value
from lamina.sources.source import Source
from lamina.values import same
from lamina.views.schemas import text_of
from service.servers import LAYERING_POLICY, Reply, Server, document, run_lamina

REPOSITORY = Path(__file__).parents[2] / "examples/repositories/cloud-init"
DATUM = Path(__file__).parents[2] / "examples/datum/data"
PARENT = document("base", "{a: 1, b: {c: 2}}", layer="global", more=", labels: {name: base}")
CHILD = (
    "schema: example/Kind/v1\nmetadata: {schema: metadata/Document/v1, name: child, storagePolicy: cleartext,"
    " layeringDefinition: {layer: site, parentSelector: {name: base}, actions: [{method: merge, path: .}]}}\n"
    "data: {b: {d: 3}}\n"
)
SECRET = document("hidden", "hidden-word", policy="encrypted")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("explored") / "repository"
    shutil.copytree(REPOSITORY, folder)
    (folder / "outside.yaml").write_text("a: 1\n")
    with Server(folder, "--quiet") as server:
        yield server


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, dict[str, str]]]:
    url = f"sqlite:///{tmp_path_factory.mktemp('store')}/store.db"
    roles = {"reader": ("read",), "keeper": ("read", "secrets"), "writer": ("read", "write", "secrets")}
    tokens = {
        name: run_lamina(
            "store", "token", "create", name, "--store", url, *(word for role in own for word in ("--role", role))
        )
        for name, own in roles.items()
    }
    with Server(url, "--quiet", "--auth", "token") as server:
        for bucket, body in ("above", LAYERING_POLICY + "---\n" + PARENT), ("below", CHILD), ("secret", SECRET):
            path = f"/buckets/{bucket}/documents"
            assert server.call("PUT", path, body, X_Auth_Token=tokens["writer"]).status == 200
        yield server, tokens


def get(server: Server, route: str, token: str = "", **parameters: str) -> Reply:
    headers = {"X-Auth-Token": token} if token else {}
    return server.send("GET", f"/explore/{route}?{urlencode(parameters)}", headers=headers)


def data(reply: Reply, schema: str) -> Any:
    """The JSON of an answer, which fits the published schema of that name."""
    assert reply.status == 200, reply.body
    assert reply.media_type == "application/json"
    found = json.loads(reply.body)
    validator_for(json.loads(text_of(schema))).validate(found)
    return found


def attempt(server: Server, body: Any, token: str = "", **headers: str) -> Reply:
    given = {"Content-Type": "application/x-yaml", **({"X-Auth-Token": token} if token else {})}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    return server.send("POST", "/explore/what-if", json.dumps(body), given)


def place_of(server: Server, target: str, output: str, path: str, token: str = "") -> dict[str, Any]:
    stack = data(get(server, "stack", token, target=target, output=output, path=path), "explore-stack")
    found: dict[str, Any] = stack["origins"][0]
    return found


def test_files_answer_by_their_schemas(files: Server) -> None:
    site = data(get(files, "targets"), "explore-targets")
    assert [each["name"] for each in site["targets"]] == ["image", "db01", "web01", "web02"]
    (output,) = data(get(files, "outputs", target="web01"), "explore-outputs")["outputs"]
    tree = data(get(files, "tree", target="web01", output=output["name"]), "explore-tree")
    (row,) = [row for row in tree["rows"] if row["step"] == "timezone"]
    assert row["text"] == "UTC"
    assert row["origins"][0]["place"]["line"] == 2
    stack = data(get(files, "stack", target="web01", output=output["name"], path="timezone"), "explore-stack")
    assert stack["events"][0]["verdict"] == "set"
    (hit,) = data(get(files, "search", words="timez utc"), "explore-search")["found"]
    assert hit["targets"] == ["db01", "web01", "web02"]
    uses = data(get(files, "where", source="common.yaml", line="2"), "where")["uses"]
    assert [(use["path"], use["verdict"]) for use in uses] == [("timezone", "wins")]
    compared = data(get(files, "compare", before="web01", after="web02"), "explore-changes")
    assert [(each["path"], each["before"], each["after"]) for each in compared["changes"]] == [
        ("hostname", "web01", "web02")
    ]


def test_a_trial_in_files_names_the_targets_it_reaches(files: Server) -> None:
    place = place_of(files, "web01", "cloud-config", "timezone")
    asked = {**place, "value": "Europe/Oslo"}
    found = data(attempt(files, asked), "explore-changes")
    assert found["targets"] == ["db01", "web01", "web02"]
    assert [(each["before"], each["after"]) for each in found["changes"]] == [("UTC", "Europe/Oslo")]
    again = data(attempt(files, asked), "explore-changes")
    assert again == found  # nothing of the first one is left
    assert data(attempt(files, {**asked, "value": "UTC"}), "explore-changes")["targets"] == []


def test_secrets_are_on_no_route(tmp_path: Path) -> None:
    taker = document(
        "taker",
        "{x: 1, pw: null}",
        more=", substitutions: [{src: {schema: example/Kind/v1, name: hidden, path: .}, dest: {path: .pw}}]",
    )
    (tmp_path / "site.yaml").write_text("---\n".join((LAYERING_POLICY, SECRET, taker)))
    (tmp_path / "other.yaml").write_text("---\n".join((LAYERING_POLICY, document("hidden", "{}"), taker)))
    targets = "".join(
        f'[targets.{name}]\ndialect = "deckhand"\ninputs = ["{name}.yaml"]\n' for name in ("site", "other")
    )
    (tmp_path / "lamina.toml").write_text(targets)
    with Server(tmp_path, "--quiet") as server:
        outputs = data(get(server, "outputs", target="site"), "explore-outputs")["outputs"]
        replies = [get(server, "search", words=words) for words in ("pw", "hidden-word", "data")]
        for output in outputs:
            given = {"target": "site", "output": output["name"]}
            replies += [get(server, "tree", **given)]
            replies += [get(server, "stack", **given, path=path) for path in ("data", "schema")]
        replies += [
            get(server, "compare", before=one, after=two) for one, two in (("site", "other"), ("other", "site"))
        ]
        place = {"source": "site.yaml", "line": 7, "column": 7}
        replies += [attempt(server, {**place, "value": "other-word"})]
        for reply in replies:
            assert reply.status == 200, reply.body
            assert b"hidden-word" not in reply.body, reply.body
            assert b"other-word" not in reply.body, reply.body
        assert json.loads(replies[-1].body)["targets"] == ["site"]


def test_what_cannot_be_tried_or_looked_at_is_rejected(files: Server) -> None:
    good = {"source": "common.yaml", "line": 2, "column": 11, "value": "x"}
    assert attempt(files, good).status == 200
    wrongs: list[dict[str, Any]] = [
        {"line": 0},
        {"line": "2"},
        {"column": None},
        {"value": 3},
        {"source": []},
        {"target": 1},
    ]
    for wrong in wrongs:
        assert attempt(files, {**good, **wrong}).status == 400, wrong
    assert attempt(files, {**good, "column": 1}).status == 400  # a key
    assert attempt(files, {**good, "value": "a: ["}).status == 400
    assert attempt(files, {**good, "value": "x" * 70_000}).status == 400
    for source in ("outside.yaml", "../../etc/passwd", "/etc/passwd", "lamina.toml/.."):
        assert attempt(files, {**good, "source": source}).status == 404, source
        assert get(files, "where", source=source, line="1").status == 404, source
    assert get(files, "tree", target="nobody", output="x").status == 404
    assert get(files, "tree", target="web01", output="x").status == 404
    assert get(files, "stack", target="web01", output="cloud-config", path="no.such").status == 400
    assert get(files, "where", source="common.yaml", line="x").status == 400
    assert files.call("PUT", "/buckets/a/documents", PARENT).status == 404  # there is no store


def test_the_errors_of_the_explorer_are_json(files: Server) -> None:
    found = json.loads(get(files, "tree", target="nobody", output="x").body)
    assert found["message"] == "There is no target 'nobody'."
    assert found["status"] == "Failure"


def test_pages_of_other_sites_get_nothing(files: Server) -> None:
    rebound = files.send("GET", "/explore/targets", headers={"Host": "attacker.example"})
    assert rebound.status == 421
    assert files.send("GET", "/explore/targets", headers={"Host": f"localhost:{files.port}"}).status == 200
    good = {"source": "common.yaml", "line": 2, "column": 11, "value": "x"}
    assert attempt(files, good, Sec_Fetch_Site="cross-site").status == 403
    assert attempt(files, good, Origin="http://attacker.example").status == 403
    assert attempt(files, good, Origin=files.url, Sec_Fetch_Site="same-origin").status == 200
    assert attempt(files, good, Content_Type="text/plain").status == 415  # the browser would ask first
    assert attempt(files, good, Origin="http://[").status == 403
    for path in ("/explore/targets", "/explore/events", "/explore/page.js"):
        elsewhere = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
        assert files.send("GET", path, headers=elsewhere).status == 403
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Accept": "text/html"}
    assert files.send("GET", "/", headers=link).status == 200


def test_the_page_allows_nothing_from_elsewhere(files: Server) -> None:
    for path in ("/", "/explore/page.js", "/explore/page.css", "/explore/icon.svg"):
        reply = files.send("GET", path, headers={"Accept": "text/html,*/*"})
        assert reply.status == 200
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert reply.headers["x-content-type-options"] == "nosniff"


def test_no_answer_is_kept_or_given_to_other_sites(files: Server) -> None:
    for path in ("/explore/targets", "/openapi.json", "/metrics", "/nowhere"):
        headers = files.send("GET", path).headers
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"


def test_only_so_many_pages_listen(files: Server) -> None:
    opened = []
    try:
        for _ in range(MOST):
            connection = http.client.HTTPConnection("127.0.0.1", files.port, timeout=20)
            connection.request("GET", "/explore/events")
            response = connection.getresponse()
            assert response.readline() == b": listening\n"
            opened.append(connection)
        assert files.send("GET", "/explore/events").status == 503
    finally:
        for connection in opened:
            connection.close()


def test_the_document_describes_the_routes_of_files(files: Server) -> None:
    described = json.loads(files.send("GET", "/openapi.json").body)
    assert all(path.startswith("/explore/") for path in described["paths"])
    assert {"/explore/what-if", "/explore/events", "/explore/tree"} <= described["paths"].keys()


def test_a_store_shows_revisions_and_what_a_value_would_change(stored: tuple[Server, dict[str, str]]) -> None:
    server, tokens = stored
    reader = tokens["reader"]
    assert get(server, "targets").status == 401
    site = data(get(server, "targets", reader), "explore-targets")
    assert [each["name"] for each in site["targets"]] == ["3", "2", "1"]
    listed = data(get(server, "outputs", reader, target="2"), "explore-outputs")["outputs"]
    names = [each["name"] for each in listed]
    assert [each["about"] for each in listed if "child" in each["name"]] == ["bucket below"]
    child = next(name for name in names if "child" in name)
    place = place_of(server, "2", child, "data.b.c", reader)
    assert place["source"] == "above/example/Kind/v1/base"
    found = data(attempt(server, {**place, "value": "9", "target": "2"}, reader), "explore-changes")
    assert len(found["targets"]) == 2
    of_which = [
        get(server, "search", reader, words="c"),
        get(server, "where", reader, source=place["source"], line=str(place["line"])),
        attempt(server, {**place, "value": "9"}, reader),
    ]
    assert {reply.one["message"] for reply in of_which} == {
        'The "target" parameter is needed: the number of a revision.'
    }
    data(get(server, "search", reader, words="c", target="2"), "explore-search")
    data(get(server, "where", reader, source=place["source"], line=str(place["line"]), target="2"), "where")
    compared = data(get(server, "compare", reader, before="1", after="2"), "explore-changes")
    assert [each["kind"] for each in compared["changes"]] == ["added"]
    assert attempt(server, {**place, "value": "9", "target": "99"}, reader).status == 404
    schema = {**place, "line": 1, "column": 9, "value": "7", "target": "2"}
    assert attempt(server, schema, reader).status == 400  # a PUT would be rejected, too


def test_abstract_and_replaced_documents_are_listed_beside_the_rendered_ones(sqlite: str) -> None:
    abstract = PARENT.replace("layer: global", "layer: global, abstract: true").replace("name: base", "name: template")
    child = CHILD.replace("name: base", "name: template")
    vault = document("vault", "hidden-word", layer="global", policy="encrypted")
    vault = vault.replace("layer: global", "layer: global, abstract: true")
    old = document("plain", "{e: 4}", layer="global", more=", labels: {name: plain}")
    new = CHILD.replace("name: child", "name: plain, replacement: true").replace("{name: base}", "{name: plain}")
    with Server(sqlite, "--quiet") as server:
        assert server.put("above", LAYERING_POLICY, abstract, vault, old).status == 200
        assert server.put("below", child, new).status == 200
        listed = data(get(server, "outputs", target="2"), "explore-outputs")["outputs"]
        kinds = {each["name"]: each["aside"] for each in listed}
        assert kinds["example/Kind/v1/template (global)"] == "abstract"
        assert kinds["example/Kind/v1/plain (global)"] == "replaced"
        assert kinds["example/Kind/v1/child (site)"] == kinds["example/Kind/v1/plain (site)"] == ""
        assert next(each["about"] for each in listed if "template" in each["name"]) == "bucket above"
        given = {"target": "2", "output": "example/Kind/v1/template (global)"}
        tree = data(get(server, "tree", **given), "explore-tree")
        (row,) = [row for row in tree["rows"] if row["step"] == "c"]
        assert (row["text"], row["origins"][0]["place"]["source"]) == ("2", "above/example/Kind/v1/template")
        stack = data(get(server, "stack", **given, path="data.b.c"), "explore-stack")
        assert [event["verdict"] for event in stack["events"]] == ["set"]
        assert get(server, "stack", **given, path="data.nothing").status == 400
        found = data(get(server, "search", target="2", words="template data.b.c"), "explore-search")["found"]
        assert [hit["output"] for hit in found] == [given["output"]]
        tried = data(attempt(server, {**stack["origins"][0], "value": "9", "target": "2"}), "explore-changes")
        assert tried["targets"] == ["example/Kind/v1/child (site)"]  # what is not rendered cannot change
        hidden = {"target": "2", "output": "example/Kind/v1/vault (global)"}
        replies = [get(server, "tree", **hidden), get(server, "search", target="2", words="vault data")]
        replies += [get(server, "stack", **hidden, path="data")]
        for reply in replies:
            assert reply.status == 200, reply.body
            assert b"hidden-word" not in reply.body
        listing = server.call("GET", "/revisions/2/rendered-documents").documents
        assert {each["metadata"]["name"] for each in listing} == {"child", "layering-policy", "plain"}


def test_a_revision_that_cannot_be_rendered_as_a_whole_is_shown_as_far_as_it_can(sqlite: str) -> None:
    taker = document(
        "taker",
        "{x: 1, y: 2}",
        more=", substitutions: [{src: {schema: example/Kind/v1, name: later, path: .x}, dest: {path: .x}}]",
    )
    with Server(sqlite, "--quiet") as server:
        server.put("first", LAYERING_POLICY, taker, document("fine"), document("lost", layer="nowhere"))
        server.put("second", document("later", "{x: 5}"))
        assert server.call("GET", "/revisions/1/rendered-documents").status == 400
        path = f"/revisions/1/explain?{urlencode({'document': 'fine', 'path': 'data.x'})}"
        assert server.call("GET", path).status == 400  # the API answers for whole revisions only
        listed = {each["name"]: each for each in data(get(server, "outputs", target="1"), "explore-outputs")["outputs"]}
        assert listed["example/Kind/v1/fine (site)"]["error"] is None
        failed = listed["example/Kind/v1/taker (site)"]
        assert failed["aside"] == "failed"
        assert "substitution source example/Kind/v1/later not found" in failed["error"]
        assert "nowhere" in listed["example/Kind/v1/lost (nowhere)"]["error"]
        for name in listed:
            data(get(server, "tree", target="1", output=name), "explore-tree")
        tree = data(get(server, "tree", target="1", output=failed["name"]), "explore-tree")
        assert [row["text"] for row in tree["rows"] if row["step"] == "y"] == ["2"]
        assert data(get(server, "search", target="1", words="data.y"), "explore-search")["found"]
        place = {"source": "first/example/Kind/v1/fine", "line": "8", "target": "1"}
        data(get(server, "where", **place), "where")
        compared = data(get(server, "compare", before="1", after="2"), "explore-changes")
        added = [each["path"] for each in compared["changes"] if each["kind"] == "added"]
        assert added == ["example/Kind/v1/later (site)"]  # the one that failed was there before
        assert [note["targets"] for note in compared["resolved"]] == [[failed["name"]]]
        assert compared["findings"] == []
        name = place_of(server, "2", "example/Kind/v1/later (site)", "metadata.name")
        tried = data(attempt(server, {**name, "value": "renamed", "target": "2"}), "explore-changes")
        assert [note["code"] for note in tried["findings"]] == ["substitution-source-not-found"]


def test_abstract_documents_in_files_are_listed_too(tmp_path: Path) -> None:
    abstract = PARENT.replace("layer: global", "layer: global, abstract: true")
    (tmp_path / "site.yaml").write_text("---\n".join((LAYERING_POLICY, abstract, CHILD)))
    (tmp_path / "lamina.toml").write_text('[targets.site]\ndialect = "deckhand"\ninputs = ["site.yaml"]\n')
    with Server(tmp_path, "--quiet") as server:
        listed = data(get(server, "outputs", target="site"), "explore-outputs")["outputs"]
        assert [each["name"] for each in listed if each["aside"] == "abstract"] == ["example/Kind/v1/base (global)"]


def test_encrypted_documents_are_shown_without_their_secrets(stored: tuple[Server, dict[str, str]]) -> None:
    server, tokens = stored
    for name in ("reader", "keeper"):
        token = tokens[name]
        listed = data(get(server, "outputs", token, target="3"), "explore-outputs")["outputs"]
        assert any("hidden" in each["name"] for each in listed)
        asked = {"source": "secret/example/Kind/v1/hidden", "line": 10, "column": 7, "value": "x", "target": "3"}
        tried = attempt(server, asked, token)
        assert (tried.status != 404, b"hidden-word" in tried.body) == (True, False)
        source = {"source": "secret/example/Kind/v1/hidden", "line": "1"}
        assert get(server, "where", token, **source, target="3").status == 200
        path = f"/revisions/3/where?{urlencode(source)}"
        assert server.call("GET", path, X_Auth_Token=token).status == 200
        for route in ("tree", "search", "compare"):
            for each in listed:
                given = {"target": "3", "output": each["name"], "words": "i", "before": "2", "after": "3"}
                assert b"hidden-word" not in get(server, route, token, **given).body


@pytest.mark.parametrize(
    ("text", "line", "column", "value", "expected"),
    [
        ("a: 1\nb: 2 # c\n", 2, 4, 3, "a: 1\nb: 3 # c\n"),
        ("a: [1, 'x']\n", 1, 8, "y: #", 'a: [1, "y: #"]\n'),
        ("ü: é\nb: 2\n", 2, 4, 3.5, "ü: é\nb: 3.5\n"),
        ("a: |\n  one\n  two\nb: 2\n", 1, 4, "x", 'a: "x"\nb: 2\n'),
        ("a: &n 1\nb: *n\n", 1, 4, None, "a: &n null\nb: *n\n"),
        ("a: !!str 1\n", 1, 10, "2", 'a: !!str "2"\n'),
        ("- 1\n- 2\n", 2, 3, [1, {"k": "v"}], '- 1\n- [1, {"k": "v"}]\n'),
        ("---\na: 1\n---\na: 2\n", 4, 4, 1e300, "---\na: 1\n---\na: 1.0e+300\n"),
        ("a:\nb: 2\n", 1, 3, "x", 'a: "x"\nb: 2\n'),
        ("a:   # none\nb: 2\n", 1, 3, 5, "a: 5   # none\nb: 2\n"),
        ("a:\n  -\n  - 2\n", 2, 4, [1], "a:\n  - [1]\n  - 2\n"),
        ("{a: , b: 2}\n", 1, 4, True, "{a: true , b: 2}\n"),
        ("b: 2\na:", 2, 3, 1, "b: 2\na: 1"),
        ('{"a":1}', 1, 6, 2, '{"a":2}'),
        ('{"a": {"b": 1}}', 1, 13, "x\ny", '{"a": {"b": "x\\ny"}}'),
    ],
)
def test_a_value_is_replaced_in_place(text: str, line: int, column: int, value: Any, expected: str) -> None:
    changed = with_value(Source.of_text("a.yaml", text), line, column, value)
    assert changed == expected
    list(yaml.safe_load_all(changed))


@pytest.mark.parametrize(
    ("text", "line", "column", "why"),
    [
        (b"a: 1\n", 1, 1, "a key, a mapping"),
        (b"a:\n  b: 1\n", 2, 3, "a key, a mapping"),
        (b"a: {b: 1}\n", 1, 4, "a key, a mapping"),
        (b"a: &n 1\nb: *n\n", 2, 4, "an alias"),
        (b"a:\n  b: 1\n", 1, 3, "nothing"),
        (b"a:\n  &x b\n", 1, 3, "nothing"),
        (b"a: 1\n", 9, 9, "nothing"),
        (b"a: 'x\n", 1, 9, "not YAML"),
        (b"a: \xff\n", 1, 4, "not text"),
    ],
)
def test_what_is_no_single_value_is_not_replaced(text: bytes, line: int, column: int, why: str) -> None:
    with pytest.raises(UsageError) as raised:
        with_value(Source("a.yaml", text), line, column, 1)
    assert raised.value.diagnostic.code == "not-in-place"
    assert f"line {line}, column {column}" in raised.value.diagnostic.message
    assert why in raised.value.diagnostic.message


@pytest.mark.parametrize(
    ("text", "line", "column", "value", "expected"),
    [
        ("@{ a = 1 # c\n b = 2 }", 1, 8, "it's", "@{ a = 'it''s' # c\n b = 2 }"),
        ("@{ a = 'x''y'; b = 2 }", 1, 8, None, "@{ a = $null; b = 2 }"),
        ('@{ a = "x`"y" }', 1, 8, True, "@{ a = $true }"),
        ("@{ a = @(1, 'x') }", 1, 13, 2.5, "@{ a = @(1, 2.5) }"),
        ("@{ a = 1, 2 }", 1, 8, [1, [2]], "@{ a = @(1, @(2)), 2 }"),
        ("@{ a = 1 }", 1, 8, [[1, 2]], "@{ a = @(,@(1, 2)) }"),
        ("@{ a = (3) }", 1, 9, -4, "@{ a = (-4) }"),
        ("@{ a = [int]'3' }", 1, 8, 4, "@{ a = 4 }"),
        ("@{ a = @'\none\ntwo\n'@\nb = 2 }", 1, 8, "x\ny", "@{ a = 'x\ny'\nb = 2 }"),
        ("@{ a = $true }", 1, 8, {"k k": [], "t": {}}, "@{ a = @{ 'k k' = @(); 't' = @{} } }"),
        ("@{ a = 10kb }", 1, 8, "\u2018$x\u2019 `", '@{ a = "\u2018`$x\u2019 ``" }'),
    ],
)
def test_a_value_of_a_data_file_is_replaced_in_place(
    text: str, line: int, column: int, value: Any, expected: str
) -> None:
    changed = with_psd1_value(Source.of_text("a.psd1", text), line, column, value)
    assert changed == expected
    psd1_reader.read(Source.of_text("a.psd1", changed))


keys = st.text("abc '$`\u2018", max_size=4)
scalars = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    scalars | st.text(max_size=8), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3)
)


@given(json_values)
def test_any_value_in_a_data_file_reads_as_it_was_typed(value: Any) -> None:
    changed = with_psd1_value(Source.of_text("a.psd1", "@{ a = 1; b = 2 }"), 1, 8, value)
    read = psd1_reader.read(Source.of_text("a.psd1", changed)).value
    assert same(read, {"a": value, "b": 2})


@pytest.mark.parametrize(
    ("text", "line", "column", "value", "why"),
    [
        ("@{ a = 1 }", 1, 4, 2, "a key"),
        ("@{ a = @(1) }", 1, 8, 2, "an array"),
        ("@{ a = 1 }", 3, 1, 2, "nothing"),
        ("@{ a = @(1) }", 1, 10, [1, 2], "as another one"),
        ("@{ a = 1 }", 1, 8, {"k": 1, "K": 2}, "cannot hold"),
        ("@{ a = 1 }", 1, 8, float("inf"), "cannot hold"),
    ],
)
def test_what_a_data_file_cannot_hold_is_not_tried(text: str, line: int, column: int, value: Any, why: str) -> None:
    with pytest.raises(UsageError) as raised:
        with_psd1_value(Source.of_text("a.psd1", text), line, column, value)
    assert raised.value.diagnostic.code == "not-in-place"
    assert why in raised.value.diagnostic.message


def test_a_trial_in_a_data_file_of_datum(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(DATUM, tmp_path / "datum"))
    before = (folder / "Baselines/Security.psd1").read_bytes()
    with Server(folder, "--quiet") as server:
        place = place_of_psd1(server)
        found = data(attempt(server, {**place, "value": "another one"}), "explore-changes")
        assert found["targets"]
        assert "another one" in [change["after"] for change in found["changes"]]
    assert (folder / "Baselines/Security.psd1").read_bytes() == before


def place_of_psd1(server: Server) -> dict[str, Any]:
    """The place of a value that a data file sets."""
    for target in data(get(server, "targets"), "explore-targets")["targets"]:
        for output in data(get(server, "outputs", target=target["name"]), "explore-outputs")["outputs"]:
            tree = data(get(server, "tree", target=target["name"], output=output["name"]), "explore-tree")
            for row in tree["rows"]:
                for each in row["origins"] if not row["opens"] else ():
                    if each["place"]["source"].endswith(".psd1"):
                        return dict(each["place"])
    raise AssertionError("no value comes from a data file")


STORE_LIBRARIES = ("sqlalchemy", "alembic", "psycopg", "cryptography", "prometheus_client", "deepdiff")


def test_files_are_explored_without_the_libraries_of_the_store(tmp_path: Path) -> None:
    hidden, project = tmp_path / "hidden", tmp_path / "project"
    hidden.mkdir()
    project.mkdir()
    for name in STORE_LIBRARIES:
        (hidden / f"{name}.py").write_text("raise ImportError")
    (project / "user-data").write_text("#cloud-config\nhostname: web\n")
    with Server(project, environment={"PYTHONPATH": str(hidden)}) as server:
        assert server.send("GET", "/explore/targets").status == 200
        assert server.send("GET", "/", headers={"Accept": "text/html"}).status == 200
        assert server.send("GET", "/metrics").status == 404
