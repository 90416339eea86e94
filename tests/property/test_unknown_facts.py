"""Hiera without facts: whatever the facts of a node are, what Puppet looks up agrees with what is known."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

import lamina
from lamina.sources.inputs import Folder, Inputs, MemoryFiles
from lamina.values import Unknown, same

FACTS = {"role": ("web", "db"), "site": ("ams", "osl"), "tier": ("one",)}
keys = st.sampled_from(["a", "b", "c"])
names = st.sampled_from(sorted(FACTS))
texts = st.one_of(
    st.sampled_from(["x", "%{literal('y')}", "%{lookup('a')}", "%{alias('b')}", "%{trusted.certname}"]),
    names.map(lambda name: f"%{{facts.{name}}}"),
    names.map(lambda name: f"is %{{::{name}}}!"),
)
scalars = st.one_of(texts, st.integers(0, 2), st.booleans())
values = st.one_of(
    scalars,
    st.lists(scalars, max_size=2),
    st.dictionaries(st.sampled_from(["k", "l"]), st.one_of(scalars, st.lists(scalars, max_size=2)), max_size=2),
)
options = st.dictionaries(
    st.one_of(keys, st.just("^[ab]$")),
    st.sampled_from(["first", "unique", "hash", "deep"]).map(lambda merge: {"merge": merge}),
    max_size=2,
)
files = st.tuples(st.dictionaries(keys, values, max_size=3), options).map(
    lambda made: {**made[0], **({"lookup_options": made[1]} if made[1] else {})}
)
PATHS = ("nodes/%{trusted.certname}.yaml", "role/%{facts.role}.yaml", "site/%{site}/%{facts.tier}.yaml", "common.yaml")
NAMES = (*("nodes/n.yaml", "role/web.yaml", "role/db.yaml", "site/ams/one.yaml", "site/osl/one.yaml", "common.yaml"),)
trees = st.fixed_dictionaries({}, optional={f"data/{name}": files for name in NAMES})
levels = st.permutations(PATHS)
known = st.fixed_dictionaries({name: st.sampled_from([*FACTS[name], "other"]) for name in FACTS})


def rendered(tree: dict[str, Any], order: list[str], **more: Any) -> lamina.Result | None:
    hierarchy = [{"name": path, "path": path} for path in order]
    config = {"version": 5, "defaults": {"datadir": "data", "data_hash": "yaml_data"}, "hierarchy": hierarchy}
    texts = {name: yaml.safe_dump(value) for name, value in {"hiera.yaml": config, **tree}.items()}
    inputs = Inputs((Folder("tree", MemoryFiles(texts)),))
    try:
        return lamina.render(inputs, dialect="hiera", node="n", **more)
    except lamina.LaminaError:
        return None


def agrees(partly: Any, whole: Any) -> bool:
    """Whether a value with unknown parts agrees with one that has none."""
    if isinstance(partly, Unknown):
        return True
    if isinstance(partly, dict):
        return (
            isinstance(whole, dict)
            and (partly.keys() == whole.keys() or any(isinstance(key, Unknown) for key in partly))
            and all(agrees(partly[key], whole[key]) for key in partly if key in whole)
        )
    if isinstance(partly, list):
        return isinstance(whole, list) and len(partly) == len(whole) and all(map(agrees, partly, whole))
    return same(partly, whole)


@given(tree=trees, order=levels, facts=known)
def test_what_is_known_without_facts_is_so_with_any(
    tree: dict[str, Any], order: list[str], facts: dict[str, Any]
) -> None:
    partly, whole = rendered(tree, order), rendered(tree, order, facts=facts)
    if partly is None or whole is None:
        return
    failed = {note.subject for note in (*partly.notes, *whole.notes)}
    for key, value in (whole.value or {}).items():
        if f"n: {key}" not in failed:
            assert key in partly.value
            assert agrees(partly.value[key], value), key
    for key, value in (partly.value or {}).items():
        assert key in whole.value or isinstance(value, Unknown) or f"n: {key}" in failed


@given(tree=trees, order=levels, facts=known)
def test_with_all_facts_nothing_is_unknown(tree: dict[str, Any], order: list[str], facts: dict[str, Any]) -> None:
    given_facts = tuple(f"{name}={value}" for name, value in facts.items())
    one, other = rendered(tree, order, fact=given_facts), rendered(tree, order, facts=facts)
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert same(one.value, other.value)


def test_what_is_called_unknown_depends_on_facts() -> None:
    """Of the values that are unknown, nearly all are another one with other facts."""
    random, unknown, changing = Random(1), 0, 0
    values_of_facts = [(*names, "other") for names in FACTS.values()]
    combinations = [dict(zip(FACTS, chosen, strict=True)) for chosen in product(*values_of_facts)]
    for _ in range(60):
        tree = {f"data/{name}": _drawn_file(random) for name in random.sample(NAMES, 4)}
        order = random.sample(PATHS, len(PATHS))
        partly = rendered(tree, order)
        results = [rendered(tree, order, facts=facts) for facts in combinations]
        for key, value in (partly.value or {}).items() if partly else ():
            if isinstance(value, Unknown):
                unknown += 1
                changing += len({repr(each.value.get(key, "missing") if each else "failed") for each in results}) > 1
    assert unknown > 50
    assert changing >= 0.95 * unknown


def _drawn_file(random: Random) -> dict[str, Any]:
    drawn: dict[str, Any] = {key: _drawn(random) for key in random.sample("abc", 2)}
    if random.random() < 0.3:
        drawn["lookup_options"] = {random.choice("abc"): {"merge": random.choice(["unique", "hash", "deep"])}}
    return drawn


def _drawn(random: Random) -> Any:
    text = random.choice(["x", "y", "%{facts.role}", "at %{site}", "%{trusted.certname}", str(random.random())])
    return random.choice([text, [text], {"k": text}, random.randint(0, 99)])
