"""Small Datum fleets, made up for the tests of the page: files by name."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from lamina.sources.yaml.writer import dump

LISTS = st.lists(st.sampled_from(["p", "q", "r: s", 1, True]), min_size=1, max_size=3)
SCALARS = st.sampled_from(["x", "y", "a longer text", "", 0, 1, True, None, "p" * 80])


def tables(inner: st.SearchStrategy[Any], list_at: str = "b") -> st.SearchStrategy[dict[str, Any]]:
    """Tables whose values mostly go together, key by key."""
    by_key = {"a": SCALARS, "b": SCALARS, "c": inner, "d": inner, "e": SCALARS, list_at: LISTS}
    return st.fixed_dictionaries({}, optional=by_key)


DEEP = tables(tables(tables(SCALARS | LISTS)))
STRATEGIES = st.sampled_from(
    [
        {"merge_hash": "deep", "merge_baseType_array": "Sum"},
        {"merge_hash": "deep", "merge_baseType_array": "Unique"},
        {"merge_hash": "deep"},
        "hash",
        "MostSpecific",
    ]
)


@st.composite
def fleets(draw: st.DrawFn) -> dict[str, str]:
    """The files of a small Datum fleet."""
    layers = ["AllNodes\\$($Node.Name)", "Role\\$($Node.Role)", "Place\\$($Node.Place)", "All\\common"]
    files: dict[str, Any] = {
        "Datum.yml": {
            "ResolutionPrecedence": layers,
            "lookup_options": draw(st.dictionaries(st.sampled_from(["A", "A\\c", "A\\b"]), STRATEGIES, max_size=2)),
            "default_lookup_options": draw(STRATEGIES),
        }
    }
    for at in range(draw(st.integers(2, 5))):
        name = f"n{at}"
        own = {
            "Name": name,
            "NodeName": name,
            "Role": draw(st.sampled_from("rs")),
            "Place": draw(st.sampled_from("pq")),
        }
        files[f"AllNodes/{name}.yml"] = {**own, **draw(st.dictionaries(st.just("A"), DEEP))}
    for name in ("Role/r", "Role/s", "Place/p", "Place/q"):
        files[f"{name}.yml"] = draw(st.dictionaries(st.just("A"), DEEP | tables(tables(SCALARS), list_at="c")))
    files["All/common.yml"] = {"Configurations": ["A"], "A": draw(DEEP)}
    return {name: dump(value) for name, value in files.items()}
