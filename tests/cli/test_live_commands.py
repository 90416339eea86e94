"""`where`, `find`, `watch`, and `explain KEY --all`: what is asked of all targets at once."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Queue

import jsonschema_rs
import pytest
from click.testing import CliRunner, Result

from lamina.cli.group import lamina
from lamina.errors import LaminaError
from lamina.views.schemas import text_of

REPOSITORIES = Path(__file__).parents[2] / "examples/repositories"


@pytest.fixture
def datum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(REPOSITORIES / "datum", tmp_path / "datum")
    monkeypatch.chdir(tmp_path / "datum")
    return tmp_path / "datum"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(lamina, arguments, standalone_mode=False)


def test_where_says_in_which_targets_a_line_wins(datum: Path) -> None:
    assert run("where", "source/Baselines/Server.yml:2").stdout == (
        "source/Baselines/Server.yml:2 decides:\n  Firewall.Profile: set by this line, in all 4 targets\n"
    )


def test_where_takes_a_path_in_the_file(datum: Path) -> None:
    by_path = run("where", "source/Baselines/Server.yml#Firewall.Profile").stdout
    assert by_path == run("where", "source/Baselines/Server.yml:2").stdout


def test_where_names_the_line_that_won(datum: Path) -> None:
    with (datum / "source/Roles/WebServer.yml").open("a") as file:
        file.write("Firewall:\n  Profile: Public\n")
    lines = (datum / "source/Roles/WebServer.yml").read_text().count("\n")
    assert f"Firewall.Profile: overridden by source/Roles/WebServer.yml:{lines}, in DevWeb01, ProdWeb01, ProdWeb02" in (
        run("where", "source/Baselines/Server.yml:2").stdout
    )


def test_where_says_that_a_line_decides_nothing(datum: Path) -> None:
    (datum / "source/Baselines/Server.yml").write_text("# a comment\nFirewall:\n  Profile: Domain\n")
    assert "Server.yml:1 decides nothing" in run("where", "source/Baselines/Server.yml:1").stdout


def test_where_does_not_say_so_of_what_chooses_the_layers(datum: Path) -> None:
    assert "may choose what is merged" in run("where", "source/Datum.yml:1").stdout
    assert "may choose what is merged" in run("where", "lamina.toml:1").stdout


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("nothing.yml:1", "there is no file"),
        ("source/Datum.yml#x.y", "there is nothing at x.y"),
        ("x", "not a location"),
    ],
)
def test_where_rejects_what_is_not_there(datum: Path, place: str, message: str) -> None:
    error = run("where", place).exception
    assert isinstance(error, LaminaError) or error is not None
    assert message in str(error)


def test_find_lists_values_and_keys_with_their_targets(datum: Path) -> None:
    assert run("find", "Domain").stdout == (
        'Firewall.Profile: "Domain" (source/Baselines/Server.yml:2:12, wins) in all 4 targets\n'
    )
    assert "Firewall.LogDropped: true (source/Environments/Dev.yml:2:15, wins) in DevSql01, DevWeb01" in (
        run("find", "LogDropped").stdout
    )
    nowhere = run("find", "nowhere")
    assert (nowhere.return_value, nowhere.stdout) == (1, "")
    assert "no layer has the value or key nowhere" in nowhere.stderr


def test_find_marks_every_line_that_sets_a_key(datum: Path) -> None:
    with (datum / "source/Roles/WebServer.yml").open("a") as file:
        file.write("Firewall:\n  Profile: Public\n")
    data = json.loads(run("find", "Profile", "--json").stdout)
    jsonschema_rs.validate(json.loads(text_of("find")), data)
    assert [(each["value"], each["verdict"], each["counts"], each["targets"]) for each in data["places"]] == [
        ("Domain", "wins", True, ["DevSql01"]),
        ("Public", "wins", True, ["DevWeb01", "ProdWeb01", "ProdWeb02"]),
        ("Domain", "overridden", False, ["DevWeb01", "ProdWeb01", "ProdWeb02"]),
    ]
    assert 'Firewall.Profile: "Domain" (source/Baselines/Server.yml:2:12, overridden) in DevWeb01, ProdWeb01' in (
        run("find", "Profile").stdout
    )


def test_where_says_which_values_a_rule_decides(datum: Path) -> None:
    assert "Firewall: decided by the rule on this line, in all 4 targets" in run("where", "source/Datum.yml:29").stdout


def test_explain_of_a_key_counts_its_values(datum: Path) -> None:
    printed = run("explain", "Firewall.LogDropped", "--all").stdout
    assert "true in 2 targets, set by source/Environments/Dev.yml:2: DevSql01, DevWeb01\n" in printed
    data = json.loads(run("explain", "Firewall.LogDropped", "--all", "--format", "json").stdout)
    jsonschema_rs.validate(json.loads(text_of("explain-key")), data)
    assert [len(each["targets"]) for each in data["values"]] == [2, 2]


def test_explain_of_a_key_counts_a_value_once_whoever_sets_it(datum: Path) -> None:
    printed = run("explain", "Environment", "--all").stdout
    assert printed.startswith('"Dev" in 2 targets: DevSql01, DevWeb01\n  set by source/AllNodes/Dev/DevSql01.yml:')
    data = json.loads(run("explain", "Environment", "--all", "--json").stdout)
    jsonschema_rs.validate(json.loads(text_of("explain-key")), data)
    assert [(each["value"], len(each["targets"]), len(each["set_by"])) for each in data["values"]] == [
        ("Dev", 2, 2),
        ("Prod", 2, 2),
    ]


def test_a_key_stays_a_key_if_there_is_a_folder_of_that_name(datum: Path) -> None:
    before = run("explain", "Firewall", "--all")
    (datum / "Firewall").mkdir()
    after = run("explain", "Firewall", "--all")
    assert after.stdout == before.stdout
    assert before.stderr == ""
    assert after.stderr.startswith("note: Firewall is taken as a key")
    assert run("explain", "Firewall", "--all", "-q").stderr == ""


def test_what_is_no_key_of_any_target_is_an_input(datum: Path) -> None:
    (datum / "user.yml").write_text("#cloud-config\npackages: [git]\n")
    result = run("explain", "user.yml", "--all")
    assert "packages" in result.stdout
    assert "note: user.yml is taken as an input" in result.stderr


def test_an_explicit_key_leaves_all_arguments_to_inputs(datum: Path) -> None:
    (datum / "Firewall").mkdir()
    by_key = run("explain", "--key", "Firewall", "--all")
    assert by_key.stdout == run("explain", "Firewall", "--all", "-q").stdout
    assert by_key.stderr == ""
    one = run("explain", "--key", "Firewall", "source", "--node", "ProdWeb01").stdout
    assert one.startswith('Firewall: {"LogDropped": false')
    assert "counts the values of a in" in str(run("explain", "--key", "a", "--all", "lamina.toml").exception)


@pytest.mark.parametrize(
    "arguments", [("Firewall.LogDropped", "--all", "source"), ("--key", "Firewall.LogDropped", "--all")]
)
def test_a_key_is_counted_in_a_folder_without_a_project_file(
    datum: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    (datum / "lamina.toml").unlink()
    if "source" not in arguments:
        monkeypatch.chdir(datum / "source")
    assert "true in 2 targets, set by " in run("explain", *arguments).stdout


class Watched:
    """A `lamina diff --watch` that runs, with what it prints."""

    def __init__(self, root: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "lamina", "diff", "--watch"],
            cwd=root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            # Where the tests run in the background of a shell, interrupts are ignored, and so by what they start.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no threads use locks here
        )
        self._lines: Queue[str] = Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self._lines.put(line)

    def ended(self) -> None:
        self._reader.join()

    def until(self, text: str) -> str:
        """What it prints up to a line with this text."""
        printed = ""
        while text not in printed:
            printed += self._lines.get(timeout=60)
        return printed


@pytest.fixture
def watched(datum: Path) -> Iterator[Watched]:
    running = Watched(datum)
    yield running
    running.process.send_signal(signal.SIGINT)
    assert running.process.wait(timeout=30) == 0
    running.ended()


def test_watch_follows_saves(datum: Path, watched: Watched) -> None:
    watched.until("rendered 4 targets")
    baseline = datum / "source/Baselines/Server.yml"
    baseline.write_text("Firewall:\n  Profile: Public\n")
    printed = watched.until("1 change in 4 of 4 targets")
    assert printed.startswith("\nsource/Baselines/Server.yml: 4 targets rendered, ")
    assert 'Firewall.Profile "Domain" → "Public", because source/Baselines/Server.yml:2' in printed
    temporary = datum / "source/Baselines/.Server.yml.tmp"
    temporary.write_text("Firewall:\n  Profile: Private\n")
    temporary.replace(baseline)
    assert 'Firewall.Profile "Public" → "Private"' in watched.until("1 change in 4 of 4 targets")


def test_watch_stays_readable_when_many_files_change_at_once(datum: Path, watched: Watched) -> None:
    watched.until("rendered 4 targets")
    elsewhere = datum.parent / "new"
    elsewhere.mkdir()
    for number in range(40):
        (elsewhere / f"New{number:02}.yml").write_text(f"NodeName: New{number:02}\nEnvironment: Dev\nRole: WebServer\n")
    elsewhere.rename(datum / "source/AllNodes/New")  # all of them at one moment, as after a checkout
    printed = watched.until("40 targets added")
    assert printed.count("+ target") == 30
    assert "… and 10 more changes" in printed
    assert "New04.yml and 35 more files: 40 targets rendered" in printed


def test_where_says_nothing_of_a_line_if_no_target_could_be_rendered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = '[targets.{0}]\ndialect = "deckhand"\ninputs = ["{0}.yaml"]\n'
    (tmp_path / "lamina.toml").write_text(entry.format("a"))
    (tmp_path / "a.yaml").write_text("a: *x\n")
    monkeypatch.chdir(tmp_path)
    done = run("where", "a.yaml:1")
    assert done.stdout == ""
    assert isinstance(done.exception, LaminaError)
    assert "undefined alias" in str(done.exception)
    policy = "metadata: {schema: metadata/Control/v1, name: p}\ndata: {layerOrder: [site]}\n"
    (tmp_path / "b.yaml").write_text(f"schema: deckhand/LayeringPolicy/v1\n{policy}")
    (tmp_path / "lamina.toml").write_text(entry.format("a") + entry.format("b"))
    done = run("where", "a.yaml:1")
    assert done.return_value == 3
    assert "a.yaml:1 decides nothing in the targets that could be rendered: " in done.stdout
