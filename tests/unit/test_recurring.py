"""What recurs is kept, and what does not makes room."""

from __future__ import annotations

from lamina._support.two_stage_cache import Recurring


def test_what_is_asked_for_again_outlasts_what_is_not() -> None:
    kept: Recurring[str, object] = Recurring(once=2, again=3)
    shared = kept.add("shared", object())
    assert kept.find("shared") is shared
    for number in range(10):
        kept.add(f"own {number}", object())
    assert kept.find("shared") is shared
    assert kept.find("own 0") is None
    assert kept.find("own 9") is not None


def test_what_is_kept_is_bounded() -> None:
    kept: Recurring[int, object] = Recurring(once=2, again=3)
    for number in range(20):
        kept.add(number, object())
        kept.find(number)
    assert sum(kept.find(number) is not None for number in range(20)) <= 3
