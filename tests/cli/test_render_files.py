"""Results of several documents or nodes: as documents, as lines, as files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
TREE = "examples/datum/data"


def lamina(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lamina.cli.main", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


def test_all_nodes_are_documents_lines_or_files(tmp_path: Path) -> None:
    documents = list(yaml.safe_load_all(lamina("render", TREE, "--all-nodes", "-q").stdout))
    lines = [
        json.loads(line)
        for line in lamina("render", TREE, "--all-nodes", "-q", "--format", "jsonl").stdout.splitlines()
    ]
    done = lamina("render", TREE, "--all-nodes", "-q", "--output-dir", str(tmp_path / "out"))
    files = {path.stem: yaml.safe_load(path.read_text()) for path in sorted((tmp_path / "out").glob("*.yaml"))}
    assert done.stdout == ""
    assert "40 files" in done.stderr
    assert [line["value"] for line in lines] == documents
    assert {line["name"]: line["value"] for line in lines} == files
    assert len(files) == 40


def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = lamina("render", TREE, "--node", "DevSRV01", "-q", "--output-dir", str(tmp_path / "file"))
    assert done.returncode == 2
    assert "unwritable-file" in done.stderr


def test_no_file_is_named_out_of_its_folder(tmp_path: Path) -> None:
    metadata = "metadata: {schema: metadata/Control/v1, name: ../../up}"
    (tmp_path / "site.yaml").write_text(f"schema: deckhand/LayeringPolicy/v1\n{metadata}\ndata: {{layerOrder: [a]}}\n")
    lamina("render", str(tmp_path / "site.yaml"), "--output-dir", str(tmp_path / "deep" / "out"))
    assert [path.parent.name for path in tmp_path.rglob("*up*")] == ["out"]
