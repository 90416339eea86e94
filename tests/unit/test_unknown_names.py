"""The finding that a name is not known."""

from __future__ import annotations

from lamina.protocol.dialect import unknown


def test_a_hint_lists_some_of_many_names() -> None:
    hint = unknown("target", "web", [f"node{at}" for at in range(300)]).hint
    assert hint is not None
    assert hint.endswith("node28, node29, …")


def test_a_hint_lists_all_of_a_few_names() -> None:
    assert unknown("target", "x", ["web", "db"]).hint == "known: web, db"
