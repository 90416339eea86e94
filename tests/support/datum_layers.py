"""Random layers and options for Datum, as hypothesis strategies."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

WORDS = ["x", "X", "y", "Y", "z", "w", "", "1", "0", "true", " 1", "1.5", "--x", "--X", "--y", "--1", "--z", "T"]
SCALARS = st.one_of(
    st.sampled_from(WORDS), st.sampled_from([0, 1, 2, 1.5, True, False]), st.none() | st.sampled_from(WORDS)
)
KEYS = st.sampled_from(["a", "A", "b", "B", "c", "d", "D", "--a", "--b", "--c", "a--b"])
FIELDS = st.sampled_from(["N", "N", "N", "n", "V", "v", "w", "W", "u", "--v", "--w"])
NAMES = st.sampled_from(["n1", "N1", "n2", "n3", "--n1", "--N1", "--n2", 1, "1", 0, None, ["x"], [], ["x", "y"]])


def items(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """An item of a list of tables: mostly with a name."""
    return st.builds(
        lambda name, rest: {**({"N": name} if name != "none" else {}), **rest},
        st.one_of(NAMES, st.just("none")),
        st.dictionaries(FIELDS, inner, max_size=3),
    )


def values() -> st.SearchStrategy[Any]:
    """Tables, plain lists, lists of tables and scalars, inside one another."""
    plain = st.lists(SCALARS, max_size=4)
    return st.recursive(
        SCALARS | plain,
        lambda inner: st.one_of(
            st.dictionaries(KEYS, inner, max_size=4),
            st.lists(items(inner), max_size=3),
            st.lists(inner, max_size=3),
            plain,
        ),
        max_leaves=8,
    ).map(tame)


def tame(value: Any, in_list: bool = False) -> Any:
    """The value without nulls in lists inside lists: what the program makes of those is not known."""
    if isinstance(value, dict):
        return {key: tame(item) for key, item in value.items()}
    if isinstance(value, list):
        return [tame(item, True) for item in value if not (in_list and item is None)]
    return value


PRESETS = [
    "MostSpecific",
    "First",
    "hash",
    "MergeTopKeys",
    "deep",
    "deep",
    "DEEP",
    "MergeRecursively",
    "Unique",
    "bogus",
]
TABLES = ["MostSpecific", "First", "FirstOne", "hash", "deep", "Deep", "deepish"]
LISTS = ["MostSpecific", "First", "Unique", "unique", "UniqueSorted", "Sum", "Add", "None"]
RECORDS = [
    "MostSpecific",
    "First",
    "Sum",
    "UniqueKeyValTuples",
    "DeepTuple",
    "deeptuple",
    "DeepItemMergeByTuples",
    "Deep",
    "Add",
]


def strategies() -> st.SearchStrategy[Any]:
    """One option entry: a preset or a table."""
    options = st.fixed_dictionaries(
        {},
        optional={
            "knockout_prefix": st.sampled_from(["--", "--", "--", "-", "x", "T", "1", "."]),
            "tuple_keys": st.sampled_from([["N"], ["N"], ["N", "V"], "N", ["n"], ["Z"], []]),
        },
    )
    table = st.fixed_dictionaries(
        {},
        optional={
            "merge_hash": st.sampled_from(TABLES),
            "merge_baseType_array": st.sampled_from(LISTS),
            "merge_hash_array": st.sampled_from(RECORDS),
            "merge_options": options,
            "strategy": st.sampled_from(["deep", "deep", "deep", "First"]),
        },
    )
    return st.one_of(st.sampled_from(PRESETS), table)


def option_entries() -> st.SearchStrategy[dict[str, Any]]:
    """A table of option entries around the path A."""
    nested = st.sampled_from(["A\\a", "A/b", "A\\c", "A\\d", "A\\w", "A\\v", "A\\a\\b", "a\\D", "^.*", "^A.b"])
    return st.builds(
        lambda own, rest: {**({"A": own} if own != "absent" else {}), **rest},
        strategies() | st.just("absent"),
        st.dictionaries(nested, strategies(), max_size=3),
    )


def layers() -> st.SearchStrategy[list[Any]]:
    """The values of one path in one to four layers, mostly of one kind."""
    tables = st.dictionaries(KEYS, values(), max_size=4)
    records = st.lists(items(values()), min_size=1, max_size=4)
    plain = st.lists(SCALARS, max_size=4)
    alike = st.one_of(*(st.lists(kind, min_size=1, max_size=4) for kind in (tables, records, plain)))
    return st.one_of(alike, st.lists(values(), min_size=1, max_size=4))
