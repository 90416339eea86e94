"""The server for assistants, with the own client of the protocol: every tool; one call for each question."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

import lamina
from support.transcripts import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

EXAMPLES = ROOT / "examples"


class Question(NamedTuple):
    """A question, and what its answer has to have in it."""

    tool: str
    arguments: dict[str, Any]
    expected: str


def answers(folder: Path, questions: Sequence[Question]) -> list[tuple[bool, str]]:
    """Whether each answer is an error, and its text; all of one server."""

    async def asked() -> list[tuple[bool, str]]:
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "lamina", "mcp", str(folder)], env=dict(os.environ)
        )
        async with Client(stdio_client(server)) as client:
            found = []
            for each in questions:
                answer = await client.call_tool(each.tool, each.arguments)
                text = "\n".join(getattr(part, "text", "") for part in answer.content)
                found.append((bool(answer.is_error), text))
            return found

    return asyncio.run(asked())


REPOSITORIES = {
    "hiera": [
        Question("targets", {}, "rye.bakery.example"),
        Question("explain", {"path": "bakery::url", "targets": ["rye*"]}, "https://rye.bakery.example/"),
        Question("explain", {"path": "bakery::packages"}, "data/common.yaml"),
        Question("where", {"file": "data/common.yaml", "line": 8}, "bakery::url"),
        Question("find", {"text": "chrony"}, "bakery::packages"),
        Question("lint", {}, "findings"),
        Question("what_if", {"file": "data/common.yaml", "text": "bakery::url: none\n"}, "bakery::url"),
    ],
    "ansible": [
        Question("targets", {}, "ansible"),
        Question("lint", {}, "counts"),
        Question("find", {"text": "no such value"}, '"places":[]'),
    ],
    "deckhand/site": [
        Question("targets", {}, '"count":1'),
        Question("lint", {}, "counts"),
    ],
    "layers/fleet": [
        Question("targets", {}, '"dialect":"layers"'),
        Question("lint", {"files": ["common.yaml"]}, "counts"),
        Question("find", {"text": "ntp"}, "places"),
    ],
}


@pytest.mark.parametrize("name", REPOSITORIES)
def test_questions_about_examples_are_answered(name: str) -> None:
    questions = REPOSITORIES[name]
    for question, (failed, text) in zip(questions, answers(EXAMPLES / name, questions), strict=True):
        assert not failed, text
        assert question.expected in text.replace('": ', '":'), f"{question.tool}: {text[:400]}"


PROJECT = """\
[patterns.hosts]
dialect = "layers"
each = "hosts/*.yaml"
name = "{1}"
inputs = ["common.yaml", "{path}"]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in {
        "lamina.toml": PROJECT,
        "common.yaml": "mtu: 1500\nzone: a\n",
        "hosts/web1.yaml": "role: web\n",
        "hosts/web2.yaml": "role: web\nmtu: 9000\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_answers_are_those_of_the_library(project: Path) -> None:
    workspace = lamina.Workspace(project)
    (failed, text), (_, placed) = answers(
        project,
        [
            Question("explain", {"path": "mtu"}, ""),
            Question("where", {"file": "common.yaml", "line": 1}, ""),
        ],
    )
    assert not failed
    explained = {each["targets"][0]: each for each in json.loads(text)["explained"]}
    for name, found in explained.items():
        history = workspace.result(name).explain("mtu")
        assert found["value"] == history.value
        assert [event["verdict"] for event in found["events"]] == [event.verdict for event in history.events]
    assert explained.keys() == {"web1", "web2"}
    uses = {(use["verdict"], *use["targets"]) for use in json.loads(placed)["uses"]}
    assert uses == {(use.verdict, use.target) for use in workspace.where("common.yaml", 1)}


def test_an_edit_is_proposed_and_nothing_is_written(project: Path) -> None:
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    (failed, text), (_, impact) = answers(
        project,
        [
            Question("propose", {"path": "mtu", "value": 9000, "targets": ["web1"]}, ""),
            Question("what_if", {"file": "hosts/web1.yaml", "text": "role: web\nmtu: 9000\n"}, ""),
        ],
    )
    assert not failed, text
    (proposal,) = json.loads(text)["proposals"]
    assert proposal["reached"] == ["web1"]
    assert proposal["others"] == []
    assert "hosts/web1.yaml" in proposal["edits"][0]
    assert json.loads(impact)["targets"] == ["web1"]
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before


def test_what_was_saved_meanwhile_counts(project: Path) -> None:
    async def asked() -> tuple[str, str]:
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "lamina", "mcp", str(project)], env=dict(os.environ)
        )
        async with Client(stdio_client(server)) as client:
            first = await client.call_tool("explain", {"path": "zone"})
            (project / "common.yaml").write_text("mtu: 1500\nzone: of a longer name\n")
            second = await client.call_tool("explain", {"path": "zone"})
            return first.content[0].text, second.content[0].text  # type: ignore[union-attr]  # they are texts

    first, second = asyncio.run(asked())
    assert json.loads(first)["explained"][0]["value"] == "a"
    assert json.loads(second)["explained"][0]["value"] == "of a longer name"


def test_a_change_is_compared_with_a_revision(project: Path) -> None:
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    identity = ("-c", "user.name=n", "-c", "user.email=n@example.org")
    for command in (("init", "-q"), ("add", "."), (*identity, "commit", "-q", "-m", "before")):
        subprocess.run(("git", *command), cwd=project, check=True)
    (project / "common.yaml").write_text("mtu: 1400\nzone: a\n")
    (failed, text), (wrong, why) = answers(
        project,
        [Question("diff", {"revision": "HEAD"}, ""), Question("diff", {"revision": "--output=x"}, "")],
    )
    assert not failed, text
    (change,) = json.loads(text)["changes"]
    assert change["targets"] == ["web1"]
    assert wrong
    assert "unknown-revision" in why
    assert not (project / "x").exists()


@pytest.mark.parametrize("file", ["../outside.yaml", "/etc/hostname", "hosts/../../outside.yaml"])
def test_no_file_outside_of_the_project_is_read(project: Path, file: str) -> None:
    for tool, more in (("where", {"line": 1}), ("what_if", {"text": "a: 1\n"})):
        ((failed, text),) = answers(project, [Question(tool, {"file": file, **more}, "")])
        assert failed
        assert "is no path from the root of the project" in text


def test_secrets_are_withheld(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("password: !vault |\n  secret-content\nport: 80\n")
    (tmp_path / "lamina.toml").write_text('[targets.one]\ndialect = "layers"\ninputs = ["a.yaml"]\n')
    questions = [
        Question("explain", {"path": "password"}, ""),
        Question("find", {"text": "password"}, ""),
        Question("what_if", {"file": "a.yaml", "text": "password: !vault |\n  other-content\nport: 80\n"}, ""),
    ]
    for question, (failed, text) in zip(questions, answers(tmp_path, questions), strict=True):
        assert not failed, text
        assert "-content" not in text, question.tool


def test_long_answers_are_cut_and_say_so(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("".join(f"key{number}: same\n" for number in range(300)))
    (tmp_path / "lamina.toml").write_text('[targets.one]\ndialect = "layers"\ninputs = ["a.yaml"]\n')
    ((_, text),) = answers(tmp_path, [Question("find", {"text": "same"}, "")])
    places = json.loads(text)["places"]
    assert len(places) == 51
    assert places[-1] == "… and 250 more"


def test_each_tool_says_when_to_use_it_and_that_it_only_reads(project: Path) -> None:
    async def listed() -> list[Any]:
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "lamina", "mcp", str(project)], env=dict(os.environ)
        )
        async with Client(stdio_client(server)) as client:
            return list((await client.list_tools()).tools)

    tools = {tool.name: tool for tool in asyncio.run(listed())}
    assert tools.keys() == {"targets", "explain", "where", "find", "lint", "diff", "what_if", "propose"}
    for tool in tools.values():
        assert "Use it" in (tool.description or "")
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
