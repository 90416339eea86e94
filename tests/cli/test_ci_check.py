"""The check that the GitHub Action and the GitLab component run in a repository, with a server for comments."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from lamina.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
BASE = "#cloud-config\ntimezone: UTC\n"
CHANGED = "#cloud-config\ntimezone: Europe/Oslo\n"


def run(folder: Path, *command: str, **job: str) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    names = {f"GIT_{who}_{what}": "n@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {**os.environ, **names, "PATH": path, "GIT_CONFIG_GLOBAL": os.devnull, **job}
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


def check(repository: Path, *arguments: str, **job: str) -> subprocess.CompletedProcess[str]:
    return run(repository, sys.executable, "-m", "lamina.cli.pull_request", *arguments, **job)


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


class Comments:
    """The comments of a request as a CI service keeps them, and what was asked of it."""

    def __init__(self) -> None:
        self.bodies = {number: f"somebody's comment {number}" for number in range(1, 131)}
        self.asked: list[tuple[str, str, str]] = []

    def answer(self, method: str, address: str, token: str, text: str | None) -> object:
        path = urlsplit(address)
        self.asked.append((method, path.path, token))
        if method == "GET":
            page = int(parse_qs(path.query)["page"][0])
            shown = list(self.bodies.items())[100 * (page - 1) : 100 * page]
            return [{"id": number, "body": body} for number, body in shown]
        number = max(self.bodies) + 1 if method == "POST" else int(path.path.rsplit("/", 1)[1])
        assert text is not None
        self.bodies[number] = text
        return {"id": number}


@pytest.fixture
def service() -> Iterator[tuple[str, Comments]]:
    comments = Comments()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            text = json.loads(self.rfile.read(length))["body"] if length else None
            token = self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN") or ""
            data = json.dumps(comments.answer(self.command, self.path, token, text)).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PUT = do_PATCH = _answer  # noqa: N815 - the names of the standard library

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", comments
        server.shutdown()
        thread.join()


def jobs(address: str) -> dict[str, tuple[str, str, str, dict[str, str]]]:
    """The method that changes a comment, where comments are, and one of them, for the jobs of each CI service."""
    github = {
        "GITHUB_API_URL": address,
        "GITHUB_REPOSITORY": "us/site",
        "GITHUB_TOKEN": "t",
        "LAMINA_PULL_REQUEST": "7",
    }
    gitlab = {"CI_API_V4_URL": address, "CI_PROJECT_ID": "12", "CI_MERGE_REQUEST_IID": "7", "LAMINA_TOKEN": "t"}
    return {
        "github": ("PATCH", "/repos/us/site/issues/7/comments", "/repos/us/site/issues/comments/131", github),
        "gitlab": (
            "PUT",
            "/projects/12/merge_requests/7/notes",
            "/projects/12/merge_requests/7/notes/131",
            gitlab,
        ),
    }


@pytest.mark.parametrize("name", ["github", "gitlab"])
def test_one_comment_is_written_and_then_changed(name: str, repository: Path, service: tuple[str, Comments]) -> None:
    address, comments = service
    method, place, own, job = jobs(address)[name]
    commit(repository, CHANGED)
    assert check(repository, "main", "comment.md", "team.yaml", **job).returncode == 0
    assert comments.bodies[131].startswith("<!-- lamina -->\n### 1 change")
    commit(repository, BASE)
    assert check(repository, "main", "comment.md", "team.yaml", **job).returncode == 0
    assert "No differences" in comments.bodies[131]
    assert len(comments.bodies) == 131
    written = [(method, path) for method, path, _ in comments.asked if method != "GET"]
    assert written == [("POST", place), (method, own)]
    assert all(token.endswith("t") for _, _, token in comments.asked)


def test_nothing_is_asked_without_a_token(repository: Path, service: tuple[str, Comments]) -> None:
    address, comments = service
    commit(repository, CHANGED)
    for _, _, _, job in jobs(address).values():
        without = {name: value for name, value in job.items() if not name.endswith("TOKEN")}
        assert check(repository, "main", "comment.md", "team.yaml", **without).returncode == 0
    assert comments.asked == []


def test_action_and_component_run_the_check() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert any("-m lamina.cli.pull_request" in step.get("run", "") for step in action["runs"]["steps"])
    assert all("shell" in step for step in action["runs"]["steps"] if "run" in step)
    spec, jobs = yaml.safe_load_all((ROOT / "templates/lamina.yml").read_text())
    assert any("-m lamina.cli.pull_request" in line for line in jobs["lamina"]["script"])
    assert spec["spec"]["inputs"]["version"]["default"] == VERSION
