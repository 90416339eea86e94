"""Explanations of rendered values, and what a change would change."""

from __future__ import annotations

import json
from typing import Any

from jsonschema_rs import validator_for

from lamina.views.schemas import text_of
from service.servers import LAYERING_POLICY, Reply, Server, document

PARENT = document("base", "{a: 1, b: {c: 2}}", layer="global", more=", labels: {name: base}")
CHILD = (
    "schema: example/Kind/v1\nmetadata: {schema: metadata/Document/v1, name: child, storagePolicy: cleartext,"
    " layeringDefinition: {layer: site, parentSelector: {name: base}, actions: [{method: merge, path: .}]}}\n"
    "data: {b: {d: 3}}\n"
)


def put_all(server: Server) -> None:
    server.put("above", LAYERING_POLICY, PARENT)
    server.put("below", CHILD)


def data(reply: Reply, schema: str) -> Any:
    """The JSON of an answer, which fits the published schema of that name."""
    assert reply.status == 200, reply.body
    assert reply.media_type == "application/json"
    found = json.loads(reply.body)
    validator_for(json.loads(text_of(schema))).validate(found)
    return found


def test_a_rendered_value_is_explained(server: Server) -> None:
    put_all(server)
    (target,) = data(server.call("GET", "/revisions/2/explain?document=child&path=data.b.c"), "explain")["targets"]
    assert (target["name"], target["dialect"]) == ("2", "deckhand")
    (shown,) = target["explained"]
    assert shown["value"] == 2
    assert [origin["source"] for origin in shown["origins"]] == ["above/example/Kind/v1/base"]
    assert [event["verdict"] for event in shown["events"]] == ["set", "inherited"]
    assert server.call("GET", "/revisions/2/explain?document=child").status == 400
    assert server.call("GET", "/revisions/2/explain?document=chld&path=data").status == 404
    assert server.call("GET", "/revisions/2/explain?document=child&path=data.none").status == 400


def test_a_line_of_a_document_says_what_it_decides(server: Server) -> None:
    put_all(server)
    (target,) = data(server.call("GET", "/revisions/2/explain?document=child&path=data.b.c"), "explain")["targets"]
    assert (target["name"], target["dialect"]) == ("2", "deckhand")
    (shown,) = target["explained"]
    (origin,) = shown["origins"]
    path = f"/revisions/2/where?source={origin['source']}&line={origin['line']}"
    found = data(server.call("GET", path), "where")
    assert {(use["path"], use["verdict"]) for use in found["uses"]} == {("data.b.c", "wins")}
    assert len(found["uses"]) == 2  # in both documents
    assert {target for use in found["uses"] for target in use["targets"]} == {"2"}
    assert data(server.call("GET", f"{path}&column={origin['column']}"), "where")["column"] == origin["column"]
    policy = "/revisions/2/where?source=above/deckhand/LayeringPolicy/v1/layering-policy&line=1"
    assert data(server.call("GET", policy), "where")["chosen_by"] == ["2"]
    assert server.call("GET", "/revisions/2/where?source=above/none&line=1").status == 404
    assert server.call("GET", f"/revisions/9/where?source={origin['source']}&line=1").status == 404
    for wrong in ("line=x", "line=-1", "line=1&line=2", "column=2", "line=1&column=x"):
        assert server.call("GET", f"/revisions/2/where?source={origin['source']}&{wrong}").status == 400, wrong


def test_an_impact_names_every_document_that_changes_and_writes_nothing(server: Server) -> None:
    put_all(server)
    changed = "---\n".join((LAYERING_POLICY, PARENT.replace("c: 2", "c: 9")))
    found = data(server.call("POST", "/revisions/2/impact/above", changed), "store-impact")
    assert [(each["path"], each["before"], each["after"]) for each in found["changes"]] == [("data.b.c", 2, 9)] * 2
    assert len(server.call("GET", "/revisions").one["results"]) == 2


def test_an_impact_is_rejected_where_a_put_would_be(server: Server) -> None:
    put_all(server)
    assert server.call("POST", "/revisions/2/impact/below", PARENT).status == 409
    assert server.call("POST", "/revisions/2/impact/below", "a: [").status == 400
    assert server.call("POST", "/revisions/9/impact/below", CHILD).status == 404


def test_an_impact_borrows_a_policy_as_rendering_does(server: Server) -> None:
    put_all(server)
    server.put("above", PARENT)
    found = data(server.call("POST", "/revisions/3/impact/above", PARENT.replace("c: 2", "c: 9")), "store-impact")
    assert len(found["changes"]) == 2
