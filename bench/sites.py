"""The data of the growth and workspace benchmarks: sites of Deckhand documents, as many as wanted.

1 % of the documents, or as many as wanted, are global and abstract, 10 % belong to the region, the rest to the site;
each child has two actions, every fifth site document one substitution, and all have eight small objects of data.
"""

from __future__ import annotations

_HEAD = """\
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: {name}
  labels: {{id: {name}}}
  storagePolicy: cleartext
  layeringDefinition:
    layer: {layer}
    abstract: {abstract}
"""
_PARENT = """\
    parentSelector: {{id: {parent}}}
    actions:
    - {{method: merge, path: .}}
    - {{method: replace, path: .own}}
"""
_SUBSTITUTION = """\
  substitutions:
  - src: {{schema: example/Kind/v1, name: {source}, path: .o1}}
    dest: {{path: .taken.o1}}
"""
_POLICY = """\
---
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: layering-policy}
data: {layerOrder: [global, region, site]}
"""


def site(count: int) -> str:
    """A set of that many documents, and its policy."""
    return "".join(documents(count, max(1, count // 100)))


def documents(count: int, above: int) -> list[str]:
    """The policy and that many documents, of which so many are global."""
    middle = max(1, count // 10)
    texts = [_POLICY]
    for number in range(count):
        if number < above:
            texts.append(_document(number, "global", None, None))
        elif number < above + middle:
            texts.append(_document(number, "region", number % above, None))
        else:
            source = above + number % middle if number % 5 == 0 else None
            texts.append(_document(number, "site", above + number % middle, source))
    return texts


def _document(number: int, layer: str, parent: int | None, source: int | None) -> str:
    text = _HEAD.format(name=f"d{number}", layer=layer, abstract="true" if layer == "global" else "false")
    if parent is not None:
        text += _PARENT.format(parent=f"d{parent}")
    if source is not None:
        text += _SUBSTITUTION.format(source=f"d{source}")
    data = "".join(f"  o{i}: {{name: n{number}-{i}, port: {number + i}, hosts: [a{i}, b{i}]}}\n" for i in range(8))
    return f"{text}data:\n  own: {{by: d{number}}}\n{data}"
