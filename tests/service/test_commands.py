"""The commands that talk to a server, and what they report."""

from __future__ import annotations

import json
import os
import re
import socket
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import yaml

from lamina.service.database import Database
from lamina.service.http_server import listen
from service.servers import KEY, LAYERING_POLICY, Server, document, run_lamina

MISSING_FASTAPI = """
import sys
sys.modules["fastapi"] = None
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "fastapi" else found(name, package)
from lamina.cli.main import main
main(["store", "serve", "--store", "sqlite://"])
"""


def lamina(server: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lamina", *arguments]
    environment = {**os.environ, "LAMINA_SERVER": server, "LAMINA_SERVICE_KEY": KEY}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_push_pull_and_rollback(server: Server, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(LAYERING_POLICY)
    (tmp_path / "a.yaml").write_text("---\n" + document("a", "{x: 1, day: 2020-01-02}") + "...\n")
    pushed = lamina(server.url, "store", "push", "site", str(tmp_path))
    assert (pushed.returncode, pushed.stderr) == (0, "site: 2 documents, revision 1\n")
    (tmp_path / "a.yaml").write_text(document("a", "{x: 2}"))
    shown = lamina(server.url, "store", "push", "--dry-run", "site", str(tmp_path)).stdout.splitlines()
    assert shown[0] == "~ example/Kind/v1/a (site): data.x: 1 → 2"
    assert re.fullmatch(r"    set at site/example/Kind/v1/a:\d+", shown[1])
    assert shown[-1] == "2 changes in 1 rendered document; nothing was written"
    preview = lamina(server.url, "store", "push", "--dry-run", "--format", "json", "site", str(tmp_path))
    assert '"before": 1' in preview.stdout
    assert '"after": 2' in preview.stdout
    assert lamina(server.url, "store", "push", "site", str(tmp_path)).returncode == 0
    assert lamina(server.url, "store", "rollback", "1").stderr == "revision 3 has the content of revision 1\n"
    pulled = lamina(server.url, "store", "pull", "--rendered")
    assert next(each["data"] for each in yaml.safe_load_all(pulled.stdout)) == {"x": 1, "day": "2020-01-02"}
    again = tmp_path / "again.yaml"
    again.write_text(lamina(server.url, "store", "pull").stdout)
    assert lamina(server.url, "store", "push", "site", str(again)).returncode == 0
    assert server.call("GET", "/revisions/3/diff/4").one == {"site": "unmodified"}
    listed = lamina(server.url, "store", "revisions").stdout.splitlines()
    assert [line.split()[0] for line in listed] == ["1", "2", "3", "4"]


def test_what_is_pushed_is_what_was_written(server: Server, tmp_path: Path) -> None:
    written = ["a\x85b", "\x85", "\u2028 x", "\ufeffy", "é\n\x85 ü"]
    (tmp_path / "a.yaml").write_text(document("a", json.dumps({"texts": written, **dict.fromkeys(written, 1)})))
    assert lamina(server.url, "store", "push", "site", str(tmp_path)).returncode == 0
    stored = server.call("GET", "/revisions/1/documents").one["data"]
    assert stored == {"texts": written, **dict.fromkeys(written, 1)}


def test_a_secret_is_not_replaced_by_its_reference(server: Server, tmp_path: Path) -> None:
    server.put("site", LAYERING_POLICY, document("s", "{pw: hidden}", policy="encrypted"))
    pulled = lamina(server.url, "store", "pull")
    assert pulled.stderr == "the data of 1 encrypted document is not printed, and cannot be pushed again from here\n"
    assert lamina(server.url, "store", "pull", "--rendered").stderr == ""
    path = tmp_path / "pulled.yaml"
    path.write_text(pulled.stdout)
    done = lamina(server.url, "store", "push", "site", str(path))
    assert (done.returncode, "[secret-reference]" in done.stderr) == (3, True)
    assert server.call("GET", "/revisions").one["count"] == 1


def test_what_a_server_rejects_is_reported(server: Server, tmp_path: Path) -> None:
    nothing = lamina(server.url, "store", "pull")
    assert nothing.returncode == 3
    assert "[no-revision]" in nothing.stderr
    path = tmp_path / "a.yaml"
    path.write_text(document("a").replace("example/Kind/v1", "example/Kind"))
    rejected = lamina(server.url, "store", "push", "site", str(path))
    assert rejected.returncode == 3
    assert "answered 400 InvalidDocumentFormat" in rejected.stderr
    assert "[request-rejected]" in rejected.stderr


def test_each_conflict_has_the_advice_for_its_cause(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"

    def rejected(*arguments: str) -> str:
        done = lamina(server.url, *arguments)
        assert done.returncode == 3
        assert "answered 409" in done.stderr
        return done.stderr.split("hint: ")[1].strip()

    def pushed(bucket: str, *documents: str) -> str:
        path.write_text("---\n".join(documents))
        return rejected("store", "push", bucket, str(path))

    server.put("m", document("a"))
    assert rejected("store", "pull", "--rendered") == "push a deckhand/LayeringPolicy/v1 document"
    hint = "a document belongs to one bucket: push it to bucket m, or remove it there first"
    assert pushed("n", document("a")) == hint
    assert pushed("m", document("b"), document("b")) == "the document is there twice: remove or rename one of them"
    source = "{src: {schema: example/Kind/v1, name: none, path: .}, dest: {path: .x}}"
    server.put("o", LAYERING_POLICY, document("c", more=f", substitutions: [{source}]"))
    assert rejected("store", "pull", "--rendered") == "push the document"
    assert "give the LayeringPolicy the name" in pushed("p", LAYERING_POLICY.replace("layering-policy", "other"))


def test_an_answer_that_is_not_yaml_is_reported() -> None:
    class NonStringKey(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>: [")

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), NonStringKey) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        done = lamina(f"http://127.0.0.1:{other.server_port}", "store", "revisions")
        other.shutdown()
    assert done.returncode == 3
    assert "[unexpected-response]" in done.stderr


@pytest.mark.parametrize(
    ("answer", "printed"),
    [
        (b"SSH-2.0-OpenSSH\r\n", "something that is not HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nresults:", "something of which the end is missing"),
        (b"HTTP/1.1 500 No\r\nContent-Length: 500\r\n\r\n<html>", "answered 500: no reason is given"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "something that is not one mapping"),
        (b"HTTP/1.1 302 Found\r\nLocation: http://other/\r\nContent-Length: 0\r\n\r\n", "redirects to http://other/"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nresults: 7", "something that is no list of revisions"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nresults: [7]", "something that is no list of revisions"),
    ],
)
def test_what_another_program_answers_is_no_internal_error(answer: bytes, printed: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:

        def respond() -> None:
            connection, _ = other.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(answer)

        threading.Thread(target=respond, daemon=True).start()
        done = lamina(f"http://127.0.0.1:{other.getsockname()[1]}", "store", "revisions")
    assert done.returncode == 3, done.stderr
    assert printed in done.stderr


def test_a_token_that_cannot_be_sent_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("hidden-word\nhidden-word\n")
    done = lamina("http://127.0.0.1:1", "store", "revisions", "--token-file", str(tmp_path / "token"))
    assert (done.returncode, "[invalid-token]" in done.stderr) == (2, True)
    assert "hidden-word" not in done.stderr


def test_a_bucket_without_documents_is_reported(server: Server) -> None:
    server.put("site", document("a"))
    done = lamina(server.url, "store", "pull", "--bucket", "sites")
    assert (done.stdout, done.stderr) == ("", "revision 1 has no documents in the bucket sites\n")


def test_all_revisions_of_a_deckhand_are_imported(server: Server, tmp_path: Path) -> None:
    """Our own service plays the role of a Deckhand: what is copied is what its API shows."""
    secret = document("s", "{pw: hidden}", policy="encrypted")
    server.put("m", LAYERING_POLICY, document("a"), document("b"), secret)
    server.put("n", document("c"))
    server.put("m", LAYERING_POLICY, document("b"), secret)
    server.put("n", document("c"), document("a", "{moved: true}"))
    server.call("POST", "/rollback/2")
    server.call("POST", "/revisions/3/tags/site-action", "k: 1")
    server.put("empty")
    url = f"sqlite:///{tmp_path}/store.db"
    done = lamina(server.url, "store", "import", "--quiet", "--store", url)
    assert (done.returncode, done.stderr) == (0, "5 revisions imported\n")
    with Server(url, "--quiet") as copy:
        for path in ("/revisions/1", "/revisions/3", "/revisions/5"):
            theirs, ours = (each.call("GET", path).one for each in (server, copy))
            assert {**theirs, "createdAt": ""} == {**ours, "createdAt": ""}
        for revision in range(1, 6):
            path = f"/revisions/{revision}/rendered-documents?sort=metadata.name"
            theirs, ours = ([(each["status"]["bucket"], each["data"]) for each in one.call("GET", path).documents]
                            for one in (server, copy))  # fmt: skip
            assert theirs == ours
        assert copy.put("n", document("c")).status == 200
    again = lamina(server.url, "store", "import", "--store", url)
    assert "[store-not-empty]" in again.stderr


LAYERED = "layeringDefinition: {layer: site, parentSelector: {l: m}, actions: [{method: merge, path: .}]}"


@pytest.mark.parametrize(
    ("parent", "child"),
    [
        (document("p", layer="global", more=", labels: {l: m}"), f"name: s, storagePolicy: encrypted, {LAYERED}"),
        # What replaces a secret has its name, and the source shows nothing else of that name.
        (
            document("s", layer="global", policy="encrypted", more=", labels: {l: m}"),
            f"name: s, storagePolicy: cleartext, replacement: true, {LAYERED}",
        ),
    ],
    ids=["layered", "replaced"],
)
def test_a_secret_that_the_source_does_not_show_cannot_be_imported(
    server: Server, tmp_path: Path, parent: str, child: str
) -> None:
    child = f"schema: example/Kind/v1\nmetadata: {{schema: metadata/Document/v1, {child}}}\ndata: {{y: 1}}\n"
    assert server.put("m", LAYERING_POLICY, parent, child).status == 200
    done = lamina(server.url, "store", "import", "--quiet", "--store", f"sqlite:///{tmp_path}/store.db")
    assert done.returncode == 3
    assert "[cannot-import]" in done.stderr


def serving(answers: dict[str, str]) -> HTTPServer:
    """A server that gives fixed answers to GET."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = answers.get(self.path.removeprefix("/api/v1.0"))
            self.send_response(404 if found is None else 200)
            self.end_headers()
            self.wfile.write((found or "").encode())

        def log_message(self, *_arguments: object) -> None:
            """Say nothing."""

    found = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=found.serve_forever, daemon=True).start()
    return found


def imported(answers: dict[str, str], store: str) -> subprocess.CompletedProcess[str]:
    source = serving(answers)
    try:
        return lamina(f"http://127.0.0.1:{source.server_port}", "store", "import", "--store", store)
    finally:
        source.shutdown()
        source.server_close()


def stored(name: str, data: str) -> str:
    return document(name, data) + "status: {bucket: m, revision: 1}\nid: 1\n"


def test_numbers_that_a_deckhand_left_out_are_filled(sqlite: str) -> None:
    answers = {
        "/revisions": "results:\n- {id: 2, buckets: [m], tags: []}\n- {id: 5, buckets: [m], tags: [t]}\n",
        "/revisions/2/documents": stored("a", "{x: 2}"),
        "/revisions/5/documents": stored("a", "{x: 5}"),
        "/revisions/2/tags": "{}",
        "/revisions/5/tags": "t: {}",
    }
    done = imported(answers, sqlite)
    assert done.returncode == 0, done.stderr
    assert "revision 3 is not in the Deckhand: the same as revision 2\n" in done.stderr
    assert done.stderr.endswith("2 revisions imported\n")
    with Server(sqlite, "--quiet") as server:
        listed = server.call("GET", "/revisions").one["results"]
        assert [(each["id"], each["buckets"]) for each in listed] == [(1, []), (2, ["m"]), (3, []), (4, []), (5, ["m"])]
        data = [server.call("GET", f"/revisions/{number}/documents").documents for number in range(1, 6)]
        assert [[each["data"]["x"] for each in some] for some in data] == [[], [2], [2], [2], [5]]


def test_an_import_that_broke_off_goes_on(sqlite: str) -> None:
    answers = {
        "/revisions": "results:\n- {id: 1, buckets: [m], tags: []}\n- {id: 2, buckets: [m], tags: [t]}\n",
        "/revisions/1/documents": stored("a", "{x: 1}") + "---\n" + stored("b", "{y: '--- no end'}"),
        "/revisions/2/documents": stored("a", "{x: 2}")
        + "---\n"
        + stored("b", "{y: '--- no end'}").replace("id: 1", "id: 7"),
    }
    source = serving(answers)
    url = f"http://127.0.0.1:{source.server_port}"
    try:
        broken = lamina(url, "store", "import", "--store", sqlite)
        assert (broken.returncode, "[request-rejected]" in broken.stderr) == (3, True)  # there are no tags yet
        answers["/revisions/2/tags"] = "t: {}"
        done = lamina(url, "store", "import", "--store", sqlite)
        assert (done.returncode, done.stderr.splitlines()) == (
            0,
            ["the revisions up to 1 were imported before", "revision 2", "2 revisions imported"],
        )
    finally:
        source.shutdown()
        source.server_close()
    with Server(sqlite, "--quiet") as server:
        assert server.call("GET", "/revisions").one["count"] == 2
        found = server.call("GET", "/revisions/2/documents").documents
        assert [each["data"] for each in found] == [{"x": 2}, {"y": "--- no end"}]


def test_what_is_not_a_deckhand_is_not_imported(sqlite: str) -> None:
    for listed in ("results: [{a: 1}]", "results: [5]", "results: [{id: x}]"):
        done = imported({"/revisions": listed}, sqlite)
        assert (done.returncode, "[unexpected-response]" in done.stderr) == (3, True), done.stderr


def test_files_without_documents_do_not_empty_a_bucket(server: Server, tmp_path: Path) -> None:
    server.put("site", document("a"))
    (tmp_path / "empty.yaml").write_text("# nothing here\n")
    (tmp_path / "folder").mkdir()
    for given in (tmp_path / "empty.yaml", tmp_path / "folder"):
        done = lamina(server.url, "store", "push", "site", str(given))
        assert done.returncode == 2
        assert "use --empty" in done.stderr
    assert len(server.call("GET", "/revisions/1/documents").documents) == 1
    assert lamina(server.url, "store", "push", "site", "--empty").returncode == 0
    assert server.call("GET", "/revisions/2/documents").documents == []


def test_messages_of_a_new_user(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("---\n" + document("a") + "---\n" + document("b").replace(", storagePolicy: cleartext", ""))
    rejected = lamina(server.url, "store", "push", "site", str(path))
    assert f"{path}:6:1: " in rejected.stderr  # where the document is that the server rejects
    for bucket in ("", "a/b"):
        assert "is not the name of a bucket" in lamina(server.url, "store", "push", bucket, str(path)).stderr
    assert lamina(server.url, "store", "revisions").stderr == "no revisions yet\n"
    assert lamina(f"{server.url}/api/v1.0/", "store", "revisions").returncode == 0
    elsewhere = lamina(f"{server.url}/elsewhere", "store", "revisions").stderr
    assert "there is no such address" in elsewhere
    assert "check the address" in elsewhere
    assert "begins with http://" in lamina(server.url.replace("http", "https"), "store", "revisions").stderr


def test_a_wrong_token_and_none_have_hints_of_their_own(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Server(sqlite, "--quiet", "--auth", "token") as server:
        monkeypatch.delenv("LAMINA_TOKEN", raising=False)
        assert "give a token" in lamina(server.url, "store", "revisions").stderr
        monkeypatch.setenv("LAMINA_TOKEN", "wrong")
        assert "the token is not valid here" in lamina(server.url, "store", "revisions").stderr


def test_a_role_that_is_missing_is_looked_up_where_the_hint_says(sqlite: str, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(
        run_lamina("store", "token", "create", "reader", "--role", "read", "--store", sqlite)
    )
    (tmp_path / "a.yaml").write_text(document("a"))
    with Server(sqlite, "--auth", "token") as server:
        done = lamina(
            server.url, "store", "push", "m", str(tmp_path / "a.yaml"), "--token-file", str(tmp_path / "token")
        )
    assert "The role write is needed; reader has read." in done.stderr
    assert "'lamina store token create'" in done.stderr
    assert run_lamina("store", "token", "list", "--store", sqlite).startswith("reader  read  ")


def test_a_body_that_is_too_large_is_answered(sqlite: str, tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    with Server(sqlite, "--quiet", "--max-body", "1") as server:
        for size, expected in ((2_000_000, "413 HTTPContentTooLarge"), (12_000_000, "closed the connection")):
            path.write_text(document("a", f"{{x: {'y' * size}}}"))
            done = lamina(server.url, "store", "push", "site", str(path))
            assert done.returncode == 3
            assert expected in done.stderr or "413" in done.stderr, done.stderr
            assert size > 4_000_000 or "413" in done.stderr
        assert server.call("GET", "/revisions").one["count"] == 0


@pytest.mark.parametrize(
    ("store", "printed"),
    [
        ("sqlite:///{folder}/none/store.db", "there is no folder"),
        ("sqlite:///{folder}/store.db?mode=ro", "without anything behind a question mark"),
        ("store.db", "write sqlite:///store.db"),
        ("mysql://host/name", "must be a SQLite or PostgreSQL database"),
        ("sqlite:///{folder}/newer.db", "a newer version of Lamina made its tables"),
        ("sqlite:///{folder}/text.db", "file is not a database"),
    ],
)
def test_a_store_that_cannot_be_opened_is_explained(tmp_path: Path, store: str, printed: str) -> None:
    (tmp_path / "text.db").write_text("This is not a database but a text that is long enough." * 20)
    database = Database(f"sqlite:///{tmp_path}/newer.db")
    database.upgrade()
    database.close()
    with closing(sqlite3.connect(tmp_path / "newer.db")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        before = list(connection.iterdump())
    for command in ("store serve", "store token list"):
        done = lamina("", *command.split(), "--store", store.format(folder=tmp_path))
        assert done.returncode in (2, 3), done.stderr
        assert printed in done.stderr
        assert "hint: " in done.stderr
    with closing(sqlite3.connect(tmp_path / "newer.db")) as connection:
        assert list(connection.iterdump()) == before


def test_an_address_that_cannot_be_listened_on_is_explained(server: Server) -> None:
    taken = lamina("", "store", "serve", "--store", "sqlite://", "--listen", f"127.0.0.1:{server.port}").stderr
    assert f"cannot listen on 127.0.0.1:{server.port}: Address already in use [cannot-listen]\n" in taken
    unknown = lamina(
        "", "store", "serve", "--store", "sqlite://", "--insecure", "--listen", "nowhere.invalid:9000"
    ).stderr
    assert "(while" not in unknown
    assert "Errno" not in unknown


def test_without_its_libraries_the_service_names_what_to_install() -> None:
    done = subprocess.run([sys.executable, "-c", MISSING_FASTAPI], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "fastapi [service-not-installed]" in done.stderr
    assert "pip install 'lamina[service]'" in done.stderr


def test_importing_lamina_loads_nothing_of_the_service() -> None:
    code = "import lamina, lamina.cli.main, lamina.cli.group, lamina.service.client, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"sqlalchemy", "starlette", "fastapi", "pydantic", "limits", "uvicorn", "cryptography", "psycopg"} & set(
        done.stdout.split()
    )


def test_the_body_of_an_answer_does_not_wait_for_the_head_to_be_confirmed() -> None:
    with listen("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        connection, _ = listening.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
