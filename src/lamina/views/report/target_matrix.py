"""Which targets have which value: the keys at the top of each target, of which those that differ are compared.

A value goes by a digest, so that a process that makes the page of a target has little to hand over.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina._support.escapes import visible
from lamina.paths import show_key
from lamina.views.redaction import has_secret_history
from lamina.views.report.value_text import on_one_line
from lamina.views.rows import WITHHELD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lamina.engine.node import Node
    from lamina.views.result import Result

MOST_CELLS = 500_000
"""How many cells the matrix has at most; the first keys that differ are shown."""
_LONGEST = 120


class TargetValue(NamedTuple):
    """The value that a target has at a key, as far as it is compared and shown."""

    digest: bytes
    text: str


def values_of(result: Result) -> dict[str, TargetValue]:
    """The values at the keys of a target: its documents where it has many, else what is at the top."""
    return {name: _value(node, hides=result.hides_secrets) for name, node in _nodes(result)}


def _nodes(result: Result) -> Iterator[tuple[str, Node]]:
    if result.many:
        yield from ((visible(folded.output.name), folded.node) for folded in result.outputs)
        return
    for folded in result.outputs:
        if isinstance(folded.value, dict):
            yield from ((show_key(key), folded.node.child(key)) for key in folded.value)
        else:
            yield ".", folded.node


def _value(node: Node, *, hides: bool) -> TargetValue:
    if hides and has_secret_history(node):
        return TargetValue(b"", WITHHELD)
    return TargetValue(_digest(node.value), on_one_line(node.value, _LONGEST))


def _digest(value: Any) -> bytes:
    """What equal values have in common, and others hardly ever."""
    try:
        text = json.dumps(value, default=repr, ensure_ascii=False)
    except TypeError:  # a key that JSON does not have
        text = repr(value)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def matrix_of(targets: Sequence[tuple[str, str, Mapping[str, TargetValue]]]) -> dict[str, Any]:
    """The keys in which targets (each a name, a file and its values) differ.

    For each key the texts of its values, and for each target the number of its value, -1 where it has none.
    """
    keys = list(dict.fromkeys(key for _, _, values in targets for key in values))
    rows: list[list[Any]] = []
    equal = more = 0
    for key in keys:
        texts, cells = _row(values.get(key) for _, _, values in targets)
        if len(set(cells)) < 2:
            equal += 1
        elif (len(rows) + 1) * len(targets) > MOST_CELLS:
            more += 1
        else:
            rows.append([key, texts, cells])
    return {"targets": [[visible(name), file] for name, file, _ in targets], "keys": rows, "equal": equal, "more": more}


def _row(values: Iterable[TargetValue | None]) -> tuple[list[str], list[int]]:
    numbers: dict[bytes, int] = {}
    texts: list[str] = []
    cells: list[int] = []
    for value in values:
        if value is None:
            cells.append(-1)
            continue
        number = numbers.setdefault(value.digest, len(texts))
        if number == len(texts):
            texts.append(value.text)
        cells.append(number)
    return texts, cells
