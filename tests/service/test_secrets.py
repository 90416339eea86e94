"""Secrets: encrypted at rest, shown to those who may see them, and to nobody else through a cache."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lamina.service.encryption import key_from_file
from service.servers import KEY, LAYERING_POLICY, Reply, Server, document

OTHER_KEY = "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA="
SECRET = "correct-horse-battery"
TAKES = document(
    "taker",
    "{}",
    more=", substitutions: [{src: {schema: example/Kind/v1, name: s, path: .pw}, dest: {path: .got}}]",
)


def put_secret(server: Server) -> Reply:
    return server.put("m", LAYERING_POLICY, document("s", f"{{pw: {SECRET}}}", policy="encrypted"), TAKES)


def test_secrets_are_nowhere_in_the_files_of_a_store(tmp_path: Path) -> None:
    with Server(f"sqlite:///{tmp_path}/store.db") as server:
        assert put_secret(server).status == 200
        assert SECRET in server.call("GET", "/revisions/1/rendered-documents").body.decode()
        log = server.stop()
    assert '"path": "/api/v1.0/revisions/1/rendered-documents"' in log
    assert SECRET not in log
    for path in tmp_path.iterdir():
        assert SECRET.encode() not in path.read_bytes(), path


@pytest.mark.parametrize("first", ["true", "false"])
def test_who_asked_first_does_not_matter(server: Server, first: str) -> None:
    put_secret(server)
    path = "/revisions/1/rendered-documents?cleartext-secrets="
    server.call("GET", path + first)
    for _ in range(2):
        assert SECRET not in server.call("GET", path + "false").body.decode()
        assert server.call("GET", path + "true").body.decode().count(SECRET) == 2


def test_an_unchanged_secret_keeps_its_reference(server: Server) -> None:
    references = []
    for _ in range(2):
        stored = put_secret(server).documents
        references.append(next(each["data"] for each in stored if each["metadata"]["name"] == "s"))
    assert references[0] == references[1]
    assert server.call("GET", "/revisions/1/diff/2").one == {"m": "unmodified"}


def test_redaction_can_be_the_default(tmp_path: Path) -> None:
    with Server(f"sqlite:///{tmp_path}/store.db", "--redact", "--quiet") as server:
        put_secret(server)
        assert SECRET not in server.call("GET", "/revisions/1/rendered-documents").body.decode()
        shown = server.call("GET", "/revisions/1/rendered-documents?cleartext-secrets=true")
        assert SECRET in shown.body.decode()


def test_a_store_is_not_opened_with_another_key(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    with Server(url, "--quiet"):
        pass
    with pytest.raises(AssertionError, match=r"was made with another key .* \[wrong-key\]"):
        Server(url, environment={"LAMINA_SERVICE_KEY": OTHER_KEY})


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_store_gets_another_key(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/a.db" if kind == "sqlite" else request.getfixturevalue("postgres").database()
    (tmp_path / "old.key").write_text(KEY)
    change = ("--quiet", "--old-key-file", str(tmp_path / "old.key"))
    with Server(url, "--quiet") as before:
        stored = put_secret(before).documents
        for _ in range(2):  # the second time there is nothing left to do
            with Server(url, *change, environment={"LAMINA_SERVICE_KEY": OTHER_KEY}) as after:
                assert SECRET in after.call("GET", "/revisions/1/rendered-documents").body.decode()
        # A server that still has the old key writes no secret that nobody could read.
        assert before.put("n", document("t", "{pw: 1}", policy="encrypted")).status == 503
        assert before.put("n", document("u")).status == 200
    with Server(url, "--quiet", environment={"LAMINA_SERVICE_KEY": OTHER_KEY}) as after:
        again = put_secret(after).documents
        assert [each["data"] for each in again] == [each["data"] for each in stored]  # the same reference
    with pytest.raises(AssertionError, match="wrong-key"):
        Server(url)
    with pytest.raises(AssertionError, match=r"is encrypted with neither of these keys \[wrong-key\]"):
        Server(url, *change, environment={"LAMINA_SERVICE_KEY": KEY})


def test_servers_that_start_at_once_have_one_key(tmp_path: Path) -> None:
    path = tmp_path / "store.key"
    with ThreadPoolExecutor(8) as threads:
        keys = set(threads.map(lambda _: key_from_file(path, create=True), range(64)))
    assert len(keys) == 1
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["store.key"]


def test_a_purge_removes_secrets(tmp_path: Path) -> None:
    with Server(f"sqlite:///{tmp_path}/store.db", "--quiet") as server:
        put_secret(server)
        server.call("DELETE", "/revisions")
    with sqlite3.connect(tmp_path / "store.db") as connection:
        assert connection.execute("SELECT count(*) FROM secrets").fetchone() == (0,)
    connection.close()


def test_explanations_and_impacts_show_no_secret(server: Server) -> None:
    put_secret(server)
    reported = server.call("GET", "/revisions/1/explain?document=taker&path=data.got")
    assert reported.status == 200
    assert SECRET not in reported.body.decode()
    changed = server.call(
        "POST", "/revisions/1/impact/m", LAYERING_POLICY + "---\n" + TAKES.replace("name: s", "name: t")
    )
    assert SECRET not in changed.body.decode()


def test_a_schema_that_a_secret_breaks_does_not_show_it(server: Server) -> None:
    schema = (
        "schema: deckhand/DataSchema/v1\nmetadata: {schema: metadata/Control/v1, name: example/Kind/v1}\n"
        "data: {type: object, properties: {got: {type: integer}, pw: {type: integer}}}\n"
    )
    server.put("n", schema)
    put_secret(server)
    reply = server.call("GET", "/revisions/2/rendered-documents")
    assert reply.status == 400
    assert reply.one["details"]["errorCount"] == 2
    assert SECRET not in reply.body.decode()
