"""Every finding has its words kept in tests/messages, where a person reads them before they change."""

from __future__ import annotations

import re

import pytest

from lamina.dialects.registry import BUILT_IN
from support.codes import codes
from support.transcripts import ROOT

SAID = "\n".join(path.read_text() for path in sorted((ROOT / "tests/messages").glob("*.md")))
RULES = {path.stem for path in (ROOT / "docs/reference/lint").glob("*.md")}
"""Codes whose words are on their own page."""

ELSEWHERE = {
    "internal-error": "tests/cli/test_fleet.py",  # a bug has to be planted first
    "worker-died": "tests/cli/test_fleet.py",  # a process has to be killed
    "no-scheduler": "tests/cli/test_fleet_cluster.py",  # a scheduler is waited for a long time
    "mixed-sides": "tests/unit/test_differences_causes.py",  # from Python only
    "not-yaml": "tests/unit/test_sources_yaml_writer.py",  # a value that no reader makes
    "too-many-targets": "tests/unit/test_project.py",  # it takes as many files
    "service-not-installed": "tests/service/test_commands.py",  # a library has to be missing
    "request-rejected": "tests/service/test_commands.py",  # these need a server that runs
    "no-revision": "tests/service/test_commands.py",
    "unexpected-response": "tests/service/test_commands.py",
    "store-not-empty": "tests/service/test_commands.py",
    "cannot-import": "tests/service/test_commands.py",
    "wrong-key": "tests/service/test_secrets.py",
    "not-in-place": "tests/service/test_explorer.py",
    "unnamed-node": "tests/property/test_fleet_parts.py",  # no listing of ours gives an empty name
}
"""Codes that cannot be had from the command line in a moment, and where they are tested."""


@pytest.mark.parametrize("code", [code for code in codes() if code not in RULES])
def test_the_words_of_every_finding_are_kept(code: str) -> None:
    if code not in ELSEWHERE:
        assert f"[{code}]" in SAID
        return
    assert f"[{code}]" not in SAID, f"{code} needs no exception any more"
    assert code in (ROOT / ELSEWHERE[code]).read_text()


def test_no_message_is_a_traceback_or_leaves_a_template_unfilled() -> None:
    assert "Traceback" not in SAID
    assert "internal error" not in SAID
    assert not re.search(r"\{(path|layer|detail|old|new|old_kind|new_kind)\}|LOOKUP", SAID)


def test_every_error_says_what_to_do() -> None:
    """A finding that is an error or a warning is followed by a hint, behind the places it names."""
    lines = SAID.split("\n")
    for at, line in enumerate(lines):
        code = re.search(r" \[([a-z-]+)\]$", line)
        if code is None or code[1] in BUILT_IN or line.startswith(("note: ", "would fix: ", "$ ")):
            continue
        assert any("hint: " in each for each in _indented(lines[at + 1 :])), line


def _indented(lines: list[str]) -> list[str]:
    end = next((at for at, line in enumerate(lines) if not line.startswith("  ")), len(lines))
    return lines[:end]
