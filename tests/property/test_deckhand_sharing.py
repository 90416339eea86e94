"""Setting one value gives what executing the step on the image of the containers gives."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

from hypothesis import example, given
from hypothesis import strategies as st

from lamina import LaminaError
from lamina.dialects.deckhand import mutation
from lamina.dialects.registry import find, make_options
from lamina.sources.inputs import gather
from lamina.views.render import render_with
from support.deckhand_sites import LAYERS, POLICY, as_text, knotted_sites, pair, sites, taking

DECKHAND = find("deckhand")
KEYS = ("a", "b", "c")
POSITIONS = (".a[0]", ".b.a[1]", ".a[2].b", ".a[2].c", ".a.b[0].c.b[1]", ".", "$.$", "$.$.a")

scalars = st.sampled_from(["URL", "p-URL-q", 1, None])
values = st.recursive(
    scalars,
    lambda inner: st.dictionaries(st.sampled_from(KEYS), inner, max_size=3) | st.lists(inner, max_size=2),
    max_leaves=6,
)
nested = st.dictionaries(st.sampled_from(KEYS), st.dictionaries(st.sampled_from(KEYS), values, min_size=1), min_size=2)
paths = st.lists(st.sampled_from(KEYS), min_size=1, max_size=4).map(lambda names: "." + ".".join(names))


@st.composite
def substitution(draw: st.DrawFn, names: list[str]) -> dict[str, Any]:
    source: dict[str, Any] = {
        "schema": "example/Kind/v1",
        "name": draw(st.sampled_from(names)),
        "path": draw(paths | st.just(".")),
    }
    if draw(st.integers(0, 5)) == 0:
        source["deepcopy"] = True
    found = draw(st.lists(paths | st.sampled_from(POSITIONS), min_size=1, max_size=2, unique=True))
    pattern: dict[str, Any] = {"pattern": "URL"} if draw(st.integers(0, 5)) == 0 else {}
    if draw(st.integers(0, 1)) and pattern:
        pattern["recurse"] = {"depth": -1}
    return {"src": source, "dest": [{"path": path, **pattern} for path in found]}


@st.composite
def sharing_sites(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Documents of nested mappings that take from one another at plain paths."""
    documents: list[dict[str, Any]] = [POLICY]
    for number in range(draw(st.integers(2, 6))):
        name, layer = f"d{number}", draw(st.sampled_from(LAYERS))
        definition: dict[str, Any] = {"layer": layer}
        metadata: dict[str, Any] = {"schema": "metadata/Document/v1", "name": name, "storagePolicy": "cleartext"}
        above = [
            one["metadata"]["labels"]
            for one in documents[1:]
            if LAYERS.index(one["metadata"]["layeringDefinition"]["layer"]) < LAYERS.index(layer)
        ]
        if draw(st.integers(0, 1)) and above:
            definition["parentSelector"] = dict(draw(st.sampled_from(above)))
            methods = draw(st.lists(st.sampled_from(["merge", "merge", "replace", "delete"]), min_size=1, max_size=2))
            definition["actions"] = [
                {"method": each, "path": draw(paths | st.sampled_from([".", "$", ".a[0]"]))} for each in methods
            ]
        names = [one["metadata"]["name"] for one in documents[1:]]
        if names:
            metadata["substitutions"] = draw(st.lists(substitution(names), max_size=5))
        metadata |= {"labels": {"id": name}, "layeringDefinition": definition}
        documents.append({"schema": "example/Kind/v1", "metadata": metadata, "data": draw(nested)})
    return documents


def shown(text: str, *, tolerant: bool) -> tuple[Any, ...]:
    """All there is to say of a site; and the outputs that changed one another."""
    options = {"fail_on_missing_sub_src": not tolerant, "keep_going": True}
    try:
        result = render_with(DECKHAND, gather([("site.yaml", text)]), make_options(DECKHAND, options))
    except LaminaError as error:
        return str(error), frozenset()
    histories = "\n".join(str(history) for history in result.explain_all())
    notes = "\n".join(f"{note} {note.path}" for note in result.notes)
    return (result.to_yaml(), histories, notes), result.record.links


@example(pair({"a": {"b": {"c": 1}}}, {}, **taking((".a", ".x"), (".a", ".y"), (".a.b.c", ".x.b.d"))), False)
@example(pair({"a": {"b": {"c": 1}, "d": 1}}, {}, **taking((".a", ".x"), (".a.d", ".x.b.z.z"))), False)
@example(pair({"a": {"b": {"c": {}}}}, {}, **taking((".a", ".x"), (".a.b", ".x.c"), (".a", ".x.c.c.z"))), False)
@example(pair({"a": [{"b": 1}], "n": 1}, {}, **taking((".a", ".t"), (".n", ".t[3].b"), (".n", ".t[3].c"))), False)
@example(pair({"a": [{"b": 1}], "n": 1}, {}, **taking((".a", ".t"), (".n", ".t[0].c"), (".a", ".t[2]"))), False)
@given(sharing_sites() | sites(6) | knotted_sites(), st.booleans())
def test_the_same_as_on_the_image(documents: list[Any], tolerant: bool) -> None:
    text = as_text(documents)
    got, links = shown(text, tolerant=tolerant)
    with patch.object(mutation, "value_set", new=lambda *_, **__: None):
        wanted, needed = shown(text, tolerant=tolerant)
    assert got == wanted
    assert links == needed
