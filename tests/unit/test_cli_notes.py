"""Notes of the commands: of many that are alike only the first are printed, unless all are asked for."""

from __future__ import annotations

from collections.abc import Collection

import pytest

import lamina
from lamina.cli.click_options import notes_of
from lamina.cli.notes import show_notes
from lamina.errors import Diagnostic, Note, Severity


def note(code: str, number: int, severity: Severity = Severity.INFO, hint: str | None = None) -> Note:
    return Diagnostic(code=code, message=f"{code} number {number}", severity=severity, hint=hint)


def printed(capsys: pytest.CaptureFixture[str], notes: list[Note], kinds: Collection[str] | None) -> list[str]:
    show_notes(notes, kinds)
    return capsys.readouterr().err.splitlines()


def test_up_to_five_notes_of_a_code_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(printed(capsys, [note("a", number) for number in range(5)], ())) == 5


def test_of_more_the_first_three_are_printed_and_the_others_counted(capsys: pytest.CaptureFixture[str]) -> None:
    notes = [note(code, number) for number in range(6) for code in ("a", "b")][:-1]
    assert printed(capsys, notes, ()) == [
        "note: a number 0 [a]", "note: b number 0 [b]", "note: a number 1 [a]", "note: b number 1 [b]",
        "note: a number 2 [a]", "note: b number 2 [b]", "note: b number 3 [b]", "note: b number 4 [b]",
        "note: 3 more notes [a]; --notes all shows them",
    ]  # fmt: skip


def test_all_are_printed_on_request_and_by_commands_without_the_option(capsys: pytest.CaptureFixture[str]) -> None:
    notes = [note("a", number) for number in range(20)]
    assert len(printed(capsys, notes, ("all",))) == 20
    assert len(printed(capsys, notes, None)) == 20


@pytest.mark.parametrize("severity", [Severity.WARNING, Severity.ERROR])
def test_warnings_and_errors_are_always_printed(capsys: pytest.CaptureFixture[str], severity: Severity) -> None:
    assert len(printed(capsys, [note("a", number, severity) for number in range(20)], ())) == 20


@pytest.mark.parametrize(("kinds", "count"), [((), 0), (("compat",), 2), (("all",), 2)])
def test_values_that_differ_from_the_manual_are_looked_for_on_request(kinds: Collection[str], count: int) -> None:
    one = ("one.yaml", "#cloud-config\nruncmd: [a]\nd: {x: 1}\n")
    two = ("two.yaml", "#cloud-config\nruncmd: [b]\nd: {x: 2}\n")
    found = notes_of(lamina.render([one, two]), kinds)
    assert [note.code for note in found] == ["compat-differs"] * count
