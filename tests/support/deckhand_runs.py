"""Deckhand documents written short, and rendering them."""

from __future__ import annotations

from typing import Any

import pytest

import lamina

POLICY = """\
---
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: layering-policy}
data: {layerOrder: [global, region, site]}
"""


def document(name: str, data: str = "{}", *, layer: str = "site", kind: str = "Kind", **more: str) -> str:
    """A document; `more` is further metadata, `layering` further layering."""
    layering = more.pop("layering", "")
    policy = more.pop("storagePolicy", "cleartext")
    extra = "".join(f", {key}: {value}" for key, value in more.items())
    return (
        f"---\nschema: example/{kind}/v1\nmetadata: {{schema: metadata/Document/v1, name: {name}, "
        f"storagePolicy: {policy}, layeringDefinition: {{layer: {layer}{layering}}}{extra}}}\ndata: {data}\n"
    )


def substitution(source: str, path: str, dest: str, more: str = "", src: str = "") -> str:
    return f"{{src: {{schema: example/Kind/v1, name: {source}, path: '{path}'{src}}}, dest: {{path: '{dest}'{more}}}}}"


def render(*documents: str, **options: Any) -> lamina.Result:
    return lamina.render([("site.yaml", POLICY + "".join(documents))], dialect="deckhand", **options)


def data_of(result: lamina.Result, name: str) -> Any:
    documents = result.value if result.many else [result.value]
    return next(value["data"] for value in documents if value["metadata"]["name"] == name)


def errors_of(*documents: str, **options: Any) -> list[lamina.Diagnostic]:
    with pytest.raises(lamina.LaminaError) as caught:
        render(*documents, **options)
    return list(caught.value.diagnostics)
