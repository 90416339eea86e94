"""What a shell gets: completion that completes, and a man page that is one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lamina.cli.man_page import as_man_page

SHELLS = {
    "bash": {"COMP_WORDS": "lamina {word}", "COMP_CWORD": "1"},
    "zsh": {"COMP_WORDS": "lamina {word}", "COMP_CWORD": "1"},
    "fish": {"COMP_WORDS": "lamina {word}", "COMP_CWORD": "{word}"},
    "powershell": {"COMP_WORDS": "lamina {word}", "COMP_INCOMPLETE": "{word}"},
}


def lamina(*arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [Path(sys.executable).parent / "lamina", *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    return done.stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_the_completion_script_asks_lamina(shell: str) -> None:
    script = lamina("completion", shell)
    assert "_LAMINA_COMPLETE" in script
    assert f"{shell}_complete" in script
    if shell != "powershell" and shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(("word", "expected"), [("ren", "render"), ("comp", "completion")])
def test_commands_are_completed(shell: str, word: str, expected: str) -> None:
    asked = {name: value.format(word=word) for name, value in SHELLS[shell].items()}
    assert expected in lamina(_LAMINA_COMPLETE=f"{shell}_complete", **asked)


def in_powershell(line: str, word: str = "") -> list[str]:
    """What PowerShell gets; a variable set to an empty string is not set at all there."""
    asked = {"_LAMINA_COMPLETE": "powershell_complete", "COMP_WORDS": line} | (
        {"COMP_INCOMPLETE": word} if word else {}
    )
    return lamina(**asked).split("\n")[:-1]


def test_powershell_gets_a_word_and_its_help_on_each_line() -> None:
    assert in_powershell("lamina ren", "ren")[0].startswith("render\tPrint the merged result")
    assert in_powershell("lamina render --format ") == ["yaml\t", "json\t", "jsonl\t", "external\t"]
    assert in_powershell("lamina render --format js", "js") == ["json\t", "jsonl\t"]
    assert [line.partition("\t")[0] for line in in_powershell("lamina render --anno", "--anno")] == ["--annotate"]
    assert in_powershell('lamina render "a b.yaml" --format y', "y") == ["yaml\t"]


@pytest.mark.parametrize(("line", "word"), [("lamina render ", ""), ("lamina render ba", "ba")])
def test_powershell_completes_files_itself(line: str, word: str) -> None:
    """It does so where it gets no word; an empty one would be an error."""
    assert not any(in_powershell(line, word))


def test_the_script_for_powershell_is_whole() -> None:
    """PowerShell is not available in the tests: brackets and quotes match, and each variable that is set is removed."""
    script = lamina("completion", "powershell")
    for opening, closing in ("{}", "()", "[]"):
        assert script.count(opening) == script.count(closing)
    assert script.count('"') % 2 == 0
    assert "%" not in script
    made = set(re.findall(r"\$env:(\w+) =", script))
    assert made == {"_LAMINA_COMPLETE", "COMP_WORDS", "COMP_INCOMPLETE"}
    assert set(re.findall(r"Env:(\w+)", script.partition("Remove-Item")[2])) == made


def test_options_and_their_words_are_completed() -> None:
    asked = {"_LAMINA_COMPLETE": "bash_complete", "COMP_CWORD": "2"}
    assert "--annotate" in lamina(COMP_WORDS="lamina render --ann", **asked)
    asked["COMP_CWORD"] = "3"
    assert "jsonl" in lamina(COMP_WORDS="lamina render --format js", **asked)


def test_the_man_page_is_one() -> None:
    page = as_man_page()
    assert page.startswith(".TH LAMINA 1")
    for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS"):
        assert f".SH {section}" in page or f'.SH "{section}"' in page
    if shutil.which("groff"):
        done = subprocess.run(["groff", "-man", "-ww", "-Tutf8"], input=page.encode(), capture_output=True, check=True)
        assert done.stderr == b""
