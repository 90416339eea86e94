"""Keys without case: equal and hashed without case, but keeping their own spelling."""

from __future__ import annotations

import copy
import pickle

from hypothesis import given
from hypothesis import strategies as st

from lamina.sources.caseless_keys import CaselessKey, caseless, folded, with_case

texts = st.text("aAbBäÄßİı1- ", max_size=4)


@given(texts, texts)
def test_keys_equal_whatever_their_case(one: str, two: str) -> None:
    first, second = caseless(one), CaselessKey(two)
    same = folded(one) == folded(two)
    assert (first == second) is same
    assert (second in {first: 1}) is same
    assert hash(first) == hash(folded(one))
    assert (str(first), hash(str(first))) == (one, hash(one))
    assert first.text == one


@given(texts)
def test_keys_are_copied_and_pickled_as_they_are(text: str) -> None:
    for key in (copy.copy(caseless(text)), copy.deepcopy(caseless(text)), pickle.loads(pickle.dumps(caseless(text)))):
        assert (type(key), key, str(key), hash(key)) == (CaselessKey, caseless(text), text, hash(folded(text)))


def test_what_needs_no_change_is_shared() -> None:
    items = [1, "a", None]
    assert with_case({caseless("A"): items})["A"] is items
    assert with_case(items) is items


@given(texts)
def test_keys_have_their_spelling_again(text: str) -> None:
    (key,) = with_case({"list": [{caseless(text): 1}]})["list"][0]
    assert (type(key), key) == (str, text)
