"""Which findings are wanted, and what cannot be rendered."""

from __future__ import annotations

from typing import Any

import pytest

import lamina
from lamina.views.lint.api import check_codes
from lamina.views.lint.selection import split_words

BASE = ("image.yaml", "#cloud-config\ntimezone: UTC\nsalt_minion: {conf: {master: a}}\n")
TEAM = ("team.yaml", "#cloud-config\ntimezone: UTC\nruncmd: a\n")


def codes(**options: Any) -> list[str]:
    return [note.code for note in lamina.lint([BASE, TEAM], **options)]


def test_all_is_wanted_by_default() -> None:
    assert codes() == ["redundant-value", "config-wrong-type"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"select": ["config-wrong-type"]}, ["config-wrong-type"]),
        ({"select": ["config"]}, ["config-wrong-type"]),
        ({"ignore": ["config"]}, ["redundant-value"]),
        ({"select": ["config", "redundant"], "ignore": ["redundant-value"]}, ["config-wrong-type"]),
        ({"select": ["type-change"]}, []),
    ],
)
def test_codes_and_prefixes_of_codes_choose(options: dict[str, list[str]], expected: list[str]) -> None:
    assert codes(**options) == expected


def test_words_are_cut_at_commas() -> None:
    assert split_words(["a, b", "c", ""]) == ("a", "b", "c")


def test_words_that_fit_no_code_are_wrong_usage() -> None:
    with pytest.raises(lamina.UsageError) as caught:
        check_codes(("near", "neer", "x"))
    assert [(each.code, each.message) for each in caught.value.diagnostics] == [
        ("unknown-rule", "there is no lint rule 'neer'"),
        ("unknown-rule", "there is no lint rule 'x'"),
    ]


def test_findings_are_sorted_by_file_and_line() -> None:
    places = [note.at for note in lamina.lint([BASE, TEAM])]
    assert places == sorted(place for place in places if place)


def test_what_cannot_be_merged_is_a_finding() -> None:
    found = lamina.lint([("env.yaml", "parameters: [1]\n")], dialect="heat")
    assert [(note.severity, note.at is not None) for note in found] == [(lamina.Severity.ERROR, True)]


def test_what_cannot_be_read_is_a_finding() -> None:
    found = lamina.lint([("env.yaml", "parameters: {\n")], dialect="heat")
    assert [note.code for note in found] == ["malformed-yaml"]


def test_a_missing_file_is_an_error() -> None:
    with pytest.raises(lamina.InputError, match="no file"):
        lamina.lint(["nowhere.yaml"])


def test_notes_of_rendering_are_findings() -> None:
    text = "#cloud-config\nmerge_how: list(extend)+dict()+str()\na: 1\n"
    assert "unknown-option" in [note.code for note in lamina.lint([BASE, ("team.yaml", text)])]
