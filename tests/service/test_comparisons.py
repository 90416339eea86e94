"""Comparisons of large revisions: a few at a time, the same one once, ended at the time limit."""

from __future__ import annotations

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from lamina.service.comparisons import Comparisons, library_difference
from lamina.service.faults import ApiFault
from service.servers import LAYERING_POLICY, Server, document

ASKING = 40


def rows(seed: int, count: int) -> list[Any]:
    chosen = random.Random(seed)
    return [{"name": f"n{at}", "size": chosen.randrange(10), "tags": chosen.choices("abc", k=5)} for at in range(count)]


def test_a_process_finds_what_a_thread_would() -> None:
    pairs = [(rows(1, 200), rows(2, 200)), ({0: 1}, {0: 2}), (1, True)]
    found = Comparisons(seconds=60, requests=1).differences(pairs)
    assert found == [library_difference(*pair) for pair in pairs]


def test_no_code_is_taken_from_the_folder_the_server_was_started_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "deepdiff.py").write_text("raise SystemExit(1)\n")
    monkeypatch.chdir(tmp_path)
    old, new = {"a": "x" * 5000}, {"a": "y" * 5000}
    (found,) = Comparisons(seconds=60, requests=1).differences([(old, new)])
    assert found == library_difference(old, new)


def test_a_process_is_ended_at_the_time_limit() -> None:
    comparisons, before = Comparisons(seconds=0.1, requests=1), children_of("self")
    with pytest.raises(ApiFault) as caught:
        comparisons.differences([(rows(1, 8000), rows(2, 8000))])
    assert (caught.value.status, caught.value.kind) == (503, "RequestTimeout")
    assert children_of("self") == before


def children_of(process: int | str) -> list[str]:
    """The processes that a process has started and that still run."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    return [child for task in tasks for child in (task / "children").read_text().split()]


@pytest.mark.parametrize("fails", [False, True])
def test_those_who_ask_the_same_wait_for_one_answer(fails: bool) -> None:
    comparisons = Comparisons(seconds=60, requests=ASKING)
    asked, go = [], threading.Event()

    def find() -> str:
        asked.append(1)
        go.wait(60)
        if fails:
            raise ApiFault(503, "RequestTimeout", "too long")
        return "found"

    def ask(_: int) -> str | int:
        try:
            return str(comparisons.answer("question", find))
        except ApiFault as fault:
            return fault.status

    with ThreadPoolExecutor(ASKING) as pool:
        answers = [pool.submit(ask, number) for number in range(ASKING)]
        while len(asked) < 1:
            sleep(0.01)
        go.set()
        found = {answer.result() for answer in answers}
    assert found == {503 if fails else "found"}
    # Who came after the answer found it in memory; a failure is not kept.
    assert len(asked) == 1 or fails
    assert comparisons.answer("question", lambda: "again") == ("again" if fails else "found")


def test_no_more_requests_compare_than_may() -> None:
    comparisons = Comparisons(seconds=60, requests=1)
    with comparisons.admitted(), pytest.raises(ApiFault, match="Too many"), comparisons.admitted():
        pass
    with comparisons.admitted():
        pass


def test_a_server_asked_for_large_comparisons_answers_others_and_ends_its_work(sqlite: str) -> None:
    with Server(sqlite, "--timeout", "5", "--quiet") as server:
        for seed in (1, 2):
            assert server.put("b", LAYERING_POLICY, document("a", f"{{rows: {rows(seed, 8000)}}}")).status == 200
        with ThreadPoolExecutor(ASKING) as pool:
            asked = [pool.submit(server.call, "GET", "/revisions/1/deepdiff/2") for _ in range(ASKING)]
            while not all(answer.done() for answer in asked):
                assert server.send("GET", "/health").status == 204
                assert server.call("GET", "/revisions").status == 200
                assert len(children_of(server.process.pid)) <= 2
            replies = [answer.result() for answer in asked]
        assert {reply.status for reply in replies} <= {200, 503}
        for _ in range(600):  # at most a minute, on a machine that does much else
            if not children_of(server.process.pid):
                break
            sleep(0.1)
        assert children_of(server.process.pid) == []
