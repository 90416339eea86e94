"""Rules that are never applied.

A rule is an entry in the input about how values are merged: a policy with a location, or an entry of one that is for
certain paths. It is idle when it never had two values to merge, and unreachable when it fits paths that were merged
but an earlier entry took every one of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.engine.plan import Merge
from lamina.engine.policy import PathPolicy
from lamina.errors import Diagnostic
from lamina.paths import MISSING
from lamina.views.lint.layer_index import steps_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.engine.policy import PathRule, Policy
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.views.lint.context import Survey


_HINTS = {
    True: "check how the path is written, or leave the rule out",
    False: "put it where values are merged into earlier ones, or leave it out",
}
"""What to do with an idle rule that holds for a path, and with one that holds for a layer."""


def unused_rules(survey: Survey) -> Iterator[Note]:
    """A finding for each rule that never had anything to merge.

    A layer that is alone, such as one of a folder of fragments, may be merged with others elsewhere.
    """
    if len(survey.layers) < 2:
        return
    used = _used_rules(survey)
    reported: set[Origin] = set()
    shadowed = {rule.origin for rule, _ in _shadowed(survey)}
    for policy in _policies(survey):
        for label, origin in _rules_named(policy):
            if origin not in used and origin not in shadowed and origin not in reported:
                reported.add(origin)
                yield Diagnostic(
                    code="unused-rule",
                    message=f"the rule {label} is never applied: only one layer sets this key",
                    at=origin,
                    hint=_HINTS[isinstance(policy, PathPolicy)],
                )


def unreachable_rules(survey: Survey) -> Iterator[Note]:
    """A finding for each rule that an earlier one keeps from ever being used."""
    reported: set[Origin] = set()
    for rule, first in _shadowed(survey):
        if rule.origin is None or rule.origin in reported:
            continue
        reported.add(rule.origin)
        yield Diagnostic(
            code="unreachable-rule",
            message=f"the rule {rule.label} is never used: {first.label or 'an earlier rule'} comes first "
            "wherever it would hold",
            at=rule.origin,
            related=(("the earlier rule is here", first.origin),) if first.origin else (),
            hint="remove it, or make the earlier one narrower",
        )


def _policies(survey: Survey) -> list[Policy]:
    """Every policy of the plan, once."""
    found = {id(step.policy): step.policy for step in _merges(survey)}
    return list(found.values())


def _merges(survey: Survey) -> Iterator[Merge]:
    for _, step in steps_of(survey.plan):
        if isinstance(step, Merge) and not step.cleans and id(step) not in survey.skipped:
            yield step


def _rules_named(policy: Policy) -> Iterator[tuple[str, Origin]]:
    """What the input sets in a policy: its label and location, and those of its entries."""
    if isinstance(policy, PathPolicy):
        for rule in policy.rules:
            if rule.origin is not None:
                yield rule.label, rule.origin
    elif policy.origin is not None:
        yield policy.label, policy.origin


def _used_rules(survey: Survey) -> set[Origin | None]:
    """The places of all rules that had two values to merge."""
    used: set[Origin | None] = set()
    for pair in survey.merge_pairs:
        step = pair.step
        if not isinstance(step, Merge) or step.cleans:
            continue
        if pair.path == step.path and _has_content(pair.old.value):
            used.add(step.policy.origin)
    for policy in _policies(survey):
        used.update(inner.origin for inner in _entered(policy))
    return used


def _has_content(value: Any) -> bool:
    return value is not MISSING and value not in ({}, [], None)


def _entered(policy: Policy) -> Iterator[PathPolicy]:
    """The policies of the members that were merged under a policy."""
    stack = list(policy.visited()) if isinstance(policy, PathPolicy) else []
    while stack:
        inner = stack.pop()
        yield inner
        stack.extend(inner.visited())


def _shadowed(survey: Survey) -> list[tuple[PathRule, PathRule]]:
    """Rules that fit a merged path but never came first, each with the one that did."""
    used: set[int] = set()
    passed: dict[int, tuple[PathRule, PathRule]] = {}
    for policy in _policies(survey):
        if not isinstance(policy, PathPolicy):
            continue
        for inner in (policy, *_entered(policy)):
            matching = [rule for rule in inner.rules if rule.matches(inner.names)]
            used.update(id(rule) for rule in matching[:1])
            passed.update({id(rule): (rule, matching[0]) for rule in matching[1:]})
    return [pair for key, pair in passed.items() if key not in used]
