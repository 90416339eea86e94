"""Help with paths, with inputs that are not what they should be, and with what was dropped."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import lamina
from lamina.cli.main import main

Run = Callable[..., tuple[object, str, str]]

CONFIG = "#cloud-config\na: 1\n"
BROKEN = "#cloud-config\na: 1\nb: [\n"
HEAT = "parameter_defaults:\n  CinderWorkers: 4\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in a folder of its own; gives the status and what was printed."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str) -> tuple[object, str, str]:
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        printed = capsys.readouterr()
        return left.value.code, printed.out, printed.err

    return command


def nothing_at(path: str, *inputs: tuple[str, str], **options: object) -> lamina.errors.Diagnostic:
    with pytest.raises(lamina.UsageError) as caught:
        lamina.render(list(inputs), **options).explain(path)  # type: ignore[arg-type]
    return caught.value.diagnostic


def test_a_path_without_its_beginning_is_offered_whole() -> None:
    assert nothing_at("CinderWorkers", ("a.yaml", HEAT)).hint == "did you mean parameter_defaults.CinderWorkers?"
    several = "#cloud-config\nx: {port: 1}\ny: {z: {port: 2}}\n"
    assert nothing_at("port", ("a.yaml", several)).hint == "did you mean x.port or y.z.port?"


def test_what_was_dropped_is_named_where_nothing_is_found() -> None:
    finding = nothing_at("b", ("good", CONFIG), ("bad", BROKEN))
    [(message, origin)] = finding.related
    assert message.startswith("part-002 is dropped: line 4")
    assert str(origin).startswith("bad:4:1")


def test_backslashes_are_the_ends_of_steps_in_datum_where_no_key_has_them() -> None:
    def explained(text: str, path: str) -> object:
        return lamina.render([("a.yml", text)], dialect="datum", lookup="x").explain(path).value

    assert explained("x: {a: {b: [1]}}\n", r"a\b\0") == 1
    assert explained('x: {"a\\\\b": 2, a: {b: 1}}\n', r"a\b") == 2
    assert nothing_at(r"a\b", ("a.yaml", "#cloud-config\na: {b: 1}\n")).message == r"no layer sets a\b"


def test_one_of_many_documents_is_singled_out(run: Run) -> None:
    site = Path(__file__).parents[2] / "examples/deckhand/site"
    status, _, shown = run("explain", "-q", "nothing", str(site))
    assert status == 2
    assert "--document NAME selects one document" in shown


def test_where_a_value_is_set(run: Run, tmp_path: Path) -> None:
    (tmp_path / "one").write_text("#cloud-config\na: 8080\nb: {c: '8080'}\nd: 1\n")
    (tmp_path / "two").write_text("#cloud-config\na: 9090\n")
    status, out, _ = run("find", "8080", "one", "two")
    assert (status, out.splitlines()) == (
        0,
        [
            "a: 8080 (one:2:4, overridden)",
            'b.c: "8080" (one:3:8, wins)',
        ],
    )
    (tmp_path / "two").write_text("#cloud-config\nb: 1\nl: [8080]\n")
    _, out, _ = run("find", "8080", "one", "two")
    assert sorted(out.splitlines()) == [
        "a: 8080 (one:2:4, wins)",
        'b.c: "8080" (one:3:8, overridden)',
        "l[0]: 8080 (two:3:5, wins)",
    ]
    status, _, shown = run("find", "7", "one")
    assert status == 1
    assert "[no-such-value]" in shown


def test_a_result_is_written_whole_or_not_at_all(run: Run, tmp_path: Path) -> None:
    (tmp_path / "one").write_text(CONFIG)
    target = tmp_path / "result.yaml"
    target.write_text("before")
    target.chmod(0o600)
    (tmp_path / "link").symlink_to("result.yaml")
    assert run("render", "-o", "link", "one") == (0, "", "")
    assert target.read_text() == CONFIG
    assert target.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "link").is_symlink()
    assert run("render", "-o", "no/such/folder", "one")[0] == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "one", "result.yaml"]
    assert run("render", "-o", "x", "--output-dir", "y", "one")[0] == 2


def test_lint_prints_findings_only(run: Run, tmp_path: Path) -> None:
    (tmp_path / "one").write_text("#cloud-config\nlocale: C\n")
    (tmp_path / "two").write_text("#cloud-config\nlocale: C\nlocale: D\n")
    assert run("lint", "-q", "one") == (0, "", "")
    loud, quiet = run("lint", "two")[1], run("lint", "-q", "two")[1]
    assert loud == f"{quiet}\n1 warning in 1 file\n"


@pytest.mark.parametrize(
    ("text", "code", "hint"),
    [
        (
            "#cloud-conifg\na: 1\n",
            "unhandled-content-type",
            "the first line is '#cloud-conifg'; did you mean '#cloud-config'?",
        ),
        (
            "# cloud-config\na: 1\n",
            "unhandled-content-type",
            "the first line is '# cloud-config'; did you mean '#cloud-config'?",
        ),
        ("\ufeff#cloud-config\na: 1\n", "unhandled-content-type", "remove the byte-order mark"),
    ],
)
def test_a_header_that_is_almost_right_gets_cloud_inits_message(text: str, code: str, hint: str) -> None:
    result = lamina.render([("user.yaml", text)])
    [note] = result.notes
    assert (result.dialect.name, note.code) == ("cloud-init", code)
    assert (note.hint or "").startswith(hint)


def test_a_section_that_is_almost_right_gets_heats_message() -> None:
    with pytest.raises(lamina.MergeError, match="did you mean parameter_defaults"):
        lamina.render([("a.yaml", "parameter_default:\n  a: 1\n")])


def test_an_empty_file_is_reported_as_empty() -> None:
    with pytest.raises(lamina.UsageError, match=r"a\.yaml is empty"):
        lamina.render([("a.yaml", " \n")])
    assert [note.code for note in lamina.render([("user-data", "")]).notes] == ["empty-user-data"]


@pytest.mark.parametrize("text", ["a: 1\n", "# A comment\na: 1\n", "#config\na: 1\n"])
def test_other_files_are_of_no_known_dialect(text: str) -> None:
    with pytest.raises(lamina.UsageError, match="do not look like any known dialect"):
        lamina.render([("a.yaml", text)])


def test_inputs_of_two_systems_are_rejected_with_which_is_which() -> None:
    for render in (lamina.render, lamina.lint):
        with pytest.raises(lamina.UsageError) as caught:
            render([("one.yaml", CONFIG), ("two.yaml", HEAT)])
        assert caught.value.diagnostic.code == "mixed-inputs"
        assert "one.yaml looks like cloud-init, two.yaml looks like heat" in caught.value.diagnostic.message
    assert lamina.render([("one.yaml", CONFIG), ("two.yaml", HEAT)], dialect="cloud-init").value == {"a": 1}


def test_two_parts_that_were_dropped_are_not_the_same(run: Run, tmp_path: Path) -> None:
    (tmp_path / "one").write_text(BROKEN)
    (tmp_path / "two").write_text(BROKEN.replace("1", "2"))
    status, out, shown = run("diff", "one", "two")
    assert status == 1
    assert out == "no differences in what could be merged; not compared: 1 error before, 1 after\n"
    assert shown.count("is dropped: line 4") == 2
    assert "one:4:1" in shown
    assert "two:4:1" in shown


@pytest.mark.parametrize(
    "command", [("render",), ("explain", "a"), ("plan",), ("lint", "--ignore", "config"), ("report",), ("diff", "one")]
)
def test_standard_input_is_an_input_of_every_command(
    run: Run,
    command: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "one").write_text(CONFIG)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CONFIG.encode())))
    status, out, _ = run(*command, "-")
    assert status == 0
    assert out
