"""Values that are not known, and values with tags of other programs: how they are merged, shown and written."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import lamina
from lamina.engine.operators.whole import DELETE, DESCEND, KEEP, TAKE
from lamina.engine.policy import UNDECIDED, Cases
from lamina.values import ABSENT, ALL, MAPS, TEXT, UNKNOWN, Unknown, classify

BASE = "password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  6231\nurl: db:${password}\nscript: !reference [.setup, 0]\n"
UNKNOWN_URL = "${password} is a value with the tag !vault, whose text is not known"


def lamina_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lamina", *arguments, "--dialect", "layers"]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_a_table_decides_about_unknown_values_where_the_type_makes_no_difference() -> None:
    table = Cases(((TEXT,), ALL, KEEP), (ALL, (TEXT,), TAKE), (ALL, MAPS, DESCEND), (ALL, ALL, DELETE))
    hole = Unknown("a hole")
    assert classify(hole) == UNKNOWN
    assert table.pick("text", hole) is KEEP
    assert table.pick(hole, "text") is UNDECIDED  # a text would stay
    assert table.pick(1, hole) is UNDECIDED
    assert Cases.everywhere(TAKE).pick(hole, 1) is TAKE
    assert table.cells[ABSENT] is DELETE


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("base.yaml").write_text(BASE)
    Path("site.yaml").write_text("user: web\n")
    return tmp_path


def test_tags_are_written_as_they_were_read(files: Path) -> None:
    shown = lamina_command("render", "base.yaml", "site.yaml")
    assert shown.returncode == 1
    assert shown.stdout == (
        "password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  6231\n"
        f'url: !unknown "db:${{password}}: {UNKNOWN_URL}"\nscript: !reference [.setup, 0]\nuser: web\n'
    )
    assert f"base.yaml:4:6: url is unknown: {UNKNOWN_URL} [not-known]" in shown.stderr


def test_json_says_why_a_value_is_unknown(files: Path) -> None:
    shown = json.loads(lamina_command("render", "base.yaml", "--json").stdout)
    at = {"source": "base.yaml", "line": 4, "column": 6}
    assert shown["url"] == {"unknown": {"reason": UNKNOWN_URL, "at": at, "text": "db:${password}"}}
    assert shown["script"] == {"!reference": [".setup", 0]}


@pytest.mark.parametrize(("form", "expected"), [("null", "url: null\n"), ("omit", "")])
def test_unknown_values_can_be_left_out(files: Path, form: str, expected: str) -> None:
    shown = lamina_command("render", "base.yaml", "--unknown", form, "-q")
    assert shown.returncode == 1
    assert "!unknown" not in shown.stdout
    assert [line for line in shown.stdout.splitlines(keepends=True) if "url" in line] == (
        [expected] if expected else []
    )


def test_unknown_values_can_be_an_error(files: Path) -> None:
    for option in (["--strict"], ["--unknown", "error"]):
        shown = lamina_command("render", "base.yaml", *option)
        assert (shown.returncode, shown.stdout) == (3, "")
        assert "url is unknown" in shown.stderr
    with pytest.raises(lamina.MergeError, match="url is unknown"):
        lamina.render(["base.yaml"], dialect="layers", strict=True)


def test_what_is_encrypted_is_not_shown_where_values_are_explained(files: Path) -> None:
    shown = lamina_command("explain", "password", "base.yaml")
    assert "(secret)" in shown.stdout
    assert "6231" not in shown.stdout
    assert "6231" not in lamina_command("render", "--annotate", "base.yaml", "-q").stdout
    shown = lamina_command("explain", "url", "base.yaml")
    assert UNKNOWN_URL in shown.stdout


def test_lint_does_not_blame_files_for_what_is_unknown(files: Path) -> None:
    Path("site.yaml").write_text("url: [1]\n")
    shown = lamina_command("lint", "base.yaml", "site.yaml")
    assert shown.returncode == 1  # the url changes its type from a text to a list
    Path("site.yaml").write_text("other: 1\n")
    shown = lamina_command("lint", "base.yaml", "site.yaml")
    assert shown.returncode == 0
    assert "[not-known]" in shown.stdout


def test_a_difference_names_what_is_unknown(files: Path) -> None:
    Path("old.yaml").write_text("script: !reference [a]\nrun: sh ${script}\n")
    Path("new.yaml").write_text("script: !reference [a]\nrun: sh build\n")
    shown = lamina_command("diff", "old.yaml", "new.yaml")
    assert shown.returncode == 1
    assert "~ run unknown (sh ${script}: ${script} is a value with the tag" in shown.stdout


def test_tags_stay_errors_where_the_program_knows_none() -> None:
    with pytest.raises(lamina.MergeError, match="could not determine a constructor for the tag '!vault'"):
        lamina.render([("user-data", "#cloud-config\nx: !vault y\n")], strict=True)
