"""What is likely a mistake in layers: rules that match nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina import plugin as lp
from lamina.dialects.layers import messages
from lamina.dialects.layers.compile import Setup
from lamina.dialects.layers.path_patterns import PathPatterns
from lamina.plugin import extensions as lpx

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.layers.path_patterns import State


def _unmatched(result: lpx.Rendered) -> Iterator[lp.Diagnostic]:
    """Rules whose path no layer has."""
    setup = result.plan.stages[0].facts
    assert isinstance(setup, Setup)
    rules = [rule for rule in setup.settings.rules if rule.origin and not rule.origin.source.startswith("preset ")]
    patterns = PathPatterns([rule.pattern for rule in rules])
    reached: set[int] = set()
    for step in (step for stage in result.plan.stages for output in stage.outputs for step in output.steps):
        if isinstance(step, lp.Merge) and isinstance(step.take.source, lp.Node):
            state = patterns.start
            for key in step.path:
                state = state if isinstance(key, int) else patterns.advance(state, key)
            _follow(step.take.source.value, state, patterns, reached)
    for number, rule in enumerate(rules):
        if number not in reached:
            yield messages.RULE_MATCHES_NOTHING.at(rule.origin, text=rule.text)


def _follow(value: Any, state: State, patterns: PathPatterns, reached: set[int]) -> None:
    """Note the patterns that match anything in a value."""
    pending: list[tuple[Any, State]] = [(value, state)]
    seen: set[tuple[int, State]] = set()
    while pending:
        value, state = pending.pop()
        if not state or (id(value), state) in seen:
            continue
        reached.update(patterns.all_matched(state))
        if isinstance(value, dict):
            seen.add((id(value), state))
            pending += [(each, patterns.advance(state, key)) for key, each in value.items()]
        elif isinstance(value, list):
            seen.add((id(value), state))
            pending += [(each, state) for each in value]


RULES = (
    lpx.LintRule(
        code="rule-matches-nothing",
        title="layers: a rule that matches nothing",
        about="A rule of a rules file is for a path that no layer sets, most likely a misspelt one.",
        check=lpx.on_result(_unmatched),
    ),
)
