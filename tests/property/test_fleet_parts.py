"""Parts of a fleet run, on anything they could be given: names and batches."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.errors import InputError
from lamina.fleet.batches import Pace, batches
from lamina.fleet.file_names import count_nodes, file_stem
from lamina.protocol.extensions import FleetNode

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
