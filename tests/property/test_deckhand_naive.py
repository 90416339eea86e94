"""Deckhand's results, against a second and much plainer implementation that really changes things in place."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from lamina import LaminaError
from lamina.dialects.registry import find, make_options
from lamina.protocol.extensions import golden_of
from lamina.sources.inputs import gather
from lamina.values import same
from lamina.views.render import render_with
from support import naive_deckhand
from support.deckhand_sites import as_text, merging, pair, sites, taking

DECKHAND = find("deckhand")


def rendered(text: str, **options: Any) -> list[Any]:
    result = render_with(DECKHAND, gather([("site.yaml", text)]), make_options(DECKHAND, options))
    return list(golden_of(DECKHAND).observe(result)["value"])


def expected(text: str, *, tolerant: bool) -> list[Any]:
    documents = naive_deckhand.render(list(yaml.safe_load_all(text)), tolerant=tolerant)
    plain = [deepcopy(document) for document in documents]
    observed = [
        {
            "schema": document["schema"],
            "name": document["metadata"]["name"],
            "layer": document["metadata"].get("layeringDefinition", {}).get("layer", ""),
            "data": text_keys(document["data"]),
        }
        for document in plain
    ]
    return sorted(observed, key=lambda one: (one["schema"], one["name"], one["layer"]))


def text_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): text_keys(inner) for key, inner in value.items()}
    return [text_keys(inner) for inner in value] if isinstance(value, list) else value


@example(pair({}, {"a": 1.5, "b": "URL"}, **merging("$.[0:2]")), False)
@example(pair({"c": 1}, {"a": "a"}, **merging("$.a.$")), False)
@example(pair({"a": 1, "b": True}, {"a": None, "b": {"b": "URL"}}, **merging("$..[*]")), False)
@example(pair({"a": [], "b": {"a": 1.5}}, {}, **taking(("$.b..$", "$.b.[0:2]"))), False)
@example(pair({"b": [[0]]}, {"b": [[[1, 2], 5]]}, **merging("$.b..[0]")), False)
@example(pair({}, {"a": 1.5}, **taking(("$[0:2].$", ".a"), (".a", ".a[0].a"))), True)
@example(pair({"a": 0, "b": {}}, {}, **taking(("$[0:2].$", ".a"), (".b", ".a[0].a"))), False)
@example(pair({"b": [{"a": "URL"}]}, {"a": "URL"}, **taking((".", "$..a"))), True)
@example(pair({"a": "URL"}, {"a": "URL"}, **taking((".b", "$[0]"))), False)
@given(sites(), st.booleans())
def test_same_as_really_changing_things_in_place(documents: list[Any], tolerant: bool) -> None:
    text = as_text(documents)
    try:
        wanted = expected(text, tolerant=tolerant)
    except RecursionError:
        wanted = None  # the data contains itself, which we reject
    except Exception as error:
        try:
            got = rendered(text, fail_on_missing_sub_src=not tolerant)
        except LaminaError as ours:
            # Data that holds itself stops us before whatever stops the program later.
            if isinstance(error, naive_deckhand.Rejected) and ours.diagnostic.code != "cyclic-data":
                assert ours.diagnostic.code == error.kind, str(ours)
            return
        raise AssertionError(f"{error!r} was expected, got {got}") from error
    try:
        got = rendered(text, fail_on_missing_sub_src=not tolerant)
    except LaminaError as error:
        # Data that holds itself and is then overwritten would do the program no harm; we stop all the same.
        assert wanted is None or "would have to hold itself [unknown" in str(error), str(error)
        return
    assert wanted is not None, "the data holds itself"
    assert same(got, wanted), f"\nexpected {wanted}\ngot      {got}"
