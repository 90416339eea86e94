"""The commands that talk to a server, and what they report."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import yaml

from lamina.service.server import listen
from service.servers import KEY, LAYERING_POLICY, Server, document

MISSING_STARLETTE = """
import sys
sys.modules["starlette"] = None
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "starlette" else found(name, package)
from lamina.cli.main import main
main(["serve", "--store", "sqlite://"])
"""


def lamina(server: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lamina", *arguments]
    environment = {**os.environ, "LAMINA_SERVER": server, "LAMINA_SERVICE_KEY": KEY}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_push_pull_and_rollback(server: Server, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(LAYERING_POLICY)
    (tmp_path / "a.yaml").write_text("---\n" + document("a", "{x: 1, day: 2020-01-02}") + "...\n")
    pushed = lamina(server.url, "push", "site", str(tmp_path))
    assert (pushed.returncode, pushed.stderr) == (0, "site: 2 documents, revision 1\n")
    (tmp_path / "a.yaml").write_text(document("a", "{x: 2}"))
    preview = lamina(server.url, "push", "--dry-run", "site", str(tmp_path))
    assert '"before": 1' in preview.stdout
    assert '"after": 2' in preview.stdout
    assert lamina(server.url, "push", "site", str(tmp_path)).returncode == 0
    assert lamina(server.url, "rollback", "1").stderr == "revision 3 has the content of revision 1\n"
    pulled = lamina(server.url, "pull", "--rendered")
    assert next(each["data"] for each in yaml.safe_load_all(pulled.stdout)) == {"x": 1, "day": "2020-01-02"}
    again = tmp_path / "again.yaml"
    again.write_text(lamina(server.url, "pull").stdout)
    assert lamina(server.url, "push", "site", str(again)).returncode == 0
    assert server.call("GET", "/revisions/3/diff/4").one == {"site": "unmodified"}
    listed = lamina(server.url, "revisions").stdout.splitlines()
    assert [line.split()[0] for line in listed] == ["1", "2", "3", "4"]


def test_what_a_server_rejects_is_reported(server: Server, tmp_path: Path) -> None:
    nothing = lamina(server.url, "pull")
    assert nothing.returncode == 3
    assert "[no-revision]" in nothing.stderr
    path = tmp_path / "a.yaml"
    path.write_text(document("a").replace("example/Kind/v1", "example/Kind"))
    rejected = lamina(server.url, "push", "site", str(path))
    assert rejected.returncode == 3
    assert "answered 400 InvalidDocumentFormat" in rejected.stderr
    assert "[request-rejected]" in rejected.stderr


def test_an_answer_that_is_not_yaml_is_reported() -> None:
    class Odd(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>: [")

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Odd) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        done = lamina(f"http://127.0.0.1:{other.server_port}", "revisions")
        other.shutdown()
    assert done.returncode == 3
    assert "[unexpected-response]" in done.stderr


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
    done = lamina(server.url, "import-deckhand", "--quiet", "--store", url)
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
    again = lamina(server.url, "import-deckhand", "--store", url)
    assert "[store-not-empty]" in again.stderr


def test_an_encrypted_document_that_is_layered_cannot_be_imported(server: Server, tmp_path: Path) -> None:
    parent = document("p", "{x: 1}", layer="global", more=", labels: {l: m}")
    child = (
        "schema: example/Kind/v1\nmetadata: {schema: metadata/Document/v1, name: s, storagePolicy: encrypted,"
        " layeringDefinition: {layer: site, parentSelector: {l: m}, actions: [{method: merge, path: .}]}}\n"
        "data: {y: 1}\n"
    )
    server.put("m", LAYERING_POLICY, parent, child)
    done = lamina(server.url, "import-deckhand", "--quiet", "--store", f"sqlite:///{tmp_path}/store.db")
    assert done.returncode == 3
    assert "[cannot-import]" in done.stderr


def test_without_its_libraries_the_service_names_what_to_install() -> None:
    done = subprocess.run([sys.executable, "-c", MISSING_STARLETTE], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "starlette [service-not-installed]" in done.stderr
    assert "pip install 'lamina[service]'" in done.stderr


def test_importing_lamina_loads_nothing_of_the_service() -> None:
    code = "import lamina, lamina.cli.main, lamina.cli.group, lamina.service.client, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"sqlalchemy", "starlette", "uvicorn", "cryptography", "psycopg"} & set(done.stdout.split())


def test_the_body_of_an_answer_does_not_wait_for_the_head_to_be_confirmed() -> None:
    with listen("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        connection, _ = listening.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
