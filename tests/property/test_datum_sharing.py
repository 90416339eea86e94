"""What nodes have in common is merged once: results, notes, errors and histories are those of a node rendered alone."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lamina.dialects import registry as dialects
from lamina.dialects.datum import compile as datum_compile
from lamina.dialects.datum import lookup, precedence_paths, shared_lookups
from lamina.dialects.datum.hierarchy import NodeView
from lamina.dialects.datum.lookup_options import entries_of
from lamina.dialects.datum.operators import simple_values
from lamina.dialects.datum.operators.simple_values import is_orderless, orderless_test
from lamina.engine.node import LiteralNode
from lamina.engine.plan import ValuedOutput
from lamina.engine.suffix_cache import shared_merge
from lamina.errors import LaminaError
from lamina.paths import MISSING
from lamina.session import Session, calling
from lamina.sources.inputs import Folder, Inputs, MemoryFiles
from lamina.sources.powershell.case_insensitive import with_case
from lamina.sources.powershell.case_insensitive_document import without_case_value
from lamina.sources.yaml.writer import dump
from lamina.views.explain import as_data
from lamina.views.render import render_with
from support.datum_layers import KEYS, WORDS, option_entries, strategies

NODES = {
    "n1": ("web", "here"),
    "n2": ("db", "here"),
    "n3": ("web", "there"),
    "n4": ("none", "here"),
    "n5": ("web", "here"),
}
LAYERS = ("Role/web", "Role/db", "Place/here", "Place/there", "All/common")
LISTS = st.one_of(
    st.lists(st.sampled_from(["p", "q", "P", "--p", "[x='w'=]"]), min_size=1, max_size=3),
    st.lists(st.one_of(st.integers(0, 2), st.booleans(), st.sampled_from(["1", "p"])), max_size=3),
)
CALM = st.recursive(
    st.one_of(st.sampled_from(WORDS), st.integers(0, 2), st.none(), LISTS),
    lambda inner: st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)
TABLES = st.dictionaries(KEYS, CALM, max_size=4)
TEXTS = st.lists(st.sampled_from(["p", "q", "P", "--p"]), min_size=1, max_size=3)


def alike(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Tables in which a key, in any spelling, has values of one kind; so that nothing clashes."""
    pairs = st.one_of(
        st.tuples(st.sampled_from("aA"), st.sampled_from([*WORDS, 1, None])),
        st.tuples(st.sampled_from("bB"), TEXTS),
        st.tuples(st.sampled_from("cCdD"), inner),
    )
    return st.lists(pairs, max_size=5, unique_by=lambda pair: pair[0].lower()).map(dict)


ALIKE = alike(alike(alike(st.just({}))))
VALUES = st.one_of(ALIKE, ALIKE, ALIKE, TABLES, CALM)
COMMON = ({"merge_hash": "deep", "merge_baseType_array": "Sum"}, {"merge_hash": "deep"}, "hash", "deep", "MostSpecific")
HANDLERS = {"DatumHandlers": {"Datum.InvokeCommand::InvokeCommand": {"SkipDuringLoad": True}}}


@st.composite
def trees(draw: st.DrawFn) -> dict[str, str]:
    values = draw(st.sampled_from([ALIKE, VALUES]))
    definition: dict[str, Any] = {
        "ResolutionPrecedence": [
            "AllNodes\\$($Node.Name)", "Role\\$($Node.Role)", "Place\\$($Node.Place)", "All\\common",
        ],
        "lookup_options": draw(st.one_of(st.fixed_dictionaries({"A": st.sampled_from(COMMON)}), option_entries())),
        "default_lookup_options": draw(st.one_of(st.sampled_from(COMMON), strategies())),
        **draw(st.sampled_from(({}, HANDLERS))),
    }  # fmt: skip
    files = {"Datum.yml": definition}
    for name, (role, place) in NODES.items():
        own = draw(st.dictionaries(st.just("A"), values))
        files[f"AllNodes/{name}.yml"] = {"Name": name, "NodeName": name, "Role": role, "Place": place, **own}
    for name in LAYERS:
        files[f"{name}.yml"] = draw(st.dictionaries(st.sampled_from("AB"), values, max_size=2))
    files["All/common.yml"]["Configurations"] = ["A", "B"]
    return {name: dump(value) for name, value in files.items()}


def inputs_of(files: dict[str, str]) -> Inputs:
    return Inputs((Folder("tree", MemoryFiles(files)),))


def outcome(inputs: Inputs, asked: dict[str, Any]) -> Any:
    chosen = dialects.find("datum")
    try:
        rendered = render_with(chosen, inputs, dialects.make_options(chosen, asked))
    except LaminaError as error:
        return [str(finding) for finding in error.diagnostics]
    plain = repr(rendered.plain)
    shown = [repr(as_data(history, rendered)) for history in rendered.explain_all()]
    steps = [len(output.steps) for stage in rendered.plan.stages for output in stage.outputs]
    values = [repr(folded.value) for folded in rendered.outputs]
    return plain, [str(note) for note in rendered.notes], shown, steps, values


REQUESTS: list[dict[str, Any]] = [{"node": name, **extra} for name in NODES for extra in ({"lookup": "A"}, {})]
REQUESTS += [
    {"all_nodes": True},
    {"node": "n1", "lookup": "A", "api": "lookup"},
    {"node": "n1", "lookup": "A", "compat": "manual"},
]


@settings(max_examples=120, deadline=None)
@given(trees())
def test_nodes_that_share_layers_are_as_nodes_alone(files: dict[str, str]) -> None:
    check_shared(files, REQUESTS)


def check_shared(files: dict[str, str], requests: list[dict[str, Any]]) -> None:
    """Check that nodes of one session are rendered as each would be alone, every layer found and merged for it."""
    with (
        mock.patch.object(lookup, "shared_value", return_value=None),
        mock.patch.object(precedence_paths, "general_layers", return_value=None),
        mock.patch.object(datum_compile, "plain_lookup", return_value=None),
    ):
        alone = [outcome(inputs_of(files), asked) for asked in requests]
    inputs, session = inputs_of(files), Session()
    for _ in range(2):  # the second time, all layers and merges are those that were kept
        for asked, expected in zip(requests, alone, strict=True):
            with calling(session):
                assert outcome(inputs, asked) == expected, asked


ROLES = st.sampled_from(["web", "WEB", "db", "folder", "none", "", None, 3, "[x='web'=]", "broken", "empty", "text"])
PREFIXES = st.lists(
    st.sampled_from([
        "AllNodes\\$($Node.Name)", "Role\\$($Node.Role)", "Role\\$($Node.Role)\\A", "role\\$($Node.Place)\\a",
        "All\\common", "Role", "$($Node.Role)", "Place\\$($Node.Role)-x", "AllNodes\\n1",
    ]),
    min_size=1, max_size=5,
)  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(
    PREFIXES, st.lists(st.tuples(ROLES, ROLES), min_size=2, max_size=4), VALUES, VALUES, st.sampled_from(({}, HANDLERS))
)
def test_layers_that_nodes_share_are_those_each_would_find(
    prefixes: list[str], roles: list[tuple[Any, Any]], one: Any, other: Any, handlers: dict[str, Any]
) -> None:
    definition = {"ResolutionPrecedence": prefixes, "default_lookup_options": COMMON[0], **handlers}
    files = {
        "Datum.yml": dump(definition),
        **{
            f"AllNodes/n{at}.yml": dump({"Name": f"n{at}", "Role": role, "Place": place, "A": one})
            for at, (role, place) in enumerate(roles)
        },
        "Role/web.yml": dump({"A": one, "B": {"A": other}}),
        "Role/db.yml": dump({"A": [{"A": one}, {"a": other}]}),
        "Role/folder/A.yml": dump({"A": one, "b": other}),
        "Role/broken.yml": "A: [",
        "Role/empty.yml": "",
        "Role/text.txt": "no table",
        "All/common.yml": dump({"a": other}),
    }
    asked: list[dict[str, Any]] = [{"lookup": "A"}, {"lookup": "B\\A"}, {"lookup": "A", "strict": True}, {}]
    check_shared(files, [{"node": f"n{at}", **extra} for at in range(len(roles)) for extra in asked])


@settings(max_examples=60, deadline=None)
@given(trees())
def test_without_the_extension_values_are_the_same(files: dict[str, str]) -> None:
    by_extension = [outcome(inputs_of(files), asked) for asked in REQUESTS]
    with (
        mock.patch.object(shared_lookups, "merge_simple", None),
        mock.patch.object(simple_values, "_compiled", None),
    ):
        assert [outcome(inputs_of(files), asked) for asked in REQUESTS] == by_extension


@given(
    st.one_of(VALUES, st.dictionaries(st.integers(0, 1), CALM)),
    st.sampled_from([("--",), ("--", "+"), ("x",)]),
    st.booleans(),
)
def test_what_is_simple_is_so_for_the_extension(value: Any, markers: tuple[str, ...], texts: bool) -> None:
    assert orderless_test(markers, texts)(value) == is_orderless(value, markers, texts)


@pytest.mark.skipif(simple_values.merge_simple is None, reason="the extension was not built")
@example({"b": ["p", "p"]}, {"b": ["p"]}, "Unique", "deep")
@given(ALIKE, ALIKE, st.sampled_from(["Unique", "Sum", "MostSpecific", "None"]), st.sampled_from(["deep", "hash"]))
def test_the_extension_gives_what_the_operators_give(upper: Any, lower: Any, lists: str, tables: str) -> None:
    strategy = {"merge_hash": tables, "merge_baseType_array": lists}
    nodes = LiteralNode({"A": strategy}, ()), LiteralNode(strategy, ())
    entries = entries_of(*nodes, documented=False)
    old, new = without_case_value(upper), without_case_value(lower)
    plain = shared_lookups._LookupMerge(("A",), entries)
    simple = shared_lookups._merge_of(("A",), entries)
    assert type(simple) is not type(plain)
    expected = plain.combine(old, new)[0]
    assert repr(simple.combine(old, new)[0]) == repr(expected)


@pytest.mark.skipif(simple_values.merge_simple is None, reason="the extension was not built")
@example([{"c": {"b": ["p"]}}, {"c": {"a": 1}}, {"c": {"B": ["q"]}}], "Sum", "deep")
@example([{"a": 1, "d": {}}, {}, {"A": 2, "c": {}}], "Sum", "hash")
@given(
    st.lists(st.one_of(ALIKE, ALIKE, TABLES), min_size=2, max_size=4),
    st.sampled_from(["Unique", "Sum", "MostSpecific", "None"]),
    st.sampled_from(["deep", "hash"]),
)
def test_tables_merged_with_plain_keys_are_those_merged_without_case(
    layers: list[Any], lists: str, tables: str
) -> None:
    strategy = {"merge_hash": tables, "merge_baseType_array": lists}
    entries = entries_of(LiteralNode({"A": strategy}, ()), LiteralNode(strategy, ()), documented=False)
    values = [without_case_value(layer) for layer in layers]
    by_value, by_table = shared_lookups._merge_of(("A",), entries), shared_lookups._plain_merge_of(("A",), entries)
    assert by_table is not None
    with calling(Session()):
        part, other = shared_merge(by_value, values), shared_merge(by_table, values)
    if part.value is MISSING:
        assert other.value is MISSING
        return
    made = by_table.table(other)
    assert repr(made.plain) == repr(with_case(part.value))
    assert repr(made.value) == repr(part.value)


DEEP = {"merge_hash": "deep", "merge_baseType_array": "Unique"}
TREE = {
    "Datum.yml": dump({
        "ResolutionPrecedence": ["AllNodes\\$($Node.Name)", "Role\\$($Node.Role)", "All\\common"],
        "lookup_options": {"A": DEEP}, "default_lookup_options": DEEP,
    }),
    **{
        f"AllNodes/n{at}.yml": dump({"Name": f"n{at}", "Role": "web", "A": {"own": at, "t": {"x": at}}})
        for at in (1, 2)
    },
    "Role/web.yml": dump({"A": {"t": {"y": ["p", "q"]}}}),
    "All/common.yml": dump({"A": {"T": {"Y": ["q", "r"], "z": 1}}}),
}  # fmt: skip


@pytest.mark.parametrize("asked", [{"lookup": "A"}, {}])
def test_values_come_from_what_is_shared(asked: dict[str, Any]) -> None:
    """The lower layers are merged for the first node only, and no step is folded as long as nobody asks for it."""
    chosen = dialects.find("datum")
    inputs, session = inputs_of(TREE), Session()
    for name in ("n1", "n2"):
        with calling(session):
            rendered = render_with(chosen, inputs, dialects.make_options(chosen, {"node": name, **asked}))
        value = rendered.plain if asked else rendered.plain["A"]
        assert value == {"own": int(name[1:]), "T": {"x": int(name[1:]), "Y": ["p", "q", "r"], "z": 1}}
        valued = [
            output for stage in rendered.plan.stages for output in stage.outputs if isinstance(output, ValuedOutput)
        ]
        assert [output._made for output in valued] == [None]
        assert len(session.merged) == 3  # each of the two lower layers, and both merged
    assert "appended" in [event.verdict for event in rendered.explain("/T/Y" if asked else "/A/T/Y").events]


@pytest.mark.skipif(simple_values.merge_simple is None, reason="the extension was not built")
@pytest.mark.parametrize(
    "prefix", ["AllNodes\\$($Node.Name)", "AllNodes\\$($Node.Place)\\$($Node.Name)", "AllNodes\\n1"]
)
def test_the_layers_of_a_plain_lookup_are_not_prepared_one_by_one(prefix: str) -> None:
    folder = "AllNodes/here" if "Place" in prefix else "AllNodes"
    files = {
        **TREE,
        "Datum.yml": TREE["Datum.yml"].replace("AllNodes\\$($Node.Name)", prefix),
        f"{folder}/n1.yml": dump({"Name": "n1", "Role": "web", "Place": "here", "A": {"own": 1}}),
    }
    if "Place" in prefix:
        del files["AllNodes/n1.yml"]
    with mock.patch.object(NodeView, "lookup", side_effect=AssertionError):
        found = outcome(inputs_of(files), {"node": "n1", "lookup": "A"})
    with mock.patch.object(datum_compile, "plain_lookup", return_value=None):
        assert outcome(inputs_of(files), {"node": "n1", "lookup": "A"}) == found
    assert "'own': 1" in found[0]
