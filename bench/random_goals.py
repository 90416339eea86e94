"""Random goals in whole repositories: whether what `lamina set` proposes changes exactly what was wanted.

LAMINA_BENCH_REPOSITORIES in the environment names folders that have a project file (`lamina init`), with commas between
them. A goal is a random value of a random target that is to be another one, or to go: there only, or in all targets
that have it. Every proposal is checked in a workspace of its own, which renders all targets from the files with the
edits written: each wanted target must have the wanted value and be as before elsewhere, each other one as before.

    python bench/random_goals.py [--goals N] [--seed N] [--all-targets-every N]
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import lamina
from lamina.cli.main import collecting_nothing
from lamina.paths import show
from lamina.plugin import MISSING
from lamina.protocol.extensions import explain_of
from lamina.values import Unknown, same
from lamina.workspace.proposals.goal import essential
from lamina.workspace.proposals.text_nodes import with_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lamina.workspace.proposals.search import Proposal

_SECRET = "(secret)"
_EXAMPLES = 3
"""How many goals are shown of each kind of outcome that is not a proposal."""


class RandomGoal(NamedTuple):
    path: tuple[Any, ...]
    text: str
    value: Any
    targets: frozenset[str]
    is_literal: bool
    is_shared: bool
    """Whether all targets are meant that take the value from the same line."""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--goals", type=int, default=50)
    parser.add_argument("--seed", type=int, default=38)
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    folders = [Path(each) for each in os.environ.get("LAMINA_BENCH_REPOSITORIES", "").split(",") if each]
    if not folders:
        print("LAMINA_BENCH_REPOSITORIES is not set", file=sys.stderr)
        return 2
    with collecting_nothing():
        return max(_of_repository(folder, given) for folder in folders)


def _of_repository(folder: Path, given: argparse.Namespace) -> int:
    counts: Counter[str] = Counter()
    reasons: dict[str, list[str]] = {}
    start = time.process_time()
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch, folder.name)
        shutil.copytree(folder, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        with lamina.Workspace(copy) as workspace:
            before = _values(workspace)
            for goal in _goals(workspace, before, random.Random(given.seed), given.goals):
                kind, why = _outcome(workspace, goal, copy, before)
                counts["goals"] += 1
                counts[kind] += 1
                where = "everywhere" if goal.is_shared else "in one target"
                counts[f"literal {where}"] += goal.is_literal
                counts[f"literal {where} {kind}"] += goal.is_literal
                if why:
                    what = "delete" if goal.value is MISSING else repr(goal.value)
                    line = f"{goal.text} = {what} in {len(goal.targets)} of {len(before)}: {why}"
                    reasons.setdefault(kind, []).append(line)
    taken = time.process_time() - start
    print(f"{folder.name}: {len(before)} targets, {taken:.0f} s of CPU")
    for where in ("everywhere", "in one target"):
        literals, done = counts[f"literal {where}"], counts[f"literal {where} done"]
        share = 100 * counts[f"literal {where} proposed"] / max(1, literals - done)
        print(f"  of {literals - done} literals that are to change {where}, proposed: {share:.0f} %")
    print("  " + ", ".join(f"{kind} {count}" for kind, count in counts.items()), flush=True)
    for kind, lines in reasons.items():
        for line in lines if given.verbose else lines[:_EXAMPLES]:
            print(f"  {kind}: {line}", flush=True)
    return 1 if counts["collateral"] else 0


def _values(workspace: lamina.Workspace) -> dict[str, Any]:
    return {each.target.name: each.result.value for each in workspace.outcomes() if each.result is not None}


def _goals(
    workspace: lamina.Workspace, before: Mapping[str, Any], chosen: random.Random, most: int
) -> Iterator[RandomGoal]:
    names = sorted(before)
    leaves: dict[str, list[lamina.History]] = {}
    for _ in range(most):
        name = chosen.choice(names)
        if name not in leaves:
            result = workspace.result(name)
            top = explain_of(result.dialect).opens_at  # what is around that is not meant to be set, as metadata
            leaves[name] = [each for each in result.histories() if each.path and top in (None, each.path[0])]
        if not leaves[name]:
            continue
        history = chosen.choice(leaves[name])
        text = _text(history)
        old = history.value
        value = MISSING if chosen.random() < 0.1 else _other(old, chosen)
        targets, is_shared = frozenset([name]), chosen.random() < 0.5
        if is_shared:
            targets = frozenset(each for each in names if _has(workspace.result(each), text, history)) | targets
        yield RandomGoal(history.path, text, value, targets, _is_literal(history), is_shared)


def _text(history: lamina.History) -> str:
    shown = show(history.path)
    if history.output is None:
        return shown
    return f"{history.output.partition(' ')[0]}{'' if shown.startswith('[') else '.'}{shown}"


def _has(result: lamina.Result, text: str, history: lamina.History) -> bool:
    """Whether a result has the value from the same place."""
    try:
        found = result.history_at(text)
    except lamina.LaminaError:
        return False
    return same(found.value, history.value) and found.origins == history.origins


def _is_literal(history: lamina.History) -> bool:
    """Whether the value is written in a file just so."""
    if not history.events:
        return False
    deciding = [each for each in history.events if each.verdict not in ("overridden", "ignored")]
    last = deciding[-1] if deciding else history.events[-1]
    origins = {*history.origins}
    if any(each.verdict == "substituted" for each in history.events):
        return False  # it comes from another document
    return len(origins) == 1 and not last.reads and not isinstance(history.value, Unknown) and history.value != _SECRET


def _other(old: Any, chosen: random.Random) -> Any:
    if isinstance(old, bool):
        return not old
    if isinstance(old, (int, float)):
        return old + 1
    if isinstance(old, str):
        return chosen.choice([f"{old}-x", "other", f"{old} # more: text"])
    return {"a": 1} if isinstance(old, dict) else ["a"] if isinstance(old, list) else "given"


def _outcome(workspace: lamina.Workspace, goal: RandomGoal, copy: Path, before: Mapping[str, Any]) -> tuple[str, str]:
    start = time.process_time()
    try:
        found = workspace.propose(goal.text, goal.value, goal.targets)
    except lamina.LaminaError as error:
        return f"refused ({error.diagnostics[0].code})", str(error).splitlines()[0]
    taken = time.process_time() - start
    slow = f" ({taken:.1f} s)" if taken > 5 else ""
    if found.done:
        return "done", ""
    if not found.exact:
        closest = found.closest[0] if found.closest else None
        place = f"; closest {closest.edits[0].place}, others {len(closest.others)}" if closest else ""
        return "not proposed", f"{found.why or dict(list(found.refused.items())[:2])}{place}{slow}"
    wrong = list(_collateral(workspace, goal, copy, before, found.exact[0]))
    return ("collateral", "; ".join(wrong)) if wrong else ("proposed", slow)


def _collateral(
    workspace: lamina.Workspace, goal: RandomGoal, copy: Path, before: Mapping[str, Any], proposal: Proposal
) -> Iterator[str]:
    """What is wrong with the results once the edits are written; the files are then as they were."""
    former = {path: (copy / path).read_bytes() if (copy / path).exists() else None for path in proposal.texts}
    try:
        for path, data in proposal.texts.items():
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            (copy / path).write_bytes(data)
        with lamina.Workspace(copy) as fresh:
            after = _values(fresh)
    finally:
        for path, old in former.items():
            if old is None:
                (copy / path).unlink()
            else:
                (copy / path).write_bytes(old)
    if after.keys() != before.keys():
        yield "the targets are other ones"
    for name, value in after.items():
        wanted = before[name]
        if name in goal.targets:
            result = workspace.result(name)
            steps = result.requested_path(goal.text)
            wanted = with_value(wanted, _steps(result, steps, goal), goal.value)
        if any(each.document for each in proposal.edits):
            is_same = same(essential(workspace.result(name), value), essential(workspace.result(name), wanted))
        else:
            is_same = same(value, wanted)
        if not is_same:
            yield f"{name} differs"


def _steps(result: lamina.Result, steps: tuple[Any, ...], goal: RandomGoal) -> tuple[Any, ...]:
    return (steps[0], *goal.path) if result.many else goal.path


if __name__ == "__main__":
    sys.exit(main())
