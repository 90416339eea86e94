"""Random trees of what can be converted: both sides render to the same values, target by target."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import lamina
from lamina.dialects import registry
from lamina.dialects.fitted_rules import fitted_rules
from lamina.project.conversion import ConversionSource, check_conversion, convert
from lamina.sources.inputs import gather
from lamina.sources.yaml.writer import dump

KEYS = st.sampled_from(["a", "b", "c"])
SCALARS = st.one_of(st.integers(0, 9), st.booleans(), st.sampled_from(["x", "y", "true", "1", "$x", "# z"]))
TABLES = st.dictionaries(KEYS, SCALARS, max_size=3)
DEEP = st.dictionaries(KEYS, st.one_of(SCALARS), max_size=2)
LISTS = st.lists(st.sampled_from(["p", "q", "r", "s"]), min_size=2, max_size=4, unique=True)
RECORDS = st.lists(
    st.fixed_dictionaries({"id": st.sampled_from(["i", "j", "k"]), "v": SCALARS}),
    min_size=2,
    max_size=3,
    unique_by=lambda item: item["id"],
)
DATA = st.fixed_dictionaries(
    {},
    optional={
        "first": st.one_of(SCALARS, TABLES),
        "tables": TABLES,
        "deep": st.fixed_dictionaries({}, optional={"m": DEEP, "n": DEEP, "o": SCALARS}),
        "items": LISTS,
        "records": RECORDS,
    },
)
LAYERS = st.fixed_dictionaries({"common": DATA, "web": DATA, "db": DATA})
NODES = {"n1": "web", "n2": "db", "n3": "none"}


def converted(files: dict[str, Any], dialect: str, to: str) -> Any:
    """What comes of converting a tree of files."""
    folder = Path(tempfile.mkdtemp())
    try:
        for name, value in files.items():
            path = folder / "in" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dump(value))
        chosen = registry.find(dialect)
        inputs = gather([str(folder / "in")])
        source = ConversionSource("", chosen, inputs, registry.make_options(chosen, {}))
        conversion = convert([source], registry.find(to))
        for name, data in conversion.files.items():
            path = folder / "out" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return check_conversion(conversion, str(folder / "out"))
    finally:
        shutil.rmtree(folder)


def hiera_files(layers: dict[str, Any]) -> dict[str, Any]:
    options = {"tables": {"merge": "hash"}, "deep": {"merge": "deep"}, "items": {"merge": "unique"}}
    levels = [{"name": "role", "path": "role/%{facts.role}.yaml"}, {"name": "common", "path": "common.yaml"}]
    return {
        "hiera.yaml": {"version": 5, "hierarchy": levels},
        "data/common.yaml": {**layers["common"], "lookup_options": options, "always": 1},
        "data/role/web.yaml": layers["web"],
        "data/role/db.yaml": layers["db"],
        **{f"facts/{name}.yaml": {"role": role} for name, role in NODES.items()},
    }


def datum_files(layers: dict[str, Any]) -> dict[str, Any]:
    listed = sorted({key for layer in layers.values() for key in layer} | {"always"})
    return {
        "Datum.yml": {
            "ResolutionPrecedence": ["AllNodes\\$($Node.NodeName)", "Roles\\$($Node.Role)", "Base\\common"],
            "lookup_options": {
                "tables": "hash",
                "deep": {"merge_hash": "deep"},
                "items": {"merge_baseType_array": "Unique"},
                "records": {"merge_hash_array": "DeepTuple", "merge_options": {"tuple_keys": ["id"]}},
            },
        },
        "Base/common.yml": {**layers["common"], "always": 1, "Configurations": listed},
        "Roles/web.yml": layers["web"],
        "Roles/db.yml": layers["db"],
        **{f"AllNodes/{name}.yml": {"NodeName": name, "Role": role} for name, role in NODES.items()},
    }


@settings(max_examples=40, deadline=None)
@given(LAYERS)
def test_hiera_trees_are_equal_as_layers(layers: dict[str, Any]) -> None:
    check = converted(hiera_files(layers), "hiera", "layers")
    assert (check.equal, check.differences) == (list(NODES), [])


@settings(max_examples=40, deadline=None)
@given(LAYERS)
def test_datum_trees_are_equal_as_layers_but_for_configurations_without_data(layers: dict[str, Any]) -> None:
    check = converted(datum_files(layers), "datum", "layers")
    assert check.differing == []
    assert all(
        "no file has data" in (each.reason or "") or "one item" in (each.reason or "") for each in check.differences
    )


@settings(max_examples=30, deadline=None)
@given(LAYERS)
def test_datum_trees_are_equal_in_hiera_or_differ_as_reported(layers: dict[str, Any]) -> None:
    assert converted(datum_files(layers), "datum", "hiera").differing == []


@settings(max_examples=30, deadline=None)
@given(LAYERS)
def test_hiera_trees_are_equal_in_datum_or_differ_as_reported(layers: dict[str, Any]) -> None:
    assert converted(hiera_files(layers), "hiera", "datum").differing == []


VALUES = st.recursive(
    st.one_of(st.integers(0, 3), st.sampled_from(["x", "y"]), st.lists(st.integers(0, 3), max_size=2)),
    lambda inner: st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
WORDS = st.sampled_from(["take", "keep", "deep"])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.dictionaries(KEYS, VALUES, max_size=3), min_size=1, max_size=3), st.dictionaries(KEYS, WORDS))
def test_rules_that_fit_give_the_result(values: list[Any], words: dict[str, str]) -> None:
    """Whatever rules a result was made with, those that are found give it again."""
    sources = [(f"{at}.yaml", dump(value)) for at, value in enumerate(values)]
    rules = [{"path": key, "merge": word} for key, word in words.items()]
    result = lamina.render(sources, dialect="layers", rules={"rules": rules, "references": False}).plain or {}
    fitted = fitted_rules(values, result)
    ordered = sources[::-1] if fitted.backwards else sources
    found = lamina.render(ordered, dialect="layers", rules={"rules": fitted.all_rules, "references": False}).plain
    assert fitted.misses == fitted.added == []
    assert (found or {}) == result
