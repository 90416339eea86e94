"""Garbage collection that is put off, and taken up again."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

from lamina._support.garbage_collection import _EVERY, _LARGE, Paused, reduce_collections


@pytest.fixture(autouse=True)
def _as_usual() -> Iterator[None]:
    gc.collect()
    gc.enable()
    thresholds = gc.get_threshold()
    yield
    gc.set_threshold(*thresholds)
    gc.unfreeze()
    gc.enable()


class Ring:
    """Something that holds itself."""

    def __init__(self) -> None:
        self.own = self


def make(number: int) -> list[Any]:
    return [[] for _ in range(number)]


def test_nothing_is_collected_meanwhile() -> None:
    with Paused():
        assert not gc.isenabled()
        with Paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    with Paused():
        pass
    assert not gc.isenabled()


def test_much_that_was_made_is_old() -> None:
    with Paused():
        made = make(2 * _LARGE)
    assert gc.get_count()[0] < _LARGE
    assert id(made[0]) in set(map(id, gc.get_objects(generation=2)))


def test_little_that_was_made_is_young() -> None:
    with Paused():
        made = make(10)
    assert id(made[0]) in set(map(id, gc.get_objects(generation=0)))


def test_what_holds_itself_goes_in_the_end() -> None:
    rings, kept = [], []
    for _ in range(_EVERY + 1):
        with Paused():
            rings.append(weakref.ref(Ring()))
            kept.append(make(2 * _LARGE))
    assert rings[0]() is None


def test_what_others_froze_stays_frozen() -> None:
    gc.freeze()
    before = gc.get_freeze_count()
    kept = []
    for _ in range(_EVERY):
        with Paused():
            kept.append(make(2 * _LARGE))
    assert gc.get_freeze_count() == before


def test_a_server_collects_rarely_and_what_it_began_with_is_kept_apart() -> None:
    gone = weakref.ref(Ring())
    reduce_collections()
    assert gone() is None
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0
    young = weakref.ref(Ring())
    kept = make(2 * gc.get_threshold()[0])
    assert young() is None
    del kept
