"""How the time to render Deckhand documents grows with their number: `python bench/documents.py [COUNT...]`.

The generated sets: 1 % abstract global documents, 10 % in the region, the rest in the site; each
child has two actions, every fifth site document one substitution, and all have eight small objects of data.
"""

from __future__ import annotations

import sys
import time

from lamina.dialect import find, make_options
from lamina.inputs import gather
from lamina.rendering import render_with

_HEAD = """\
---
schema: {schema}
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


def documents(count: int) -> str:
    """A set of that many documents, and its policy."""
    above, middle = max(1, count // 100), max(1, count // 10)
    texts = [
        "---\nschema: deckhand/LayeringPolicy/v1\n"
        "metadata: {schema: metadata/Control/v1, name: layering-policy}\n"
        "data: {layerOrder: [global, region, site]}\n"
    ]
    for number in range(count):
        if number < above:
            texts.append(_document(number, "global", None, None))
        elif number < above + middle:
            texts.append(_document(number, "region", number % above, None))
        else:
            source = above + number % middle if number % 5 == 0 else None
            texts.append(_document(number, "site", above + number % middle, source))
    return "".join(texts)


def _document(number: int, layer: str, parent: int | None, source: int | None) -> str:
    abstract = "true" if layer == "global" else "false"
    text = _HEAD.format(schema="example/Kind/v1", name=f"d{number}", layer=layer, abstract=abstract)
    if parent is not None:
        text += _PARENT.format(parent=f"d{parent}")
    if source is not None:
        text += _SUBSTITUTION.format(source=f"d{source}")
    data = "".join(f"  o{i}: {{name: n{number}-{i}, port: {number + i}, hosts: [a{i}, b{i}]}}\n" for i in range(8))
    return f"{text}data:\n  own: {{by: d{number}}}\n{data}"


def seconds(count: int) -> float:
    """The CPU seconds one render of so many documents takes, reading and validation included; the best of three."""
    text = documents(count)
    deckhand = find("deckhand")
    best = float("inf")
    for attempt in range(3):
        inputs = gather([(f"site-{attempt}.yaml", text)])
        start = time.process_time()
        render_with(deckhand, inputs, make_options(deckhand, {}))
        best = min(best, time.process_time() - start)
    return best


def main(counts: list[int]) -> None:
    """Print one line for each number of documents."""
    first: float | None = None
    for count in counts:
        taken = seconds(count)
        first = first or taken
        print(f"{count:>6} documents  {taken:7.3f} s  {taken / count * 1e6:6.0f} µs each  {taken / first:5.1f} x")


if __name__ == "__main__":
    main([int(count) for count in sys.argv[1:]] or [1000, 5000])
