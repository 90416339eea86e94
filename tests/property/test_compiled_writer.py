"""The compiled writer gives, byte for byte, what the one in Python gives, takes no more, and leaks nothing."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_sources_yaml import AWKWARD, VALUES

from lamina import budget
from lamina.conformance.case import find, load
from lamina.errors import LaminaError, UsageError
from lamina.sources.yaml import writer
from lamina.sources.yaml.scalar_texts import scalar_texts
from support.allocations import blocks_left_by
from support.c_extensions import extension

MODULE, needs_compiled = extension("lamina.sources.yaml._yaml")
pytestmark = needs_compiled
CASES = Path(__file__).parents[1] / "cases"
COUNT = 500_000 if os.environ.get("LAMINA_FUZZ") == "long" else 2_000
LEFT = 1 << 28
MARKS = "ab :-#'\"\n?[]{},é\t~=<0123456789._+xeTZinf\\&*!|>%@`\x07\x85\u2028\ufeff😀/yYnNoO "
NUMBERS = ["08", "0x1F", "0b1", "1.e+3", "12e03", "1.2.3", "+1", "-.5", "10.0.0.1", "2024-01-02 10:00:00", "tRUE", "oN"]
LONG = ["word  word " * 15, "'" * 90, "é" * 50 + " é" * 40, "line one\n  two\n" * 5, "it's\n\nfine '' ok\n", "# x"]


class SubText(str):
    __slots__ = ()


class SubMapping(dict[Any, Any]):
    def __getitem__(self, key: Any) -> Any:
        return ["looked up", super().__getitem__(key)]


class SubList(list[Any]):
    def __iter__(self) -> Any:
        return iter(["iterated", *super().__iter__()])


class SubNumber(int):
    pass


class Pure(writer.Writer):
    """The definition."""

    def __init__(self, **options: bool) -> None:
        super().__init__(**options)
        self._write = None


def outcome(kind: type[writer.Writer], value: Any, **options: bool) -> str:
    try:
        return kind(**options).dump(value)
    except LaminaError as error:
        return f"{type(error).__name__} {error.diagnostic.code}"


def agree(value: Any) -> None:
    for options in ({}, {"sort_keys": True}, {"allow_unicode": True}):
        assert outcome(writer.Writer, value, **options) == outcome(Pure, value, **options)


def compiled_lines(value: Any, left: int = LEFT, **options: bool) -> tuple[str, int] | None:
    scalars = scalar_texts(options.get("allow_unicode", False), False)
    found: tuple[str, int] | None = MODULE.write_yaml(
        value, options.get("sort_keys", False), options.get("allow_unicode", False), scalars, left
    )
    return found


class Values:
    """Random values of every kind that can be written."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def text(self) -> str:
        choice, kind = self.random.choice, self.random.random()
        if kind < 0.3:
            return choice([*AWKWARD, *NUMBERS, *LONG])
        marks, most = (
            (MARKS, 14) if kind < 0.7 else ("abcdefgh  :'.,-\n", 220) if kind < 0.9 else ('abcdef é\n\t\\"', 220)
        )
        return "".join(choice(marks) for _ in range(self.random.randrange(most)))

    def scalar(self) -> Any:
        if self.random.random() < 0.6:
            return self.text()
        number = self.random.randrange(-(10 ** self.random.randrange(1, 30)), 10**20)
        decimals = [self.random.uniform(-1e3, 1e3), 10.0 ** self.random.randrange(-30, 30), 1e16, 1e-7, -0.0]
        odd = [float("inf"), float("-inf"), float("nan"), date(2020, 1, 2), datetime(2020, 1, 2, 3, 4, 5)]
        others = [b"x" * self.random.randrange(99), SubText(self.text()), SubNumber(5), None, True, False, number]
        return self.random.choice([*decimals, *odd, *others])

    def key(self) -> Any:
        if self.random.random() < 0.8:
            return self.text()
        odd = [(), (1, "a"), b"ab", frozenset({"x", "y"}), SubText("sub"), date(2020, 1, 1), SubNumber(7), 10**130]
        return self.random.choice([None, True, 1, 2.5, *odd])

    def value(self, depth: int) -> Any:
        kind, count = self.random.random(), self.random.randrange(5)
        if depth == 0 or kind < 0.5:
            return self.scalar()
        if kind < 0.72:
            pairs = [(self.key(), self.value(depth - 1)) for _ in range(count)]
            return self.random.choice([dict, dict, SubMapping])(pairs)
        if kind < 0.92:
            items = [self.value(depth - 1) for _ in range(count)]
            return self.random.choice([list, list, tuple, SubList])(items)
        return {self.text() for _ in range(count)}

    def document(self) -> Any:
        value = [self.value(5)]
        for _ in range(self.random.choice([0, 0, 0, 0, 8, 30, 45])):  # where lines begin behind their usual end
            value = {"k": value} if self.random.random() < 0.5 else [value]  # type: ignore[assignment]
        return value


@given(st.one_of(st.lists(VALUES, min_size=1, max_size=3), st.dictionaries(st.text(), VALUES, min_size=1, max_size=3)))
def test_both_write_the_same(value: Any) -> None:
    agree(value)


def test_both_write_the_same_of_random_values() -> None:
    values = Values(23)
    for _ in range(COUNT):
        value = values.document()
        options = {"sort_keys": values.random.random() < 0.3, "allow_unicode": values.random.random() < 0.4}
        assert outcome(writer.Writer, value, **options) == outcome(Pure, value, **options), value


def test_both_write_the_results_of_all_cases() -> None:
    count = 0
    for path in find([CASES]):
        for case in load(path):
            agree([case.expect])
            count += 1
    assert count > 1_000


def test_nothing_is_left_to_python_that_need_not_be() -> None:
    values = Values(5)
    for _ in range(300):
        assert compiled_lines(values.document()) is not None


def test_the_budget_is_that_of_the_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    values: list[Any] = [
        ["x" * 100] * 50,
        {f"k{n}": ["é" * 30] for n in range(50)},
        [[[[1] * 40] * 5]],
        [["a b " * 99]],
    ]
    for value in values:
        for most in range(0, 20_000, 97):
            monkeypatch.setattr(budget, "WRITTEN", most)
            assert outcome(writer.Writer, value) == outcome(Pure, value)


def test_what_is_too_large_is_not_written_again_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """A character at a time, Python would take minutes for as much as may be written."""
    monkeypatch.setattr(budget, "WRITTEN", 5_000)
    monkeypatch.setattr(writer.Writer, "_checked", None)
    for value in (["x" * 1_000] * 5, {"k": {"é": "é" * 2_000}}):
        with pytest.raises(LaminaError, match="result-too-large"):
            writer.Writer().dump(value)


def test_what_is_left_of_the_budget_is_left_for_the_next_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "WRITTEN", 5_000)
    for kind in (writer.Writer, Pure):
        assert len(kind().dump_all([["x" * 1_000]] * 4)) > 4_000
        with pytest.raises(LaminaError, match="result-too-large"):
            kind().dump_all([["x" * 1_000]] * 5)


@pytest.mark.parametrize("depth", [90, 98, 99, 100, 101, 120, 5_000])
def test_what_is_deep_is_decided_in_python(depth: int) -> None:
    value: Any = ["x"]
    for _ in range(depth - 1):
        value = [value]
    assert (compiled_lines(value) is None) == (depth > 100)
    agree(value)


@pytest.mark.parametrize("value", [[object()], {"a": [1j]}, [1 << 20_000], {object(): 1}, {(object(),): 1}])
def test_what_is_no_yaml_is_rejected_alike(value: Any) -> None:
    agree(value)
    with pytest.raises(UsageError):
        writer.dump(value)


class Angry(dict[Any, Any]):
    def __getitem__(self, key: Any) -> Any:
        raise ValueError(key)


class AngrySize(list[Any]):
    def __len__(self) -> int:
        raise ValueError


@pytest.mark.parametrize("value", [Angry(a=1), {"a": [Angry(b=1)]}, AngrySize("a"), [AngrySize("a")]])
def test_errors_of_odd_collections_are_passed_on(value: Any) -> None:
    with pytest.raises(ValueError):
        compiled_lines(value)


def test_arguments_are_checked() -> None:
    scalars = scalar_texts(False, False)
    wrong: list[Any] = [(), ([1],), ([1], False, False, scalars), ([1], False, False, scalars, None)]
    for arguments in wrong:
        with pytest.raises(TypeError):
            MODULE.write_yaml(*arguments)
    for value, left in (("text", LEFT), (None, LEFT), ([1], -1)):
        assert MODULE.write_yaml(value, False, False, scalars, left) is None


def test_nothing_leaks() -> None:
    values = [Values(seed).document() for seed in range(40)]
    values += [[object()], {"a": [Angry(b=1)]}, {"a": {1, "b"}, 2: "mixed"}]

    def write_all(rounds: int) -> None:
        for value, left in itertools.product(values, (LEFT, 100)):
            for _ in range(rounds):
                with contextlib.suppress(LaminaError, ValueError):
                    compiled_lines(value, left, sort_keys=True)

    write_all(5)
    assert blocks_left_by(lambda: write_all(50)) < 200  # 4,300 calls


def test_it_survives_a_lack_of_memory() -> None:
    testcapi = pytest.importorskip("_testcapi")
    value = Values(3).document()
    compiled_lines(value)
    failed = 0
    for at in range(60):
        testcapi.set_nomemory(at, at + 1)
        try:
            compiled_lines(value)
        except MemoryError:
            failed += 1
        finally:
            testcapi.remove_mem_hooks()
    assert failed > 0
    agree(value)


def test_collections_that_are_changed_while_they_are_written() -> None:
    """As another thread could; a scalar that is asked for is where that happens."""

    class Number(int):
        pass

    class Changing:
        def other(self, *_: Any) -> str:
            mapping.update({f"more{at}": "x" * 50 for at in range(100)})
            mapping.pop("gone", None)
            items.clear()
            return "asked"

    mapping: dict[str, Any] = {"a": Number(1), "gone": "x" * 50, "b": "c"}
    items: list[Any] = [Number(1), "x" * 50, "y"]
    for value in ({"k": mapping}, {"k": items}, mapping, items):
        found = MODULE.write_yaml(value, False, False, Changing(), LEFT)
        assert found is None or "asked" in found[0]
        items[:] = [Number(1), "x" * 50, "y"]
