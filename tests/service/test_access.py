"""Access: tokens with roles, a proxy that says who calls, and limits."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from lamina.cli.group import lamina
from lamina.errors import InputError
from service.servers import LAYERING_POLICY, Server, document, run_lamina

ENCRYPTED = document("s", "{pw: hidden-word}", policy="encrypted")


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, dict[str, str]]]:
    """A server with a token for each role."""
    url = f"sqlite:///{tmp_path_factory.mktemp('store')}/store.db"
    roles = {"reader": ["read"], "writer": ["read", "write"], "keeper": ["read", "write", "secrets"], "boss": ["admin"]}
    tokens = {
        name: run_lamina(
            "store", "token", "create", name, "--store", url, *(word for role in own for word in ("--role", role))
        )
        for name, own in roles.items()
    }
    with Server(url, "--quiet", "--auth", "token") as server:
        yield server, tokens


def test_roles_decide_what_a_token_may_do(guarded: tuple[Server, dict[str, str]]) -> None:
    server, tokens = guarded
    path = "/buckets/m/documents"
    assert server.call("PUT", path, document("a")).status == 401
    assert server.call("PUT", path, document("a"), X_Auth_Token="lamina_wrong").status == 401
    assert server.call("PUT", path, document("a"), X_Auth_Token=tokens["reader"]).status == 403
    assert server.call("PUT", path, document("a"), Authorization=f"Bearer {tokens['writer']}").status == 200
    assert server.call("PUT", path, ENCRYPTED, X_Auth_Token=tokens["writer"]).status == 200
    assert server.call("PUT", path, ENCRYPTED + "---\n" + LAYERING_POLICY, X_Auth_Token=tokens["keeper"]).status == 200
    assert server.call("DELETE", "/revisions", X_Auth_Token=tokens["keeper"]).status == 403
    assert server.call("GET", "/revisions", X_Auth_Token=tokens["reader"]).status == 200
    assert server.call("GET", "/health").status == 204


def with_substitution(name: str, pattern: str = "") -> str:
    source = "{schema: example/Kind/v1, name: s, path: .pw}"
    more = f", substitutions: [{{src: {source}, dest: {{path: .got{pattern}}}}}]"
    return document(name, "{got: 'user:WORD@host', plain: 1}", more=more)


CHILD = (
    "schema: example/Kind/v1\nmetadata: {schema: metadata/Document/v1, name: child, storagePolicy: cleartext,"
    " layeringDefinition: {layer: site, parentSelector: {name: base}, actions: [{method: merge, path: .}]}}\n"
    "data: {own: 1}\n"
)
BASE = document(
    "base", "{pw: hidden-word, list: [1]}", layer="global", policy="encrypted", more=", labels: {name: base}"
)


def test_who_may_not_see_secrets_sees_all_else(guarded: tuple[Server, dict[str, str]]) -> None:
    server, tokens = guarded
    server.call("DELETE", "/revisions", X_Auth_Token=tokens["boss"])
    inside = with_substitution("inside", ", pattern: WORD")
    body = "---\n".join((LAYERING_POLICY, ENCRYPTED, with_substitution("taker"), inside, BASE, CHILD, document("a")))
    assert server.call("PUT", "/buckets/m/documents", body, X_Auth_Token=tokens["writer"]).status == 200
    for first in ("keeper", "reader"):  # nothing reaches one of them through what was kept for the other
        shown = server.call("GET", "/revisions/1/rendered-documents", X_Auth_Token=tokens[first])
        assert ("hidden-word" in shown.body.decode()) == (first == "keeper")
    for query in ("", "?cleartext-secrets=true", "?cleartext-secrets=false", "?sort=data.pw"):
        reply = server.call("GET", f"/revisions/1/rendered-documents{query}", X_Auth_Token=tokens["reader"])
        rendered = {each["metadata"]["name"]: each for each in reply.documents}
        assert {name: each["data"] for name, each in rendered.items() if name != "layering-policy"} == {
            "s": {"pw": "(secret)"},
            "taker": {"got": "(secret)", "plain": 1},
            "inside": {"got": "(secret)", "plain": 1},
            "base": {"pw": "(secret)", "list": ["(secret)"]},
            "child": {"pw": "(secret)", "list": ["(secret)"], "own": 1},
            "a": {"x": 1},
        }
        assert rendered["taker"]["metadata"]["storagePolicy"] == "encrypted"
        assert rendered["a"]["metadata"]["storagePolicy"] == "cleartext"
    raw = server.call("GET", "/revisions/1/documents", X_Auth_Token=tokens["reader"])
    assert "hidden-word" not in raw.body.decode()
    assert len(raw.documents) == 7
    for path in ("explain?document=taker&path=data.got", "explain?document=child&path=data", "deepdiff/0"):
        found = server.call("GET", f"/revisions/1/{path}", X_Auth_Token=tokens["reader"])
        assert found.status == 200, found.body
        assert "hidden-word" not in found.body.decode()
    assert server.call("POST", "/rollback/1", X_Auth_Token=tokens["writer"]).status == 201


def test_what_an_inherited_secret_breaks_is_said_without_it(guarded: tuple[Server, dict[str, str]]) -> None:
    server, tokens = guarded
    server.call("DELETE", "/revisions", X_Auth_Token=tokens["boss"])
    schema = (
        "schema: deckhand/DataSchema/v1\nmetadata: {schema: metadata/Control/v1, name: example/Kind/v1}\n"
        "data: {type: object, properties: {own: {type: string}}}\n"
    )
    body = "---\n".join((LAYERING_POLICY, schema, BASE, CHILD))
    assert server.call("PUT", "/buckets/m/documents", body, X_Auth_Token=tokens["writer"]).status == 200
    for name in ("reader", "keeper"):
        reply = server.call("GET", "/revisions/1/rendered-documents", X_Auth_Token=tokens[name])
        assert reply.status == 400
        assert "hidden-word" not in reply.body.decode()
        (said,) = reply.one["details"]["messageList"]
        assert said["diagnostic"]["error_section"]["pw"] == "(secret)"


def test_a_token_for_some_buckets_writes_nothing_else(guarded: tuple[Server, dict[str, str]]) -> None:
    server, tokens = guarded
    boss = tokens["boss"]
    server.call("DELETE", "/revisions", X_Auth_Token=boss)
    made = server.call("POST", "/tokens/limited", "{roles: [read, write], buckets: [own], days: 30}", X_Auth_Token=boss)
    assert made.status == 201
    limited = made.one["token"]
    assert server.call("PUT", "/buckets/own/documents", document("a"), X_Auth_Token=limited).status == 200
    reply = server.call("PUT", "/buckets/other/documents", document("b"), X_Auth_Token=limited)
    assert reply.status == 403
    assert "limited may write the bucket own only, and not the bucket other." in reply.one["message"]
    for method, path in (("POST", "/rollback/1"), ("POST", "/revisions/1/tags/t"), ("DELETE", "/revisions")):
        assert server.call(method, path, X_Auth_Token=limited).status == 403
    assert (
        server.call("GET", "/revisions/1/rendered-documents", X_Auth_Token=limited).status == 409
    )  # there is no policy
    assert server.call("POST", "/tokens/limited", "{roles: [read]}", X_Auth_Token=boss).status == 409
    for wrong in ("{}", "{roles: [king]}", "{roles: [read], buckets: [a]}", "{roles: [read], days: 0}", "[]", "{x: 1}"):
        assert server.call("POST", "/tokens/wrong", wrong, X_Auth_Token=boss).status == 400, wrong
    (listed,) = [
        each for each in server.call("GET", "/tokens", X_Auth_Token=boss).one["results"] if each["name"] == "limited"
    ]
    assert (listed["roles"], listed["buckets"], listed["expired"]) == (["read", "write"], ["own"], False)
    assert server.call("GET", "/tokens", X_Auth_Token=tokens["keeper"]).status == 403
    assert server.call("DELETE", "/tokens/limited", X_Auth_Token=boss).status == 204
    assert server.call("DELETE", "/tokens/limited", X_Auth_Token=boss).status == 404
    assert server.call("GET", "/revisions", X_Auth_Token=limited).status == 401


def test_a_token_that_expired_says_so(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    token = run_lamina("store", "token", "create", "brief", "--role", "read", "--days", "1", "--store", url)
    with Server(url, "--quiet", "--auth", "token") as server:
        assert server.call("GET", "/revisions", X_Auth_Token=token).status == 200
        with sqlite3.connect(tmp_path / "store.db") as connection:
            connection.execute("UPDATE tokens SET expires = '2020-01-01T00:00:00'")
        connection.close()
        reply = server.call("GET", "/revisions", X_Auth_Token=token)
    assert reply.status == 401
    assert reply.one["message"] == "The token brief expired at 2020-01-01T00:00:00 UTC."
    assert "until 2020-01-01" in run_lamina("store", "token", "list", "--store", url)


def test_the_error_for_a_missing_role_is_in_deckhands_form(guarded: tuple[Server, dict[str, str]]) -> None:
    server, tokens = guarded
    reply = server.call("DELETE", "/revisions", X_Auth_Token=tokens["reader"]).one
    assert reply["details"]["errorType"] == "HTTPForbidden"
    assert "deckhand:delete_revisions" in reply["message"]
    assert reply["message"].endswith("The role admin is needed; reader has read.")


def test_a_revoked_token_is_rejected_at_once(guarded: tuple[Server, dict[str, str]], tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    token = run_lamina("store", "token", "create", "short", "--role", "read", "--store", url)
    with Server(url, "--quiet", "--auth", "token") as server:
        assert server.call("GET", "/revisions", X_Auth_Token=token).status == 200
        run_lamina("store", "token", "revoke", "short", "--store", url)
        assert server.call("GET", "/revisions", X_Auth_Token=token).status == 401
    assert token.encode() not in (tmp_path / "store.db").read_bytes()


def test_a_proxy_says_who_calls(tmp_path: Path) -> None:
    confirmed = {"X_Identity_Status": "Confirmed", "X_User_Name": "eve"}
    with Server(f"sqlite:///{tmp_path}/a.db", "--quiet", "--auth", "proxy") as server:
        assert server.call("GET", "/revisions").status == 401
        assert server.call("GET", "/revisions", X_Identity_Status="Invalid", X_Roles="admin").status == 401
        assert server.call("GET", "/revisions", X_Roles="reader", **confirmed).status == 200
        assert server.call("DELETE", "/revisions", X_Roles="member,reader", **confirmed).status == 403
        assert server.call("DELETE", "/revisions", X_Roles="admin", **confirmed).status == 204
    with Server(f"sqlite:///{tmp_path}/b.db", "--quiet", "--auth", "proxy", "--proxy", "10.0.0.1") as server:
        assert server.call("DELETE", "/revisions", X_Roles="admin", **confirmed).status == 401


@pytest.mark.parametrize(
    ("proxy", "sender", "status"), [("10.0.0.1", "10.0.0.1", 401), ("127.0.0.1", "192.0.2.7", 200)]
)
def test_no_header_changes_the_address_of_a_proxy(tmp_path: Path, proxy: str, sender: str, status: int) -> None:
    """Proxies name their client in a header; anybody can, so it neither makes a proxy nor unmakes one."""
    with Server(f"sqlite:///{tmp_path}/a.db", "--quiet", "--auth", "proxy", "--proxy", proxy) as server:
        headers = {"X_Identity_Status": "Confirmed", "X_Roles": "reader", "X_Forwarded_For": sender}
        assert server.call("GET", "/revisions", **headers).status == status


def test_a_proxy_is_an_address() -> None:
    found = CliRunner().invoke(
        lamina, ["store", "serve", "--store", "sqlite://", "--auth", "proxy", "--proxy", "proxy.example"]
    )
    assert found.exit_code == 2
    assert "--proxy 'proxy.example' is not an IP address, such as 10.0.0.5." in found.output


def test_guessing_tokens_is_limited(tmp_path: Path) -> None:
    with Server(f"sqlite:///{tmp_path}/a.db", "--quiet", "--auth", "token", "--rate", "0.2") as server:
        found = [server.call("GET", "/revisions", X_Auth_Token=f"guess-{at}").status for at in range(5)]
    assert found[0] == 401
    assert 429 in found


def test_limits_on_size_and_rate(tmp_path: Path) -> None:
    with Server(f"sqlite:///{tmp_path}/store.db", "--quiet", "--max-body", "1", "--rate", "0.2") as server:
        assert server.put("m", document("a", f"{{x: {'y' * (1024 * 1024)}}}")).status == 413
        replies = [server.call("GET", "/revisions") for _ in range(20)]
    assert replies[0].status == 200
    rejected = [reply for reply in replies if reply.status == 429]
    assert rejected
    assert all(int(reply.headers["retry-after"]) >= 1 for reply in rejected)


def test_the_log_is_json_and_names_the_caller(tmp_path: Path) -> None:
    import json

    with Server(f"sqlite:///{tmp_path}/store.db") as server:
        server.call("GET", "/revisions?secret=parameter-word")
        log = server.stop()
    lines = [json.loads(line) for line in log.splitlines()]
    request = next(line for line in lines if line["message"] == "request")
    assert (request["path"], request["status"], request["caller"]) == ("/api/v1.0/revisions", 200, "anybody")
    assert "parameter-word" not in log


def test_whoever_pulls_is_told_that_secrets_are_withheld(
    guarded: tuple[Server, dict[str, str]], tmp_path: Path
) -> None:
    server, tokens = guarded
    server.call("DELETE", "/revisions", X_Auth_Token=tokens["boss"])
    body = "---\n".join((LAYERING_POLICY, ENCRYPTED, with_substitution("taker"), document("a")))
    assert server.call("PUT", "/buckets/m/documents", body, X_Auth_Token=tokens["writer"]).status == 200
    (tmp_path / "token").write_text(tokens["reader"])
    given = ["--server", server.url, "--token-file", str(tmp_path / "token")]
    found = CliRunner().invoke(lamina, ["store", "pull", "--rendered", *given])
    assert found.stderr == "secrets are withheld from 2 documents: the token lacks the role secrets\n"
    assert "got: (secret)" in found.stdout
    (tmp_path / "pulled.yaml").write_text(found.stdout)
    with pytest.raises(InputError, match=r"has \(secret\) in place of a secret that was withheld"):
        CliRunner().invoke(
            lamina, ["store", "push", "m", str(tmp_path / "pulled.yaml"), *given], catch_exceptions=False
        )
