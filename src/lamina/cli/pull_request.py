"""The check of a pull request or merge request, for the jobs of a CI service: findings, and a comment.

    python -m lamina.cli.pull_request BASE COMMENT [INPUT...]     options of lamina may stand among the inputs

Lints the inputs, or without any the targets of the project, and writes what the change does to their result into the
file COMMENT, as Markdown. BASE is the revision that the change is to be merged into. Where the job has a token, the
file becomes a comment: the one that begins with the same line, or a new one.

LAMINA_LINT_FORMAT is the form of the findings. The status is 0, 1 when lint found something, 2 or 3 when the inputs
cannot be rendered. A difference alone is no failure.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.request import Request, urlopen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MARKER = "<!-- lamina -->"
"""The first line of the comment, which tells it from all others, whoever wrote them."""
_PAGE = 100
_MOST_PAGES = 50
_WITHOUT_ANSWER = "The result cannot be compared; the log of the job says why.\n"


class Conversation(NamedTuple):
    """Where the comments of one request are, and how one of them is changed."""

    comments: str
    comment: str
    """The address of a comment, before its number."""
    method: str
    token: tuple[str, str]


def main(arguments: Sequence[str]) -> int:
    """Check the change that the job is for; the exit status."""
    if len(arguments) < 2:
        print("usage: python -m lamina.cli.pull_request BASE COMMENT [INPUT...]", file=sys.stderr)
        return 2
    base, comment, *inputs = arguments
    linted = _lamina("lint", "--format", os.environ.get("LAMINA_LINT_FORMAT", "text"), *inputs).returncode
    compared = _lamina("diff", "-q", "--git", f"{base}...HEAD", "--format", "markdown", *inputs, captured=True)
    failed = compared.returncode > 1
    text = f"{MARKER}\n{compared.stdout}{_WITHOUT_ANSWER if failed else ''}"
    Path(comment).write_text(text, encoding="utf-8")
    if place := conversation(os.environ):
        write(place, text)
    return compared.returncode if failed else linted


def _lamina(*arguments: str, captured: bool = False) -> subprocess.CompletedProcess[str]:
    sys.stdout.flush()
    command = [sys.executable, "-m", "lamina", *arguments]
    return subprocess.run(
        command, stdout=subprocess.PIPE if captured else None, encoding="utf-8", check=False, stdin=subprocess.DEVNULL
    )


def conversation(job: Mapping[str, str]) -> Conversation | None:
    """The conversation of a job of GitHub or GitLab; None if it is not for a request, or has no token."""
    if job.get("GITHUB_TOKEN") and (number := job.get("LAMINA_PULL_REQUEST")):
        issues = f"{job['GITHUB_API_URL']}/repos/{job['GITHUB_REPOSITORY']}/issues"
        token = ("Authorization", f"Bearer {job['GITHUB_TOKEN']}")
        return Conversation(f"{issues}/{number}/comments", f"{issues}/comments", "PATCH", token)
    if job.get("LAMINA_TOKEN") and (number := job.get("CI_MERGE_REQUEST_IID")):
        notes = f"{job['CI_API_V4_URL']}/projects/{job['CI_PROJECT_ID']}/merge_requests/{number}/notes"
        return Conversation(notes, notes, "PUT", ("PRIVATE-TOKEN", job["LAMINA_TOKEN"]))
    return None


def write(place: Conversation, text: str) -> None:
    """Change the comment that is there, or add one."""
    number = _earlier(place)
    if number is None:
        _asked(place, place.comments, "POST", text)
    else:
        _asked(place, f"{place.comment}/{number}", place.method, text)


def _earlier(place: Conversation) -> int | None:
    """The number of the comment that begins with the marker."""
    for page in range(1, _MOST_PAGES + 1):
        comments = _asked(place, f"{place.comments}?per_page={_PAGE}&page={page}")
        for each in comments:
            if each["body"].startswith(MARKER):
                return int(each["id"])
        if len(comments) < _PAGE:
            break
    return None


def _asked(place: Conversation, address: str, method: str = "GET", text: str | None = None) -> Any:
    """The answer of the CI service, whose address the job was given."""
    data = None if text is None else json.dumps({"body": text}).encode()
    headers = dict([place.token, ("Content-Type", "application/json"), ("User-Agent", "lamina")])
    with urlopen(Request(address, data, headers, method=method), timeout=60) as answer:
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
