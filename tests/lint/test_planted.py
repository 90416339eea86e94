"""Every rule fires on its planted mistake, exactly there, and nothing fires on the fixed set."""

from __future__ import annotations

import pytest

import lamina
from support.planted import HERE, PLANTED, RULES


def findings(code: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> list[lamina.Note]:
    planted = PLANTED[code]
    monkeypatch.chdir(HERE / code / kind)
    return lamina.lint(planted.inputs, **planted.options)


def test_every_rule_has_its_sets() -> None:
    assert PLANTED.keys() == RULES.keys()


@pytest.mark.parametrize("code", PLANTED)
def test_the_rule_fires_on_the_planted_defect_and_nothing_else_does(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = findings(code, "bad", monkeypatch)
    assert [(note.code, f"{note.at.source}:{note.at.line}" if note.at else "") for note in found] == [
        (code, place) for place in PLANTED[code].places
    ]
    assert {note.severity for note in found} == {RULES[code].severity}


@pytest.mark.parametrize("code", PLANTED)
def test_nothing_fires_on_the_mended_set(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert findings(code, "good", monkeypatch) == []
