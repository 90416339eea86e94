"""Pruning, backups and restoring: what stays is as it was, on both databases, while servers write."""

from __future__ import annotations

import os
import random
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import psycopg
import pytest

from lamina.cli.main import main
from service.servers import KEY, LAYERING_POLICY, Server, document

SECRET = "correct-zebra-battery"
OTHER_KEY = "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA="


class Result(NamedTuple):
    """How a command ended, and what it printed."""

    status: object
    printed: str


def run(*arguments: str, key: str = KEY) -> Result:
    """What a command does, in this process: a new one takes longer than all that the tests do with it."""
    kept = {name: value for name, value in os.environ.items() if name != "LAMINA_SERVICE_KEY"}
    printed = StringIO()
    with (
        patch.dict(os.environ, {**kept, **({"LAMINA_SERVICE_KEY": key} if key else {})}, clear=True),
        redirect_stdout(printed),
        redirect_stderr(printed),
        pytest.raises(SystemExit) as ended,
    ):
        main(["store", *arguments])
    return Result(ended.value.code, printed.getvalue())


def done(*arguments: str) -> str:
    found = run(*arguments)
    assert found.status == 0, found.printed
    return found.printed


def history(server: Server, chosen: random.Random, count: int) -> None:
    """Revisions of several buckets: documents that move, secrets, tags, validations, rollbacks, buckets emptied."""
    for number in range(1, count + 1):
        bucket = chosen.choice("abc")
        what = chosen.random()
        if what < 0.15 and number > 2:
            assert server.call("POST", f"/rollback/{chosen.randrange(number)}").status in (201, 404)
        else:
            own = [document(f"{bucket}{at}", f"{{x: {chosen.randrange(3)}}}") for at in range(chosen.randrange(3))]
            own += [document(f"{bucket}-secret", f"{{pw: {SECRET}-{chosen.randrange(4)}}}", policy="encrypted")]
            if bucket == "a" and chosen.random() < 0.7:
                own.append(LAYERING_POLICY)
            server.put(bucket, *(own if chosen.random() < 0.85 else ()))
        newest = server.call("GET", "/revisions?newest=1").one["results"]
        if newest and chosen.random() < 0.2:
            server.call("POST", f"/revisions/{newest[-1]['id']}/tags/t{number}", "{why: told}")
            server.call("POST", f"/revisions/{newest[-1]['id']}/validations/v", "{status: success, validator: {n: v}}")


def answers(server: Server) -> dict[int, dict[str, Any]]:
    """What is answered about each revision."""
    paths = ("", "/documents", "/rendered-documents", "/tags", "/validations/detail")
    found = {}
    for each in server.call("GET", "/revisions").one["results"]:
        replies = {path: server.call("GET", f"/revisions/{each['id']}{path}") for path in paths}
        found[each["id"]] = {path: (reply.status, reply.body) for path, reply in replies.items()}
    return found


@pytest.mark.parametrize("seed", range(3))
def test_what_is_kept_is_as_it_was(server: Server, store: str, seed: int) -> None:
    chosen = random.Random(seed)
    history(server, chosen, 25)
    before = answers(server)
    tagged = {number for number, each in before.items() if each["/tags"][1] != b"{}\n"}
    keep = chosen.choice([1, 3, 8])
    kept = {*sorted(before)[-keep:], *tagged}
    planned = done("prune", "--store", store, "--keep", str(keep), "--keep-tagged", "--dry-run")
    assert planned.endswith(f"would be removed, {len(kept)} kept\n")
    assert answers(server) == before
    said = done("prune", "--store", store, "--keep", str(keep), "--keep-tagged")
    assert f"{len(kept)} kept" in said
    assert answers(server) == {number: before[number] for number in before if number in kept}
    gone = min(set(before) - kept)
    assert server.call("GET", f"/revisions/{gone}/documents").status == 404
    assert server.call("POST", f"/rollback/{gone}").status == 404
    with Server(store, "--quiet") as other:  # nothing of it depends on what a server keeps in memory
        assert answers(other).keys() == kept
        # The history goes on as if nothing had been removed.
        assert other.put("b", document("b-new")).documents[0]["status"]["revision"] == max(before) + 1
        assert other.call("POST", f"/rollback/{max(before)}").status == 201
        restored = other.call("GET", f"/revisions/{max(before) + 2}/documents").documents
        known = other.call("GET", f"/revisions/{max(before)}/documents").documents
        assert [each.get("data") for each in restored] == [each.get("data") for each in known]
    assert done("prune", "--store", store, "--keep", "1000").startswith("0 revisions removed")


def rows(url: str, query: str) -> list[tuple[Any, ...]]:
    if url.startswith("sqlite"):
        with sqlite3.connect(url.removeprefix("sqlite:///")) as file:
            found = file.execute(query).fetchall()
        file.close()
        return found
    with psycopg.connect(url) as connection:
        return connection.execute(query.encode()).fetchall()


def test_what_nobody_needs_any_more_is_gone(server: Server, store: str) -> None:
    for number in range(4):
        server.put(
            "a", LAYERING_POLICY, document("a", str(number)), document("s", f"{{pw: {number}}}", policy="encrypted")
        )
    done("prune", "--store", store, "--keep", "2")
    assert rows(store, "SELECT count(*) FROM contents") == [(5,)]
    assert rows(store, "SELECT count(*) FROM secrets") == [(2,)]
    assert rows(store, "SELECT count(*) FROM writes") == [(2,)]
    assert rows(store, "SELECT count(*) FROM revisions") == [(2,)]
    audit = server.call("GET", "/audit?limit=1").one["results"]
    assert (audit[0]["action"], audit[0]["subject"]) == ("prune", "2 revisions")


def test_revisions_are_pruned_by_age(server: Server, store: str) -> None:
    for number in range(3):
        server.put("a", document("a", str(number)))
    assert done("prune", "--store", store, "--keep-days", "1").startswith("0 revisions removed, 3 kept")
    if store.startswith("sqlite"):
        with sqlite3.connect(store.removeprefix("sqlite:///")) as file:
            file.execute("UPDATE revisions SET created = '2020-01-01T00:00:00.000000'")
        file.close()
    else:
        with psycopg.connect(store) as connection:
            connection.execute("UPDATE revisions SET created = '2020-01-01T00:00:00.000000'")
    assert done("prune", "--store", store, "--keep-days", "1").startswith("2 revisions removed, 1 kept")
    wrong = run("prune", "--store", store)
    assert wrong.status == 2
    assert "Say what is kept" in wrong.printed


@pytest.fixture
def elsewhere(store: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A new store on the other database."""
    if store.startswith("postgresql"):
        return f"sqlite:///{tmp_path}/restored.db"
    return str(request.getfixturevalue("postgres").database())


def test_a_backup_is_restored_into_another_database(server: Server, store: str, elsewhere: str, tmp_path: Path) -> None:
    history(server, random.Random(7), 15)
    done("token", "create", f"ci-{tmp_path.name}", "--role", "read", "--store", store)
    before = answers(server)
    file = tmp_path / "backup.db"
    assert f"{file}: {len(before)} revisions" in done("backup", str(file), "--store", store)
    assert SECRET.encode() not in file.read_bytes()
    assert [each.name for each in tmp_path.iterdir()] == ["backup.db"]
    for key in ("", OTHER_KEY):
        refused = run("restore", str(file), "--store", elsewhere, key=key)
        assert (refused.status, "[wrong-key]" in refused.printed) == (3, True)
    assert f"{len(before)} revisions restored" in done("restore", str(file), "--store", elsewhere)
    assert f"ci-{tmp_path.name}" in done("token", "list", "--store", elsewhere)
    with Server(elsewhere, "--quiet") as other:
        assert answers(other) == before
        assert SECRET in b"".join(each["/rendered-documents"][1] for each in before.values()).decode()
        assert other.put("b", document("b-new")).documents[0]["status"]["revision"] == max(before) + 1
        assert other.call("GET", "/audit?limit=2").one["results"][1]["action"] == "restore"
    again = run("restore", str(file), "--store", elsewhere)
    assert (again.status, "was used already" in again.printed) == (3, True)
    assert "there is a file" in run("backup", str(file), "--store", store).printed


def test_a_backup_is_one_state_while_servers_write(server: Server, store: str, tmp_path: Path) -> None:
    """Every write has a document of the same number in two buckets, one after the other."""

    def write() -> None:
        for number in range(12):
            assert server.put("a", LAYERING_POLICY, document("a", f"{{n: {number}}}")).status == 200
            assert server.put("b", document("b", f"{{n: {number}}}")).status == 200

    with ThreadPoolExecutor(2) as pool:
        writing = pool.submit(write)
        for at in range(2):
            done("backup", str(tmp_path / f"{at}.db"), "--store", store)
        writing.result()
    known = answers(server)
    for at in range(2):
        url = f"sqlite:///{tmp_path}/restored-{at}.db"
        done("restore", str(tmp_path / f"{at}.db"), "--store", url)
        with Server(url, "--quiet") as restored:
            found = answers(restored)
        assert found == {number: known[number] for number in found}


def test_what_is_no_backup_is_rejected(tmp_path: Path) -> None:
    new = f"sqlite:///{tmp_path}/new.db"
    (tmp_path / "text").write_text("no database\n")
    (tmp_path / "empty.db").touch()
    for name in ("text", "empty.db"):
        refused = run("restore", str(tmp_path / name), "--store", new)
        assert (refused.status, "[unusable-backup]" in refused.printed) == (3, True), refused.printed
    assert run("restore", str(tmp_path / "none"), "--store", new).status == 3
    assert run("backup", str(tmp_path / "b.db"), "--store", f"sqlite:///{tmp_path}/none.db").status == 3
    assert not (tmp_path / "none.db").exists()
