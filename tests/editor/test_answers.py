"""What an editor is told is what `where` and `explain` say, on random positions of files.

LAMINA_REPOSITORIES in the environment names folders of real repositories, with commas between them; 1,000 positions of
each are asked.
"""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest
from lsprotocol import types

import lamina
from lamina.editor.hover import hover
from lamina.editor.markdown import code, value
from lamina.editor.open_project import EditorSettings, OpenProject
from lamina.editor.references import references
from lamina.errors import UsageError
from lamina.origins import Origin
from lamina.paths import show
from lamina.project.folder_project import discover
from lamina.workspace.line_uses import LineUse

EXAMPLES = Path(__file__).parents[2] / "examples"
SAMPLES = ("hiera", "layers", "ansible", "repositories/datum", "deckhand/site")
REAL = [each for each in os.environ.get("LAMINA_REPOSITORIES", "").split(",") if each]


@pytest.mark.parametrize("name", SAMPLES)
def test_of_the_examples(name: str, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / name, tmp_path / "copy")
    if name == "deckhand/site":  # its files alone do not say which sites there are
        (tmp_path / "copy/lamina.toml").write_text('[targets.site]\ndialect = "deckhand"\ninputs = ["."]\n')
    assert check(tmp_path / "copy", 150) > 20


@pytest.mark.parametrize("folder", REAL or ["none"])
def test_of_real_repositories(folder: str) -> None:
    if folder == "none":
        pytest.skip("not in this repository: LAMINA_REPOSITORIES names none")
    assert check(Path(folder), 1_000) > 500


def check(folder: Path, count: int) -> int:
    """Compare the answers on random positions; how many lines decided something."""
    chosen = random.Random(37)
    (found, *_) = discover(folder)
    project = OpenProject(found, EditorSettings(), None)
    read = {path for each in project.workspace.outcomes() for path in each.needs.files}
    files = sorted(path for path in read if project.workspace.file(path) is not None)
    decided = 0
    for _ in range(count):
        path = chosen.choice(files)
        line = chosen.randrange(len(project.text_of(path).lines))
        at = types.Position(line, chosen.randrange(8))
        uses = project.workspace.uses(path).get(line + 1, [])
        decided += bool(uses)
        assert project.workspace.where(path, line + 1) == uses
        assert {place_of(each) for each in references(project, path, at, with_itself=True)} == lines_of(project, uses)
        compare_hover(project, path, at, uses)
    project.close()
    return decided


def place_of(location: types.Location) -> tuple[str, int]:
    return location.uri, location.range.start.line + 1


def history(project: OpenProject, use: LineUse) -> lamina.History | None:
    try:
        return project.workspace.result(use.target).explain(use.path)
    except UsageError:
        return None


def lines_of(project: OpenProject, uses: list[LineUse]) -> set[tuple[str, int]]:
    """Every line that is named in the histories of what a line decides."""
    found: set[Origin | None] = set()
    for explained in filter(None, (history(project, use) for use in uses)):
        for event in explained.events:
            rule = event.directive.origin if event.directive else None
            found.update((event.origin, event.by, rule, *event.reads))
        found.update(explained.origins)
    paths = [(project.workspace.path_of(each), each.line) for each in found if each is not None]
    return {(project.uri_of(path), line) for path, line in paths if path is not None}


def compare_hover(project: OpenProject, path: str, at: types.Position, uses: list[LineUse]) -> None:
    shown = hover(project, path, at)
    assert (shown is None) is not bool(uses)
    if shown is None:
        return
    assert isinstance(shown.contents, types.MarkupContent)
    text, (first, *_) = shown.contents.value, uses
    assert code(show(first.path if first.output is None else first.path[1:])) in text
    explained = history(project, first)
    if explained is not None:
        assert value(explained.value) in text
        for event in explained.events[-3:]:
            assert event.origin is None or f":{event.origin.line}" in text
