"""Every console block in the documents, and every message kept in tests/messages, is what the commands print."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.transcripts import blocks, documents, run, update, written


def numbered() -> list[tuple[Path, int]]:
    return [(path, i) for path in documents() for i in range(len(blocks(path.read_text())))]


@pytest.mark.parametrize(("path", "number"), numbered(), ids=lambda item: getattr(item, "name", str(item)))
def test_commands_print_what_the_document_says(path: Path, number: int, tmp_path: Path) -> None:
    block = blocks(path.read_text())[number]
    printed = run(block, tmp_path)
    if os.environ.get("LAMINA_UPDATE"):
        update(path, block, printed)
        return
    assert written(printed) == written(block.exchanges)


def test_there_are_blocks_to_run() -> None:
    assert any(path.name == "README.md" for path, _ in numbered())
