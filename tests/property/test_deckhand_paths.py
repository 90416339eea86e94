"""Paths, against the library the real program reads them with."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import Any

import jsonpath_ng
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lamina.dialects.deckhand.jsonpath.path import BadPath, read
from lamina.dialects.deckhand.jsonpath.selector import Unreachable
from lamina.paths import walk
from lamina.values import same
from support.deckhand_sites import values

_steps = st.sampled_from(
    [
        *(".a", ".b", ".80", "[0]", "[1]", "[-1]", "[-3]", ".*", "[*]", "..a", "..*", "..[0]", "['a']", '["b"]'),
        *("[0:2]", "[::2]", ".a,b", "[0,1]", ".$", "['a','b']", "[1:]", ". a", "[-1,0]", "[2,0]", "[::0]", "[::-1]"),
        *(".[0]", ".[0:2]", ".['a']", "..$", "..[0:2]", "..['a']", "..[-1]", "..a,b", ".'80',a", "[0:0]"),
    ]
)
paths = st.lists(_steps, max_size=4).map(lambda steps: "$" + "".join(steps))


@cache
def theirs(path: str) -> Any:
    return jsonpath_ng.parse(path)


@example("$[0:2].$", "URL")
@example("$..a.$.a[0]", {"a": {"a": ["x"]}})
@given(paths, values)
def test_the_same_is_found(path: str, value: Any) -> None:
    try:
        wanted = [match.value for match in theirs(path).find(value)]
    except Exception:
        with pytest.raises(Unreachable):
            read(path).find(value)
        return
    found = read(path).find(value)
    assert same([one.value for one in found], wanted)
    for one in found:
        location = walk(value, one.path)
        assert same(location, one.value) or one.value == [location] or one.value in location


@example("$..[0][0]", 1.5, "new")
@example("$..[0][0]", "URL", "new")
@example("$..[0][0]", [[[{}]]], ["one for two places"])
@example("$..[0]", {"a": {}}, {"b": 1})
@example("$[0:2].$[0]", {"a": 1}, [])
@example("$[0:2].$..a", {"a": 1}, "new")
@example("$.a,b.$[2,0]", {"a": 1, "b": 2}, "new")
@given(paths, values, st.just("new") | values)
def test_the_same_is_written(path: str, value: Any, new: Any) -> None:
    selector = read(path)
    try:
        wanted = theirs(path).update(deepcopy(value), deepcopy(new))
    except Exception:
        with pytest.raises(Unreachable):
            list(selector.targets(value, new))
        return
    before = deepcopy((value, new))
    got: Any = deepcopy(value)
    for target in selector.targets(value, new):
        put = deepcopy(new if target.item is None else new[target.item])
        if not target.path:
            got = put
        else:
            walk(got, target.path[:-1])[target.path[-1]] = put
    assert same(got, wanted)
    assert same((value, new), before)


@pytest.mark.parametrize("path", ["$" + ".*.$" * 30, "$" + "..*.$" * 30, "$..*" + ".*.$" * 30])
def test_a_path_that_leads_back_and_back_ends(path: str) -> None:
    value: Any = {"a": [0, 1, 2], "b": {str(key): {"a": key} for key in range(30)}}
    with pytest.raises(Unreachable, match="only after"):
        read(path).find(value)
    with pytest.raises(Unreachable, match="only after"):
        list(read(f"{path}.a").targets(value, "new"))


@given(st.text(alphabet="ab.$[]'\"*,:-01 \\", max_size=8))
def test_the_same_texts_are_paths(text: str) -> None:
    try:
        jsonpath_ng.parse(text)
    except Exception:
        if text not in (".", "") and not text.startswith("."):
            with pytest.raises(BadPath):
                read(text)
        return
    read(text)
