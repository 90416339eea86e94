"""On the bundled examples the general rules find nothing, but for what is wrong there on purpose."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from test_transcripts import documents
from transcripts import ROOT, blocks

from lamina.cli.main import main
from lamina.linting.catalogue import GENERAL

OTHER_FLAGS = {"--annotate", "--no-sort", "-q", "--quiet"}
SHELL = set("|;&<>$`")

LOST = "one.yaml:2 lost-layer"
EXPECTED: dict[tuple[str, str], list[str]] = {
    # The manual's own example: the second list takes the place of the first, which is all the first file has.
    ("examples/cloud-init/overview", "one.yaml two.yaml"): [LOST],
}
"""What is found on purpose, by folder and inputs."""


def rendered() -> list[tuple[str, str]]:
    """Every folder of examples and what is rendered in it, as the documents show it."""
    found: dict[tuple[str, str], None] = {}
    for path in documents():
        for block in blocks(path.read_text()):
            for exchange in block.exchanges:
                words = exchange.command.split()
                if (
                    (block.folder or "").startswith("examples/")
                    and words[:2] == ["lamina", "render"]
                    and not SHELL & set(exchange.command)
                ):
                    found[(str(block.folder), _arguments(exchange.command))] = None
    return list(found)


def _arguments(command: str) -> str:
    words = [word for word in shlex.split(command)[2:] if word not in OTHER_FLAGS]
    if "--format" in words:
        at = words.index("--format")
        del words[at : at + 2]
    return shlex.join(words)


def test_there_are_examples() -> None:
    assert rendered()
    assert EXPECTED.keys() <= set(rendered())


@pytest.mark.parametrize(("folder", "arguments"), rendered())
def test_general_rules_find_only_what_is_wrong_on_purpose(
    folder: str, arguments: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT / folder)
    codes = ",".join(rule.code for rule in GENERAL)
    with pytest.raises(SystemExit):
        main(["lint", "--format", "json", "--select", codes, *shlex.split(arguments)])
    findings = json.loads(capsys.readouterr().out)["findings"]
    told = [f"{finding['at']['source']}:{finding['at']['line']} {finding['code']}" for finding in findings]
    assert told == EXPECTED.get((folder, arguments), [])


def test_the_folders_exist() -> None:
    assert all(Path(ROOT / folder).is_dir() for folder, _ in rendered())
