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
from lamina.dialects.deckhand.document import POLICY, SiteDocument
from lamina.errors import Diagnostic, MergeError, Severity
from lamina.values import word_for

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
        raise MergeError(_no_policy(documents))
    data = policy.value.get("data")
    order: Any = data.get("layerOrder", None if validated else []) if isinstance(data, dict) else None
    usable = isinstance(order, list) if validated else isinstance(order, (list, dict, str))
    if not usable or not all(isinstance(layer, str if validated else Hashable) for layer in order):
        raise MergeError(_no_order(policy))
    return LayerOrder(policy, tuple(layer for layer in order if isinstance(layer, str)))


def used(layers: LayerOrder, documents: Iterable[SiteDocument]) -> LayerOrder:
    """The layers that hold documents."""
    present = {document.layer for document in documents}
    return LayerOrder(layers.policy, tuple(layer for layer in layers.order if layer in present))


def _no_policy(documents: Sequence[SiteDocument]) -> Diagnostic:
    return Diagnostic(
        code="layering-policy-not-found",
        message=f"no LayeringPolicy found (documents read: {len(documents)}), so the layer order is unknown",
        hint="add a deckhand/LayeringPolicy/v1 document with data.layerOrder, or the file that contains it",
    )


def _no_order(policy: SiteDocument) -> Diagnostic:
    return Diagnostic(
        code="invalid-document-format",
        message=f"data.layerOrder of the LayeringPolicy {policy.name} must be a list of strings",
        at=policy.origin("data", "layerOrder"),
        hint=_EXAMPLE,
        subject=policy.title,
    )


def notes(layers: LayerOrder, documents: Sequence[SiteDocument]) -> Iterable[Note]:
    """Notes on the policies."""
    others = [
        document for document in documents if document.schema.startswith(POLICY) and document is not layers.policy
    ]
    for other in others:
        yield Diagnostic(
            code="multiple-layering-policies",
            message=f"the LayeringPolicy {other.name} is ignored: {layers.policy.name} was found first",
            at=other.origin(),
            related=(("this one is used", layers.policy.origin()),),
            hint="keep only one LayeringPolicy",
            severity=Severity.WARNING,
            subject=other.title,
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
    return Diagnostic(
        code="invalid-document-layer",
        message=f"layer {layer!r} of {document.title} is not in layerOrder ({listed})",
        at=document.origin("metadata", "layeringDefinition", "layer"),
        related=(("layerOrder is defined here", layers.policy.origin("data", "layerOrder")),),
        hint=hint,
        subject=document.title,
    )
