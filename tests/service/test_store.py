"""What the store promises where the real service fails: exact rollbacks, safe moves, one tag of a name, no gaps."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
import yaml
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from lamina.service.faults import StoreUnavailable
from lamina.service.server import open_store
from lamina.service.submission import documents_of
from lamina.session import Session
from service.servers import LAYERING_POLICY, Server, document


def names(server: Server, revision: int) -> dict[str, list[str]]:
    """The names of the documents of each bucket."""
    found: dict[str, list[str]] = {}
    for each in server.call("GET", f"/revisions/{revision}/documents").documents:
        found.setdefault(each["status"]["bucket"], []).append(each["metadata"]["name"])
    return found


def test_a_moved_document_stays_where_it_was_moved_to(server: Server) -> None:
    server.put("m", document("a"), document("b"))
    server.put("m", document("b"))
    server.put("n", document("a"))
    server.put("m", document("b", "{x: 2}"))
    assert names(server, 4) == {"n": ["a"], "m": ["b"]}


def test_a_rollback_over_a_move_is_exact(server: Server) -> None:
    server.put("m", document("a"), document("b"))
    server.put("m", document("b"))
    server.put("n", document("a"))
    assert server.call("POST", "/rollback/1").status == 201
    assert names(server, 4) == {"m": ["a", "b"]}
    assert server.put("n", document("a")).status == 409
    assert server.call("POST", "/rollback/3").status == 201
    assert names(server, 5) == {"m": ["b"], "n": ["a"]}


def test_ownership_is_remembered_whatever_is_written_in_between(server: Server) -> None:
    server.put("m", document("a"))
    server.put("n", document("b"))
    reply = server.put("n", document("b"), document("a"))
    assert reply.status == 409
    assert "bucket: m" in reply.one["message"]
    assert names(server, 2) == {"m": ["a"], "n": ["b"]}


def test_a_second_policy_is_rejected_whatever_is_written_in_between(server: Server) -> None:
    server.put("m", LAYERING_POLICY)
    server.put("n", document("b"))
    reply = server.put("o", LAYERING_POLICY.replace("name: layering-policy", "name: other"))
    assert reply.status == 409
    assert reply.one["details"]["errorType"] == "SingletonDocumentConflict"


def test_a_rejected_put_leaves_no_gap(server: Server) -> None:
    server.put("m", document("a"))
    assert server.put("m", document("b"), document("b")).status == 409
    assert server.put("m", document("b", "2020-01-01 x: ["), document("c")).status == 400
    server.put("m", document("c"))
    listed = server.call("GET", "/revisions").one
    assert [each["id"] for each in listed["results"]] == [1, 2]


def test_the_same_tag_again_replaces_its_data(server: Server) -> None:
    server.put("m", document("a"))
    server.call("POST", "/revisions/1/tags/t", "k: 1")
    assert server.call("POST", "/revisions/1/tags/t", "k: 2").status == 201
    assert server.call("GET", "/revisions/1/tags/t").one == {"t": {"k": 2}}
    assert server.call("GET", "/revisions/1").one["tags"] == {"t": {"k": 2}}


def test_two_control_documents_of_one_name_are_rejected(server: Server) -> None:
    schema = (
        "schema: deckhand/DataSchema/v1\nmetadata: {schema: metadata/Control/v1, name: example/Kind/v1}\n"
        "data: {$schema: 'http://json-schema.org/schema#'}\n"
    )
    assert server.put("m", schema, schema).status == 409


def test_numbers_start_again_after_a_purge(server: Server) -> None:
    server.put("m", document("a", "{x: 1}"))
    server.call("GET", "/revisions/1/rendered-documents")
    server.call("DELETE", "/revisions")
    (stored,) = server.put("m", document("a", "{x: 2}")).documents
    assert (stored["id"], stored["status"]["revision"], stored["data"]) == (1, 1, {"x": 2})
    assert server.call("GET", "/revisions/1/documents").one["data"] == {"x": 2}


def test_what_is_rendered_is_not_taken_for_another_content_after_a_purge(server: Server) -> None:
    server.put("m", LAYERING_POLICY, document("a", "{x: 1}"))
    assert "x: 1" in server.call("GET", "/revisions/1/rendered-documents").body.decode()
    server.call("DELETE", "/revisions")
    server.put("m", LAYERING_POLICY, document("a", "{x: 2}"))
    assert "x: 2" in server.call("GET", "/revisions/1/rendered-documents").body.decode()


def test_times_of_revisions_increase(server: Server) -> None:
    for number in range(5):
        server.put("m", document("a", str(number)))
    times = [each["createdAt"] for each in server.call("GET", "/revisions").one["results"]]
    assert times == sorted(set(times))


def test_puts_to_one_bucket_at_once_come_one_after_the_other(server: Server) -> None:
    """Each finds all of the bucket or nothing of it: the last body is the content, and no PUT fails."""
    with ThreadPoolExecutor(12) as pool:
        bodies = [[document(f"{writer}-{number}") for number in range(3)] for writer in range(24)]
        replies = list(pool.map(lambda body: server.put("m", *body), bodies))
    assert [reply.status for reply in replies] == [200] * 24
    revisions = sorted(reply.documents[0]["status"]["revision"] for reply in replies)
    assert revisions == list(range(1, 25))
    for revision in (1, 12, 24):
        found = names(server, revision)["m"]
        assert len(found) == 3
        assert len({name.split("-")[0] for name in found}) == 1


def test_one_document_put_to_many_buckets_at_once_gets_one_owner(server: Server) -> None:
    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda bucket: server.put(f"b{bucket}", document("a")).status, range(8)))
    assert sorted(statuses) == [200] + [409] * 7
    assert len(server.call("GET", "/revisions/1/documents").documents) == 1


def test_errors_say_nothing_about_the_database(server: Server) -> None:
    for path in ("/revisions/abc", "/revisions/99999999999999999999", "/revisions/1/documents?sort=%00", "/rollback/x"):
        reply = server.call("GET" if "rollback" not in path else "POST", path)
        assert 400 <= reply.status < 500
        assert set(reply.one) == {
            "apiVersion", "code", "details", "kind", "message", "metadata", "reason", "retry", "status",
        }  # fmt: skip
        assert "SELECT" not in reply.body.decode()


def test_options_names_the_methods(server: Server) -> None:
    reply = server.call("OPTIONS", "/revisions/1/tags/t")
    assert (reply.status, reply.headers["allow"], reply.body) == (200, "DELETE, GET, OPTIONS, POST", b"")


def test_large_and_odd_values_survive(server: Server) -> None:
    data = {"text": "x" * 2_000_000, "unicode": "häßlich 😀", "number": 10**30, "keys": {"1": 1}, "empty": {}}
    assert server.put("m", document("a", yaml.safe_dump(data, default_flow_style=True, width=10**7))).status == 200
    assert server.call("GET", "/revisions/1/documents").one["data"] == data


def test_a_write_that_failed_at_its_end_leaves_nothing_in_memory(sqlite: str) -> None:
    """A full disk is often noticed when a transaction ends; the numbers of its contents are then given to others."""
    store = open_store(sqlite)
    session = Session()
    store.put("m", documents_of(document("a", "{v: 1}").encode(), session))

    def fail(_connection: object) -> None:
        event.remove(store.database.engine, "commit", fail)
        raise OperationalError("COMMIT", {}, Exception("database or disk is full"))

    event.listen(store.database.engine, "commit", fail)
    with pytest.raises(StoreUnavailable):
        store.put("m", documents_of(document("a", "{v: 2}").encode(), session))
    made = store.put("m", documents_of(document("a", "{v: 3}").encode(), session))
    assert made is not None
    assert [each.content.data for each in made[1]] == [{"v": 3}]
    assert [each.content.data for each in store.documents(2)] == [{"v": 3}]
    store.database.close()


def test_a_long_name_is_rejected_before_it_reaches_the_database(server: Server) -> None:
    """PostgreSQL indexes names, and those of some thousand bytes not at all."""
    longest, too_long = "ü" * 500, "ü" * 501
    assert server.put(quote(longest), document("a")).status == 200
    assert server.call("POST", f"/revisions/1/tags/{quote(longest)}").status == 201
    for name, reply in (
        ("bucket", server.put(quote(too_long), document("b"))),
        ("tag", server.call("POST", f"/revisions/1/tags/{quote(too_long)}")),
    ):
        assert reply.status == 400
        assert reply.one["message"] == f'The "{name}" parameter is invalid. String should have at most 500 characters.'
