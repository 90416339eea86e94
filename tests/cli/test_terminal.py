"""What a terminal gets beyond plain text: colour, tables, and a word when the work takes long."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from lamina.cli.spinner import spinner
from lamina.cli.tables import Column, fitted, grid, table, text, written

EXAMPLES = Path(__file__).parents[2] / "examples"
HARDENING = EXAMPLES / "cloud-init" / "hardening"
LAMINA = [sys.executable, "-m", "lamina.cli.main"]
HEAT = [
    *("-t", "overcloud.yaml", "-e", "environments/base.yaml", "-e", "environments/storage.yaml"),
    *("-e", "environments/sriov.yaml", "-e", "environments/tls.yaml", "site.yaml"),
]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class TestPatience:
    def test_long_work_says_so_and_clears_the_line(self) -> None:
        screen = Terminal()
        with spinner("merging", stream=screen, delay=0.01):
            time.sleep(0.2)
        assert "merging … 0 s" in screen.getvalue()
        assert screen.getvalue().endswith("\r\x1b[K")

    def test_work_that_counts_says_how_far_it_is(self) -> None:
        screen = Terminal()
        with spinner("merging", "node", stream=screen, delay=0.01) as counting:
            for number in counting(range(1, 4001)):
                if number == 1234:
                    time.sleep(0.2)
        assert "\rmerging, node 1,234 of 4,000 … 0 s" in screen.getvalue()

    def test_short_work_and_plain_streams_stay_silent(self) -> None:
        screen, plain = Terminal(), io.StringIO()
        with spinner("merging", stream=screen), spinner("merging", stream=plain, delay=0) as counting:
            assert list(counting("ab")) == ["a", "b"]
        assert screen.getvalue() == plain.getvalue() == ""


def on_a_terminal(folder: Path, *arguments: str, columns: int = 100, status: int = 0, **environment: str) -> str:
    """What the command prints when both its outputs are one terminal."""
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "TERM")}
    command = subprocess.Popen(
        [*LAMINA, *arguments], cwd=folder, env={**plain, "TERM": "xterm", **environment}, stdout=inner, stderr=inner
    )
    os.close(inner)
    shown = b""
    try:
        while piece := os.read(outer, 65536):
            shown += piece
    except OSError:  # the other end is closed
        pass
    os.close(outer)
    assert command.wait() == status, shown
    return shown.decode().replace("\r\n", "\n")


def plainly(folder: Path, *arguments: str) -> str:
    """What the command prints where there is no terminal."""
    return subprocess.run([*LAMINA, *arguments], cwd=folder, capture_output=True, text=True, check=False).stdout


class TestColour:
    EXPLAIN = ("explain", "packages", "hardening.yaml", "web.yaml")

    def test_verdicts_and_notes_are_coloured_on_a_terminal(self) -> None:
        shown = on_a_terminal(HARDENING, *self.EXPLAIN)
        assert "\x1b[36mreplaced\x1b[0m" in shown
        assert "\x1b[36m\x1b[1mnote: \x1b[0m" in shown

    def test_errors_are_red_and_their_hints_are_not(self, tmp_path: Path) -> None:
        (tmp_path / "a.yaml").write_text("#cloud-config\na: [1\n")
        shown = on_a_terminal(tmp_path, "explain", "a", "a.yaml", "missing.yaml", status=3)
        assert shown == (
            "\x1b[31mthere is no file missing.yaml [missing-file]\x1b[0m\n"
            "  hint: check the path; `-` reads standard input\n"
        )
        plain = on_a_terminal(tmp_path, "explain", "a", "a.yaml", "missing.yaml", status=3, NO_COLOR="1")
        assert "\x1b[" not in plain

    @pytest.mark.parametrize(("wish", "kind"), [("1", "xterm"), ("", "dumb")])
    def test_who_wants_no_colour_gets_none(self, wish: str, kind: str) -> None:
        lint = ("lint", "hardening.yaml", "web.yaml")
        assert "\x1b[" not in on_a_terminal(HARDENING, *self.EXPLAIN, NO_COLOR=wish, TERM=kind)
        assert "\x1b[" not in on_a_terminal(HARDENING, *lint, status=1, NO_COLOR=wish, TERM=kind)


class TestTables:
    def test_findings_are_listed_by_file_and_are_counted_by_rule(self) -> None:
        codes = ("--select", "list-replaced,compat-differs")
        shown = on_a_terminal(HARDENING, "lint", *codes, "hardening.yaml", "web.yaml", status=1, NO_COLOR="1")
        assert shown.startswith("web.yaml\n  3:3  ")
        assert re.search(r"^rule +severity +findings +what it finds$", shown, re.MULTILINE)
        assert re.search(r"^compat-differs +info +1  A result that is not what the manual says$", shown, re.MULTILINE)
        assert shown.endswith("\n1 warning, 1 info in 1 file; 1 fixable with --fix\n")

    def test_severities_are_coloured(self) -> None:
        assert "\x1b[33mwarning" in on_a_terminal(HARDENING, "lint", "hardening.yaml", "web.yaml", status=1)

    def test_changes_are_listed_below_the_documents_they_are_in(self) -> None:
        folder = EXAMPLES / "deckhand" / "pull-request"
        shown = on_a_terminal(folder, "diff", "before", "after", status=1, NO_COLOR="1")
        assert shown.startswith("3 of 4 documents\nexample/Chart/v1/berlin (site), ")
        assert re.search(
            r'^~  data\.packages\[name=git\]\.version  "2\.40"  "2\.45"  after/global\.yaml:16$', shown, re.MULTILINE
        )
        assert "\n+  document example/Chart/v1/turin (site)  because after/sites.yaml:45\n" in shown
        assert shown.endswith("5 changes in 3 of 4 documents: 1 added, 4 changed\n")

    def test_layers_are_shown_beside_their_node(self) -> None:
        shown = on_a_terminal(EXAMPLES / "datum" / "data", "targets", ".", columns=120, NO_COLOR="1")
        assert re.search(r"^DevSRV01 +AllNodes\\Dev\\DevSRV01 +AllNodes/Dev/DevSRV01\.yml$", shown, re.MULTILINE)
        assert shown.endswith("\n40 targets\n")

    def test_strategies_are_a_table(self) -> None:
        shown = on_a_terminal(EXAMPLES / "heat" / "overcloud", "plan", "-q", *HEAT, NO_COLOR="1")
        assert re.search(r"^parameter +strategy +set at +outcome$", shown, re.MULTILINE)
        assert re.search(
            r"^DnsServers +merge +environments/base\.yaml:7:3 +in force: set for DnsServers$", shown, re.MULTILINE
        )

    def test_plug_ins_are_a_table(self, tmp_path: Path) -> None:
        shown = on_a_terminal(tmp_path, "--version", "-v", NO_COLOR="1")
        assert re.search(r"^kind +name +from$", shown, re.MULTILINE)
        assert re.search(r"^dialect +heat +built in$", shown, re.MULTILINE)

    @pytest.mark.parametrize(
        ("folder", "arguments", "status"),
        [
            ("cloud-init/hardening", ("lint", "hardening.yaml", "web.yaml"), 1),
            ("deckhand/pull-request", ("diff", "before", "after"), 1),
            ("datum/data", ("targets", "."), 0),
        ],
    )
    def test_without_room_for_a_table_it_is_plain_text(
        self, folder: str, arguments: tuple[str, ...], status: int
    ) -> None:
        shown = on_a_terminal(EXAMPLES / folder, *arguments, columns=30, status=status, NO_COLOR="1")
        assert shown == plainly(EXAMPLES / folder, *arguments)


class TestFolding:
    @pytest.mark.parametrize("columns", [40, 41, 57, 80, 200])
    def test_no_character_is_lost_and_no_line_too_long(self, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each cell is made of a different character, so that a cut would be noticed."""
        monkeypatch.setenv("COLUMNS", str(columns))
        sizes = {"A": 3, "B": 90, "C": 17, "D": 1, "E": 400, "F": 61}
        cells = [letter * size for letter, size in sizes.items()]
        wanted = [Column("1", 6), Column("2", 12), Column("3", 12)]
        rows = [cells[:3], cells[3:]]
        for shown in (written(table(wanted, [rows])), written(grid(wanted, rows))):
            assert {letter: shown.count(letter) for letter in sizes} == sizes
            assert max(map(len, shown.split("\n"))) <= columns

    def test_room_is_shared_fairly(self) -> None:
        assert fitted([3, 10], [8, 8], 80) == [3, 10]
        assert fitted([3, 100, 100], [8, 8, 8], 43) == [3, 20, 20]
        assert fitted([100, 30], [8, 8], 80) == [50, 30]
        assert fitted([100, 100], [8, 20], 10) == [8, 20]

    def test_what_comes_from_an_input_neither_steers_nor_styles(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("COLUMNS", "60")
        assert written(text("[red]a\x1b[2J:smile:"), "[b]") == "[red]a\\x1b[2J:smile:\n[b]\n"
