"""What a golden case of Deckhand compares: every document that is given, with its data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.plugin.extensions import Golden

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.protocol.rendered import Rendered


def observe(rendered: Rendered) -> Mapping[str, Any]:
    """The outcome of a render in the terms of the cases."""
    found = [_observed(output.value) for output in rendered.outputs]
    return {"value": sorted(found, key=lambda one: (one["schema"], one["name"], one["layer"]))}


def _observed(document: Mapping[str, Any]) -> dict[str, Any]:
    metadata = document["metadata"]
    layer = (metadata.get("layeringDefinition") or {}).get("layer") or ""
    return {
        "schema": document["schema"],
        "name": metadata["name"],
        "layer": layer,
        "data": _with_text_keys(document.get("data")),
    }


def _with_text_keys(value: Any) -> Any:
    """The value as JSON holds it: keys are texts."""
    if isinstance(value, dict):
        return {key if isinstance(key, str) else str(key): _with_text_keys(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_text_keys(inner) for inner in value]
    return value


GOLDEN = Golden(observe=observe)
