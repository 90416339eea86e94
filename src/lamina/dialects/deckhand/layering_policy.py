"""Layers: the order in the LayeringPolicy, and which documents are in which layer.

The first LayeringPolicy is used. Every layer a document names must be in its `layerOrder`; layers without documents are
omitted from the order.

A `layerOrder` that is not a list of strings is rejected where documents are validated. Where they are not, Deckhand
does with it what Python does: a missing one has no layers, of a mapping the keys count, and of a string the letters are
the layers although every part of it counts as listed (golden cases in corners3.json).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina._support import suggestions
from lamina.dialects.deckhand import messages
from lamina.dialects.deckhand.document import POLICY, SiteDocument
from lamina.plugin import Diagnostic, MergeError, word_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lamina.errors import Note

_EXAMPLE = "write layerOrder: [global, type, site]"


@dataclass(frozen=True, slots=True)
class LayerOrder:
    """The layers from the highest to the lowest, and the policy they come from."""

    policy: SiteDocument
    order: tuple[str, ...]

    @property
    def written(self) -> Any:
        """The `layerOrder` of the policy."""
        return self.policy.value["data"].get("layerOrder", [])

    def lists(self, layer: Any) -> bool:
        """Whether a document may name a layer."""
        return isinstance(layer, str) and layer in self.written

    def rank(self, layer: str) -> int:
        """The index of a layer; -1 if it is unknown."""
        return self.order.index(layer) if layer in self.order else -1


def layers_of(documents: Sequence[SiteDocument], *, validated: bool) -> LayerOrder:
    """The layers of a set of documents; `validated` if only a list of strings is good enough."""
    policy = next((document for document in documents if document.schema.startswith(POLICY)), None)
    if policy is None:
        raise MergeError(messages.LAYERING_POLICY_NOT_FOUND.at(count=len(documents)))
    data = policy.value.get("data")
    order: Any = data.get("layerOrder", None if validated else []) if isinstance(data, dict) else None
    usable = isinstance(order, list) if validated else isinstance(order, (list, dict, str))
    if not usable or not all(isinstance(layer, str if validated else Hashable) for layer in order):
        raise MergeError(
            messages.LAYER_ORDER_NOT_A_LIST.at(
                policy.origin("data", "layerOrder"), subject=policy.title, policy=policy.name
            )
        )
    return LayerOrder(policy, tuple(layer for layer in order if isinstance(layer, str)))


def used(layers: LayerOrder, documents: Iterable[SiteDocument]) -> LayerOrder:
    """The layers that hold documents."""
    present = {document.layer for document in documents}
    return LayerOrder(layers.policy, tuple(layer for layer in layers.order if layer in present))


def notes(layers: LayerOrder, documents: Sequence[SiteDocument]) -> Iterable[Note]:
    """Notes on the policies."""
    others = [
        document for document in documents if document.schema.startswith(POLICY) and document is not layers.policy
    ]
    for other in others:
        yield messages.MULTIPLE_LAYERING_POLICIES.at(
            other.origin(),
            subject=other.title,
            related=[("this one is used", layers.policy.origin())],
            other=other.name,
            policy=layers.policy.name,
        )


def unknown_layer(document: SiteDocument, layers: LayerOrder) -> Diagnostic:
    """The finding that a document's layer is not in the order."""
    layer, order = document.written_layer, layers.written
    if isinstance(order, list):
        near = suggestions.nearest(document.layer, layers.order) if document.layer else None
        listed = ", ".join(layers.order)
        hint = f"did you mean {near!r}?" if near else f"add {layer!r} to layerOrder"
    else:
        listed = f"which is {word_for(order)}, not a list"
        hint = _EXAMPLE
    return messages.UNKNOWN_LAYER.at(
        document.origin("metadata", "layeringDefinition", "layer"),
        subject=document.title,
        related=[("layerOrder is defined here", layers.policy.origin("data", "layerOrder"))],
        layer=layer,
        listed=listed,
        hint=hint,
    )
