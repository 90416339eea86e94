"""Every console block in the documents, and every message kept in tests/messages, is what the commands print.

A page for users shows in each block where it runs (CONTRIBUTING.md has the rule), and following it leaves the checkout
as it was. Commands of the pages that a new user reads first run as installed; all others in forks of a process that
has Lamina imported.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from lamina.cli.examples import EXAMPLES
from support.transcripts import (
    PROGRAMS,
    ROOT,
    Exchange,
    blocks,
    changed_in_checkout,
    documents,
    environment,
    pages,
    run,
    show_folder,
    update,
    written,
)
from support.warm_lamina import AVAILABLE, WarmLamina

UPDATE = bool(os.environ.get("LAMINA_UPDATE"))
AS_INSTALLED = [ROOT / "README.md", *sorted((ROOT / "docs/tutorial").glob("*.md"))]


@pytest.fixture(scope="module")
def warm_programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a `lamina` that starts at once; of the installed one on systems where that cannot be."""
    if not AVAILABLE:
        yield PROGRAMS
        return
    warm = WarmLamina(tmp_path_factory.mktemp("warm"), environment(Path.home()))
    yield warm.folder
    warm.stop()


def numbered(paths: list[Path]) -> list[tuple[Path, int]]:
    return [(path, i) for path in paths for i in range(len(blocks(path.read_text())))]


def _name(item: object) -> str:
    return str(item.relative_to(ROOT)) if isinstance(item, Path) else str(item)


@pytest.mark.parametrize(("path", "number"), numbered(pages()), ids=_name)
def test_a_block_shows_where_it_runs(path: Path, number: int) -> None:
    block = blocks(path.read_text())[number]
    if UPDATE and not block.shows_where_it_runs:
        show_folder(path, block)
        return
    assert block.shows_where_it_runs, f"line {block.start} of {path}: start the block with $ cd {block.runs_in}"


@pytest.mark.parametrize("path", pages(), ids=_name)
def test_a_page_says_how_to_make_the_copy_it_works_on(path: Path) -> None:
    text = path.read_text()
    for block in blocks(text):
        if block.name:
            shipped = [name for name, (source, _, _) in EXAMPLES.items() if source == block.folder]
            ways = [
                f"cp -r {block.folder} {block.name}",
                *(f"lamina init --example {name} {block.name}" for name in shipped),
            ]
            above = "\n".join(text.split("\n")[: block.start])
            assert any(way in above for way in ways), f"{path} never says {' or '.join(ways)}"


@pytest.mark.parametrize(("path", "number"), numbered(documents()), ids=_name)
def test_commands_print_what_the_document_says(path: Path, number: int, warm_programs: Path, tmp_path: Path) -> None:
    block = blocks(path.read_text())[number]
    printed = run(block, tmp_path, PROGRAMS if path in AS_INSTALLED else warm_programs)
    if path in pages():
        assert changed_in_checkout(block, tmp_path) == [], "let the page work on a copy"
    if UPDATE:
        update(path, block, printed)
        return
    assert written(printed) == written(block.exchanges)


@pytest.mark.parametrize(
    "command",
    [
        "lamina render *.yaml; echo $?",
        "lamina render --format json - < team.yaml",
        "lamina render nothing.yaml; echo $?",
        "lamina --wrong 2> errors; echo $?; cat errors",
        "lamina explain packages *.yaml 2> notes | head -1",
        "lamina render team.yaml | lamina render - image.yaml > both; cat both",
        "A=1 lamina lint team.yaml; LAMINA_PURE=1 lamina --version",
        "mkfifo pipe; exec 3<> pipe; lamina render - < pipe > out 2>&1 & sleep 0.3; kill -KILL $!;"
        " { wait $!; } 2> killed; echo $?; cat team.yaml >&3; exec 3>&-; sleep 0.3; wc -c < out",
    ],
)
def test_a_warm_lamina_does_what_the_installed_one_does(command: str, warm_programs: Path, tmp_path: Path) -> None:
    (block,) = blocks(f"<!-- run in: examples/tutorial -->\n```console\n$ {command}\n```")
    printed: list[list[Exchange]] = []
    for programs in (PROGRAMS, warm_programs):
        folder = tmp_path / str(len(printed))
        folder.mkdir()
        printed.append(run(block, folder, programs))
    assert printed[0] == printed[1]
    assert printed[0][0].output


def test_a_block_that_writes_into_the_checkout_is_found(tmp_path: Path) -> None:
    command = "$ rm fleet.yaml; echo > new.yaml"
    for name, changed in (("", ["examples/fleet/fleet.yaml", "examples/fleet/new.yaml"]), (" as ~/fleet", [])):
        place = "~/fleet" if name else "examples/fleet"
        text = f"<!-- run in: examples/fleet{name} -->\n```console\n$ cd {place}\n{command}\n```"
        (block,) = blocks(text)
        assert block.shows_where_it_runs
        folder = tmp_path / (name or "checkout").strip(" ~").replace("/", "-")
        folder.mkdir()
        run(block, folder)
        assert changed_in_checkout(block, folder) == changed


@pytest.mark.parametrize("first", ["cd examples", "cd ~/fleet", "lamina render .", "cd examples/fleet-2"])
def test_a_block_that_shows_another_folder_is_found(first: str) -> None:
    (block,) = blocks(f"<!-- run in: examples/fleet -->\n```console\n$ {first}\n```")
    assert not block.shows_where_it_runs


def test_there_are_blocks_to_run() -> None:
    for folder in ("README.md", "docs/tutorial", "docs/reference/lint", "examples/cloud-init", "tests/messages"):
        assert any(path.is_relative_to(ROOT / folder) for path, _ in numbered(documents()))
