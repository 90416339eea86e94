"""The audit: who changed what, from where, and what they said about it."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from lamina.cli.group import lamina
from service.servers import LAYERING_POLICY, Server, document, run_lamina


@pytest.fixture
def guarded(store_url: str) -> Any:
    """A server with tokens for two people."""
    names = {"ann": "write", "boss": "admin"}
    tokens = {
        name: run_lamina("store", "token", "create", name, "--role", "read", "--role", role, "--store", store_url)
        for name, role in names.items()
    }
    with Server(store_url, "--quiet", "--auth", "token") as server:
        yield server, tokens


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, sqlite: str) -> str:
    return sqlite if request.param == "sqlite" else request.getfixturevalue("postgres").database()


def audit(server: Server, token: str, query: str = "") -> list[dict[str, Any]]:
    reply = server.call("GET", f"/audit{query}", X_Auth_Token=token)
    assert reply.status == 200, reply.body
    found: list[dict[str, Any]] = reply.one["results"]
    return found


def test_everything_that_is_written_is_noted(guarded: tuple[Server, dict[str, str]]) -> None:
    server, tokens = guarded
    ann, boss = tokens["ann"], tokens["boss"]
    path = "/buckets/site/documents?message=More%20replicas%20%E2%80%93%20as%20agreed"
    put = server.call("PUT", path, LAYERING_POLICY + "---\n" + document("a"), X_Auth_Token=ann)
    assert put.status == 200
    server.call("POST", "/revisions/1/tags/t?message=approved", X_Auth_Token=ann)
    server.call("POST", "/revisions/1/validations/v", "{status: success, validator: {name: v}}", X_Auth_Token=ann)
    server.call("DELETE", "/revisions/1/tags/t", X_Auth_Token=ann)
    server.call("POST", "/rollback/0?message=undone", X_Auth_Token=boss)
    assert server.call("PUT", "/buckets/site/documents", "a: [", X_Auth_Token=ann).status == 400
    found = audit(server, boss)[::-1]
    told = [(each["action"], each["author"], each.get("revision"), each.get("subject")) for each in found[2:]]
    assert told == [
        ("put", "ann", 1, "site"),
        ("tag", "ann", 1, "t"),
        ("validation", "ann", 1, "v"),
        ("untag", "ann", 1, "t"),
        ("rollback", "boss", 2, "0"),
    ]
    assert [(each["action"], each["subject"]) for each in found[:2]] == [
        ("create token", "ann"),
        ("create token", "boss"),
    ]
    assert found[2]["message"] == "More replicas – as agreed"
    assert found[2]["address"] == "127.0.0.1"
    assert found[2]["request"] == put.headers["x-deckhand-req"]
    (first, second) = server.call("GET", "/revisions", X_Auth_Token=ann).one["results"]
    assert (first["author"], first["message"]) == ("ann", "More replicas – as agreed")
    assert (second["author"], second["message"]) == ("boss", "undone")
    assert server.call("GET", "/revisions/1", X_Auth_Token=ann).one["author"] == "ann"
    shown = server.send("GET", "/explore/targets", headers={"X-Auth-Token": ann}).body.decode()
    assert "ann: More replicas" in shown


def test_the_audit_outlives_a_purge_and_is_for_administrators(guarded: tuple[Server, dict[str, str]]) -> None:
    server, tokens = guarded
    server.call("PUT", "/buckets/site/documents", document("a"), X_Auth_Token=tokens["ann"])
    server.call("DELETE", "/revisions", X_Auth_Token=tokens["boss"])
    server.call("PUT", "/buckets/site/documents", document("a"), X_Auth_Token=tokens["ann"])
    found = audit(server, tokens["boss"], "?limit=3")
    assert [(each["action"], each.get("revision"), each["epoch"]) for each in found] == [
        ("put", 1, 1), ("purge", 1, 0), ("put", 1, 0),
    ]  # fmt: skip
    earlier = audit(server, tokens["boss"], f"?before={found[-1]['id']}")
    assert [each["action"] for each in earlier] == ["create token"] * 2
    refused = server.call("GET", "/audit", X_Auth_Token=tokens["ann"])
    assert refused.status == 403
    assert "The role admin is needed; ann has read, write." in refused.one["message"]


@pytest.mark.parametrize("message", ["x" * 1001, "a&message=b", "%00"])
def test_a_message_that_cannot_be_kept_is_rejected(server: Server, message: str) -> None:
    assert server.call("PUT", f"/buckets/m/documents?message={message}", document("a")).status == 400


def test_commands_say_and_show_who_and_why(guarded: tuple[Server, dict[str, str]], tmp_path: Any) -> None:
    server, tokens = guarded
    (tmp_path / "a.yaml").write_text(LAYERING_POLICY + "---\n" + document("a"))

    def run(name: str, *arguments: str) -> str:
        (tmp_path / name).write_text(tokens[name])
        common = ("--server", server.url, "--token-file", str(tmp_path / name))
        done = CliRunner().invoke(lamina, ["store", *arguments, *common])
        assert done.exit_code == 0, done.output
        return done.output

    run("ann", "push", "site", str(tmp_path / "a.yaml"), "-m", "first try")
    run("ann", "tag", "1", "good", "-m", "tried it")
    run("ann", "rollback", "1", "-m", "again")
    assert "site [good]  ann: first try" in run("ann", "revisions").replace("site  [", "site [")
    assert "ann: again" in run("ann", "revisions", "--newest", "1")
    shown = run("boss", "audit", "--limit", "3")
    assert "ann  127.0.0.1  put  revision 1  site  first try" in shown
    made = run("boss", "token", "create", "ci", "--role", "write", "--bucket", "site", "--days", "7")
    assert made.startswith("lamina_")
    assert "only site" in run("boss", "token", "list")
    run("boss", "token", "revoke", "ci")
    assert "ci" not in run("boss", "token", "list")


def test_revisions_are_listed_in_pages(server: Server) -> None:
    for number in range(5):
        server.put("m", document("a", str(number)))

    def ids(query: str) -> list[int]:
        return [each["id"] for each in server.call("GET", f"/revisions{query}").one["results"]]

    assert ids("") == ids("?newest=9") == [1, 2, 3, 4, 5]
    assert ids("?newest=2") == [4, 5]
    assert ids("?newest=2&before=4") == [2, 3]
    assert ids("?before=1") == []
    for wrong in ("newest=0", "newest=x", "before=-1", "newest=1&newest=2"):
        assert server.call("GET", f"/revisions?{wrong}").status == 400
