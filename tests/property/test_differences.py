"""Properties of differences: the patch leads from one value to the other, nothing differs from itself, and edits are
counted as they were made."""

from __future__ import annotations

import json
from copy import deepcopy
from itertools import pairwise
from typing import Any
from unittest import mock

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lamina
from lamina import budget
from lamina.paths import MISSING, walk
from lamina.views.diff.change import Change, ChangeKind
from lamina.views.diff.compare_values import Comparer
from lamina.views.diff.limits import to_search
from lamina.views.diff.patch import patch
from lamina.views.diff.subsequence import common
from lamina.views.diff.value_ids import Numbering

SCALARS = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False, width=16) | st.text("ab/~0", max_size=3)
)
KEYS = st.sampled_from(["name", "id", "a", "b", "c/d", "e~f", ""])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=6) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=25
)


def changes(before: Any, after: Any) -> list[Change]:
    return Comparer(Numbering(), to_search()).changes(before, after)


def exactly(value: Any) -> str:
    """The value as text, so that 1, 1.0 and true differ."""
    return json.dumps(value, sort_keys=True)


@st.composite
def neighbours(draw: st.DrawFn) -> tuple[Any, Any]:
    """A value, and what some edits make of it."""
    before = draw(VALUES)
    after = deepcopy(before)
    for _ in range(draw(st.integers(0, 4))):
        after = _edited(draw, after)
    return before, after


def _edited(draw: st.DrawFn, value: Any) -> Any:
    if isinstance(value, list) and value and draw(st.booleans()):
        at = draw(st.integers(0, len(value) - 1))
        choice = draw(st.sampled_from(["remove", "insert", "move", "inside"]))
        if choice == "inside":
            return [*value[:at], _edited(draw, value[at]), *value[at + 1 :]]
        rest = [*value[:at], *value[at + 1 :]]
        if choice == "remove":
            return rest
        to = draw(st.integers(0, len(rest)))
        return [*rest[:to], value[at] if choice == "move" else draw(VALUES), *rest[to:]]
    if isinstance(value, dict) and value and draw(st.booleans()):
        key = draw(st.sampled_from(sorted(value)))
        return {**value, key: _edited(draw, value[key])}
    return draw(VALUES)


@given(st.tuples(VALUES, VALUES) | neighbours())
def test_the_patch_applied_to_the_value_before_gives_the_value_after(sides: tuple[Any, Any]) -> None:
    before, after = sides
    kept = deepcopy(sides)
    operations = json.loads(json.dumps(patch(before, after)))
    assert exactly(jsonpatch.apply_patch(deepcopy(before), operations)) == exactly(after)
    assert exactly(sides) == exactly(kept)


@given(st.tuples(VALUES, VALUES) | neighbours())
def test_there_are_changes_just_where_the_values_differ(sides: tuple[Any, Any]) -> None:
    before, after = sides
    found = changes(before, after)
    assert bool(found) == (exactly(before) != exactly(after))
    assert bool(found) == bool(patch(before, after))
    for change in found:
        if change.before is not MISSING:
            assert exactly(walk(before, change.at_before)) == exactly(change.before)
        if change.after is not MISSING:
            assert exactly(walk(after, change.at_after)) == exactly(change.after)
        if change.kind is not ChangeKind.MOVED and MISSING not in (change.before, change.after):
            assert exactly(change.before) != exactly(change.after)


def counted(value: Any) -> int:
    """A container counts as one more than its members; an empty one inside another is a member only."""
    if not isinstance(value, (dict, list)):
        return 1
    inside = value.values() if isinstance(value, dict) else value
    return 1 + len(value) + sum(counted(inner) for inner in inside if isinstance(inner, (dict, list)) and inner)


@given(st.lists(VALUES, max_size=3), st.integers(-1, 1))
def test_values_to_show_are_counted_one_by_one(values: list[Any], beside: int) -> None:
    count = sum(map(counted, values))
    with mock.patch.object(budget, "SHOWN", count + beside):
        if beside < 0:
            with pytest.raises(lamina.MergeError, match="values to show"):
                budget.check_shown(*values)
        else:
            budget.check_shown(*values)


@given(VALUES)
def test_nothing_differs_from_itself(value: Any) -> None:
    assert changes(value, deepcopy(value)) == []


@st.composite
def edited_lists(draw: st.DrawFn) -> tuple[list[Any], list[Any], int]:
    """A list of items that are all different, what edits at separate places make of it, and how many those are."""
    named = draw(st.booleans())
    size = draw(st.integers(0, 60))

    def item(at: int) -> Any:
        return {"name": f"n{at}", "version": at % 3} if named else at

    before = [item(at) for at in range(size)]
    places = draw(st.sets(st.integers(0, max(0, size // 2 - 1)), max_size=12)) if size > 1 else set()
    after: list[Any] = []
    for at, value in enumerate(before):
        edit = draw(st.sampled_from(["remove", "insert", "change"])) if at % 2 == 0 and at // 2 in places else None
        if edit == "insert":
            after.append(item(1000 + at))
        if edit == "change":
            after.append({**value, "version": "new"} if named else 1000 + at)
        elif edit != "remove":
            after.append(value)
    return before, after, len(places)


@given(edited_lists())
def test_as_many_changes_as_edits(lists: tuple[list[Any], list[Any], int]) -> None:
    before, after, edits = lists
    assert len(changes(before, after)) == edits


def longest(left: list[int], right: list[int]) -> int:
    """The length of a longest common subsequence, by the table everybody knows."""
    row = [0] * (len(right) + 1)
    for one in left:
        above = row[:]
        for at, other in enumerate(right):
            row[at + 1] = above[at] + 1 if one == other else max(row[at], above[at + 1])
    return row[-1]


@given(st.lists(st.integers(0, 4), max_size=30), st.lists(st.integers(0, 4), max_size=30))
def test_the_common_subsequence_is_a_longest_one(left: list[int], right: list[int]) -> None:
    pairs = common(left, right, to_search())
    assert all(left[one] == right[other] for one, other in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(pairs))
    assert len(pairs) == longest(left, right)


@given(
    st.dictionaries(st.sampled_from("abcd"), st.integers(0, 3)),
    st.dictionaries(st.sampled_from("abcd"), st.integers(0, 3)),
)
def test_a_change_is_caused_by_the_line_that_was_edited(before: dict[str, int], after: dict[str, int]) -> None:
    def text(values: dict[str, int]) -> str:
        return "#cloud-config\nbase: 1\n" + "".join(f"{key}: {value}\n" for key, value in values.items())

    found = lamina.diff([("part", text(before))], [("part", text(after))])
    assert {change.path for change in found.changes} == {
        (key,) for key in {*before, *after} if before.get(key) != after.get(key)
    }
    for change in found.changes:
        side = before if change.after is MISSING else after
        (cause,) = change.causes
        assert cause.how.value == ("gone" if change.after is MISSING else "set")
        assert cause.origin is not None
        assert cause.origin.line == 3 + list(side).index(change.path[0])
