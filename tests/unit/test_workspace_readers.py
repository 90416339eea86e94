"""What readers of a workspace see: while files are broken, while somebody changes them, and before they are saved."""

from __future__ import annotations

from pathlib import Path
from threading import Event, Thread

import pytest

import lamina
from lamina.origins import Origin
from lamina.project.folder_project import discover
from lamina.workspace.cancelling import Cancelled
from lamina.workspace.outline import entries_of

FILES = {
    "hiera.yaml": "version: 5\nhierarchy:\n- {name: nodes, path: 'nodes/%{trusted.certname}.yaml'}\n"
    "- {name: common, path: common.yaml}\n",
    "data/common.yaml": "a: 1\nb:\n  c: 2\n",
    "data/nodes/one.yaml": "a: 3\n",
    "data/nodes/two.yaml": "d: 4\n",
}
COMMON, ONE = "data/common.yaml", "data/nodes/one.yaml"


@pytest.fixture
def workspace(tmp_path: Path) -> lamina.Workspace:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return lamina.Workspace(discover(tmp_path)[0])


def said(uses: list[lamina.LineUse]) -> list[tuple[str, str, str, bool]]:
    return [(use.target, use.where, use.verdict, use.stale) for use in uses]


def test_while_a_file_is_broken_the_lines_of_before_answer(workspace: lamina.Workspace) -> None:
    before = said(workspace.where(COMMON, 3))
    assert before == [("one", "b.c", "wins", False), ("two", "b.c", "wins", False)]
    workspace.update({COMMON: "new: [\na: 1\nb:\n  c: 2\n"})
    assert said(workspace.where(COMMON, 4)) == [(*each[:3], True) for each in before]
    assert workspace.where(COMMON, 1) == []
    assert workspace.chosen_by(COMMON) == ()
    assert workspace.uses(COMMON)[4] == workspace.where(COMMON, 4)
    workspace.update({COMMON: FILES[COMMON]})
    assert said(workspace.where(COMMON, 3)) == before


def test_all_lines_of_a_file(workspace: lamina.Workspace) -> None:
    found = workspace.uses(COMMON)
    assert found == {line: uses for line in range(1, 9) if (uses := workspace.where(COMMON, line))}
    assert workspace.uses(COMMON, [1, 7]) == {1: found[1]}
    workspace.update({ONE: "a: 3\nb: {c: 5}\n"})
    assert ("one", "b", "overridden", False) in said(workspace.uses(COMMON)[3])


def test_who_reads_does_not_wait_for_who_tries(workspace: lamina.Workspace) -> None:
    workspace.load()
    trying, read = Event(), Event()

    def try_it() -> None:
        with workspace.trial({ONE: "a: 9\n"}):
            trying.set()
            assert read.wait(30)

    thread = Thread(target=try_it)
    thread.start()
    assert trying.wait(30)
    assert [each.result.plain["a"] for each in workspace.outcomes() if each.result] == [3, 1]
    assert said(workspace.where(COMMON, 1))[0] == ("one", "a", "overridden", False)
    read.set()
    thread.join()


def test_lint_sees_what_is_not_saved(workspace: lamina.Workspace) -> None:
    assert workspace.lint([ONE]).findings == ()
    workspace.update({ONE: "password: hunter2hunter2\n"})
    (found,) = workspace.lint([ONE]).findings
    assert (found.code, found.at) == ("cleartext-secret", Origin(ONE, 1, 1))
    assert workspace.lint([COMMON]).findings == ()
    assert found in workspace.lint().findings


def test_fixes_are_edits_of_the_text_as_it_is_now(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("#cloud-config\nhostname: x\n")
    (tmp_path / "b.yaml").write_text("#cloud-config\nlocale: C\n")
    (tmp_path / "lamina.toml").write_text('[targets.t]\ndialect = "cloud-init"\ninputs = ["a.yaml", "b.yaml"]\n')
    workspace = lamina.Workspace(discover(tmp_path)[0])
    assert workspace.fixes("b.yaml") == {}
    workspace.update({"b.yaml": "#cloud-config\n# more\nlocale: C\nhostname: x\n"})
    ((note, edit),) = workspace.fixes("b.yaml").items()
    assert note.code == "redundant-value"
    assert (edit.start, edit.end, edit.text) == ((4, 1), (5, 1), "")


def test_findings_of_a_file(workspace: lamina.Workspace) -> None:
    impact = workspace.update({COMMON: "a: [\n"})
    (found,) = workspace.findings(COMMON)
    assert found.targets == ["one", "two"]
    assert [each.entry for each in impact.findings_by_file[COMMON]] == [found.entry]
    assert workspace.findings(ONE) == []


def test_nobody_waits_any_more(workspace: lamina.Workspace) -> None:
    with pytest.raises(Cancelled):
        workspace.load(cancelled=lambda: True)
    with pytest.raises(Cancelled):
        workspace.update({ONE: "a: 5\n"}, cancelled=lambda: True)
    assert workspace.result("one").plain["a"] == 3  # it was cancelled before anything was changed


def test_a_difference_to_an_earlier_state(workspace: lamina.Workspace) -> None:
    before = workspace.seen()
    workspace.update({ONE: "a: 5\n"})
    workspace.update({ONE: "a: 6\n"})
    impact = workspace.impact_since(before, {ONE: FILES[ONE].encode()})
    assert impact.targets == ["one"]
    assert [(group.change.before, group.change.after) for group in impact.changes] == [(3, 6)]


def test_places_in_texts(workspace: lamina.Workspace) -> None:
    workspace.update({COMMON: "a: 1\nb:\n  c: [2,\n    3]\n"})
    assert workspace.range_at(Origin(COMMON, 3, 6)) == ((3, 6), (4, 7))
    assert workspace.path_of(Origin(COMMON, 1, 1)) == COMMON
    assert workspace.path_of(Origin("nowhere.yaml", 1, 1)) is None
    assert [each.path for each in entries_of(workspace.outline(COMMON))] == [("a",), ("b",), ("b", "c")]
    assert workspace.keys_at((), "a") == [("a", 2)]
    assert workspace.keys_at(("b",)) == [("c", 1)]
