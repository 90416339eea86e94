"""Comments that say which findings are meant."""

from __future__ import annotations

import pytest

import lamina

BASE = ("image.yaml", "#cloud-config\ntimezone: UTC\nhostname: web\nlocale: C\n")
CODES = ["redundant-value", "redundant-value"]


def codes(text: str) -> list[str]:
    return [note.code for note in lamina.lint([BASE, ("team.yaml", f"#cloud-config\n{text}")])]


@pytest.mark.parametrize(
    "text",
    [
        "timezone: UTC  # lamina: ignore redundant-value\nlocale: C # lamina: ignore redundant-value\n",
        "# lamina: ignore redundant-value\ntimezone: UTC\n# lamina: ignore redundant-value\nlocale: C\n",
        "# lamina: ignore-file redundant-value\ntimezone: UTC\nlocale: C\n",
        "# lamina: ignore-file[redundant-value]\ntimezone: UTC\nlocale: C\n",
        "timezone: UTC  # lamina: ignore[type-change, redundant-value] why\nlocale: C # lamina: ignore[redundant]\n",
        "# lamina: ignore-file redundant\ntimezone: UTC\nlocale: C\n",
        "# lamina: ignore-file\ntimezone: UTC\nlocale: C\n",
        "#lamina:ignore-file type-change, redundant-value -- pinned on purpose\ntimezone: UTC\nlocale: C\n",
        "timezone: UTC  # lamina: ignore type-change,redundant-value\nlocale: C # lamina: ignore\n",
        "# lamina: ignore type-change\n# lamina: ignore redundant-value\ntimezone: UTC\nlocale: C # lamina: ignore\n",
    ],
)
def test_what_a_comment_covers_is_left_out(text: str) -> None:
    assert codes(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "timezone: UTC  # lamina: ignore type-change\nlocale: C\n",
        "timezone: UTC\n# lamina: ignore-file redundant-value\nlocale: C\n",
        "# lamina: ignore redundant-value\n\ntimezone: UTC\nlocale: C\n",
        "timezone: UTC  # laminate: ignore redundant-value\nlocale: C\n",
        "timezone: UTC  # lamina: ignored redundant-value\nlocale: C\n",
    ],
)
def test_other_comments_leave_nothing_out(text: str) -> None:
    assert codes(text) == CODES


def test_a_comment_holds_for_its_own_line_only() -> None:
    assert codes("timezone: UTC  # lamina: ignore redundant-value\nlocale: C\n") == ["redundant-value"]


def test_a_comment_holds_in_its_own_file_only() -> None:
    loud = ("image.yaml", f"{BASE[1].rstrip()}  # lamina: ignore\n")
    found = lamina.lint([loud, ("team.yaml", "#cloud-config\nlocale: C\n")])
    assert [note.code for note in found] == ["redundant-value"]


@pytest.mark.parametrize(
    ("comment", "hint"),
    [
        ("ignore[redundent-value]", "did you mean redundant-value?"),
        ("ignore[redundant-value, zzz]", "lamina rule lists the rules"),
        ("ignore[Redundant_Value]", "did you mean redundant-value?"),
        ("ignore-file redundent-value", "did you mean redundant-value?"),
    ],
)
def test_a_code_that_does_not_exist_is_a_finding(comment: str, hint: str) -> None:
    text = f"#cloud-config\n# lamina: {comment}\npackages: [git]\n"
    found = lamina.lint([BASE, ("team.yaml", text)])
    assert [(note.code, note.hint) for note in found] == [("unknown-rule", hint)]
    assert found[0].at
    assert found[0].at.line == 2
    assert text.split("\n")[1][found[0].at.column - 1 :].startswith(found[0].message.split("'")[1])


def test_codes_of_notes_and_prefixes_of_codes_are_no_mistake() -> None:
    assert not codes("# lamina: ignore-file[converted, include-failed, garbled-characters]\npackages: [git]\n")
