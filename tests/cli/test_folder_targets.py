"""A folder as the only input: the project it has, the files of user-data in it, or the instance it is laid out as."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lamina.cli.group import lamina

REPOSITORIES = Path(__file__).parents[2] / "examples/repositories"
USER_DATA = {
    "base.yaml": "#cloud-config\nhostname: base\n",
    "hosts/web.yml": "## template: jinja\n#cloud-config\nhostname: web\n",
    "hosts/mail": "Content-Type: text/cloud-config\nMIME-Version: 1.0\n\n#cloud-config\nhostname: mail\n",
    "misspelt.yaml": "#cloud-confg\nhostname: x\n",
    "setup.sh": "#!/bin/sh\necho\n",
    "run": "#!/bin/sh\necho\n",
    "compose.yaml": "services: {}\n",
    ".github/ci.yaml": "#cloud-config\nhostname: hidden\n",
}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(lamina, arguments, standalone_mode=False)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.fixture
def user_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path, USER_DATA)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", [("render", "-q"), ("lint",), ("targets",), ("plan", "-q")])
@pytest.mark.parametrize("repository", ["cloud-init", "datum", "pegleg", "tripleo"])
def test_the_folder_of_a_project_is_the_project(
    repository: str, command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(REPOSITORIES / repository, tmp_path / "project")
    monkeypatch.chdir(tmp_path / "project")
    named, unnamed = run(*command, "."), run(*command)
    assert named.stdout == unnamed.stdout
    assert named.return_value == unnamed.return_value
    assert type(named.exception) is type(unnamed.exception)
    assert str(named.exception) == str(unnamed.exception)


def test_options_of_a_dialect_are_about_the_folder_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(REPOSITORIES / "datum/source", tmp_path, dirs_exist_ok=True)
    (tmp_path / "lamina.toml").write_text('[patterns.nodes]\ndialect = "datum"\nnodes = "."\n')
    monkeypatch.chdir(tmp_path)
    assert run("render", "-q", ".", "--node", "DevWeb01").stdout.startswith("NodeName: DevWeb01\n")


NAMES = ["base.yaml", "hosts/mail", "hosts/web.yml", "misspelt.yaml"]


@pytest.mark.parametrize("dialect", [(), ("--dialect", "cloud-init")])
def test_files_of_user_data_are_targets_of_their_own(user_data: Path, dialect: tuple[str, ...]) -> None:
    shown = run("render", "-q", ".", *dialect).stdout
    assert [line.removeprefix("# target: ") for line in shown.splitlines() if line.startswith("# target")] == NAMES
    assert [line for line in shown.splitlines() if line.startswith("hostname")] == [
        "hostname: base",
        "hostname: mail",
        "hostname: web",
    ]
    listed = run("targets", ".", *dialect).stdout
    assert [line.partition(" ")[0] for line in listed.splitlines() if not line.startswith(" ")] == NAMES


def test_the_workspace_has_the_same_targets(user_data: Path) -> None:
    found = run("find", "hostname")
    assert found.stdout.count("hostname: ") == 3
    assert "misspelt.yaml:1:1" in found.stderr, "what it ignores is said"
    assert "hostname: set by this line, in base.yaml" in run("where", "base.yaml:2").stdout


def test_one_of_the_files_can_be_named(user_data: Path) -> None:
    assert run("render", "-q", ".", "--target", "base.yaml").stdout == "#cloud-config\nhostname: base\n"


def test_two_folders_of_user_data_are_compared_file_by_file(user_data: Path, tmp_path: Path) -> None:
    shutil.copytree(user_data / "hosts", user_data / "later")
    write(
        user_data, {"later/web.yml": "#cloud-config\nhostname: web2\n", "later/new.yml": "#cloud-config\nhostname: n\n"}
    )
    shown = run("diff", "hosts", "later")
    assert shown.return_value == 1
    assert '"web" → "web2"' in shown.stdout
    assert "new.yml" in shown.stdout
    assert "mail" not in shown.stdout


def test_links_that_lead_nowhere_are_no_user_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "roles").symlink_to("../elsewhere/roles")
    (tmp_path / "gate.yaml").symlink_to("../elsewhere/gate.yaml")
    monkeypatch.chdir(tmp_path)
    assert "nothing in . looks like" in str(run("lint", ".").exception)
    assert "nothing in . belongs to cloud-init" in str(run("lint", ".", "--dialect", "cloud-init").exception)


def test_a_file_that_cannot_be_read_is_not_left_out(user_data: Path) -> None:
    os.mkfifo(user_data / "pipe.yaml")  # as root, there is no file without the right to read it
    ended = run("lint", ".")
    assert ended.return_value == 1
    assert "pipe.yaml is a named pipe" in ended.stdout


def test_an_instance_is_one_target(user_data: Path) -> None:
    write(user_data, {"user-data": "#cloud-config\nhostname: one\n"})
    shown = run("render", "-q", ".").stdout
    assert "# target" not in shown
    assert "hostname: one\n" in shown


@pytest.mark.parametrize(
    ("other", "name"),
    [
        ("hiera.yaml", "hiera"),
        ("Datum.yml", "datum"),
        ("layers.yaml", "layers"),
    ],
)
def test_a_folder_of_another_system_stays_that(user_data: Path, other: str, name: str) -> None:
    from lamina.dialects.registry import detect
    from lamina.sources.inputs import gather

    assert detect(gather(".")).name == "cloud-init"
    write(user_data, {other: "{}\n"})
    assert detect(gather(".")).name == name


def test_the_sites_of_a_repository_are_targets_without_a_project_file(tmp_path: Path) -> None:
    shutil.copytree(REPOSITORIES / "pegleg", tmp_path / "sites")
    (tmp_path / "sites/lamina.toml").unlink()
    shown = run("render", "-q", str(tmp_path / "sites")).stdout
    assert [line for line in shown.splitlines() if line.startswith("# target")] == [
        f"# target: {name}" for name in ("bench", "berlin", "lyon")
    ]


def test_a_rule_in_a_fragment_is_for_merging_it_elsewhere(tmp_path: Path) -> None:
    rule = "merge_how: list(append)+dict(recurse_list)+str()"
    write(tmp_path, {name: f"#cloud-config\n{rule}\npackages: [{name}]\n" for name in ("web.yaml", "db.yaml")})
    assert run("lint", str(tmp_path)).stdout == "no findings\n"
