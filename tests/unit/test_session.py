"""Sessions: what is kept between calls is the caller's, bounded, shared by threads, and gone when it is closed."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.dialects.datum.powershell_data.documents import caseless_document
from lamina.run import Run
from lamina.session import (
    DEFAULT_MEMORY,
    Session,
    WeighedCache,
    default_session,
)
from lamina.sources import document_cache
from lamina.sources.limits import Limits
from lamina.sources.source import Source

STRESS = Path(__file__).parents[1] / "support" / "session_stress.py"


def source(text: str, name: str = "a.yaml") -> Source:
    return Source.of_text(name, text)


def merged(session: Session | None = None, text: str = "a: 1\n") -> Any:
    given = [("a.yaml", text), ("b.yaml", "b: 2\n")]
    return lamina.render(given, dialect="cloud-init", mode="merge", merge="dict()", session=session)


class TestWeighedCache:
    def test_it_never_takes_more_than_its_room(self) -> None:
        cache = WeighedCache(1000)
        for at in range(100):
            cache.keep(at, [at], 90)
            assert cache.find(at) == [at]
            assert cache.weight <= 1000
            assert cache.weight == 90 * len(cache)

    def test_what_is_larger_than_the_room_is_not_kept(self) -> None:
        cache = WeighedCache(1000)
        cache.keep("large", [], 1001)
        assert cache.find("large") is None
        cache.keep("just", [], 1000)
        assert cache.find("just") == []

    def test_what_is_asked_for_again_outlives_what_is_met_once(self) -> None:
        cache = WeighedCache(1600, once=100)
        cache.keep("shared", "layer", 100)
        assert cache.find("shared") == "layer"
        for at in range(1000):
            cache.keep(at, at, 10)
        assert cache.find("shared") == "layer"
        assert cache.weight <= 200

    def test_what_was_used_last_is_kept_longest(self) -> None:
        cache = WeighedCache(300)
        for key in "abc":
            cache.keep(key, key, 100)
            cache.find(key)
        cache.find("a")
        cache.keep("d", "d", 100)
        assert [key for key in "abcd" if cache.find(key)] == ["a", "c", "d"]

    def test_what_was_used_long_ago_leaves_room_for_what_is_new(self) -> None:
        cache = WeighedCache(1000)
        for at in range(10):
            cache.keep(("old", at), at, 100)
            cache.find(("old", at))
        for at in range(4):
            cache.keep(("new", at), at, 100)
        assert [at for at in range(4) if cache.find(("new", at)) is not None] == [0, 1, 2, 3]
        assert cache.weight <= 1000

    def test_a_key_that_is_kept_twice_counts_once(self) -> None:
        cache = WeighedCache(1000)
        cache.keep("a", "first", 60)
        cache.keep("a", "second", 60)
        assert (cache.find("a"), cache.weight) == ("first", 60)


class TestSession:
    def test_a_document_is_read_once_in_a_session(self) -> None:
        with Session() as session:
            first = document_cache.yaml_document(source("a: 1\n"), Run(session))
            assert document_cache.yaml_document(source("a: 1\n"), Run(session)) is first
        assert document_cache.yaml_document(source("a: 1\n"), Run(Session())) is not first

    def test_a_session_says_how_much_a_run_may_read_and_build(self) -> None:
        text = "".join(f"k{at}: {at}\n" for at in range(100))
        with pytest.raises(lamina.MergeError) as caught:
            merged(Session(limits=Limits(run_size=10_000)), text)
        assert caught.value.diagnostic.code == "input-too-large"
        assert len(merged(Session(limits=Limits(run_size=1_000_000)), text).plain) == 101

    def test_a_run_reads_once_even_what_its_session_cannot_keep(self) -> None:
        run = Run(Session(memory=0))
        first = document_cache.yaml_document(source("a: 1\n"), run)
        assert document_cache.yaml_document(source("a: 1\n"), run.with_budget()) is first

    def test_an_error_is_remembered_too(self) -> None:
        run = Run(Session())
        for _ in range(2):
            with pytest.raises(lamina.InputError) as caught:
                document_cache.yaml_document(source("a: [\n"), run)
            assert caught.value.diagnostic.code == "invalid-yaml"

    def test_a_closed_session_keeps_nothing_and_still_works(self) -> None:
        session = Session()
        merged(session)
        assert session.cache.weight > 0
        session.close()
        assert (session.cache.weight, len(session.cache)) == (0, 0)
        assert merged(session).value == {"a": 1, "b": 2}
        assert session.cache.weight == 0

    def test_a_run_that_has_ended_lets_go_of_what_it_read(self) -> None:
        run = Run(Session(memory=0)).with_budget()
        first = document_cache.yaml_document(source("a: 1\n"), run)
        assert document_cache.yaml_document(source("a: 1\n"), run.end()) is not first

    def test_without_a_session_the_default_one_is_used_and_stays_small(self) -> None:
        default_session().clear()
        for at in range(30):
            merged(text=f"key{at}:\n" + "".join(f"- {{a: {number}}}\n" for number in range(2000)))
            assert default_session().cache.weight <= DEFAULT_MEMORY
        assert default_session().cache.weight > 0

    def test_notes_asked_for_later_are_found_in_the_session_of_the_call(self) -> None:
        session = Session()
        result = merged(session)
        before = default_session().cache.weight
        default_session().clear()
        assert result.notes == ()
        assert default_session().cache.weight == 0 <= before

    def test_every_function_of_the_api_takes_a_session(self) -> None:
        given, how = [("a.yaml", "a: 1\n")], {"dialect": "cloud-init", "mode": "merge", "merge": "dict()"}
        for function in (lamina.render, lamina.lint):
            with Session() as session:
                function(given, session=session, **how)
                assert session.cache.weight > 0
        with Session() as session:
            lamina.diff(given, given, session=session, **how)  # type: ignore[arg-type]
            assert session.cache.weight > 0

    def test_its_limits_hold_for_what_is_read_in_it(self) -> None:
        with pytest.raises(lamina.InputError) as caught:
            merged(Session(limits=Limits(size=3)))
        assert caught.value.diagnostic.code == "input-too-large"
        with pytest.raises(lamina.InputError) as caught:
            lamina.plan([("a.yaml", "a: 1\n")], "layers", session=Session(limits=Limits(size=3)))
        assert caught.value.diagnostic.code == "input-too-large"


SHAPES = {
    "flat": "".join(f"key{at}: {at}\n" for at in range(5000)),
    "nested": "".join(f"key{at}:\n  name: some{at} words\n  items:\n  - one{at}\n  - {at}\n" for at in range(1000)),
    "flow": "a: [" + ", ".join("{x: 1}" for _ in range(3000)) + "]\n",
    "empty lists": "- - - []\n" * 2000,
    "parsed": "!!map\n" + "".join(f"key{at}: 'quoted {at}'\n" for at in range(2000)),
    "text": "a: |\n" + "  a line of text that is not short\n" * 2000,
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("read", [document_cache.yaml_document, caseless_document])
def test_documents_weigh_about_what_they_take(shape: str, read: Any) -> None:
    text = source(SHAPES[shape])
    read(text, Run(Session(memory=0)))  # spellings of keys are kept for all documents; they must not count for this one
    session = Session()
    gc.collect()
    tracemalloc.start()
    try:
        document = read(text, Run(session))
        # Positions are packed until somebody asks for one, which may be when the document is kept already.
        assert document.origin.line
        assert isinstance(document.positions.sizes, dict)
        gc.collect()
        taken = tracemalloc.get_traced_memory()[0] + len(text.data)
    finally:
        tracemalloc.stop()
    assert document is not None
    assert 0.75 * taken < session.cache.weight < 4 * taken


def test_the_library_never_touches_gc(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: Any) -> None:
        raise AssertionError("the garbage collector belongs to the program around")

    for name in ("collect", "disable", "enable", "freeze", "set_threshold", "unfreeze"):
        monkeypatch.setattr(gc, name, forbidden)
    text = "".join(f"key{at}: [{at}, {{a: b}}]\n" for at in range(5000))
    result = merged(Session(), text)
    assert (result.notes, result.to_yaml(), result.to_json()) != ((), "", "")
    lamina.lint([("a.yaml", text)], dialect="cloud-init", mode="merge", merge="dict()")
    lamina.diff(result, merged(None, "a: 2\n"))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="not Linux: memory is read from /proc")
@pytest.mark.slow
def test_threads_render_as_one_does_and_leave_memory_where_it_was() -> None:
    done = subprocess.run([sys.executable, str(STRESS)], capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["renders"] == 1000
    assert found["different"] == []
    assert found["collecting"] is True
    assert found["frozen"] == 0
    # What Python's allocator keeps of memory that is free again is no leak, but what is allocated there would be.
    first, second, _ = found["left"]
    assert max(first, second) < 5_000, f"{first}, {second} more blocks than before, after each session was closed"
    _, closed, default = found["grown"]
    assert closed < 5_000, f"{closed} KB more after the second session than after the first"
    assert default < 5_000 + DEFAULT_MEMORY // 1024, f"{default} KB more with the default session"
