"""What Deckhand has for a value of one site: a document of the site that replaces its parent.

It is selected by the labels of the parent, has its schema and name, and says with actions what it changes: `merge` sets
members, `delete` removes one. What a document says about itself (its layer, labels, selector and actions) is then that
of the child; that is no change of the configuration, so its data, its schema and how it is stored are compared.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Final

from lamina.plugin import MISSING, walk
from lamina.plugin.extensions import Offer, OwnMeans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.plugin import Path
    from lamina.plugin.extensions import Rendered, Wanted

_POLICY: Final = "deckhand/LayeringPolicy/v1"
_WHY: Final = "a document of the site with replacement: true takes the place of its parent"


def offers(rendered: Rendered, wanted: Wanted) -> Iterator[Offer]:
    """A new document of the most specific layer, in a file of that layer."""
    if len(wanted.path) < 2 or wanted.path[1] != "data" or not isinstance(wanted.path[0], int):  # noqa: PLR2004
        return
    values = [folded.value for folded in rendered.outputs]
    order = next((each["data"].get("layerOrder") for each in values if each.get("schema") == _POLICY), None)
    parent = values[wanted.path[0]]
    layer = _layer(parent)
    labels = parent["metadata"].get("labels")
    if not isinstance(order, list) or not order or not labels or layer in (None, order[-1]):
        return
    file = _file(rendered, wanted.path[0], order[-1])
    made = _document(parent, order[-1], wanted)
    if file is not None and made is not None:
        yield Offer(file, _WHY, document=json.dumps(made))


def essence(document: Any) -> Any:
    """What of a document is configuration, by the name that others know it by."""
    metadata = document.get("metadata") or {}
    kept = {"data": document.get("data"), "storagePolicy": metadata.get("storagePolicy")}
    return f"{document.get('schema')}/{metadata.get('name')}", kept


def _layer(document: Any) -> Any:
    return (document["metadata"].get("layeringDefinition") or {}).get("layer")


def _document(parent: Any, layer: str, wanted: Wanted) -> dict[str, Any] | None:
    """The child: its parent's schema, name and labels, and what it changes."""
    path = wanted.path[2:]
    metadata = parent["metadata"]
    value = wanted.value
    if any(isinstance(step, int) for step in path):
        end = next(at for at, step in enumerate(path) if isinstance(step, int))
        value = _replaced(walk(parent["data"], path[:end]), path[end:], value)
        path = path[:end]
    action: dict[str, str] = {"method": "merge", "path": "."}
    if value is MISSING or isinstance(value, dict):
        if not path or not all(str(step).isidentifier() for step in path):
            return None
        action = {"method": "delete" if value is MISSING else "replace", "path": "." + ".".join(map(str, path))}
    data: Any = {} if value is MISSING else value
    for step in () if value is MISSING else reversed(path):
        data = {step: data}
    return {
        "schema": parent["schema"],
        "metadata": {
            "schema": metadata["schema"],
            "name": metadata["name"],
            "replacement": True,
            "labels": metadata["labels"],
            "layeringDefinition": {
                "abstract": False,
                "layer": layer,
                "parentSelector": metadata["labels"],
                "actions": [action],
            },
            "storagePolicy": metadata.get("storagePolicy", "cleartext"),
        },
        "data": data,
    }


def _replaced(whole: Any, path: Path, value: Any) -> Any:
    """A list with another value in it."""
    if not path:
        return value
    copied = list(whole) if isinstance(whole, list) else dict(whole)
    step: Any = path[0]
    if value is MISSING and len(path) == 1:
        del copied[step]
    else:
        copied[step] = _replaced(copied[step], path[1:], value)
    return copied


def _file(rendered: Rendered, number: int, layer: str) -> str | None:
    """The file for the child: where its parent is, below the folder of the layer."""
    files: dict[Any, set[str]] = {}
    own = ""
    for at, folded in enumerate(rendered.outputs):
        origin = getattr(folded.node, "origin", lambda: None)()
        source = _source_of(folded) if origin is None else origin.source
        if source is None:
            continue
        files.setdefault(_layer(folded.value), set()).add(source)
        own = source if at == number else own
    there, here = files.get(layer), files.get(_layer(rendered.outputs[number].value))
    if not there or not here or not own:
        return None
    folder, base = _common(there), _common(here)
    if len(there) == 1:
        return next(iter(there))
    return os.path.join(folder, os.path.relpath(own, base)).replace(os.sep, "/")


def _source_of(folded: Any) -> str | None:
    from lamina.plugin.extensions import origins_of

    return next((origin.source for origin in origins_of(folded.node.child("metadata"))), None)


def _common(files: set[str]) -> str:
    return os.path.commonpath([os.path.dirname(file) for file in files])


MEANS = OwnMeans(offers, essence)
