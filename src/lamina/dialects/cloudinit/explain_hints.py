"""What surprises people in cloud-init's results, and what to do about it.

An advice changes no value but the one it is for, or it names the others: a rule is tried before it is recommended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.dialects.cloudinit.other_rule import JOINING, can_be_tried, in_own_part, joining_rule, replacing_rule
from lamina.paths import show
from lamina.protocol.extensions import Explain

if TYPE_CHECKING:
    from lamina.dialects.cloudinit.other_rule import TriedRule
    from lamina.engine.history import Event
    from lamina.protocol.rendered import Rendered

_BETWEEN_LAYERS = "default rule list()+dict()+str()"
_UNTRIED = "; it governs all of the part, which is too large to try it here: compare the results with lamina diff"
_BY_THE_MANUAL = "by the manual the rule of the part before applies; change that one"


def hint(event: Event, result: Rendered) -> str | None:
    """A hint on an event whose outcome often surprises; none on a whole document, or if the caller chose the rule."""
    if result.options.mode == "merge" or not event.path:
        return None
    if event.verdict == "replaced" and isinstance(event.value, list) and isinstance(event.displaced, list):
        return f"lists are not merged by default; to append its items, {_joining(event, result)}"
    if event.verdict == "replaced" and _loses_keys(event):
        return f"mappings below the top level are not merged by default; to keep both, {_joining(event, result)}"
    if event.verdict == "ignored":
        return _ignored_hint(event, result)
    return None


def _joining(event: Event, result: Rendered) -> str:
    return joining(event, result, layer_and_file(event), joining_rule(result, event))


def joining(event: Event, result: Rendered, part: str, rule: TriedRule | None) -> str:
    """What to do to append a list, or to keep the keys of both of two mappings, given its `joining_rule`."""
    if result.options.compat == "manual":
        return _BY_THE_MANUAL
    if not can_be_tried(result, event):
        return f"give {part} a merge rule that does{_UNTRIED}"
    if rule is not None and (rule.joins or len(event.path) > 1):
        return _with_rule(rule, event, part)
    if not isinstance(event.value, list):
        return f"repeat the earlier keys in {part}"
    why = f"; in {part} the rule would also change {rule.also}" if rule is not None else ""
    moved = in_own_part(result, event, JOINING[0])
    return f"move {show(event.path[:1])} to a part of its own with merge_how: {moved.text}{_also(moved)}{why}"


def replacing(event: Event, result: Rendered, part: str) -> str:
    """What to do so that a value that is ignored replaces the earlier one."""
    if result.options.compat == "manual":
        return _BY_THE_MANUAL
    if not can_be_tried(result, event):
        return f"give {part} a merge rule that replaces values{_UNTRIED}"
    rule = replacing_rule(result, event)
    if rule is not None:
        return _with_rule(rule, event, part)
    key, whole = show(event.path[:1]), len(event.path) == 1
    moved = f"move {key} to" if whole else f"write all of {key} in"
    return f"{moved} a part of its own without a merge rule{_also(in_own_part(result, event, None))}"


def _with_rule(rule: TriedRule, event: Event, part: str) -> str:
    has_rule = event.directive is not None and event.directive.origin is not None
    what = f"write merge_how: {rule.text} in {part} instead" if has_rule else f"add merge_how: {rule.text} to {part}"
    return what + _also(rule)


def _also(rule: TriedRule) -> str:
    return f"; it also {'appends' if rule.joins else 'changes'} {rule.also}" if rule.changes else ""


def _loses_keys(event: Event) -> bool:
    """Whether a mapping replaced one with keys that it does not have."""
    old, new = event.displaced, event.value
    return isinstance(old, dict) and isinstance(new, dict) and any(key not in new for key in old)


def layer_and_file(event: Event) -> str:
    """The layer, with the file it is in where that is not its name."""
    file = event.origin.source if event.origin else event.layer
    return f"{event.layer} ({file})" if file != event.layer else str(file)


def _ignored_hint(event: Event, result: Rendered) -> str | None:
    if event.directive is not None and event.directive.text == _BETWEEN_LAYERS:
        return _ignored_layer_hint(event, result)
    if event.result is None:
        return "an earlier null is never replaced; remove the null"
    if isinstance(event.value, list) and isinstance(event.result, list):
        return f"this merge rule keeps the earlier list; to append, {_joining(event, result)}"
    return f"this merge rule keeps the earlier value; to replace it, {replacing(event, result, layer_and_file(event))}"


def _ignored_layer_hint(event: Event, result: Rendered) -> str:
    """The hint that the higher layer wins; only configuration files can change that."""
    if event.layer is None or event.layer.startswith(("user-data", "vendor-data")):
        return "the higher layer wins, even with null; only mappings are merged. Repeat the value in the higher layer"
    rule = joining_rule(result, event) if isinstance(event.value, list) else None
    if rule is None:
        return "the first file wins; change the value there"
    return f"the first file wins; to append this list to it, {_with_rule(rule, event, event.layer)}"


EXPLAIN = Explain(hint=hint)
