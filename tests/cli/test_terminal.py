"""What a terminal gets beyond plain text: colour, and a word when the work takes long."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

from lamina.cli.patience import patience

FOLDER = Path(__file__).parents[2] / "examples" / "cloud-init" / "overview"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_long_work_says_so_and_clears_the_line() -> None:
    screen = Terminal()
    with patience("merging", screen, moment=0.01):
        time.sleep(0.2)
    assert "merging … 0 s" in screen.getvalue()
    assert screen.getvalue().endswith("\r\x1b[K")


def test_short_work_and_plain_streams_stay_silent() -> None:
    screen, plain = Terminal(), io.StringIO()
    with patience("merging", screen), patience("merging", plain, moment=0):
        pass
    assert screen.getvalue() == plain.getvalue() == ""


def on_a_terminal(**environment: str) -> str:
    """What `explain` prints when both its outputs are one terminal."""
    outer, inner = pty.openpty()
    plain = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    subprocess.run(
        [sys.executable, "-m", "lamina.cli.main", "explain", "runcmd", "one.yaml", "two.yaml"],
        cwd=FOLDER,
        env={**plain, **environment},
        stdout=inner,
        stderr=inner,
        check=True,
    )
    os.close(inner)
    shown = os.read(outer, 65536).decode()
    os.close(outer)
    return shown


def test_verdicts_and_warnings_are_coloured_on_a_terminal() -> None:
    shown = on_a_terminal()
    assert "\x1b[36mreplaced\x1b[0m" in shown
    assert "\x1b[33m\x1b[1mwarning: \x1b[0m" in shown


def test_no_color_is_honoured() -> None:
    assert "\x1b[" not in on_a_terminal(NO_COLOR="1")
