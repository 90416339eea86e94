"""Projects: what a project file may contain, its targets, and the files they are rendered from."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

import lamina
from lamina.errors import InputError, LaminaError, UsageError
from lamina.project import project_file
from lamina.project.file_view import overlay_view
from lamina.project.project import Project
from lamina.sources.git_inputs import Repository
from lamina.sources.source import Source
from lamina.views.schemas import text_of

EXAMPLES = Path(__file__).parents[2] / "examples" / "repositories"
HOSTS = '[patterns.hosts]\ndialect = "cloud-init"\neach = "hosts/*.yaml"\ninputs = ["common.yaml", "{path}"]\n'


def project(folder: Path, text: str, files: dict[str, str] | None = None, name: str = "lamina.toml") -> Project:
    """A project in a folder with these files."""
    for path, content in {name: text, **(files or {})}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content)
    return Project.load(folder)


def hosts(folder: Path, text: str = HOSTS) -> Project:
    cloud = "#cloud-config\n"
    names = {f"hosts/{name}.yaml": f"{cloud}hostname: {name}\n" for name in ("web", "db")}
    return project(folder, text, {"common.yaml": f"{cloud}timezone: UTC\n", **names})


def complaint(text: str) -> str:
    with pytest.raises(LaminaError) as caught:
        project_file.parse(Source("lamina.toml", text.encode()), "/project")
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("[target.web]\n", "1:1", "did you mean 'targets'?"),
        ('[targets.web]\ndialect = "heat"\ninput = ["a"]\n', "3:1", "did you mean 'inputs'?"),
        ('[targets.web]\ndialect = "het"\ninputs = ["a"]\n', "2:1", "did you mean 'heat'?"),
        ('[targets.web]\ninputs = ["a"]\n', "1:1", "the dialect is missing"),
        ('[targets.web]\ndialect = "heat"\n', "1:1", "the inputs are missing"),
        ('[targets.web]\ndialect = "heat"\ninputs = "a"\n', "3:1", "a list of strings"),
        ('[targets.web]\ndialect = "heat"\ninputs = ["a", "../b"]\n', "3:16", "is outside the folder"),
        ('[targets.web]\ndialect = "heat"\ninputs = ["/etc/hosts"]\n', "3:11", "is outside the folder"),
        ('[targets.w]\ndialect = "heat"\ninputs = ["a"]\noptions = {via = "x"}\n', "4:1", "for via"),
        (
            '[targets.w]\ndialect = "heat"\ninputs = ["a"]\noptions = {temlate = "x"}\n',
            "4:1",
            "did you mean 'template'?",
        ),
        (
            '[targets.w]\ndialect = "heat"\ninputs = ["a"]\noptions.template = "../x"\n',
            "4:1",
            "is outside the folder",
        ),
        ('[patterns.p]\ndialect = "heat"\n', "1:1", "exactly one of each, nodes, manifest"),
        ('[patterns.p]\ndialect = "heat"\neach = "a/*"\nnodes = "."\n', "1:1", "exactly one of"),
        ('[lint]\nfail-on = "warn"\n[targets]\n', "2:1", "did you mean 'warning'?"),
        ('[lint]\nseverity = {redundant-value = "low"}\n', "2:13", "unknown value 'low'"),
        ('targets = "web"\n', "1:1", "targets must be a table"),
        ("# nothing\n", "1:1", "there is no target"),
        ('ignore = ["a*a*a*a*b"]\n', "1:11", "too many stars"),
        ('[patterns.p]\ndialect = "heat"\neach = "**/**/**/**/x"\ninputs = ["y"]\n', "3:1", "too many stars"),
    ],
)
def test_what_is_wrong_is_reported_with_its_line_and_the_nearest_name(text: str, place: str, words: str) -> None:
    printed = complaint(text)
    assert printed.startswith(f"lamina.toml:{place}:")
    assert words in printed
    assert "hint: " in printed


@pytest.mark.parametrize(
    ("dialect", "option"),
    [("cloud-init", "allow_net"), ("deckhand", "cleartext-secrets"), ("heat", "cleartext_secrets")],
)
def test_a_project_file_grants_no_rights(dialect: str, option: str) -> None:
    printed = complaint(f'[targets.x]\ndialect = "{dialect}"\ninputs = ["a"]\n[targets.x.options]\n{option} = true\n')
    assert printed.startswith("lamina.toml:5:1:")
    assert "caller-only-option" in printed


def test_all_that_is_wrong_is_reported_at_once() -> None:
    printed = complaint('ignored = []\n[targets.a]\ndialect = 1\n[targets.b]\ndialect = "x"\ninputs = ["../y"]\n')
    assert [line.split(":")[1] for line in printed.split("\n") if line.startswith("lamina.toml")] == [
        "1",
        "3",
        "5",
        "6",
    ]


def valid(text: str) -> bool:
    return jsonschema_rs.is_valid(json.loads(text_of("project")), tomllib.loads(text))


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*/lamina.toml")), ids=lambda path: path.parent.name)
def test_the_examples_are_as_the_schema_says(path: Path) -> None:
    assert valid(path.read_text())


@pytest.mark.parametrize(
    "text",
    [
        "",
        '[targets.a]\ndialect = "heat"\n',
        '[targets.a]\ndialect = "heat"\ninputs = ["a"]\nname = "x"\n',
        '[patterns.a]\ndialect = "heat"\n',
        '[patterns.a]\ndialect = "heat"\neach = "a"\nnodes = "b"\ninputs = ["c"]\n',
        f'{HOSTS}[lint]\nfail-on = "warn"\n',
        f"{HOSTS}[more]\n",
    ],
)
def test_the_schema_and_the_program_reject_the_same(text: str) -> None:
    assert not valid(text)
    assert complaint(text)


def test_the_schema_knows_the_fields_that_the_program_knows() -> None:
    schema = json.loads(text_of("project"))
    assert tuple(schema["properties"]) == project_file.FIELDS
    tables = {name: set(table["properties"]) for name, table in schema["$defs"].items()}
    assert tables["lint"] == set(project_file.LINT_FIELDS)
    assert tables["target"] == set(project_file.TARGET_FIELDS)
    patterns = ("path_pattern", "node_pattern", "manifest_pattern")
    assert set().union(*(tables[name] for name in patterns)) == set(project_file.PATTERN_FIELDS)


def test_a_project_is_found_upwards_as_far_as_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts(tmp_path)
    (tmp_path / "hosts/deep").mkdir()
    monkeypatch.chdir(tmp_path / "hosts/deep")
    found = Project.load()
    assert found.targets == ("db", "web")
    result = found.target("web").render(found.view)
    assert result is not None
    assert {origin.source for origin in result.explain("hostname").origins} == {"../../hosts/web.yaml"}
    (tmp_path / "hosts/.git").mkdir()
    with pytest.raises(UsageError, match="lamina init"):
        Project.load()


def test_pyproject_serves_too_and_its_lines_are_reported(tmp_path: Path) -> None:
    text = '[project]\nname = "x"\n[tool.lamina.targets.a]\ndialect = "cloud-init"\ninputs = ["a.yaml"]\n'
    found = project(tmp_path, text, {"a.yaml": "#cloud-config\na: 1\n"}, "pyproject.toml")
    assert found.targets == ("a",)
    with pytest.raises(InputError, match=r"pyproject\.toml:6:1: tool\.lamina\.targets\.a: unknown field 'option'"):
        project(tmp_path, text + "option = 1\n", {}, "pyproject.toml")
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n')
    assert project_file.find(str(tmp_path)) is None
    (tmp_path / "pyproject.toml").write_text('tool = "lamina"\n')
    assert project_file.find(str(tmp_path)) is None


def test_a_pattern_makes_a_target_of_each_path(tmp_path: Path) -> None:
    found = hosts(tmp_path)
    assert found.targets == ("db", "web")
    assert found.target("web").inputs == ("common.yaml", "hosts/web.yaml")
    with pytest.raises(UsageError, match="did you mean 'web'"):
        found.target("wbe")
    assert [target.name for target in found.select(["w*", "nothing"])] == ["web"]


def test_stars_of_a_pattern_have_numbers(tmp_path: Path) -> None:
    text = HOSTS.replace("hosts/*.yaml", "*/hosts/*.yaml").replace('"common.yaml"', '"{1}/common.yaml"')
    files = dict.fromkeys(("a/common.yaml", "a/hosts/x.yaml", "b/common.yaml", "b/hosts/x.yaml"), "#cloud-config\n{}\n")
    found = project(tmp_path, text + 'name = "{1}-{name}"\n', files)
    assert found.targets == ("a-x", "b-x")
    assert found.target("b-x").inputs == ("b/common.yaml", "b/hosts/x.yaml")
    with pytest.raises(InputError, match=r"two targets are called x"):
        _ = project(tmp_path, text).targets
    with pytest.raises(InputError, match=r"lamina\.toml:4:11: nothing is known as \{3\}"):
        _ = project(tmp_path, text.replace("{1}", "{3}")).targets


def test_there_is_a_limit_to_how_many_targets_a_project_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lamina.project.project.MOST", 1)
    with pytest.raises(InputError, match=r"too-many-targets"):
        _ = hosts(tmp_path).targets


def test_rows_of_a_manifest_are_targets(tmp_path: Path) -> None:
    rows = [{"name": name, "inputs": [f"{name}.yaml"]} for name in ("a", "b")]
    manifest = {"dialect": "cloud-init", "inputs": ["common.yaml"], "nodes": rows}
    files = {f"fleet/{name}.yaml": f"#cloud-config\nk: {name}\n" for name in ("a", "b", "common")}
    text = '[patterns.f]\nmanifest = "fleet/fleet.json"\nname = "f/{name}"\n'
    found = project(tmp_path, text, {**files, "fleet/fleet.json": json.dumps(manifest)})
    assert found.targets == ("f/a", "f/b")
    assert found.target("f/b").inputs == ("fleet/common.yaml", "fleet/b.yaml")
    manifest["nodes"] = [{"name": "a", "inputs": ["../../x.yaml"]}]
    (tmp_path / "fleet/fleet.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match="is outside the folder"):
        _ = Project.load(tmp_path).targets


def test_inputs_that_are_missing_are_reported_where_they_are_written(tmp_path: Path) -> None:
    found = project(tmp_path, '[targets.a]\ndialect = "heat"\ninputs = ["here.yaml", "ther.yaml"]\n', {"here.yaml": ""})
    (tmp_path / "there.yaml").write_text("")
    with pytest.raises(InputError, match=r"lamina\.toml:3:24: there is no file or folder ther\.yaml") as caught:
        found.target("a").gathered(found.view)
    assert "there.yaml" in str(caught.value)


def test_a_link_that_leads_out_of_the_project_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.yaml").write_text("#cloud-config\nk: 1\n")
    inside = tmp_path / "inside"
    found = project(inside, '[targets.a]\ndialect = "cloud-init"\ninputs = ["away"]\n')
    for target in ("../outside", "../outside/secret.yaml"):
        (inside / "away").unlink(missing_ok=True)
        (inside / "away").symlink_to(target)
        with pytest.raises(InputError, match=r"lamina\.toml:3:11: away is a link to a path outside the folder"):
            Project.load(inside).target("a").gathered(found.view)


def test_what_is_ignored_is_not_listed(tmp_path: Path) -> None:
    files = {"tools/x.yaml": "", "site/a/tools/y.yaml": "", "site/a/z.yaml": "", "site/b.txt": ""}
    found = project(tmp_path, f'ignore = ["tools/**", "site/**/tools", "*.toml"]\n{HOSTS}', files)
    assert list(found.view.below("").names()) == ["site/a/z.yaml", "site/b.txt"]
    assert list(found.view.below("site").names()) == ["a/z.yaml", "b.txt"]
    assert found.view.matches("site/*") == ["site/a", "site/b.txt"]


def test_a_view_with_files_replaced_in_memory(tmp_path: Path) -> None:
    found = hosts(tmp_path)
    texts = {
        "hosts/web.yaml": "#cloud-config\nhostname: unsaved\n",
        "hosts/db.yaml": None,
        "hosts/new.yaml": "#cloud-config\n{}\n",
    }
    view = overlay_view(found.view, texts)
    assert [target.name for target in found.targets_in(view)] == ["new", "web"]
    result = found.target("web").render(view)
    assert result is not None
    assert result.value == {"hostname": "unsaved", "timezone": "UTC"}
    assert str(result.explain("hostname").origins[0]).startswith(f"{tmp_path}/hosts/web.yaml:2")


def git(folder: Path, *arguments: str) -> None:
    command = ["git", "-c", "user.name=n", "-c", "user.email=n@example.org", "-C", str(folder), *arguments]
    subprocess.run(command, check=True, capture_output=True)


def test_targets_at_a_commit_are_those_that_were_there(tmp_path: Path) -> None:
    found = hosts(tmp_path)
    (tmp_path / "linked").symlink_to("hosts")
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "first")
    (tmp_path / "hosts/db.yaml").unlink()
    (tmp_path / "hosts/web.yaml").write_text("#cloud-config\nhostname: later\n")
    assert Project.load(tmp_path).targets == ("web",)
    with Repository(tmp_path) as repository:
        view = found.at_commit(repository, repository.commit("HEAD"))
        assert [target.name for target in found.targets_in(view)] == ["db", "web"]
        result = found.target("web").render(view)
        assert result is not None
        assert result.value == {"hostname": "web", "timezone": "UTC"}
        assert view.type_of("linked") == "folder"
        assert list(view.below("linked").names()) == ["db.yaml", "web.yaml"]


def test_a_record_knows_whether_another_view_holds_the_same(tmp_path: Path) -> None:
    found = hosts(tmp_path)
    found.target("web").render(found.view)
    record = found.view.record(found.target("web").inputs)
    assert record.read
    assert record.holds_in(overlay_view(found.view, {"hosts/db.yaml": "changed"}))
    assert not record.holds_in(overlay_view(found.view, {"hosts/web.yaml": "changed"}))
    assert not record.holds_in(overlay_view(found.view, {"common.yaml": None}))


def test_what_a_folder_lists_is_part_of_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES / "pegleg")
    found = Project.load()
    found.target("berlin").render(found.view)
    record = found.view.record(found.target("berlin").inputs)
    assert record.holds_in(overlay_view(found.view, {"site/lyon/more.yaml": "x: 1\n"}))
    assert not record.holds_in(overlay_view(found.view, {"global/more.yaml": "x: 1\n"}))


def test_sources_that_targets_share_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES / "pegleg")
    found = Project.load()
    first, other = (found.target(name).gathered(found.view) for name in ("berlin", "lyon"))
    assert first is not None
    assert other is not None
    shared: list[Any] = [each.folders[0].files.read("charts/ingress.yaml") for each in (first, other)]
    assert shared[0] is shared[1]


def test_the_public_names() -> None:
    assert lamina.Project is Project
    assert lamina.Project.load(EXAMPLES / "datum").targets == ("DevSql01", "DevWeb01", "ProdWeb01", "ProdWeb02")
