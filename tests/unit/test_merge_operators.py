"""The operators one by one: what they give, and which side each part comes from."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.budget import Budget, BudgetExceeded
from lamina.dialects.cloudinit.mergers import Overlay
from lamina.engine.change import MergeChange, PartOfChange
from lamina.engine.delta import (
    NEW,
    OLD,
    Compose,
    Computed,
    Delta,
    ListDelta,
    MapDelta,
    Removed,
    Slice,
    value_of,
)
from lamina.engine.log import Place
from lamina.engine.merge_context import MergeContext
from lamina.engine.node import ComputedNode, LiteralNode, Node, SourceNode
from lamina.engine.operators.convert import ITEMS, Convert
from lamina.engine.operators.mapping import Union
from lamina.engine.operators.sequence import JoinLists
from lamina.engine.operators.text import JoinStrings
from lamina.engine.operators.whole import DELETE, DESCEND, KEEP, TAKE, RejectPair, Warn
from lamina.engine.policy import Cases, PathPolicy, PathRule, Policy
from lamina.engine.tree_edit import put, put_value
from lamina.paths import MISSING
from lamina.values import ABSENT, ALL, COUNT, LISTS, MAPS, NULL, TEXTS, Unknown, classify, word_for

DEEP = Policy(
    Cases(
        (MAPS, MAPS, Union(Cases(((ABSENT,), ALL, TAKE), (ALL, (NULL,), DELETE), (ALL, ALL, DESCEND)))),
        (LISTS, LISTS, JoinLists("old")),
        (TEXTS, TEXTS, JoinStrings("-")),
        (ALL, ALL, TAKE),
    )
)

values = st.recursive(
    st.one_of(st.integers(), st.booleans(), st.text(max_size=3)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=2), inner, max_size=3)),
    max_leaves=8,
)
mappings = st.dictionaries(st.text(max_size=2), values, max_size=4)


def combine(old: Any, new: Any, policy: Policy = DEEP) -> tuple[Any, Delta, MergeContext]:
    run = MergeContext()
    piece = policy.combine(old, new, None, run)
    return value_of(piece, old, new), piece, run


def test_classes_distinguish_nothing_null_empty_and_full() -> None:
    samples = [MISSING, None, False, True, 0, 7, "", "x", [], [1], {}, {"a": 1}, b"x", Unknown("not read")]
    assert [classify(value) for value in samples] == list(range(COUNT))
    assert classify(0.0) == classify(0)
    assert classify((1, 2)) == classify([1])
    assert word_for([1]) == "a list"


def test_the_first_row_of_a_table_counts() -> None:
    table = Cases((ALL, (NULL,), KEEP), (ALL, ALL, TAKE))
    assert table.pick(1, None) is KEEP
    assert table.pick(1, 2) is TAKE


def test_a_table_must_be_complete() -> None:
    with pytest.raises(ValueError, match="no operator"):
        Cases((MAPS, MAPS, KEEP))


def test_union_says_where_each_key_comes_from() -> None:
    value, piece, _ = combine({"a": 1, "b": {"x": 1}, "gone": 1}, {"a": 2, "b": {"y": 2}, "c": 3, "gone": None})
    assert value == {"a": 2, "b": {"x": 1, "y": 2}, "c": 3}
    assert isinstance(piece, MapDelta)
    assert piece.entries["a"] is NEW
    assert piece.entries["c"] is NEW
    assert isinstance(piece.entries["b"], MapDelta)
    assert isinstance(piece.entries["gone"], Removed)


@given(mappings)
def test_merging_nothing_in_gives_the_very_same_object(old: dict[str, Any]) -> None:
    assert combine(old, {})[0] is old


@given(mappings, mappings)
def test_merging_changes_neither_side(old: dict[str, Any], new: dict[str, Any]) -> None:
    before = repr((old, new))
    combine(old, new)
    assert repr((old, new)) == before


@given(mappings, mappings)
def test_untouched_children_are_shared(old: dict[str, Any], new: dict[str, Any]) -> None:
    value = combine(old, new)[0]
    for key in old.keys() - new.keys():
        assert value[key] is old[key]


@given(mappings, mappings, mappings)
def test_taking_the_new_value_is_associative(a: dict[str, Any], b: dict[str, Any], c: dict[str, Any]) -> None:
    shallow = Policy(Cases((MAPS, MAPS, Union(Cases.everywhere(TAKE))), (ALL, ALL, TAKE)))
    left = combine(combine(a, b, shallow)[0], c, shallow)[0]
    right = combine(a, combine(b, c, shallow)[0], shallow)[0]
    assert left == right


@pytest.mark.parametrize(("first", "value"), [("old", [1, 2, 3]), ("new", [3, 1, 2])])
def test_join_puts_one_side_first(first: Any, value: list[int]) -> None:
    piece = JoinLists(first).apply([1, 2], [3], DEEP, None, MergeContext())
    assert isinstance(piece, ListDelta)
    assert piece.value == value
    spans = [item for item in piece.items if isinstance(item, Slice)]
    assert [span.side for span in spans] == (["old", "new"] if first == "old" else ["new", "old"])
    assert piece.at(2)[1] in (0, 1)


def test_a_position_beyond_the_picks_is_rejected() -> None:
    piece = JoinLists("old").apply([1], [2], DEEP, None, MergeContext())
    assert isinstance(piece, ListDelta)
    with pytest.raises(IndexError):
        piece.at(2)


def test_overlay_goes_position_by_position() -> None:
    piece = Overlay(Cases((MAPS, MAPS, DESCEND), (ALL, ALL, TAKE))).apply(
        [{"a": 1}, 2, 3], [{"b": 1}, 9], DEEP, None, MergeContext()
    )
    assert isinstance(piece, ListDelta)
    assert piece.value == [{"a": 1, "b": 1}, 9, 3]
    assert isinstance(piece.items[0], Compose)


def test_overlay_drops_what_is_beyond_the_old_list() -> None:
    piece = Overlay(Cases.everywhere(TAKE)).apply([1], [7, 8, 9], DEEP, None, MergeContext())
    assert isinstance(piece, ListDelta)
    assert piece.value == [7]
    assert [lost.item for lost in piece.lost] == [("new", 1), ("new", 2)]


def test_concat_keeps_its_parts() -> None:
    value, piece, _ = combine("a", "b")
    assert value == "a-b"
    assert isinstance(piece, Computed)
    assert piece.side is None


def test_recast_sees_a_side_as_something_else() -> None:
    piece = Convert(JoinLists("old"), new=ITEMS, fault="clash").apply([1], "ab", DEEP, None, MergeContext())
    assert isinstance(piece, Compose)
    assert piece.value == [1, "a", "b"]
    assert isinstance(piece.new, Computed)


def test_recast_rejects_what_cannot_be_seen_that_way() -> None:
    run = MergeContext()
    assert Convert(JoinLists("old"), new=ITEMS, fault="clash").apply([1], 7, DEEP, None, run) is OLD
    assert [conflict.fault for conflict in run.conflicts] == ["clash"]


def test_a_rejection_names_the_place_on_both_sides() -> None:
    policy = Policy(
        Cases((MAPS, MAPS, Union(Cases(((ABSENT,), ALL, TAKE), (ALL, ALL, DESCEND)))), (ALL, ALL, RejectPair("no")))
    )
    _, _, run = combine({"a": {"b": 1}}, {"a": {"b": 2}}, policy)
    assert [(conflict.fault, conflict.old_path, conflict.new_path) for conflict in run.conflicts] == [
        ("no", ("a", "b"), ("a", "b"))
    ]


def test_a_remark_goes_with_another_operator() -> None:
    run = MergeContext()
    assert Warn(TAKE, "odd").apply(1, 2, DEEP, None, run) is NEW
    assert [remark.fault for remark in run.remarks] == ["odd"]


def test_all_rejections_of_one_merge_are_gathered() -> None:
    policy = Policy(Cases((MAPS, MAPS, Union(Cases.everywhere(RejectPair("no")))), (ALL, ALL, TAKE)))
    _, _, run = combine({"a": 1, "b": 2}, {"a": 3, "b": 4}, policy)
    assert [conflict.old_path for conflict in run.conflicts] == [("a",), ("b",)]


def test_what_is_built_is_counted() -> None:
    with pytest.raises(BudgetExceeded):
        JoinStrings().apply("x" * 60, "y" * 60, DEEP, None, MergeContext(Budget(size=100)))
    with pytest.raises(BudgetExceeded):
        JoinLists("old").apply([1] * 60, [2] * 60, DEEP, None, MergeContext(Budget(nodes=100)))


def test_text_beyond_ascii_counts_as_the_memory_it_takes() -> None:
    JoinStrings().apply("x" * 60, "y" * 30, DEEP, None, MergeContext(Budget(size=100)))
    with pytest.raises(BudgetExceeded):
        JoinStrings().apply("x" * 60, "\u20ac" * 30, DEEP, None, MergeContext(Budget(size=100)))


def test_a_path_policy_picks_the_table_by_names() -> None:
    take_all = Cases.everywhere(TAKE)
    policy = PathPolicy([PathRule(lambda names: names == ("l",), take_all, "mine")], DEEP)
    value, _, _ = combine({"l": [1], "m": [1]}, {"l": [2], "m": [2]}, policy)
    assert value == {"l": [2], "m": [1, 2]}
    assert policy.of_member("l").explicit
    assert policy.of_member("l").label == "mine"
    assert not policy.of_member("m").explicit


REMOVING = Policy(Cases.everywhere(DELETE))


def put_at(
    old: Any,
    new: Any,
    path: tuple[Any, ...],
    *,
    create: bool = False,
    policy: Policy = DEEP,
    run: MergeContext | None = None,
) -> Any:
    """What is put, which is the same with its delta and without."""
    with_delta, without = run or MergeContext(), MergeContext()
    value = value_of(put(old, new, path, policy, with_delta, create=create), old, new)
    assert put_value(old, new, path, policy, without, create=create) == value
    assert without.conflicts == with_delta.conflicts
    return value


def test_put_combines_at_a_path_and_leaves_the_rest() -> None:
    old = {"a": {"b": [1, {"c": "x"}]}, "z": [1]}
    value = put_at(old, "y", ("a", "b", 1, "c"))
    assert value == {"a": {"b": [1, {"c": "x-y"}]}, "z": [1]}
    assert value["z"] is old["z"]


def test_put_makes_what_is_missing_when_it_may() -> None:
    assert put_at({}, 1, ("a", "b"), create=True) == {"a": {"b": 1}}
    run = MergeContext()
    assert put_at({}, 1, ("a", "b"), run=run) == {}
    assert [(conflict.fault, conflict.old_path) for conflict in run.conflicts] == [("no-such-place", ("a",))]


def test_put_does_not_go_through_a_scalar() -> None:
    run = MergeContext()
    assert put_at({"a": 1}, 1, ("a", "b"), create=True, run=run) == {"a": 1}
    assert [(conflict.fault, conflict.old_path) for conflict in run.conflicts] == [("no-such-place", ("a", "b"))]


def test_put_of_a_removal_takes_the_place_away() -> None:
    assert put_at({"a": {"b": 1}}, None, ("a", "b"), policy=REMOVING) == {"a": {}}
    assert put_at([1, 2, 3], None, (1,), policy=REMOVING) == [1, 3]


def test_there_are_six_kinds_of_nodes_and_six_of_deltas() -> None:
    known = {SourceNode, LiteralNode, ComputedNode, Place, MergeChange, PartOfChange}
    assert set(Node.__subclasses__()) == known
    deltas = {each.__name__ for each in get_args(Delta)}
    assert deltas == {"Ref", "Computed", "Removed", "MapDelta", "ListDelta", "Compose"}
