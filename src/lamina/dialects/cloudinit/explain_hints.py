"""What surprises people in cloud-init's results, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.dialects.extensions import Explain

if TYPE_CHECKING:
    from lamina.engine.history import Event

JOINING = "list(append)+dict(no_replace,recurse_list)+str()"


_BETWEEN_LAYERS = "default rule list()+dict()+str()"


def hint(event: Event) -> str | None:
    """A hint on an event whose outcome often surprises."""
    lists = isinstance(event.value, list) and isinstance(event.displaced, list)
    if event.verdict == "replaced" and lists:
        where = layer_and_file(event)
        return f"lists are not merged by default; add merge_how: {JOINING} to {where} to append its items"
    if event.verdict == "replaced" and _loses_keys(event):
        where = layer_and_file(event)
        return (
            f"mappings below the top level are not merged by default; add merge_how: {JOINING} to {where} to keep "
            "both; where both set a key the earlier value stays"
        )
    if event.verdict == "ignored":
        return _ignored_hint(event)
    return None


def _loses_keys(event: Event) -> bool:
    """Whether a mapping replaced one with keys that it does not have."""
    old, new = event.displaced, event.value
    return isinstance(old, dict) and isinstance(new, dict) and any(key not in new for key in old)


def layer_and_file(event: Event) -> str:
    """The layer, with the file it is in where that is not its name."""
    file = event.origin.source if event.origin else event.layer
    return f"{event.layer} ({file})" if file != event.layer else str(file)


def _ignored_hint(event: Event) -> str:
    if event.directive is not None and event.directive.text == _BETWEEN_LAYERS:
        return _ignored_layer_hint(event)
    if event.result is None:
        return "an earlier null is never replaced; remove the null"
    if isinstance(event.value, list):
        return (
            f"this merge rule keeps the earlier list; to append, use recurse_list in dict and append in list: {JOINING}"
        )
    if isinstance(event.value, str) and isinstance(event.result, str):
        return "this merge rule keeps the earlier string; add recurse_str to dict to let str replace it or append to it"
    return "the earlier value wins unless the merge rule has dict(replace)"


def _ignored_layer_hint(event: Event) -> str:
    """The hint that the higher layer wins; only configuration files can change that."""
    if event.layer is None or event.layer.startswith(("user-data", "vendor-data")):
        return "the higher layer wins, even with null; only mappings are merged. Repeat the value in the higher layer"
    return f"the first file wins; merge_how: {JOINING} in {event.layer} would join lists"


EXPLAIN = Explain(hint=hint)
