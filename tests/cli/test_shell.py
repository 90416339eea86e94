"""What a shell gets: completion that completes, and a man page that is one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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
@pytest.mark.parametrize(("word", "meant"), [("ren", "render"), ("comp", "completion")])
def test_commands_are_completed(shell: str, word: str, meant: str) -> None:
    asked = {name: value.format(word=word) for name, value in SHELLS[shell].items()}
    assert meant in lamina(_LAMINA_COMPLETE=f"{shell}_complete", **asked)


def test_options_and_their_words_are_completed() -> None:
    asked = {"_LAMINA_COMPLETE": "bash_complete", "COMP_CWORD": "2"}
    assert "--annotate" in lamina(COMP_WORDS="lamina render --ann", **asked)
    asked["COMP_CWORD"] = "3"
    assert "jsonl" in lamina(COMP_WORDS="lamina render --format js", **asked)


def test_the_man_page_is_one() -> None:
    page = lamina("man")
    assert page.startswith(".TH LAMINA 1")
    for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS"):
        assert f".SH {section}" in page or f'.SH "{section}"' in page
    if shutil.which("groff"):
        done = subprocess.run(["groff", "-man", "-ww", "-Tutf8"], input=page.encode(), capture_output=True, check=True)
        assert done.stderr == b""
