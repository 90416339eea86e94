"""What surprises people in merged environments, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.dialects.heat.sections import WITH_STRATEGIES
from lamina.plugin.extensions import Explain

if TYPE_CHECKING:
    from lamina.plugin.extensions import Event, Rendered


def hint(event: Event, result: Rendered) -> str | None:
    """A hint on an event whose outcome often surprises."""
    del result
    if len(event.path) < 2 or event.path[0] not in WITH_STRATEGIES:
        return None
    name, kinds = event.path[1], (type(event.displaced), type(event.value))
    if event.verdict == "replaced" and len(event.path) == 2 and kinds in ((list, list), (dict, dict)):
        return (
            f"without a strategy the last file wins; to merge, set {name}: merge under "
            f"parameter_merge_strategies in the first file that sets {name}"
        )
    if event.verdict == "ignored":
        return _ignored(event)
    if event.verdict == "appended" and len(event.path) > 2 and isinstance(event.displaced, str):
        return "deep_merge concatenates strings inside json parameters; set the string in one file only, or use merge"
    return None


def _ignored(event: Event) -> str | None:
    if event.value is None:
        return "a later null is ignored; it does not unset the value"
    # What a template declares has its own strategy, and an empty value may stay behind for other reasons.
    without_strategy = event.directive is not None and event.directive.text.startswith("the section ")
    if event.value and len(event.path) == 2 and without_strategy:
        return f"no template declares {event.path[1]}, so Heat uses only the first file that sets the section"
    return None


EXPLAIN = Explain(hint=hint)
