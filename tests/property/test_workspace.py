"""After any sequence of edits, a workspace has what a fresh render of the same files gives."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

import lamina
from lamina.dialects import registry
from lamina.errors import LaminaError
from support.workspace_edits import edit, write
from support.workspace_files import REPOSITORIES

LONG = os.environ.get("LAMINA_FUZZ") == "long"
EDITS = 10_000 if LONG else 120
MEMORY_EDITS = 10_000 if LONG else 600


class Outcome(NamedTuple):
    """What a render gave: the result as text, where its values come from, its notes or the error."""

    text: str
    origins: str
    findings: str
    hints: str = ""
    """What to do about an error, which may depend on what else is on disk."""

    @property
    def shared(self) -> tuple[str, str, str]:
        """What does not depend on where the files are."""
        return self.text, self.origins, self.findings


def fresh_outcomes(project: lamina.Project) -> dict[str, Outcome]:
    return {each: outcome(partial(project.target(each).render, project.view)) for each in project.targets}


def live_outcomes(workspace: lamina.Workspace) -> dict[str, Outcome]:
    return {each: outcome(partial(workspace.result, each)) for each in workspace.targets}


def outcome(render: Callable[[], lamina.Result | None]) -> Outcome:
    try:
        result = render()
        assert result is not None
        return Outcome(result.to_yaml(), result.to_annotated_yaml(), "\n".join(sorted(map(str, result.notes))))
    except LaminaError as error:
        texts = sorted(f"{each.at} {each.code} {each.message}" for each in error.diagnostics)
        return Outcome("", "", "\n".join(texts).replace("/disk/", "/live/"), str(error))


def test_every_dialect_is_here() -> None:
    assert set(REPOSITORIES) == set(registry.BUILT_IN)


@pytest.mark.parametrize("name", REPOSITORIES)
def test_equal_to_a_fresh_render_after_random_edits(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository, rng = REPOSITORIES[name], random.Random(20)
    live, disk = tmp_path / "live", tmp_path / "disk"
    state = dict(repository.start)
    write(live, state)
    monkeypatch.chdir(live)
    workspace = lamina.Workspace(".")
    seen: set[Outcome] = set()
    for number in range(EDITS):
        change = edit(rng, repository, state)
        known = live_outcomes(workspace)
        impact = workspace.update(change)
        state = {path: text for path, text in {**state, **change}.items() if text is not None}
        shutil.rmtree(disk, ignore_errors=True)
        for path in repository.start:  # a folder stays on disk when its last file goes
            (disk / path).parent.mkdir(parents=True, exist_ok=True)
        write(disk, state)
        monkeypatch.chdir(disk)
        try:
            fresh = fresh_outcomes(lamina.Project.load("."))
        except LaminaError as error:
            with pytest.raises(LaminaError) as raised:
                workspace.result(next(iter(workspace.targets), "none"))
            assert raised.value.diagnostic.code == error.diagnostic.code, (number, change)
            continue
        finally:
            monkeypatch.chdir(live)
        now = live_outcomes(workspace)
        assert {each: found.shared for each, found in now.items()} == {
            each: found.shared for each, found in fresh.items()
        }, (number, change)
        assert set(impact.targets) == differing(known, now), (number, change)
        seen.update(fresh.values())
    assert len(seen) > 10


def differing(before: dict[str, Outcome], after: dict[str, Outcome]) -> set[str]:
    """The targets whose result, notes or error changed."""
    return {each for each in {*before, *after} if _seen(before.get(each)) != _seen(after.get(each))}


def _seen(outcome: Outcome | None) -> tuple[str, str, str] | None:
    return outcome and (outcome.text, outcome.findings, outcome.hints)


@pytest.mark.parametrize("name", REPOSITORIES)
def test_what_a_workspace_keeps_does_not_grow_with_the_edits(name: str, tmp_path: Path) -> None:
    repository = REPOSITORIES[name]
    write(tmp_path, repository.start)
    session = lamina.Session()
    workspace = lamina.Workspace(tmp_path, session=session)
    weights = []
    for number in range(90):
        for path, texts in repository.files.items():
            workspace.update({path: f"{texts[0]}\n# {number:04}\n"})
        weights.append(session.cache.weight)
    assert max(weights[60:]) <= 1.2 * max(weights[:30])


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
@pytest.mark.parametrize("name", REPOSITORIES)
def test_memory_does_not_grow_with_the_edits(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "support.workspace_memory", name, str(MEMORY_EDITS), str(tmp_path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[1])
    first, last = map(int, done.stdout.split())
    assert last <= 1.2 * first
