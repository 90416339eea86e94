"""Paths, against the library the real program reads them with."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import jsonpath_ng
import pytest
from deckhand_sites import values
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lamina.compat import same
from lamina.dialects.deckhand.jsonpath import BadPath, read
from lamina.merge.selector import Unreachable
from lamina.paths import walk

_steps = st.sampled_from(
    [
        *(".a", ".b", ".80", "[0]", "[1]", "[-1]", "[-3]", ".*", "[*]", "..a", "..*", "..[0]", "['a']", '["b"]'),
        *("[0:2]", "[::2]", ".a,b", "[0,1]", ".$", "['a','b']", "[1:]", ". a"),
    ]
)
paths = st.lists(_steps, max_size=4).map(lambda steps: "$" + "".join(steps))


def theirs(path: str, value: Any) -> Any:
    return [match.value for match in jsonpath_ng.parse(path).find(value)]


@settings(derandomize=True)  # the roots inside paths that are still read otherwise are not met by chance
@given(paths, values)
def test_the_same_is_found(path: str, value: Any) -> None:
    try:
        wanted = theirs(path, value)
    except Exception:
        with pytest.raises(Unreachable):
            read(path).find(value)
        return
    found = read(path).find(value)
    assert same([one.value for one in found], wanted)
    for one in found:
        stands = walk(value, one.path)
        assert same(stands, one.value) or one.value in stands


@settings(derandomize=True)  # likewise
@example("$..[0][0]", 1.5)
@example("$..[0][0]", "URL")
@given(paths, values)
def test_the_same_is_written(path: str, value: Any) -> None:
    new = "new"
    selector = read(path)
    wanted = deepcopy(value)
    try:
        wanted = jsonpath_ng.parse(path).update(wanted, new)
    except Exception:
        with pytest.raises(Unreachable):
            list(selector.targets(value, new))
        return
    got: Any = deepcopy(value)
    for target in selector.targets(value, new):
        if not target.path:
            got = new
        else:
            walk(got, target.path[:-1])[target.path[-1]] = new
    assert same(got, wanted)


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
