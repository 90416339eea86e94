"""What Deckhand has for a value of one site: a document of the site that replaces its parent.

It is selected by the labels of the parent, has its schema and name, and says with actions what it changes: `merge` sets
members, `delete` removes one. What a document says about itself (its layer, labels, selector and actions) is then that
of the child; that is no change of the configuration, so its data, its schema and how it is stored are compared.
"""

from __future__ import annotations

import json
from posixpath import commonpath, dirname, relpath
from typing import TYPE_CHECKING, Any, Final

from lamina.plugin import MISSING, walk
from lamina.plugin.extensions import Offer, OwnMeans, origins_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.plugin import Origin, Path
    from lamina.plugin.extensions import Rendered, Wanted

_POLICY: Final = "deckhand/LayeringPolicy/v1"
_WHY: Final = "a document of the site with replacement: true takes the place of its parent"


def offers(rendered: Rendered, wanted: Wanted) -> Iterator[Offer]:
    """A new document of the most specific layer that the site has, in a file of that layer."""
    if len(wanted.path) < 2 or wanted.path[1] != "data" or not isinstance(wanted.path[0], int):
        return
    values = [folded.value for folded in rendered.outputs]
    order = next((each["data"].get("layerOrder") for each in values if each.get("schema") == _POLICY), None)
    parent = values[wanted.path[0]]
    labels, layer = parent["metadata"].get("labels"), _layer(parent)
    if not labels or not isinstance(order, list) or layer not in order:
        return
    files = _files(rendered)
    site = next((each for each in reversed(order[order.index(layer) + 1 :]) if each in files), None)
    made = _document(parent, site, wanted) if site is not None else None
    if made is not None:
        own = next((origin.source for origin in _origins(rendered, wanted.path[0])), "")
        yield Offer(_file_for(own, files[layer], files[site]), _WHY, document=json.dumps(made))


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


def _files(rendered: Rendered) -> dict[Any, set[str]]:
    """The files of the documents of each layer."""
    files: dict[Any, set[str]] = {}
    for number, folded in enumerate(rendered.outputs):
        files.setdefault(_layer(folded.value), set()).update(each.source for each in _origins(rendered, number))
    return files


def _origins(rendered: Rendered, number: int) -> tuple[Origin, ...]:
    """Where the metadata of a document is written."""
    return tuple(origins_of(rendered.outputs[number].node.child("metadata")))[:1]


def _file_for(own: str, parents: set[str], siblings: set[str]) -> str:
    """The file for the child: where its parent is, below the folder of the layer; the only file, if it has just one."""
    if len(siblings) == 1:
        return next(iter(siblings))
    return f"{_common(siblings)}/{relpath(own, _common(parents))}"


def _common(files: set[str]) -> str:
    return commonpath([dirname(file) for file in files])


MEANS = OwnMeans(offers, essence)
