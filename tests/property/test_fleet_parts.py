"""Parts of a fleet run, on anything they could be given: names, batches, texts that are remembered."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.dialects.extensions import FleetNode
from lamina.errors import InputError, UsageError
from lamina.fleet.batches import Pace, batches
from lamina.fleet.file_names import count_nodes, file_stem
from lamina.sources.yaml.writer import Writer, dump
from support.cloud_configs import keys, mappings, scalars, values

names = st.text(st.characters(), min_size=1, max_size=300) | st.sampled_from(
    [
        ".",
        "..",
        "../x",
        "/etc/passwd",
        "a/b",
        "a\\b",
        "a\0b",
        ".hidden",
        "~",
        "CON",
        "%2E",
        "a%2Fb",
        "-rf",
        "é",
        "\ud800",
    ]
)


@given(names)
def test_a_name_becomes_a_file_in_the_folder_and_nothing_else(name: str) -> None:
    stem = file_stem(name)
    assert re.fullmatch(r"[A-Za-z0-9_%-][A-Za-z0-9._%-]*", stem)
    assert len(stem) <= 200


@given(names, names)
def test_different_names_become_different_files(one: str, other: str) -> None:
    assert (file_stem(one) == file_stem(other)) == (one == other)


@pytest.mark.parametrize("pair", [("a", "a"), ("Web", "wEB"), ("ß", "ß")])
def test_nodes_that_would_share_a_file_are_rejected(pair: tuple[str, str]) -> None:
    with pytest.raises(InputError, match="duplicate-node"):
        count_nodes(lambda: [FleetNode(name=name) for name in ("other", *pair)])


def test_names_are_compared_where_their_hashes_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lamina.fleet.file_names.hash", lambda _text: 7, raising=False)
    assert count_nodes(lambda: [FleetNode(name=name) for name in ("a", "b", "c")]) == 3


def test_a_node_without_a_name_is_rejected() -> None:
    with pytest.raises(InputError, match="unnamed-node"):
        count_nodes(lambda: [FleetNode(name="")])


nodes = st.lists(
    st.builds(
        lambda prefix, number: FleetNode(name=f"{'/'.join(prefix)}/{number}", prefix=tuple(prefix)),
        st.lists(st.sampled_from("abc"), max_size=3),
        st.integers(0, 10_000),
    ),
    max_size=200,
)


@given(nodes, st.integers(1, 40), st.integers(1, 100))
def test_batches_hold_every_node_once_and_keep_prefixes_together(
    fleet: list[FleetNode], size: int, window: int
) -> None:
    cut = list(batches(fleet, Pace(size, size), window))
    assert all(cut)
    assert sorted(node.name for batch in cut for node in batch) == sorted(node.name for node in fleet)
    assert all(len(batch) <= size + size // 2 + 1 for batch in cut)
    whole = [node for batch in batches(fleet, Pace(10**6, 10**6), 10**6) for node in batch]
    runs = [node.prefix for at, node in enumerate(whole) if at == 0 or whole[at - 1].prefix != node.prefix]
    assert len(runs) == len(set(runs))


def test_batches_grow_with_the_pace() -> None:
    pace = Pace()
    assert pace.size == 50
    for _ in range(20):
        pace.record(1000, 0.3)
    assert 1_000 < pace.size <= 2_000
    for _ in range(20):
        pace.record(50, 5.0)
    assert pace.size == 50


@st.composite
def similar(draw: st.DrawFn) -> list[Any]:
    """Values that share parts: each is an earlier one with some members set, which may be parts of others."""
    stock: list[Any] = draw(st.lists(values, min_size=1, max_size=4))
    found: list[Any] = [draw(mappings)]
    odd = st.sampled_from([True, 1, 1.0, False, 0, None, "true", "1", "x" * 70, "a: b", ()])
    for _ in range(draw(st.integers(1, 6))):
        value: dict[Any, Any] = dict(draw(st.sampled_from(found)))
        for key in draw(st.lists(keys | odd, max_size=3)):
            value[key] = draw(st.sampled_from(stock) | scalars)
        nested: bool = draw(st.booleans())
        if value and nested:
            inner = {"inside": draw(st.sampled_from(found)), "list": [draw(st.sampled_from(stock)), value]}
            value = {**value, "deep": inner}
        found.append(value)
    return found


@given(similar(), st.booleans())
def test_a_writer_that_remembers_writes_the_same(found: list[Any], sort: bool) -> None:
    writer = Writer(sort_keys=sort, use_cache=True)
    for _ in range(3):
        for value in found:
            assert writer.dump(value) == dump(value, sort_keys=sort)


def test_keys_that_are_equal_and_not_the_same_are_written_as_they_are() -> None:
    writer = Writer(use_cache=True)
    for value in ({1: "x"}, {True: "x"}, {1.0: "x"}) * 3:
        assert writer.dump({"a": value}) == dump({"a": value})


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("writer", "writer_cache"):
        monkeypatch.setattr(f"lamina.sources.yaml.{module}.MOST_CHARACTERS", 5_000)
    writer = Writer(use_cache=True)
    shared = {"a": "b" * 30, "c": ["d"], "e": "f", "g": "h"}
    for number in range(300):
        own = dict.fromkeys("vwxyz", f"y{number}")
        value = {"number": number, "shared": shared, "own": own}
        assert writer.dump(value) == writer.dump({**value, "number": -1}).replace("-1", str(number)) == dump(value)
    if writer._cache is not None:
        assert 0 < writer._cache.characters <= 10_000
    else:
        assert writer._memory is not None
        assert sum(map(len, writer._memory.texts.recent.values())) < 60


def test_a_value_that_cannot_be_written_is_forgotten() -> None:
    writer = Writer(use_cache=True)
    good = {"a": "some text", "b": {"c": "more text", "d": "and more"}, "e": "the end"}
    for bad in ({**good, "a": "changed", "e": object()}, {**good, "b": {"c": "changed", "d": object()}}):
        assert writer.dump(good) == dump(good)
        with pytest.raises(UsageError):
            writer.dump(bad)
        assert writer.dump(good) == dump(good)
        assert writer.dump({**good, "a": "changed"}) == dump({**good, "a": "changed"})
