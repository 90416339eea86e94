"""Changes of other documents: a substitution that writes into what an earlier one took.

What a substitution takes is copied one level deep, so the containers inside it stay those of its source (see
`steps`). A later substitution of the same document that writes into one of them changes every document that
has it. The cause is the earlier one: with `deepcopy: true` it would have taken containers of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lamina.dialects.deckhand.document import WrittenDirective
from lamina.dialects.deckhand.jsonpath.selector import Unreachable
from lamina.dialects.deckhand.steps import SelectedFrom, Spread
from lamina.engine.log import changes_of
from lamina.engine.step_context import StepRef
from lamina.paths import child
from lamina.plugin import MISSING, OutputRef, walk
from lamina.values import same

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lamina.engine.change import MergeChange
    from lamina.engine.plan import AnyStep
    from lamina.engine.step_context import Folded
    from lamina.plugin import Origin, Path


@dataclass(slots=True)
class SharedChange:
    """What a document shares by one of its substitutions, and changes."""

    output: str
    substitution: Path
    """The place of the substitution in its document."""
    changed: dict[tuple[str, Path], None] = field(default_factory=dict)
    """The documents that are changed, and where."""
    writers: dict[Origin | None, None] = field(default_factory=dict)
    """The substitutions that write into what is shared."""


@dataclass(frozen=True, slots=True)
class _SharedWrite:
    """A path that a step changed inside containers that an earlier substitution shares."""

    substitution: Path
    source: str
    below: Path
    """The path from the shared container."""


def shared_changes(outputs: Sequence[Folded], results: Mapping[str, Folded]) -> list[SharedChange]:
    """All that substitutions of any document change in these outputs if they are those of others, by cause."""
    writers: dict[tuple[str, int], _WritingStep] = {}
    found: dict[tuple[str, Path], SharedChange] = {}
    for folded in outputs:
        name = folded.output.name
        for mark, node in _marks(folded):
            if mark.output == name:
                continue
            key = mark.output, mark.number
            if key not in writers:
                writers[key] = _WritingStep(results[mark.output], mark.number)
            for path in _changed_paths(node):
                for write in writers[key].causes(name, path):
                    place = mark.output, write.substitution
                    cause = found.setdefault(place, SharedChange(*place))
                    cause.changed[name, path] = None
                    cause.changed.update(dict.fromkeys((mark.output, other) for other in writers[key].elsewhere))
                    cause.writers[mark.directive.origin] = None
    return list(found.values())


def _marks(folded: Folded) -> Iterator[tuple[StepRef, MergeChange]]:
    """The steps that made an output what it is, the last one first."""
    for change in changes_of(folded.node):
        if isinstance(change.cause, StepRef):
            yield change.cause, change


class _WritingStep:
    """A step that writes into containers that its output has in common with others."""

    def __init__(self, folded: Folded, number: int) -> None:
        own = [(mark.number, node) for mark, node in _marks(folded) if mark.output == folded.output.name]
        step = folded.output.steps[number]
        target = step.target if isinstance(step, Spread) else None
        changed = dict.fromkeys(path for at, node in own if at == number for path in _changed_paths(node))
        written = [path for path in changed if target is None or path[: len(target)] == target]
        self.elsewhere = [path for path in changed if path not in written]
        """The other places of the same containers in the output itself."""
        earlier = [(folded.output.steps[at], node) for at, node in own if at < number]
        self._writes = [write for path in written if (write := _write(path, earlier)) is not None]

    def causes(self, changed: str, path: Path) -> list[_SharedWrite]:
        """The writes that show at a path of another output: those into what was taken from it, if there are any."""
        alike = [write for write in self._writes if path[-len(write.below) :] == write.below]
        return [write for write in alike if write.source == changed] or alike


def _write(path: Path, earlier: list[tuple[AnyStep, MergeChange]]) -> _SharedWrite | None:
    """The write at a path as one into what an earlier substitution took, if it is that."""
    placed = _placed_above(path, earlier)
    if placed is None:
        return None
    (step, target), take = placed, placed[0].take
    if not (isinstance(take, SelectedFrom) and take.shared and isinstance(take.source, OutputRef)):
        return None
    # The container at the target is a copy; those inside it are not.
    below = path[len(target) + 1 :]
    if not below or not isinstance(step.directive, WrittenDirective):
        return None
    return _SharedWrite(step.directive.path[:3], take.source.name, below)


def _placed_above(path: Path, earlier: list[tuple[AnyStep, MergeChange]]) -> tuple[Spread, Path] | None:
    """The step that put the value around a path there, and where it put it; the last step comes first."""
    for step, node in earlier:
        if isinstance(step, Spread):
            for target in _targets(step, node):
                if len(target) < len(path) and path[: len(target)] == target:
                    return step, target
    return None


def _targets(step: Spread, node: MergeChange) -> list[Path]:
    """Where a step has put its value."""
    if step.target is not None or step.each is not None:
        return [] if step.target is None else [step.target]
    try:
        found = step.select.find(walk(node.old.value, step.path)) or step.select.find(walk(node.value, step.path))
    except Unreachable:
        return []
    return [step.path + one.path for one in found]


def _changed_paths(node: MergeChange) -> Iterator[Path]:
    """Where a merge changed values; what both sides have in common is not looked into."""
    pending: list[tuple[Path, Any, Any]] = [((), node.old.value, node.value)]
    while pending:
        path, old, new = pending.pop()
        if old is new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            keys = dict.fromkeys([*old, *new])
            pending.extend(((*path, key), child(old, key), child(new, key)) for key in reversed(keys))
        elif isinstance(old, list) and isinstance(new, list):
            pending.extend(((*path, at), child(old, at), child(new, at)) for at in range(max(len(old), len(new))))
        elif old is MISSING or new is MISSING or not same(old, new):
            yield path
