"""The cache on disk gives what reading gives, whatever it holds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cloud_configs import mappings
from hypothesis import given
from hypothesis import strategies as st

from lamina.errors import InputError, UsageError
from lamina.sources import document_cache
from lamina.sources.disk_cache import DiskCache
from lamina.sources.document import Document
from lamina.sources.document_cache import yaml_document, yaml_documents
from lamina.sources.source import Source
from lamina.sources.yaml.reader import read_one
from lamina.sources.yaml.writer import dump


@pytest.fixture(autouse=True)
def no_cache_left_behind() -> Iterator[None]:
    yield
    document_cache.keep_on_disk(None)
    document_cache.forget()


def told(document: Document) -> Any:
    tape = document.tape
    origins = [tape.origin(record) for record in range(len(tape.lines))]
    return repr(document.value), origins, tape.sizes, tape.aliases, tape.members, len(document.notes)


def refuse(source: Source) -> Any:
    raise AssertionError(f"{source.name} was read")


TEXTS = [
    "",
    "a",
    "- 1\n- [2, {x: y}]\n- {}\n- []\n",
    "a: {b: null, 1: 2, 1.5: x, true: y, ~: z}\n",
    "f: [1.5, -0.0, .inf, .nan, 1e300]\nbig: 123456789012345678901234567890\n",
    "d: 2001-01-01\nb: !!binary aGVsbG8=\ns: !!set {a, b}\n",
    "a: &x [1, 2]\nb: *x\n",
    "a: &x {k: v}\nb: {<<: *x, l: w}\n",
    "a: 1\na: 2\n",
    "deep: " + "[" * 150 + "]" * 150,
    'text: "\\ud83d\\ude00 \\u00e9 \\x07"\n',
    "long: " + "x" * 5000,
]


@pytest.mark.parametrize("text", TEXTS, ids=[text[:24] for text in TEXTS])
def test_what_is_stored_is_what_was_read(text: str, tmp_path: Path) -> None:
    source = Source.of_text("t.yaml", text)
    plain = told(read_one(source))
    for _ in range(2):
        assert told(DiskCache(tmp_path).get("yaml", source, read_one)) == plain


@given(st.lists(mappings, min_size=1, max_size=3))
def test_any_documents_come_back(tmp_path_factory: pytest.TempPathFactory, bodies: list[Any]) -> None:
    folder = tmp_path_factory.mktemp("cache")
    text = "".join(f"---\n{dump(body)}" for body in bodies)
    source = Source.of_text("t.yaml", text)
    plain = [told(document) for document in yaml_documents(source)]
    document_cache.keep_on_disk(str(folder))
    for _ in range(2):
        document_cache.forget()
        assert [told(document) for document in yaml_documents(source)] == plain
    document_cache.keep_on_disk(None)
    cached = DiskCache(folder).get("yaml-all", source, refuse)
    assert [told(document) for document in cached] == plain


def test_plain_trees_are_not_read_again(tmp_path: Path) -> None:
    source = Source.of_text("t.yaml", "a: [1, {b: c}]\n")
    first = DiskCache(tmp_path).get("yaml", source, read_one)
    again = DiskCache(tmp_path).get("yaml", Source.of_text("other name", "a: [1, {b: c}]\n"), refuse)
    assert again.value == first.value
    assert str(again.origin) == "other name:1:1"


def test_other_bytes_and_other_ways_to_read_are_told_apart(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path)
    cache.get("yaml", Source.of_text("t", "a: 1"), read_one)
    for how, text in (("yaml", "a: 2"), ("yaml-text-dates", "a: 1")):
        with pytest.raises(AssertionError, match="was read"):
            cache.get(how, Source.of_text("t", text), refuse)


def entry(folder: Path) -> Path:
    return next(path for path in folder.glob("*/*/*") if path.is_file())


HOSTILE = [
    b"",
    b"\xc1",
    b"\x80",
    msgspec.msgpack.encode([]),
    msgspec.msgpack.encode([1]),
    msgspec.msgpack.encode([({"a": 1}, b"", b"")]),
    msgspec.msgpack.encode([({"a": 1}, b"\0" * 12, b"\0" * 11)]),
    msgspec.msgpack.encode([({"a": b"bytes"}, b"\0" * 12, b"\0" * 12)]),
    msgspec.msgpack.encode([({"a": msgspec.msgpack.Ext(5, b"x")}, b"\0" * 12, b"\0" * 12)]),
    b"\x91\x93" + b"\x91" * 5000 + b"\xc0\xc4\x00\xc4\x00",
    b"\x91" * 1_000_000,
    b"\xdd\xff\xff\xff\xff",
    b"\xdf\xff\xff\xff\xff\x01",
    b"\x91\x93\x81\x91\x01\x01\xc4\x00\xc4\x00",
]


@pytest.mark.parametrize("data", HOSTILE, ids=[repr(data[:12]) for data in HOSTILE])
def test_an_entry_that_is_no_good_counts_as_none(data: bytes, tmp_path: Path) -> None:
    source = Source.of_text("t.yaml", "a: 1\n")
    plain = told(DiskCache(tmp_path).get("yaml", source, read_one))
    entry(tmp_path).write_bytes(data)
    assert told(DiskCache(tmp_path).get("yaml", source, read_one)) == plain
    assert told(DiskCache(tmp_path).get("yaml", source, refuse)) == plain


@given(st.data())
def test_a_damaged_entry_never_raises(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("cache")
    source = Source.of_text("t.yaml", "a: [1, x, {b: 1.5}]\nc: null\n")
    DiskCache(folder).get("yaml", source, read_one)
    path = entry(folder)
    stored = bytearray(path.read_bytes())
    stored[data.draw(st.integers(0, len(stored) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(stored[: data.draw(st.integers(0, len(stored)))])
    document = DiskCache(folder).get("yaml", source, read_one)
    assert len(told(document)[1]) == len(document.tape.lines)


def test_refusals_are_not_stored(tmp_path: Path) -> None:
    document_cache.keep_on_disk(str(tmp_path))
    for _ in range(2):
        document_cache.forget()
        with pytest.raises(InputError):
            yaml_document(Source.of_text("t.yaml", "a: ["))
    assert not list(tmp_path.glob("*/*/*"))


def test_the_folder_does_not_grow_without_bound(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path, most_bytes=20_000)
    for number in range(100):
        cache.get("yaml", Source.of_text("t", f"n{number}: {'x' * 500}\n"), read_one)
        path = max(tmp_path.glob("*/*/*"), key=lambda each: each.stat().st_ctime_ns)
        os.utime(path, (number, number))
    cache.trim()
    left = list(tmp_path.glob("*/*/*"))
    assert 0 < sum(path.stat().st_size for path in left) <= 20_000
    assert min(path.stat().st_mtime for path in left) > 50


def test_nothing_is_left_half_written(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path)
    for number in range(20):
        cache.get("yaml", Source.of_text("t", f"n: {number}"), read_one)
    assert all(len(path.name) == 62 for path in tmp_path.glob("*/*/*"))


def test_a_folder_that_cannot_be_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="bad-cache"):
        DiskCache(tmp_path / "file")
