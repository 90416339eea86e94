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
        return f"lists are not joined by default; put merge_how: {JOINING} into {where} to append its items"
    if event.verdict == "ignored":
        return _kept(event)
    return None


def layer_and_file(event: Event) -> str:
    """The layer, with the file it is in where that is not its name."""
    file = event.origin.source if event.origin else event.layer
    return f"{event.layer} ({file})" if file != event.layer else str(file)


def _kept(event: Event) -> str:
    if event.directive is not None and event.directive.text == _BETWEEN_LAYERS:
        return _kept_between_layers(event)
    if event.result is None:
        return "an earlier null stays whatever is merged into it; remove it there"
    if isinstance(event.value, list):
        return f"this rule keeps the earlier list; dict needs recurse_list and list append, as in {JOINING}"
    if isinstance(event.value, str) and isinstance(event.result, str):
        return "this rule keeps the earlier text; dict(recurse_str) lets str take or append the new one"
    return "the earlier value stays unless the rule says dict(replace)"


def _kept_between_layers(event: Event) -> str:
    """The higher layer wins; only files of configuration can say otherwise."""
    if event.layer is None or event.layer.startswith(("user-data", "vendor-data")):
        return "what a higher layer says stands, null included; only mappings are merged. Repeat it in the higher layer"
    return f"the file that comes first stands; merge_how: {JOINING} in {event.layer} would join lists"


EXPLAIN = Explain(hint=hint)
