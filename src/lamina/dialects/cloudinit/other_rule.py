"""Other merge rules for a part, tried: what else they would change.

A rule governs all of a part, so one that is written to join a list may keep or change other values of the part, too.
Nothing is recommended before the steps of its output were folded with it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lamina.dialects.cloudinit.merge_rule import parse_text
from lamina.dialects.cloudinit.mergers import PART_DEFAULT, policy_of
from lamina.engine.node import LiteralNode, Node, SourceNode
from lamina.engine.plan import Merge
from lamina.errors import Severity
from lamina.paths import MISSING, show, walk
from lamina.plugin.extensions import tried
from lamina.values import differences, same

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.engine.history import Event
    from lamina.engine.plan import Output
    from lamina.engine.step_context import Folded
    from lamina.paths import Path
    from lamina.protocol.rendered import Rendered

JOINING: Final = (
    "list(append)+dict(no_replace,recurse_list)+str()",
    "list(append)+dict(no_replace,recurse_list,recurse_str)+str()",
)
"""Rules that append lists; the first keeps all other values that are there before, the second replaces strings."""
_DICT: Final = re.compile(r"(dict\([^)]*)\)")
_MOST_VALUES: Final = 5_000
"""How many values the parts may have: rules are tried for each event, so the work grows with the square of them."""
_NAMED: Final = 4
"""How many other values are named."""


class TriedRule(NamedTuple):
    """A rule, and the other values that it changes, by their paths."""

    text: str
    changes: tuple[Path, ...]
    joins: bool = False
    """Whether all that it changes are lists, which it appends to earlier ones."""

    @property
    def also(self) -> str:
        """The other values for people."""
        shown = [show(path) for path in self.changes[:_NAMED]]
        return ", ".join([*shown, f"{len(self.changes) - _NAMED} more"] if self.changes[_NAMED:] else shown)


def joining_rule(result: Rendered, event: Event) -> TriedRule | None:
    """The rule that joins the lists of a part, or keeps both of two mappings, and changes the fewest other values."""
    return _best(result, event, JOINING)


def replacing_rule(result: Rendered, event: Event) -> TriedRule | None:
    """The rule that decided an event with `recurse_str`, by which a string replaces the earlier one."""
    if event.directive is None or not isinstance(event.value, str):
        return None
    text = _DICT.sub(r"\1,recurse_str)", event.directive.text, count=1).replace("(,", "(")
    return _best(result, event, (text, f"{text}+str()"))


def _best(result: Rendered, event: Event, texts: Sequence[str]) -> TriedRule | None:
    """The first of the rules that change the fewest other values; None if none of them does what it is for."""
    trial = _RuleTrial.of(result, event)
    if trial is None or not trial.is_small:
        return None
    before = trial.folded(trial.step)
    tried = (trial.with_rule(text, before) for text in texts)
    return min((rule for rule in tried if rule is not None), key=_changed, default=None)


def _changed(rule: TriedRule) -> int:
    return 0 if rule.joins else len(rule.changes)


def can_be_tried(result: Rendered, event: Event) -> bool:
    """Whether the parts are small enough to merge them again for each event."""
    trial = _RuleTrial.of(result, event)
    return trial is None or trial.is_small


def in_own_part(result: Rendered, event: Event, text: str | None) -> TriedRule:
    """What else changes if the key of an event is moved to a part of its own, with a rule or with none."""
    trial = _RuleTrial.of(result, event)
    return TriedRule(text or "", trial.changes_in_own_part(text) if trial is not None else ())


class _RuleTrial(NamedTuple):
    """The step that decided an event, among those of its output."""

    result: Rendered
    event: Event
    output: Output
    step: Merge
    number: int

    @classmethod
    def of(cls, result: Rendered, event: Event) -> _RuleTrial | None:
        for output in (output for stage in result.plan.stages for output in stage.outputs):
            if output.name == event.output and event.step is not None:
                step = output.steps[event.step]
                return cls(result, event, output, step, event.step) if isinstance(step, Merge) else None
        return None

    @property
    def is_small(self) -> bool:
        """Whether the output has few enough values to be folded once more for every event in it."""
        sources = (step.take.source for step in self.output.steps if isinstance(step, Merge))
        return sum(each.positions.record_count for each in sources if isinstance(each, SourceNode)) <= _MOST_VALUES

    def with_rule(self, text: str, before: Folded) -> TriedRule | None:
        """Another rule for the part; None if the value does not become what was meant, or a part is dropped.

        `before` is the output as it is.
        """
        step = replace(self.step, policy=policy_of(parse_text(text)))
        merged, after = self.folded(step, end=True), self.folded(step)
        works = _has_both(self.event, walk(merged.value, self.event.path))
        if not works or _warnings(after) != _warnings(before):
            return None
        changes = tuple(_changes(self.event, before.value, merged.value, after.value))
        joins = all(_is_joined(walk(before.value, path), walk(after.value, path)) for path in changes)
        return TriedRule(text, changes, joins)

    def changes_in_own_part(self, text: str | None) -> tuple[Path, ...]:
        """What else changes if the key is moved to a part of its own."""
        event, key = self.event, self.event.path[0]
        merged, before = self.folded(self.step, end=True), self.folded(self.step)
        source = self.step.take.source
        body = source.value if isinstance(source, Node) else {}
        others = {name: value for name, value in body.items() if name != key}
        is_there = walk(merged.value, event.path) is not MISSING
        whole = _with_value(merged.value, event.path, event.value)[key] if is_there else body.get(key)
        policy = policy_of(parse_text(text) if text else PART_DEFAULT)
        after = self.folded(self._taking(others), replace(self._taking({key: whole}), policy=policy))
        return tuple(_changes(event, before.value, MISSING, after.value))

    def _taking(self, body: dict[Any, Any]) -> Merge:
        return replace(self.step, take=replace(self.step.take, source=LiteralNode(body, ())))

    def folded(self, *steps: Merge, end: bool = False) -> Folded:
        """The output with other steps in place of the one; with `end`, up to there."""
        before, after = self.output.steps[: self.number], self.output.steps[self.number + 1 :]
        output = replace(self.output, steps=(*before, *steps, *(() if end else after)))
        return tried(output, self.result.record.results)


def _with_value(value: Any, path: Path, inner: Any) -> Any:
    """A value with another one at a path that is in it."""
    if not path:
        return inner
    copied = value.copy()
    copied[path[0]] = _with_value(value[path[0]], path[1:], inner)
    return copied


def _warnings(folded: Folded) -> int:
    return len(folded.faults) + sum(note.severity >= Severity.WARNING for note in folded.notes)


def _is_joined(before: Any, after: Any) -> bool:
    """Whether a list was appended to another one, or another one to it."""
    lists = isinstance(before, list) and isinstance(after, list)
    return lists and any(same(part, before) for part in (after[len(after) - len(before) :], after[: len(before)]))


def _has_both(event: Event, value: Any) -> bool:
    """Whether the value at the path of an event has everything that both sides have."""
    old, new = event.result if event.displaced is MISSING else event.displaced, event.value
    if isinstance(new, list):
        return isinstance(old, list) and same(value, [*old, *new])
    if isinstance(new, dict):
        return isinstance(value, dict) and all(key in value for key in (*old, *new))
    return same(value, new)


def _changes(event: Event, before: Any, merged: Any, after: Any) -> Iterator[Path]:
    """What else changes: other values, and what of a mapping is then not as its own part has it."""
    for path, _, _ in differences(before, after):
        if path[: len(event.path)] != event.path:
            yield path
    if isinstance(event.value, dict) and merged is not MISSING:
        for path, own_value, _ in differences(event.value, walk(merged, event.path), event.path):
            if own_value is not MISSING:
                yield path
