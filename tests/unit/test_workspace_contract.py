"""The contract of `lamina.Workspace`, sentence by sentence: others build on it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import lamina
from lamina.errors import Note
from lamina.origins import Origin
from support.workspace_files import BROKEN, DATUM, REPOSITORIES, Repository

NODE = "data/AllNodes/a.yml"
OTHER = "NodeName: a\nRole: Web\nNet: {Mtu: 9}\n"


def written(root: Path, repository: Repository = DATUM) -> Path:
    for path, text in repository.start.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture
def workspace(tmp_path: Path) -> lamina.Workspace:
    return lamina.Workspace(written(tmp_path))


def test_it_is_opened_on_a_root_or_a_project(tmp_path: Path) -> None:
    root = written(tmp_path)
    for given in (root, str(root), root / "lamina.toml", lamina.Project.load(root)):
        assert lamina.Workspace(given).targets == ("a", "b")


def test_a_folder_takes_a_dialect_and_its_options(tmp_path: Path) -> None:
    data = written(tmp_path) / "data"
    (tmp_path / "lamina.toml").unlink()
    assert lamina.Workspace(data).targets == ("a", "b")
    assert lamina.Workspace(data, "datum").targets == lamina.Workspace(data, dialect="datum").targets == ("a", "b")
    (only,) = lamina.Workspace(data, "datum", node="b").targets
    assert lamina.Workspace(data, "datum", node="b").result(only).value["NodeName"] == "b"


@pytest.mark.parametrize("name", REPOSITORIES)
def test_results_are_those_of_a_fresh_render_with_names_in_order(name: str, tmp_path: Path) -> None:
    root = written(tmp_path, REPOSITORIES[name])
    workspace, project = lamina.Workspace(root), lamina.Project.load(root)
    assert workspace.targets == project.targets
    for target in workspace.targets:
        result, fresh = workspace.result(target), project.target(target).render(project.view)
        assert isinstance(result, lamina.Result)
        assert fresh is not None
        assert result.to_yaml() == fresh.to_yaml()


def test_update_returns_the_impact(workspace: lamina.Workspace) -> None:
    impact = workspace.update({NODE: OTHER, "data/AllNodes/b.yml": None})
    assert impact.targets == ["a", "b"]
    (change,) = [group for group in impact.changes if group.change.where == "Net.Mtu"]
    assert (change.change.before, change.change.after, change.outputs) == (1500, 9, ["a"])
    assert [str(cause) for cause in change.change.causes]
    broken = workspace.update({"data/Datum.yml": BROKEN})
    assert broken.targets == ["a"]
    (finding,) = broken.findings
    assert isinstance(finding.entry, Note)
    assert finding.targets == ["a"]


def test_an_update_leaves_the_disk_alone(workspace: lamina.Workspace, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    workspace.update({NODE: OTHER, "data/AllNodes/b.yml": None, "data/AllNodes/c.yml": "NodeName: c\nRole: Web\n"})
    assert workspace.targets == ("a", "c")
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_while_a_file_is_broken_the_error_of_a_fresh_render_is_raised(
    workspace: lamina.Workspace, tmp_path: Path
) -> None:
    good = workspace.result("a")
    workspace.update({"data/Datum.yml": BROKEN})
    (tmp_path / "data/Datum.yml").write_text(BROKEN)
    with pytest.raises(lamina.LaminaError) as fresh:
        lamina.render(tmp_path / "data", dialect="datum", node="a")
    with pytest.raises(lamina.LaminaError) as live:
        workspace.result("a")
    assert (type(live.value), live.value.diagnostic) == (type(fresh.value), fresh.value.diagnostic)
    assert workspace.last_good("a") is good


def test_every_verdict_of_where_can_be_met(workspace: lamina.Workspace) -> None:
    workspace.update({NODE: "NodeName: a\nRole: Web\nFw: {On: false}\n"})
    web = [use for use in workspace.where("data/Roles/Web.yml", 2) if use.target == "a"]
    assert ("a", "Net.Port", "wins", None) in {(use.target, use.where, use.verdict, use.by) for use in web}
    lines = [
        ("data/Roles/Web.yml", 2),
        ("data/Baselines/All.yml", 1),
        ("data/Baselines/All.yml", 2),
        ("data/Datum.yml", 8),
    ]
    uses = [use for path, line in lines for use in workspace.where(path, line)]
    assert {use.verdict for use in uses} <= {"wins", "overridden", "ignored", "merged", "steers"}
    assert {"wins", "overridden", "steers"} <= {use.verdict for use in uses}
    for use in uses:
        assert isinstance(use.target, str)
        assert isinstance(use.path, tuple)
        assert use.by is None or isinstance(use.by, Origin)
        assert (use.by is not None) == (use.verdict == "overridden")
    assert workspace.where("data/Roles/Web.yml", 99) == []


@pytest.mark.parametrize(
    "use",
    [
        lambda each: each.targets,
        lambda each: each.result("a"),
        lambda each: each.last_good("a"),
        lambda each: each.update({NODE: OTHER}),
        lambda each: each.what_if({NODE: OTHER}),
        lambda each: each.refresh([NODE]),
        lambda each: each.where(NODE, 1),
        lambda each: each.chosen_by(NODE),
        lambda each: each.source(NODE),
        lambda each: each.outcomes(),
        lambda each: each.load(),
    ],
)
def test_a_closed_workspace_says_so(workspace: lamina.Workspace, use: Callable[[lamina.Workspace], object]) -> None:
    kept = workspace.result("a")
    workspace.close()
    workspace.close()
    with pytest.raises(ValueError, match="the workspace is closed"):
        use(workspace)
    assert kept.value["NodeName"] == "a"
    with lamina.Workspace(workspace.project) as other:
        other.load()
    with pytest.raises(ValueError, match="closed"):
        use(other)


def test_an_update_that_is_rejected_changes_nothing(workspace: lamina.Workspace) -> None:
    before = workspace.result("a").to_yaml()
    with pytest.raises(lamina.LaminaError, match="outside-folder"):
        workspace.update({NODE: OTHER, "../elsewhere.yml": "x: 1\n"})
    with pytest.raises(TypeError, match="not int"):
        workspace.update({NODE: OTHER, "data/Datum.yml": 5})  # type: ignore[dict-item]
    assert workspace.result("a").to_yaml() == before
    assert workspace.update({NODE: OTHER}).targets == ["a"]


def test_eight_threads_update_and_read(workspace: lamina.Workspace) -> None:
    failed: list[BaseException] = []
    barrier = threading.Barrier(8)

    def run(number: int) -> None:
        own = f"data/AllNodes/t{number}.yml"
        try:
            barrier.wait()
            for value in range(15):
                text = f"NodeName: t{number}\nRole: Web\nNet: {{Mtu: {value}}}\n"
                assert f"t{number}" in workspace.update({own: text}).targets
                assert workspace.result(f"t{number}").value["Net"]["Mtu"] == value
                assert workspace.where(own, 3)
                assert workspace.what_if({own: None}).targets == [f"t{number}"]
                assert {"a", "b", f"t{number}"} <= set(workspace.targets)
                assert not workspace.refresh(["data/Baselines"])
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    workspace.update({f"data/AllNodes/t{number}.yml": None for number in range(8)})
    fresh = lamina.Workspace(workspace.project)
    assert workspace.targets == fresh.targets
    assert [workspace.result(each).to_yaml() for each in fresh.targets] == [
        fresh.result(each).to_yaml() for each in fresh.targets
    ]
