"""Keys that are nearly another one."""

from __future__ import annotations

import pytest

import lamina
from lamina._support.misspelling import is_similar


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("packages", "pakcages"),
        ("packages", "package"),
        ("packages", "packagess"),
        ("packages", "packageſ"),
        ("package_update", "package-update"),
        ("Packages", "packages"),
        ("DestinationPath", "DestinationPaht"),
    ],
)
def test_near(one: str, other: str) -> None:
    assert is_similar(one, other)
    assert is_similar(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("packages", "packages"),
        ("eth0", "eth1"),
        ("server1", "server2"),
        ("ipv4_address", "ipv6_address"),
        ("user", "users"),
        ("node-a", "node-b"),
        ("serverA", "serverB"),
        ("min_size", "max_size"),
        ("source", "target"),
        ("volume", "volume2"),
        ("packages", "packing"),
    ],
)
def test_not_near(one: str, other: str) -> None:
    assert not is_similar(one, other)
    assert not is_similar(other, one)


def keys(*layers: str) -> list[str]:
    texts = [(f"{i}.yaml", f"#cloud-config\nmerge_how: dict()+list()+str()\n{text}") for i, text in enumerate(layers)]
    return [note.path[-1] for note in lamina.lint(texts, select=["near-miss-key"])]


def test_the_key_of_fewer_layers_is_the_odd_one() -> None:
    assert keys("pakcages: 1\n", "packages: 1\n", "packages: 2\n") == ["pakcages"]
    assert keys("packages: 1\n", "packages: 2\n", "pakcages: 1\n") == ["pakcages"]


def test_keys_inside_mappings_are_compared_with_their_siblings() -> None:
    assert keys("a: {packages: 1}\n", "a: {pakcages: 1}\n") == ["pakcages"]
    assert keys("a: {packages: 1}\n", "b: {pakcages: 1}\n") == []


def test_two_keys_of_one_layer_are_meant() -> None:
    assert keys("package: 1\n", "package: 1\npackages: 1\n") == []


def test_two_keys_that_several_layers_set_are_meant() -> None:
    assert keys("package: 1\n", "package: 1\n", "packages: 1\n", "packages: 1\n") == []
