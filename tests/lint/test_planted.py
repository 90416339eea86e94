"""Every rule fires on its planted mistake, exactly there, and neither on the fixed set nor on a look-alike."""

from __future__ import annotations

import pytest

import lamina
from support.lookalikes import LOOKALIKES
from support.planted import HERE, PLANTED, RULES


def findings(code: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> list[lamina.Note]:
    planted = PLANTED[code]
    monkeypatch.chdir(HERE / code / kind)
    return lamina.lint(planted.inputs, **planted.options)


def test_every_rule_has_its_sets() -> None:
    assert PLANTED.keys() == RULES.keys() == LOOKALIKES.keys()
    for code in RULES:
        sets = [contents(code, kind) for kind in ("bad", "good", "lookalike")]
        assert all(sets), f"{code} lacks a set"
        assert all(sets[2] != each for each in sets[:2]), f"the look-alike of {code} is a copy"


def contents(code: str, kind: str) -> dict[str, bytes]:
    folder = HERE / code / kind
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("code", PLANTED)
def test_the_rule_fires_on_the_planted_defect_and_nothing_else_does(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = findings(code, "bad", monkeypatch)
    assert [(note.code, f"{note.at.source}:{note.at.line}" if note.at else "") for note in found] == [
        (code, place) for place in PLANTED[code].places
    ]
    assert {note.severity for note in found} == {RULES[code].severity}


@pytest.mark.parametrize("code", PLANTED)
def test_nothing_fires_on_the_fixed_set(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert findings(code, "good", monkeypatch) == []


@pytest.mark.parametrize("code", PLANTED)
def test_nothing_fires_on_what_only_looks_like_the_defect(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert findings(code, "lookalike", monkeypatch) == [], LOOKALIKES[code]
