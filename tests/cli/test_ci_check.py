"""The script that the GitHub Action and the GitLab template call, in a repository of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
BASE = "#cloud-config\ntimezone: UTC\n"
CHANGED = "#cloud-config\ntimezone: Europe/Oslo\n"


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    names = {f"GIT_{who}_{what}": "n@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {**os.environ, **names, "PATH": path, "GIT_CONFIG_GLOBAL": os.devnull}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "team.yaml").write_text(BASE)
    for command in ("init -q -b main", "add .", "commit -q -m before", "checkout -q -b change"):
        assert run(tmp_path, "git", *command.split()).returncode == 0
    return tmp_path


def commit(repository: Path, text: str) -> None:
    (repository / "team.yaml").write_text(text)
    assert run(repository, "git", "commit", "-q", "-a", "-m", "after").returncode == 0


def check(repository: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(repository, str(ROOT / "ci/check"), *arguments)


def test_a_clean_change_passes_and_is_reported(repository: Path) -> None:
    commit(repository, CHANGED)
    done = check(repository, "main", "comment.md", "team.yaml")
    assert (done.returncode, done.stdout) == (0, "no findings\n")
    comment = (repository / "comment.md").read_text()
    assert comment.startswith("<!-- lamina -->\n### 1 change")
    assert "team.yaml:2" in comment


def test_findings_fail_the_check_and_the_difference_is_still_reported(repository: Path) -> None:
    commit(repository, f"{CHANGED}timezone: UTC\n")
    done = check(repository, "main", "comment.md", "team.yaml")
    assert done.returncode == 1
    assert "duplicate-key" in done.stdout
    assert "<!-- lamina -->" in (repository / "comment.md").read_text()


def test_without_inputs_the_targets_of_the_project_are_checked(repository: Path) -> None:
    text = '[patterns.all]\ndialect = "cloud-init"\neach = "team*.yaml"\ninputs = ["base.yaml", "{path}"]\n'
    (repository / "lamina.toml").write_text(text)
    (repository / "base.yaml").write_text("#cloud-config\nlocale: C\n")
    (repository / "team2.yaml").write_text("#cloud-config\nhostname: two\n")
    assert run(repository, "git", "add", ".").returncode == 0
    commit(repository, BASE)
    assert run(repository, "git", "branch", "-f", "main").returncode == 0
    (repository / "base.yaml").write_text("#cloud-config\nlocale: en\n")
    commit(repository, BASE)
    done = check(repository, "main", "comment.md")
    assert (done.returncode, done.stdout) == (0, "no findings\n")
    comment = (repository / "comment.md").read_text()
    assert comment.startswith("<!-- lamina -->\n### 1 change in 2 of 2 targets")
    assert '| ~ | 2 of 2 targets | `locale` | `"C"` | `"en"` | `base.yaml:2` |' in comment


def test_a_revision_that_is_not_there_is_reported(repository: Path) -> None:
    done = check(repository, "nowhere", "comment.md", "team.yaml")
    assert done.returncode in (2, 3)
    assert "unknown-revision" in done.stderr
    assert "cannot be compared" in (repository / "comment.md").read_text()


def test_the_usage_is_reported(repository: Path) -> None:
    assert check(repository, "main").returncode == 2


def test_action_and_template_call_the_script() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert any("/ci/check" in step.get("run", "") for step in action["runs"]["steps"])
    assert all("shell" in step for step in action["runs"]["steps"] if "run" in step)
    template = yaml.safe_load((ROOT / "ci/lamina.gitlab-ci.yml").read_text())
    assert template[".lamina"]["variables"]["LAMINA_CHECK"] == "ci/check"
