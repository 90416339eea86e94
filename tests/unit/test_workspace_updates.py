"""Workspaces: what is rendered again, what a line decides, and what stays while a file is broken."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

import lamina
from lamina.engine.node import Node
from lamina.project.target import Target
from support.workspace_files import BROKEN, CLOUD_INIT, DATUM, DECKHAND, HEAT, HIERA, Repository


def opened(root: Path, repository: Repository) -> lamina.Workspace:
    for path, text in repository.start.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return lamina.Workspace(root)


def test_only_what_depends_on_a_change_is_rendered(tmp_path: Path) -> None:
    workspace = opened(tmp_path, DATUM)
    before = workspace.result("b")
    impact = workspace.update({"data/AllNodes/a.yml": "NodeName: a\nRole: Web\nNet: {Mtu: 9}\n"})
    assert impact.targets == ["a"]
    assert impact.rendered == 1
    (group,) = impact.changes
    assert (group.change.where, group.change.after, group.outputs) == ("Net.Mtu", 9, ["a"])
    assert "data/AllNodes/a.yml:3" in str(group.change.causes[0])
    assert workspace.result("b") is before


def test_a_file_nobody_reads_renders_nothing(tmp_path: Path) -> None:
    workspace = opened(tmp_path, HEAT)
    impact = workspace.update({"unrelated.yaml": "x: 1\n"})
    assert not impact
    assert impact.rendered == 0


def test_a_result_whose_keys_come_in_another_order_has_changed(tmp_path: Path) -> None:
    workspace = opened(tmp_path, CLOUD_INIT)
    workspace.update({"hosts/web.yaml": "#cloud-config\nhostname: a\nlocale: C\n"})
    impact = workspace.update({"hosts/web.yaml": "#cloud-config\nlocale: C\nhostname: a\n"})
    assert impact.targets == ["web"]
    assert not impact.changes


def test_a_file_that_came_and_went_renders_nothing(tmp_path: Path) -> None:
    workspace = opened(tmp_path, DATUM)
    workspace.load()
    assert workspace.refresh(["data/AllNodes/a.yml~", "data/AllNodes/a.yml"]).rendered == 0


def test_a_file_that_is_listed_but_not_read_renders_nothing_when_it_changes(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/notes.txt").write_text("one")
    workspace = opened(tmp_path, DATUM)
    workspace.load()
    assert workspace.update({"data/notes.txt": "two"}).rendered == 0
    assert workspace.update({"data/other.txt": "two"}).rendered == 0
    assert workspace.update({"data/notes.txt": None}).rendered == 0


def test_a_node_that_comes_or_goes_renders_no_other_node(tmp_path: Path) -> None:
    workspace = opened(tmp_path, DATUM)
    before = workspace.result("a"), workspace.result("b")
    came = workspace.update({"data/AllNodes/c.yml": "NodeName: c\nRole: Web\n"})
    assert (came.targets, came.rendered) == (["c"], 1)
    went = workspace.update({"data/AllNodes/c.yml": None})
    assert (went.targets, went.rendered) == (["c"], 0)
    moved = workspace.update({"data/AllNodes/b.yml": None, "data/AllNodes/Prod/b.yml": "NodeName: b\nRole: Sql\n"})
    assert (moved.targets, moved.rendered) == (["b"], 1)
    assert workspace.result("a") is before[0]


def test_a_role_that_comes_renders_those_that_looked_for_it(tmp_path: Path) -> None:
    workspace = opened(tmp_path, DATUM)
    workspace.update({"data/AllNodes/b.yml": "NodeName: b\nRole: Db\nConfigurations: [Net]\n"})
    impact = workspace.update({"data/Roles/Db.yml": "Net: {Port: 1}\n"})
    assert (impact.targets, impact.rendered) == (["b"], 1)


def test_a_data_file_of_hiera_that_comes_renders_those_that_looked_for_it(tmp_path: Path) -> None:
    workspace = opened(tmp_path, HIERA)
    workspace.load()
    came = workspace.update({"env/data/nodes/b.yaml": "x: 8\n"})
    assert (came.targets, came.rendered) == (["b"], 1)
    assert workspace.update({"env/data/nodes/nobody.yaml": "x: 8\n"}).rendered == 0
    node = workspace.update({"env/facts/c.yaml": "id: c\n"})
    assert (node.targets, node.rendered) == (["c"], 1)
    module = workspace.update({"env/modules/mill/hiera.yaml": "version: 5\n"})
    assert module.rendered == 3  # each of them asks for all modules


def test_a_file_that_makes_the_tree_invalid_concerns_all(tmp_path: Path) -> None:
    workspace = opened(tmp_path, DATUM)
    one = '[targets.one]\ndialect = "datum"\ninputs = ["data"]\noptions.node = "a"\n'
    workspace.update({"lamina.toml": one})
    impact = workspace.update({"data/Roles/Sql.yaml": "x: 1\n"})  # beside Sql.yml, and neither is a layer of the node
    assert impact.targets == ["one"]
    with pytest.raises(lamina.LaminaError, match="duplicate-file-name"):
        workspace.result("one")
    assert workspace.update({"data/Roles/Sql.yaml": None}).targets == ["one"]
    assert workspace.result("one").value["Net"]["Mtu"] == 1500


def test_what_all_files_together_decide_follows_a_file_that_comes(tmp_path: Path) -> None:
    workspace = opened(tmp_path, DATUM)
    roles = {"data/Roles/Web.yml": "Net: {Port: 80}\n", "data/Roles/Sql.yml": "Net: {Port: 1}\n"}
    workspace.update(roles)
    assert "no-configurations" in {note.code for note in workspace.result("a").notes}
    impact = workspace.update({"data/Roles/Other.yml": "Configurations: [Net]\n"})
    assert impact.rendered == 2
    with pytest.raises(lamina.LaminaError, match="null-lookup"):
        workspace.result("a")


def test_a_folder_that_is_removed_from_disk_is_missing(tmp_path: Path) -> None:
    workspace = opened(tmp_path, DECKHAND)
    workspace.update({"lamina.toml": '[targets.one]\ndialect = "deckhand"\ninputs = ["global", "site/one"]\n'})
    workspace.result("one")
    shutil.rmtree(tmp_path / "site/one")
    assert workspace.refresh(["site/one/doc.yaml"]).targets == ["one"]
    with pytest.raises(lamina.LaminaError, match="there is no file or folder site/one"):
        workspace.result("one")


def test_a_folder_that_is_renamed_takes_its_files_with_it(tmp_path: Path) -> None:
    workspace = opened(tmp_path, CLOUD_INIT)
    workspace.load()
    (tmp_path / "new").mkdir()
    (tmp_path / "new/mail.yaml").write_text("#cloud-config\nhostname: mail\n")
    (tmp_path / "hosts").rename(tmp_path / "old")
    (tmp_path / "new").rename(tmp_path / "hosts")
    assert sorted(workspace.refresh(["hosts", "new", "old"]).targets) == ["db", "mail", "web"]
    assert workspace.targets == ("mail",)


def test_notes_neither_come_nor_go_while_a_target_fails(tmp_path: Path) -> None:
    workspace = opened(tmp_path, DATUM)
    workspace.update({"data/AllNodes/a.yml": "NodeName: a\nRole: Nothing\nConfigurations: [Net]\n"})
    assert "missing-layer" in {note.code for note in workspace.result("a").notes}
    for path in ("data/Datum.yml", "lamina.toml"):
        broken = workspace.update({path: BROKEN})
        assert {group.entry.severity.name for group in broken.findings} == {"ERROR"}
        assert not broken.resolved
        repaired = workspace.update({path: DATUM.start[path]})
        assert not repaired.findings
        assert {group.entry.severity.name for group in repaired.resolved} == {"ERROR"}


def test_an_impact_names_the_files_that_changed(tmp_path: Path) -> None:
    workspace = opened(tmp_path, DATUM)
    same = {"data/Baselines/All.yml": DATUM.start["data/Baselines/All.yml"]}
    assert workspace.update({"data/AllNodes/c.yml": "NodeName: c\n", **same}).files == ["data/AllNodes/c.yml"]


def test_another_definition_file_concerns_all(tmp_path: Path) -> None:
    workspace = opened(tmp_path, DATUM)
    workspace.load()
    impact = workspace.update({"data/Datum.json": '{"ResolutionPrecedence": ["Baselines\\\\All"]}'})
    assert impact.rendered == 2


def test_what_a_project_ignores_from_now_on_is_no_longer_used(tmp_path: Path) -> None:
    workspace = opened(tmp_path, DATUM)
    assert workspace.result("a").value["Net"]["Mtu"] == 1500
    workspace.update({"lamina.toml": 'ignore = ["data/Roles"]\n' + DATUM.start["lamina.toml"]})
    assert "Net" not in workspace.result("a").value or workspace.result("a").value["Net"]["Mtu"] == 1400


def test_a_file_that_was_missed_counts_when_it_comes(tmp_path: Path) -> None:
    workspace = opened(tmp_path, DATUM)
    workspace.update({"data/AllNodes/a.yml": "NodeName: a\nRole: Db\nConfigurations: [Net]\n"})
    assert workspace.result("a").value["Net"] == {"Mtu": 1400}
    impact = workspace.update({"data/Roles/Db.yml": "Net: {Port: 1}\n"})
    assert impact.targets == ["a"]
    assert workspace.result("a").value["Net"] == {"Mtu": 1400, "Port": 1}


def test_targets_come_and_go(tmp_path: Path) -> None:
    workspace = opened(tmp_path, CLOUD_INIT)
    impact = workspace.update({"hosts/new.yaml": "#cloud-config\nhostname: new\n", "hosts/db.yaml": None})
    assert workspace.targets == ("new", "web")
    assert sorted(impact.targets) == ["db", "new"]
    assert sorted(str(group.change.kind.value) for group in impact.changes) == ["added", "removed"]
    with pytest.raises(lamina.UsageError, match="unknown target 'db'"):
        workspace.result("db")
    assert workspace.last_good("db") is None


def test_the_last_good_result_stays_while_a_file_is_broken(tmp_path: Path) -> None:
    workspace = opened(tmp_path, HEAT)
    good = workspace.result("cloud")
    impact = workspace.update({"base.yaml": BROKEN})
    assert impact.targets == ["cloud"]
    assert impact.findings[0].targets == ["cloud"]
    with pytest.raises(lamina.LaminaError, match="malformed-yaml"):
        workspace.result("cloud")
    assert workspace.last_good("cloud") is good
    repaired = workspace.update({"base.yaml": HEAT.start["base.yaml"]})
    assert repaired.resolved[0].targets == ["cloud"]
    assert not repaired.changes
    assert workspace.result("cloud").value == good.value


def test_an_error_is_raised_without_the_traces_of_former_raises(tmp_path: Path) -> None:
    workspace = opened(tmp_path, HEAT)
    workspace.update({"base.yaml": BROKEN})
    depths = []
    for _ in range(3):
        with pytest.raises(lamina.LaminaError) as raised:
            workspace.result("cloud")
        depths.append(len(raised.traceback))
    assert len(set(depths)) == 1


def test_what_an_interrupted_update_left_out_is_rendered_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = opened(tmp_path, DATUM)
    workspace.load()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Target, "render", interrupted)
        workspace.update({"data/Baselines/All.yml": "Net: {Mtu: 7}\n"})
    assert workspace.result("b").value["Fw"] == {"On": False}
    assert workspace.result("a").value["Net"]["Mtu"] == 1500


def test_a_site_takes_over_the_documents_that_do_not_depend_on_a_change(tmp_path: Path) -> None:
    workspace = opened(tmp_path, DECKHAND)
    other = DECKHAND.files["site/two/doc.yaml"][1]
    workspace.update({"lamina.toml": DECKHAND.files["lamina.toml"][1], "site/two/doc.yaml": other})
    before = nodes(workspace.result("all"))
    impact = workspace.update({"site/two/doc.yaml": other.replace("u: [1]", "u: [2]")})
    after = nodes(workspace.result("all"))
    assert [group.change.where for group in impact.changes] == ["data.u[0]"]
    assert {name for name in after if after[name] is not before[name]} == {"x/Y/v1/other (site)"}
    workspace.update({"global/base.yaml": DECKHAND.start["global/base.yaml"].replace("x: 1", "x: 2")})
    changed = nodes(workspace.result("all"))
    assert {name for name in changed if changed[name] is after[name]} == {
        "deckhand/LayeringPolicy/v1/p",
        "x/Y/v1/other (site)",
    }


def nodes(result: lamina.Result) -> dict[str, Node]:
    return {folded.output.name: folded.node for folded in result.outputs}


def test_a_broken_project_file_keeps_the_targets(tmp_path: Path) -> None:
    workspace = opened(tmp_path, DATUM)
    good = workspace.result("a")
    workspace.update({"lamina.toml": "[targets"})
    assert workspace.targets == ("a", "b")
    workspace.update({"data/Baselines/All.yml": "Net: {Mtu: 7}\n"})
    with pytest.raises(lamina.LaminaError):
        workspace.result("a")
    assert workspace.last_good("a") is not None
    workspace.update(
        {"lamina.toml": DATUM.start["lamina.toml"], "data/Baselines/All.yml": DATUM.start["data/Baselines/All.yml"]}
    )
    assert workspace.result("a").value == good.value


def test_the_disk_is_left_alone(tmp_path: Path) -> None:
    workspace = opened(tmp_path, CLOUD_INIT)
    workspace.update({"hosts/web.yaml": "#cloud-config\nhostname: x\n", "extra.yaml": None})
    assert (tmp_path / "hosts/web.yaml").read_text() == CLOUD_INIT.start["hosts/web.yaml"]
    assert (tmp_path / "extra.yaml").exists()


def test_refresh_takes_over_what_is_on_disk(tmp_path: Path) -> None:
    workspace = opened(tmp_path, CLOUD_INIT)
    workspace.load()
    (tmp_path / "hosts/web.yaml").write_text("#cloud-config\nhostname: x\n")
    (tmp_path / "hosts/db.yaml").unlink()
    assert workspace.result("web").value == {"packages": ["nginx"], "runcmd": ["a"]}
    impact = workspace.refresh(["hosts/web.yaml", "hosts/db.yaml"])
    assert sorted(impact.targets) == ["db", "web"]
    assert workspace.result("web").value["hostname"] == "x"


def test_a_path_that_leads_out_is_rejected(tmp_path: Path) -> None:
    workspace = opened(tmp_path, CLOUD_INIT)
    with pytest.raises(lamina.InputError, match="is outside the folder"):
        workspace.update({"../x.yaml": ""})


def test_a_link_leads_to_one_content(tmp_path: Path) -> None:
    workspace = opened(tmp_path / "project", CLOUD_INIT)
    (tmp_path / "project/hosts/link.yaml").symlink_to("web.yaml")
    workspace = lamina.Workspace(tmp_path / "project")
    impact = workspace.update({"hosts/web.yaml": "#cloud-config\nhostname: both\n"})
    assert sorted(impact.targets) == ["link", "web"]


def test_several_threads_may_use_one(tmp_path: Path) -> None:
    workspace = opened(tmp_path, DATUM)
    failed: list[BaseException] = []

    def run(number: int) -> None:
        try:
            for value in range(20):
                workspace.update(
                    {"data/AllNodes/a.yml": f"NodeName: a\nRole: Web\nNet: {{Mtu: {number * 100 + value}}}\n"}
                )
                workspace.result("a").to_yaml()
                workspace.where("data/Baselines/All.yml", 1)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def uses(
    workspace: lamina.Workspace, path: str, line: int, column: int | None = None
) -> set[tuple[str, str, str, str]]:
    found = workspace.where(path, line, column)
    return {(use.target, use.where, use.verdict, f"{use.by.source}:{use.by.line}" if use.by else "") for use in found}


def at(root: Path, place: str) -> str:
    return f"{root}/{place}"


def test_where_in_datum(tmp_path: Path) -> None:
    workspace = opened(tmp_path, DATUM)
    assert uses(workspace, "data/Roles/Web.yml", 2, 7) == {("a", "Net.Mtu", "wins", "")}
    baseline = uses(workspace, "data/Baselines/All.yml", 1)
    assert baseline == {("a", "Net.Mtu", "overridden", at(tmp_path, "data/Roles/Web.yml:2"))}
    assert uses(workspace, "data/Datum.yml", 8) == {("a", "Net", "steers", "")}
    assert uses(workspace, "data/AllNodes/a.yml", 3) == set()


def test_where_in_cloud_init(tmp_path: Path) -> None:
    workspace = opened(tmp_path, CLOUD_INIT)
    replaced = uses(workspace, "common.yaml", 2)
    assert ("web", "packages", "overridden", at(tmp_path, "hosts/web.yaml:2")) in replaced
    assert ("db", "packages[0]", "wins", "") in replaced
    assert {use[2] for use in uses(workspace, "hosts/db.yaml", 2)} == {"steers"}


def test_where_in_a_text_over_several_lines(tmp_path: Path) -> None:
    text = "#cloud-config\nruncmd:\n  - |\n    one\n\n      two\n    # three\n  - four\nlocale: C # five\n"
    workspace = opened(tmp_path, CLOUD_INIT)
    workspace.update({"common.yaml": text})
    for line in (3, 4, 5, 6, 7):
        assert ("db", "runcmd[0]", "wins", "") in uses(workspace, "common.yaml", line), line
    assert ("db", "runcmd[1]", "wins", "") in uses(workspace, "common.yaml", 8)
    assert ("db", "locale", "wins", "") in uses(workspace, "common.yaml", 9)
    assert not uses(workspace, "common.yaml", 1)


def test_where_in_deckhand(tmp_path: Path) -> None:
    workspace = opened(tmp_path, DECKHAND)
    found = workspace.where("global/base.yaml", 11)
    assert {(use.target, use.verdict) for use in found} >= {("one", "wins"), ("two", "wins"), ("one", "overridden")}
    assert all(use.output for use in found)


def test_where_in_a_file_that_is_not_there(tmp_path: Path) -> None:
    workspace = opened(tmp_path, DATUM)
    with pytest.raises(lamina.UsageError, match="there is no file"):
        workspace.where("data/nothing.yml", 1)


def test_a_file_that_is_missing_in_the_workspace_is_not_suggested_because_it_is_on_disk(tmp_path: Path) -> None:
    (tmp_path / "lamina.toml").write_text('[targets.web]\ndialect = "layers"\ninputs = ["hosts/web.yaml"]\n')
    (tmp_path / "hosts").mkdir()
    (tmp_path / "hosts/web.yaml").write_text("a: 1\n")
    workspace = lamina.Workspace(tmp_path)
    workspace.update({"hosts/web.yaml": None})
    with pytest.raises(lamina.InputError) as caught:
        workspace.result("web")
    assert caught.value.diagnostic.hint == "check the path; it starts at the folder of the project"
    workspace.update({"hosts/wbe.yaml": "a: 2\n"})
    with pytest.raises(lamina.InputError) as caught:
        workspace.result("web")
    assert caught.value.diagnostic.hint == "did you mean hosts/wbe.yaml?"


def test_what_caused_a_change_is_a_line_that_was_edited(tmp_path: Path) -> None:
    """Also if the target could not be rendered in between, and if the line is in no layer's values."""
    workspace = opened(tmp_path, HIERA)
    workspace.load()
    definition = HIERA.start["env/hiera.yaml"]
    workspace.update({"env/data/common.yaml": BROKEN})
    workspace.update({"env/hiera.yaml": definition.replace("  - {name: node, path: 'nodes/%{facts.id}.yaml'}\n", "")})
    impact = workspace.update({"env/data/common.yaml": HIERA.start["env/data/common.yaml"]})
    gone = f"{tmp_path}/env/hiera.yaml:3 is gone"
    assert {(each.change.where, *map(str, each.change.causes)) for each in impact.changes} == {
        ("x", gone),
        ("list[0]", gone),
    }
