"""Values and lists compared: what counts as one change, and that no input makes it slow."""

from __future__ import annotations

import random
import sys
from itertools import pairwise
from typing import Any

import pytest

from lamina.errors import UsageError
from lamina.views.diff.change import Change
from lamina.views.diff.compare_values import Comparer
from lamina.views.diff.limits import CHANGES, to_search
from lamina.views.diff.subsequence import common
from lamina.views.diff.value_ids import Numbering
from support.work import calls_of


def changes(before: Any, after: Any, most: int = CHANGES) -> list[Change]:
    return Comparer(Numbering(), to_search(), most).changes(before, after)


def shown(before: Any, after: Any) -> list[tuple[str, str]]:
    return [(change.kind.value, change.where) for change in changes(before, after)]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": 1}, {"a": 2}, [("changed", "a")]),
        ({"a": 1}, {"a": 1.0}, [("changed", "a")]),
        ({"a": 1}, {"a": True}, [("changed", "a")]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, []),
        ({"a": float("nan")}, {"a": float("nan")}, []),
        ({1: "x"}, {True: "x"}, [("removed", "[1]"), ("added", "(True)")]),
        ({"a": {}}, {"a": []}, [("changed", "a")]),
        ({"a": None}, {}, [("removed", "a")]),
        ([1, 2, 3], [1, 9, 2, 3], [("added", "[1]")]),
        ([1, 2, 3], [1, 3], [("removed", "[1]")]),
        ([1, 2, 3], [1, 9, 3], [("changed", "[1]")]),
        ([1, 2, 3, 4], [4, 1, 2, 3], [("moved", "[0]")]),
        (["a", "b"], ["b", "a"], [("moved", "[1]")]),
        ([], [1], [("added", "[0]")]),
        ([[1, 2], [3, 4]], [[1, 2], [3, 5]], [("changed", "[1][1]")]),
        ([{"x": [1], "y": 1}], [{"x": [2], "y": 1}], [("changed", "[0].x[0]")]),
        ([{"p": 1, "q": 1}], [{"r": 2}], [("changed", "[0]")]),
    ],
)
def test_what_counts_as_a_change(before: Any, after: Any, expected: list[tuple[str, str]]) -> None:
    assert shown(before, after) == expected


def test_items_are_known_by_their_key_field() -> None:
    before = [{"name": "a", "v": 1}, {"name": "b", "v": 2}, {"name": "c", "v": 3}]
    after = [{"name": "new", "v": 7}, {"name": "b", "v": 5}, {"name": "c", "v": 3}]
    assert shown(before, after) == [("removed", "[name=a]"), ("added", "[name=new]"), ("changed", "[name=b].v")]


def test_an_item_that_moved_and_changed_is_two_changes() -> None:
    before = [{"Name": name, "v": 1} for name in "abcd"]
    after = [{"Name": "d", "v": 2}, *before[:3]]
    assert shown(before, after) == [("moved", "[Name=d]"), ("changed", "[Name=d].v")]


def test_a_renamed_item_is_one_change() -> None:
    before = [{"name": "a", "shell": "sh"}, {"name": "b", "shell": "sh"}]
    after = [{"name": "a", "shell": "sh"}, {"name": "bee", "shell": "sh"}]
    assert shown(before, after) == [("changed", "[1].name")]


def test_a_field_that_is_no_usual_name_needs_enough_in_common() -> None:
    before = [{"port": at, "proto": "tcp"} for at in range(4)]
    after = [{"port": at, "proto": "udp" if at == 2 else "tcp"} for at in range(1, 4)]
    assert shown(before, after) == [("removed", "[port=0]"), ("changed", "[port=2].proto")]


def test_of_several_items_in_a_gap_the_alike_ones_are_paired() -> None:
    before = [{"cmd": "gone", "n": 0}, {"cmd": "stays", "n": 1, "k": 1}, 5]
    after = [{"cmd": "stays", "n": 2, "k": 1}, 5]
    assert shown(before, after) == [("removed", "[0]"), ("changed", "[0].n")]


MAKERS: dict[str, Any] = {
    "texts": (lambda at: f"item-{at}", lambda item: f"{item}-edited"),
    "texts that become the same": (lambda at: f"item-{at}", lambda _: "edited"),
    "numbers": (lambda at: at, lambda item: item + 10_000),
    "numbers that repeat": (lambda at: at % 7, lambda _: "edited"),
    "named mappings": (lambda at: {"name": f"p{at}", "version": at % 3}, lambda item: {**item, "version": 9}),
    "mappings whose names change": (
        lambda at: {"name": f"p{at}", "version": at % 3},
        lambda item: {**item, "name": item["name"] + "-new"},
    ),
    "mappings without names": (lambda at: {"a": at % 5, "b": at % 7, "c": 1}, lambda item: {**item, "c": 2}),
    "lists": (lambda at: ["run", str(at)], lambda item: [*item[:1], item[1] + "-edited"]),
}


def edited(name: str, length: int) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """A list before and after one deletion and forty edits."""
    make, edit = MAKERS[name]
    before = [make(at) for at in range(length)]
    chosen = random.Random(name).sample(range(length), 41)
    after = [edit(item) if at in chosen[1:] else item for at, item in enumerate(before) if at != chosen[0]]
    return {"list": before}, {"list": after}


@pytest.mark.parametrize("name", MAKERS)
def test_one_deletion_and_forty_edits_of_two_thousand_items_are_41_changes(name: str) -> None:
    assert len(changes(*edited(name, 2_000))) == 41


@pytest.mark.parametrize("name", MAKERS)
def test_the_work_grows_with_the_length_of_the_list(name: str) -> None:
    short, long = (calls_of(lambda: changes(*edited(name, length))) for length in (1_000, 2_000))  # noqa: B023 - called at once
    assert long < 2.5 * short


def hostile() -> dict[str, tuple[list[Any], list[Any]]]:
    dice = random.Random(5)
    return {
        "few values, nothing in order": (dice.choices("abc", k=5_000), dice.choices("abc", k=5_000)),
        "one value": (["a"] * 20_000, ["a"] * 10_000 + ["b"] * 10_000),
        "all different": (list(range(20_000)), list(range(20_000, 100_000))),
        "backwards": (list(range(20_000)), list(range(20_000))[::-1]),
        "alike mappings": (
            [{"a": dice.randrange(3), "b": dice.randrange(3)} for _ in range(2_000)],
            [{"a": dice.randrange(3), "c": dice.randrange(9)} for _ in range(2_000)],
        ),
        "wide mappings": (
            [{str(key): (key, at) for key in range(200)} for at in range(100)],
            [{str(key): (key, -at) for key in range(200)} for at in range(100)],
        ),
    }


@pytest.mark.parametrize("name", hostile())
def test_the_work_for_any_list_is_bounded(name: str) -> None:
    before, after = hostile()[name]
    assert changes(before, after)
    assert calls_of(lambda: changes(before, after)) < 10_000_000


def test_beyond_the_budget_what_differs_is_one_change_as_a_whole() -> None:
    before = {"a": {str(at): at for at in range(20)}, "b": {"c": 1}}
    after = {"a": {str(at): -at - 1 for at in range(20)}, "b": {"c": 2}}
    found = changes(before, after, 20)
    assert [change.where for change in found[-2:]] == ['a."19"', "b"]


def test_beyond_the_budget_a_common_subsequence_is_still_one() -> None:
    dice = random.Random(1)
    left, right = dice.choices(range(4), k=300), dice.choices(range(4), k=300)
    exact, plain = common(left, right, to_search()), common(left, right, to_search(steps=10))
    for pairs in (exact, plain):
        assert all(left[one] == right[other] for one, other in pairs)
        assert all(a < c and b < d for (a, b), (c, d) in pairwise(pairs))
    assert 0 < len(plain) < len(exact)


def test_lists_too_long_for_memory_are_compared_without_the_longest_common_subsequence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)  # loading it fails
    dice = random.Random(1)
    left, right = dice.choices(range(9), k=25_000), dice.choices(range(9), k=25_000)
    pairs = common(left, right, to_search())
    assert len(pairs) > 100
    assert all(left[one] == right[other] for one, other in pairs)
    with pytest.raises(ImportError):
        common(left[:20_000], right[:20_000], to_search())


def test_lists_with_nothing_in_common_between_their_equal_ends_load_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    assert common([1, 2, 2, 9], [1, 3, 3, 3, 9], to_search()) == [(0, 0), (3, 4)]
    assert common([1], [1, 3, 3], to_search()) == [(0, 0)]


def test_shared_parts_are_looked_at_once() -> None:
    before: Any = "x"
    after: Any = "x"
    for _ in range(60):
        before, after = {"a": before, "b": before}, {"a": after, "b": after}
    assert changes(before, after) == []


def test_what_is_nested_too_deep_is_rejected() -> None:
    before: Any = 1
    after: Any = 2
    for _ in range(100_000):
        before, after = [before], [after]
    with pytest.raises(UsageError, match="too-deep"):
        changes(before, after)
