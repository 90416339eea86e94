"""Exact history through actions, replacement and substitution.

Every leaf is given a value of its own: then the origins of every leaf of a result name just the place it was written
in, and the events show what every prefix of a document's steps gives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lamina import LaminaError, Result
from lamina.dialects.registry import find, make_options
from lamina.engine import provenance
from lamina.engine.fold import fold_stage
from lamina.engine.history import Event, events_of, events_where
from lamina.engine.node import SourceNode
from lamina.engine.plan import Output, Stage
from lamina.engine.provenance import walk_back
from lamina.engine.secrecy import is_secret, secret_sources
from lamina.engine.step_context import Ledger
from lamina.paths import MISSING, Path, leaves, walk
from lamina.protocol.extensions import golden_of
from lamina.run import Run
from lamina.sources.document_cache import yaml_documents
from lamina.sources.inputs import gather
from lamina.sources.source import Source
from lamina.views.render import render_with
from support.deckhand_sites import EXTRACTS, as_text, pair, sites

DECKHAND = find("deckhand")
OPTIONS = make_options(DECKHAND, {"keep_going": True, "fail_on_missing_sub_src": False})
STRICT = make_options(DECKHAND, {})


def relabelled(value: Any, numbers: Any, known: dict[int, Any]) -> Any:
    """The value with every scalar replaced by a text of its own; texts keep the words that patterns look for.

    What is in several places still is.
    """
    if id(value) not in known and isinstance(value, dict):
        known[id(value)] = {key: relabelled(inner, numbers, known) for key, inner in value.items()}
    elif id(value) not in known and isinstance(value, list):
        known[id(value)] = [relabelled(inner, numbers, known) for inner in value]
    elif not isinstance(value, (dict, list)):
        return f"{value}-{next(numbers)}" if isinstance(value, str) else next(numbers)
    return known[id(value)]


@st.composite
def unique_sites(draw: st.DrawFn) -> str:
    numbers = count(1000)
    documents = deepcopy(draw(sites()))
    for document in documents[:]:
        if document["schema"] == "example/Kind/v1":
            document["data"] = relabelled(document["data"], numbers, {})
            for substitution in document["metadata"].get("substitutions", []):
                # What is shared with its source is changed by steps of other documents; that has tests of its own.
                substitution["src"]["deepcopy"] = True
    return as_text(documents)


def rendered(text: str, options: Any = OPTIONS) -> Result | None:
    try:
        return render_with(DECKHAND, gather([("site.yaml", text)]), options)
    except LaminaError:
        return None


def written(text: str) -> dict[tuple[int, int], list[Any]]:
    """What is at each position of the file; a list and its first item may start at one position."""
    found: dict[tuple[int, int], list[Any]] = {}
    for document in yaml_documents(Source.of_text("site.yaml", text), Run()):
        pending: list[tuple[int, Any]] = [(0, document.value)]
        while pending:
            index, value = pending.pop()
            origin = document.positions.origin(index)
            found.setdefault((origin.line, origin.column), []).append(value)
            if isinstance(value, dict):
                pending.extend((document.positions.member(index, value, key)[1], value[key]) for key in value)
            elif isinstance(value, list):
                pending.extend((document.positions.item(index, number), inner) for number, inner in enumerate(value))
    return found


@given(unique_sites())
def test_every_leaf_names_just_the_places_it_came_from(text: str) -> None:
    result = rendered(text)
    location = written(text)
    for number, output in enumerate(result.outputs if result else ()):
        for path in leaves(output.value):
            value = walk(output.value, path)
            if value in ([], {}, None):
                continue
            assert result is not None
            shown = [location[origin.line, origin.column] for origin in result.explain((number, *path)).origins]
            if len(shown) == 1:
                assert any(is_from(value, one) for one in shown[0]), path
            else:
                # A text with others put in: it comes from more than one place, and something of the last is in it.
                assert isinstance(value, str)
                assert any(part in value for one in shown[-1] for part in taken_of(one)), path


def is_from(value: Any, one: Any) -> bool:
    """Whether a value is what is at a position, a character or a part of it, or a string that contains it.

    Where a path selects nothing null is put into a text, which nobody has written: the rest is from the place.
    """
    if value == one or not isinstance(value, str):
        return bool(value == one)
    return value in str(one) or str(one) in value or all(rest in str(one) for rest in value.split("None"))


def taken_of(one: Any) -> Iterator[str]:
    """What a substitution may take of a value: the whole, or what the pattern of a source finds in it."""
    yield str(one)
    for pattern, group in EXTRACTS:
        if found := re.search(pattern, str(one)):
            yield str(found[group])


def test_null_put_into_a_text_comes_from_nowhere() -> None:
    """The path of the source selects nothing, so what the text comes from is the text itself."""
    text = as_text(pair({"b": "URL-1001"}, "URL-1002", **splicing({"path": ".a"})))
    result = rendered(text)
    assert result is not None
    assert result.outputs[-1].value["data"] == "None-1002"
    location = written(text)
    origins = result.explain((len(result.outputs) - 1, "data")).origins
    assert [location[origin.line, origin.column] for origin in origins] == [["URL-1002"]]


def test_a_part_of_a_text_put_into_another_comes_from_both() -> None:
    text = as_text(pair("URL-1001", "URL-1002", **splicing({"path": ".", "pattern": "(U)RL", "match_group": 1})))
    result = rendered(text)
    assert result is not None
    assert result.outputs[-1].value["data"] == "U-1002"
    location = written(text)
    origins = result.explain((len(result.outputs) - 1, "data")).origins
    assert [location[origin.line, origin.column] for origin in origins] == [["URL-1002"], ["URL-1001"]]


def splicing(source: dict[str, Any]) -> dict[str, Any]:
    """The metadata of a document whose text gets something from `d0` in the place of `URL`."""
    src = {"schema": "example/Kind/v1", "name": "d0", **source}
    return {"substitutions": [{"src": src, "dest": {"path": ".", "pattern": "URL"}}]}


@given(unique_sites())
def test_events_show_what_every_prefix_of_the_steps_gives(text: str) -> None:
    result = rendered(text)
    if result is None:
        return
    prefixes = Prefixes(result)
    for number, output in enumerate(result.outputs):
        for path in leaves(output.value):
            # A container that is in two places may change twice in one step; the state after it is that of the last.
            events = {(event.output, event.step): event for event in result.explain((number, *path)).events}
            for (name, step), event in events.items():
                assert name is not None
                assert step is not None
                state = prefixes.after(name, step)
                assert walk(state, event.path) == event.result or event.result is MISSING


TWICE = """\
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: layering-policy}
data: {layerOrder: [global, site]}
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: parent
  labels: {k: v}
  storagePolicy: cleartext
  layeringDefinition: {abstract: true, layer: global}
data:
  a: &x {}
  b: *x
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: child
  storagePolicy: cleartext
  layeringDefinition:
    abstract: false
    layer: site
    parentSelector: {k: v}
    actions: [{method: merge, path: .}]
data:
  a: {a: 1}
  b: []
"""


def test_a_container_in_two_places_may_change_twice_in_one_step() -> None:
    result = rendered(TWICE)
    assert result is not None
    events = result.explain((1, "data", "b")).events
    assert [(event.verdict, event.result) for event in events] == [
        ("set", {}),
        ("inherited", {}),
        ("merged", {"a": 1}),
        ("replaced", []),
    ]


class Prefixes:
    """What each document is after each of its steps, folded again."""

    def __init__(self, result: Result) -> None:
        self.outputs = [output for stage in result.plan.stages for output in stage.outputs]
        self.known: dict[tuple[str, int], Any] = {}

    def after(self, name: str, step: int) -> Any:
        if (name, step) not in self.known:
            at = next(number for number, output in enumerate(self.outputs) if output.name == name)
            short = Output(name=name, steps=self.outputs[at].steps[: step + 1])
            ledger = Ledger()
            fold_stage(Stage(title="again", outputs=(*self.outputs[:at], short)), ledger)
            self.known[name, step] = ledger.results[name].value
        return self.known[name, step]


@given(unique_sites())
def test_rendering_changes_no_input(text: str) -> None:
    documents = yaml_documents(Source.of_text("site.yaml", text), Run())
    before = deepcopy([document.value for document in documents])
    result = rendered(text)
    if result is not None:
        for value in result.value:
            value.clear()
    assert [document.value for document in documents] == before


@given(sites(), st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_matter_without_sharing(documents: list[Any], random: Any) -> None:
    for document in documents:
        for substitution in document["metadata"].get("substitutions", []):
            substitution["src"]["deepcopy"] = True
        document["metadata"].pop("replacement", None)
    shuffled = random.sample(documents, len(documents))
    one, other = rendered(as_text(documents), STRICT), rendered(as_text(shuffled), STRICT)
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert golden_of(DECKHAND).observe(one) == golden_of(DECKHAND).observe(other)


@given(sites())
def test_a_choice_of_events_is_the_same_as_of_all_events(documents: list[Any]) -> None:
    result = rendered(as_text(documents))
    for folded in result.outputs if result is not None else ():
        for path in leaves(folded.value):
            node = folded.node.at(path)
            every = list(events_of(node))
            for wanted in every:
                chosen = events_where(node, partial(same, wanted))
                expected = [event for event in every if same(wanted, event.path, event.value)]
                assert [fields_of(event) for event in chosen] == [fields_of(event) for event in expected]


def same(wanted: Event, path: Path, value: Any) -> bool:
    return path == wanted.path and value is wanted.value


def fields_of(event: Event) -> str:
    return repr(replace(event, directive=None)) + str(event.directive)


@given(sites())
def test_what_comes_from_one_place_is_found_as_by_walking_back(documents: list[Any]) -> None:
    result = rendered(as_text(documents))
    for folded in result.outputs if result is not None else ():
        for path in leaves(folded.value):
            node = folded.node.at(path)
            walked = [each for each in walk_back(node, provenance._sources) if isinstance(each, SourceNode)]
            assert [each.origin() for each in provenance.source_nodes_of(node)] == [each.origin() for each in walked]
            assert is_secret(node) == (secret_sources().of(node) is not None)
