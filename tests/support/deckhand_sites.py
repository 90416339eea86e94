"""Small random sites: documents in layers whose parents, actions and substitutions often fit and sometimes do not."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import strategies as st

LAYERS = ("global", "region", "site")
KEYS = ("a", "b", "c", "80")
TEXTS = ("URL", "p-URL-q", "x", "host=HOST", "")

EXTRACTS = (("(U)RL", 1), ("h.s", 0), ("q", 0), ("(z)?x", 1))
"""Patterns of sources, and the group of each that is taken."""

POLICY = {
    "schema": "deckhand/LayeringPolicy/v1",
    "metadata": {"schema": "metadata/Control/v1", "name": "layering-policy"},
    "data": {"layerOrder": list(LAYERS)},
}

scalars = st.sampled_from([*TEXTS, 0, 1, 2, True, False, None, 1.5])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=8,
)
mappings = st.dictionaries(st.sampled_from(KEYS), values, min_size=1, max_size=3)


@st.composite
def anchored(draw: st.DrawFn) -> dict[str, Any]:
    """A mapping in which some lists and mappings are in several places, as with anchors and aliases."""
    pool: list[Any] = []
    for _ in range(draw(st.integers(1, 3))):
        inner = values | st.sampled_from(pool) if pool else values
        pool.append(draw(st.dictionaries(st.sampled_from(KEYS), inner, max_size=2) | st.lists(inner, max_size=2)))
    held = st.recursive(
        st.sampled_from(pool) | scalars,
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
        max_leaves=5,
    )
    return draw(st.dictionaries(st.sampled_from(KEYS), st.sampled_from(pool) | held, min_size=2, max_size=4))


_steps = st.sampled_from(
    [
        *(".a", ".b", ".c", ".80", "[0]", "[1]", "[-1]", ".*", "[*]", "..a", "['a']", "[0:2]", ".a,b"),
        *(".$", "..[0]", ".[0]", "[0,1]"),
    ]
)
paths = st.one_of(
    st.just("."),
    st.sampled_from([".a", ".b", ".a.b", ".c.a", "$.b.c", ".a[0]", ".b[1]", ".a[2].b", ".c[0][0]"]),
    st.lists(_steps, min_size=1, max_size=3).map(lambda steps: "$" + "".join(steps)),
)
action_paths = st.one_of(paths, st.sampled_from(["$", "", "a", ".data", ".data.a", "$.data.b", "b.c"]))
patterns = st.sampled_from(["URL", "H.ST", "HOST", "", "x", "."])


@st.composite
def actions(draw: st.DrawFn) -> dict[str, Any]:
    method = draw(st.sampled_from(["merge", "merge", "replace", "delete"]))
    return {"method": method, "path": draw(action_paths)}


@st.composite
def destinations(draw: st.DrawFn) -> dict[str, Any]:
    dest: dict[str, Any] = {"path": draw(paths)}
    if draw(st.integers(0, 2)) == 0:
        dest["pattern"] = draw(patterns)
        if draw(st.booleans()):
            dest["recurse"] = {"depth": draw(st.integers(-1, 2))}
    return dest


@st.composite
def substitutions(draw: st.DrawFn, names: list[str]) -> dict[str, Any]:
    src: dict[str, Any] = {"schema": "example/Kind/v1", "name": draw(st.sampled_from(names)), "path": draw(paths)}
    if draw(st.integers(0, 6)) == 0:
        src["pattern"], src["match_group"] = draw(st.sampled_from(EXTRACTS))
    if draw(st.integers(0, 4)) == 0:
        src["deepcopy"] = True
    dest = draw(destinations() | st.lists(destinations(), min_size=1, max_size=2))
    return {"src": src, "dest": dest}


@st.composite
def sites(draw: Any, max_documents: int = 5) -> list[dict[str, Any]]:
    """A policy and some documents, each substituting mostly from earlier ones."""
    documents: list[dict[str, Any]] = []
    for number in range(draw(st.integers(1, max_documents))):
        layer = draw(st.sampled_from(LAYERS))
        definition: dict[str, Any] = {"layer": layer}
        metadata: dict[str, Any] = {
            "schema": "metadata/Document/v1",
            "name": f"d{number}",
            "storagePolicy": "cleartext",
            "labels": {"id": f"d{number}"},
            "layeringDefinition": definition,
        }
        above = [doc for doc in documents if LAYERS.index(_layer(doc)) < LAYERS.index(layer)]
        if above and draw(st.integers(0, 1)):
            parent = draw(st.sampled_from(above))
            definition["parentSelector"] = dict(parent["metadata"]["labels"])
            definition["actions"] = draw(st.lists(actions(), min_size=1, max_size=3))
            if draw(st.integers(0, 5)) == 0:
                metadata["name"], metadata["replacement"] = parent["metadata"]["name"], True
        if documents and draw(st.integers(0, 1)):
            names = [doc["metadata"]["name"] for doc in documents]
            metadata["substitutions"] = draw(st.lists(substitutions(names), min_size=1, max_size=3))
        if draw(st.integers(0, 5)) == 0:
            definition["abstract"] = True
        data = draw(mappings | values if draw(st.integers(0, 6)) == 0 else mappings | anchored())
        documents.append({"schema": "example/Kind/v1", "metadata": metadata, "data": data})
    shuffled: list[dict[str, Any]] = draw(st.permutations([POLICY, *documents]))
    return shuffled


def pair(above: Any, below: Any, **metadata: Any) -> list[dict[str, Any]]:
    """A policy and two documents with this data, `d0` above `d1`; the metadata are those of the lower one."""
    documents: list[dict[str, Any]] = [POLICY]
    for name, layer, data in (("d0", "global", above), ("d1", "site", below)):
        known = {"name": name, "storagePolicy": "cleartext", "labels": {"id": name}, "layeringDefinition": {}}
        own = {"schema": "metadata/Document/v1", **known, **(metadata if name == "d1" else {})}
        own["layeringDefinition"] = {"layer": layer, **own["layeringDefinition"]}
        documents.append({"schema": "example/Kind/v1", "metadata": own, "data": data})
    return documents


def merging(path: str) -> dict[str, Any]:
    """The metadata of a document that merges at a path into `d0`."""
    return {"layeringDefinition": {"parentSelector": {"id": "d0"}, "actions": [{"method": "merge", "path": path}]}}


def taking(*ways: tuple[str, str]) -> dict[str, Any]:
    """The metadata of a document that takes from places of `d0` to places of its own."""
    source = {"schema": "example/Kind/v1", "name": "d0"}
    return {"substitutions": [{"src": {**source, "path": path}, "dest": {"path": dest}} for path, dest in ways]}


def _layer(document: dict[str, Any]) -> str:
    return str(document["metadata"]["layeringDefinition"]["layer"])


def as_text(documents: list[dict[str, Any]]) -> str:
    """The documents as a stream; what is in several places of one is written once, with an anchor."""
    return yaml.safe_dump_all(documents, sort_keys=False)


@st.composite
def knotted_sites(draw: st.DrawFn) -> list[dict[str, Any]]:
    """A policy and documents that take containers from one another and often change them, which shows in the others."""
    documents: list[dict[str, Any]] = [POLICY]
    for number in range(draw(st.integers(3, 6))):
        metadata: dict[str, Any] = {
            "schema": "metadata/Document/v1",
            "name": f"d{number}",
            "storagePolicy": "cleartext",
            "labels": {"id": f"d{number}"},
            "layeringDefinition": {"layer": LAYERS[min(number // 2, 2)]},
        }
        if number >= 2 and draw(st.integers(0, 2)) == 0:
            parent = draw(st.integers(0, number // 2 * 2 - 1 if number < 4 else 3))
            metadata["layeringDefinition"]["parentSelector"] = {"id": f"d{parent}"}
            metadata["layeringDefinition"]["actions"] = [{"method": "merge", "path": "."}]
        if number and draw(st.integers(0, 3)):
            metadata["substitutions"] = draw(st.lists(_takings(number), min_size=1, max_size=3))
        data = {"a": {"b": {"c": f"{number}-URL"}, "d": [{"c": "URL"}]}, "u": f"u{number}"}
        documents.append({"schema": "example/Kind/v1", "metadata": metadata, "data": data})
    return documents


@st.composite
def _takings(draw: st.DrawFn, number: int) -> dict[str, Any]:
    """A substitution from an earlier document: a container, or a text that is put into one that may be shared."""
    src = {"schema": "example/Kind/v1", "name": f"d{draw(st.integers(0, number - 1))}"}
    if draw(st.booleans()):
        dests = [{"path": path} for path in draw(st.sampled_from([[".t"], [".a"], [".t", ".s"], [".t.a"]]))]
        return {"src": {**src, "path": draw(st.sampled_from([".a", ".t", ".a.d"]))}, "dest": dests}
    dest: dict[str, Any] = {"path": draw(st.sampled_from([".t.b.c", ".a.b.c", ".t.b.new", ".t.d[0].c", ".s.b.c"]))}
    if draw(st.booleans()):
        dest["pattern"] = "URL"
    return {"src": {**src, "path": ".u"}, "dest": dest}
