"""Deckhand's own clients against the server: what they send, what they rely on, and, if it is installed, the client.

`LAMINA_DECKHAND_CLIENT` may name a folder with the package `deckhand` (its libraries beside it, or installed): then
the client itself is run, too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import yaml

from service.servers import API, LAYERING_POLICY, Reply, Server, document

HEADERS = {"Accept": "application/x-yaml", "Content-Type": "application/x-yaml", "X-Auth-Token": "from-keystone"}
"""What the Python client sends with every request, those without a body included."""
KNOWN = {"apiVersion", "code", "details", "kind", "message", "metadata", "reason", "retry", "status"}
"""The keys of an error that the client knows; it fails on any other."""
FETCHED = os.environ.get("LAMINA_DECKHAND_CLIENT")


class Client:
    """The requests of the Python client."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def send(self, method: str, path: str, body: str | None = None, **filters: Any) -> Reply:
        # Sorted by name; a list is sent as its text.
        query = f"?{urlencode(sorted(filters.items()))}" if filters else ""
        return self._server.send(method, f"{API}{path}{query}", body, HEADERS)

    def one(self, method: str, path: str, body: str | None = None, **filters: Any) -> Any:
        reply = self.send(method, path, body, **filters)
        assert reply.status < 400, reply.body
        return yaml.safe_load(reply.body)

    def many(self, path: str, **filters: Any) -> list[Any]:
        reply = self.send("GET", path, **filters)
        assert reply.status == 200, reply.body
        return [each for each in yaml.safe_load_all(reply.body) if each]

    def fault(self, method: str, path: str, body: str | None = None) -> dict[str, Any]:
        reply = self.send(method, path, body)
        assert reply.status >= 400
        found = yaml.safe_load(reply.body)
        assert set(found) <= KNOWN
        return {**found, "status code": reply.status}


def test_the_python_client_works(server: Server) -> None:
    client = Client(server)
    made = list(
        yaml.safe_load_all(client.send("PUT", "/buckets/mop/documents", LAYERING_POLICY + "---\n" + document("a")).body)
    )
    assert [each["status"] for each in made] == [{"bucket": "mop", "revision": 1}] * 2
    assert client.one("PUT", "/buckets/sop/documents", document("b"))["status"]["bucket"] == "sop"
    listed = client.one("GET", "/revisions")
    assert listed["count"] == 2
    assert [each["id"] for each in listed["results"]] == [1, 2]  # the last one is the newest
    assert client.one("GET", "/revisions", sort="id", order="desc")["results"][0]["id"] == 2
    assert client.one("GET", "/revisions/2")["buckets"] == ["sop"]  # those that were written
    assert client.one("GET", "/revisions/1/diff/2") == {"mop": "unmodified", "sop": "created"}
    assert client.one("GET", "/revisions/1/deepdiff/2")["sop"] == "created"
    names = [each["metadata"]["name"] for each in client.many("/revisions/2/documents", schema="example/Kind/v1")]
    assert names == ["a", "b"]
    (rendered,) = client.many("/revisions/2/rendered-documents", **{"metadata.name": "b"})
    assert rendered["data"] == {"x": 1}
    assert client.many("/revisions/2/documents", **{"status.bucket": "['mop', 'sop']"}) == []


def test_its_tags_and_deletions_have_no_body(server: Server) -> None:
    client = Client(server)
    client.send("PUT", "/buckets/mop/documents", document("a"))
    assert client.one("POST", "/revisions/1/tags/committed") == {"committed": {}}
    assert client.one("POST", "/revisions/1/tags/later", "by: me\n") == {"later": {"by": "me"}}
    assert client.one("GET", "/revisions/1/tags/later") == {"later": {"by": "me"}}
    assert client.many("/revisions/1/tags") == [{"committed": {}, "later": {"by": "me"}}]
    for path in ("/revisions/1/tags/later", "/revisions/1/tags", "/revisions"):
        reply = client.send("DELETE", path)
        assert (reply.status, reply.body) == (204, b"")
    assert client.one("GET", "/revisions") == {"count": 0, "results": []}


def test_it_can_read_every_error(server: Server) -> None:
    client = Client(server)
    client.send("PUT", "/buckets/mop/documents", LAYERING_POLICY + "---\n" + document("a"))
    faults = [
        client.fault("GET", "/revisions/9"),
        client.fault("PUT", "/buckets/sop/documents", document("a")),
        client.fault("PUT", "/buckets/sop/documents", "a: ["),
        client.fault("PUT", "/buckets/sop/documents", "a: 1\n"),
        client.fault("GET", "/revisions/1/tags/none"),
        client.fault("GET", "/nowhere"),
        client.fault("PATCH", "/revisions"),
    ]
    assert [each["status code"] for each in faults] == [404, 409, 400, 400, 404, 404, 405]
    assert all(each["details"]["messageList"] and each["status"] == "Failure" for each in faults)


def test_shipyard_tags_and_rolls_back_without_a_content_type(server: Server) -> None:
    server.put("site", document("a"))
    server.put("site", document("a", "{x: 2}"))
    for _ in range(2):  # the same tag, more than once
        assert server.send("POST", f"{API}/revisions/2/tags/site-action-success").status == 201
    assert server.call("GET", "/revisions").one["results"][-1]["tags"] == ["site-action-success"]
    assert server.send("POST", f"{API}/rollback/1").status == 201
    assert server.send("POST", f"{API}/rollback/0").status == 201  # clears the site
    assert server.call("GET", "/revisions/4/documents").documents == []


PROGRAM = """
import json, sys
from keystoneauth1 import session, token_endpoint
from deckhand.client import client, exceptions
url, documents = sys.argv[1], sys.argv[2]
found = client.Client(session=session.Session(auth=token_endpoint.Token(url, "t")), endpoint_override=url)
made = found.buckets.update("mop", documents)
told = {"made": made.to_dict()["status"], "revisions": [each["id"] for each in found.revisions.list().results]}
told["documents"] = [each.metadata["name"] for each in found.revisions.documents(1, rendered=True)]
told["tag"] = found.tags.create(1, "t").to_dict()
told["diff"] = found.revisions.diff(0, 1).to_dict()
told["deepdiff"] = found.revisions.deepdiff(0, 1).to_dict()
try:
    found.revisions.get(9)
except exceptions.NotFound as error:
    told["error"] = str(error)
found.tags.delete_all(1)
found.revisions.delete_all()
told["left"] = found.revisions.list().count
print(json.dumps(told))
"""

if FETCHED:

    def test_the_client_itself_works(server: Server) -> None:
        folders = os.pathsep.join([FETCHED or "", *map(str, Path(FETCHED or "").glob("site"))])
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, f"{server.url}{API}", LAYERING_POLICY],
            capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": folders},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        shown = json.loads(done.stdout)
        assert shown["made"] == {"bucket": "mop", "revision": 1}
        assert shown["revisions"] == [1]
        assert shown["documents"] == ["layering-policy"]
        assert shown["tag"] == {"t": {}}
        assert shown["diff"] == {"mop": "created"}
        assert shown["error"].endswith("(HTTP 404)")
        assert shown["left"] == 0
