"""Datum: whatever a variable of the build is, what is known without it agrees with the real result."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

import lamina
from lamina.sources.inputs import Folder, Inputs, MemoryFiles
from lamina.values import Unknown, holds_unknown, same, unknown_values

DEFINITION = """
ResolutionPrecedence: [AllNodes\\$($Node.Name), Roles\\$($Node.Role), Base\\All]
DatumHandlers: {'Datum.InvokeCommand::InvokeCommand': {SkipDuringLoad: true}}
default_lookup_options: DEFAULT
lookup_options: LOOKUPS
"""
SCRIPTS = ("[x={ $hole }=]", '[x= "a $hole b" =]', "[x={ $Node.Own }=]", "[x={ 1 + 1 }=]")
keys = st.sampled_from(["A", "B"])
inner_keys = st.sampled_from(["k", "l", "Name"])
scalars = st.one_of(st.sampled_from(["x", "y", "--x", 1, True]), st.sampled_from(SCRIPTS))
rows = st.lists(scalars, max_size=3)
tables = st.dictionaries(inner_keys, st.one_of(scalars, rows), max_size=3)
values = st.one_of(scalars, rows, tables, st.lists(tables, min_size=1, max_size=2))
files = st.dictionaries(keys, values, min_size=1, max_size=2)
strategies = st.sampled_from(
    [
        *("MostSpecific", "hash", "deep"),
        {"merge_hash": "deep", "merge_basetype_array": "Unique", "merge_hash_array": "DeepTuple"},
        {"merge_hash": "hash", "merge_basetype_array": "Sum", "merge_hash_array": "UniqueKeyValTuples"},
        {"merge_hash": "deep", "merge_options": {"knockout_prefix": "--"}},
    ]
)
trees = st.tuples(files, files, files, strategies, st.dictionaries(keys, strategies, max_size=1))
fillings = st.sampled_from(["x", "other", "--x", 7, None, "", ["x", "z"], {"k": "x"}, [{"Name": "x"}], True])


def rendered(tree: Any, **options: Any) -> lamina.Result | None:
    own, role, base, default, lookups = tree
    node = {"NodeName": "n", "Role": "web", "Configurations": ["A", "B"], "Own": "[x={ $hole }=]", **own}
    texts = {
        "Datum.yml": DEFINITION.replace("DEFAULT", json.dumps(default)).replace("LOOKUPS", json.dumps(lookups)),
        **{f"{name}.yml": yaml.safe_dump(value) for name, value in (("Roles/web", role), ("Base/All", base))},
        "AllNodes/n.yml": yaml.safe_dump(node),
    }
    try:
        return lamina.render(Inputs((Folder("tree", MemoryFiles(texts)),)), dialect="datum", node="n", **options)
    except lamina.LaminaError:
        return None


def agrees(partly: Any, whole: Any) -> bool:
    """Whether a value with unknown parts agrees with one that has none."""
    if isinstance(partly, Unknown):
        return True
    if isinstance(partly, dict):
        return (
            isinstance(whole, dict)
            and partly.keys() == whole.keys()
            and all(agrees(partly[key], whole[key]) for key in partly)
        )
    if isinstance(partly, list):
        return isinstance(whole, list) and len(partly) == len(whole) and all(map(agrees, partly, whole))
    return same(partly, whole)


@given(tree=trees, found=fillings)
def test_what_is_known_without_a_variable_is_so_with_any(tree: Any, found: Any) -> None:
    partly, whole = rendered(tree), rendered(tree, variable={"hole": found})
    if whole is not None:
        assert partly is not None
        assert agrees(partly.value, whole.value)
        assert not holds_unknown(whole.value)


def test_what_is_called_unknown_depends_on_the_variable() -> None:
    """Of the values that are unknown, nearly all are another one if the variable is."""
    random, unknown, differing = Random(7), 0, 0
    for _ in range(150):
        drawn = [{key: _drawn(random, 2) for key in "AB"} for _ in range(3)]
        tree = (*drawn, random.choice(["MostSpecific", "hash", "deep"]), {})
        partly = rendered(tree)
        one, other = (rendered(tree, variable={"hole": found}) for found in ("one", ["two", 2]))
        if partly is None or one is None or other is None:
            continue
        for path, _ in unknown_values(partly.value):
            unknown += 1
            differing += not same(_at(one.value, path), _at(other.value, path))
    assert unknown > 100
    assert differing >= 0.95 * unknown


def _drawn(random: Random, depth: int) -> Any:
    kind = random.random()
    if kind < 0.2:
        return random.choice(SCRIPTS[:3])
    if depth and kind < 0.6:
        return {key: _drawn(random, depth - 1) for key in random.sample(["k", "l", "m"], 2)}
    if depth and kind < 0.7:
        return [random.choice(["x", "y", 1]) for _ in range(2)]
    return random.choice(["x", "y", 1])


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key] if isinstance(value, dict) or isinstance(key, int) else value
    return value
