"""Which targets have which value: the keys at the top of each target, of which those that differ are compared.

A value goes by a digest, so that a process that makes the page of a target has little to hand over.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina._support.escapes import visible
from lamina.paths import show_key
from lamina.views.report.value_text import on_one_line
from lamina.views.report.views import views_of
from lamina.views.rows import SECRET, WITHHELD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lamina.views.result import Result

MOST_CELLS = 500_000
"""How many cells the matrix has at most; the first keys that differ are shown."""
_LONGEST = 120


class TargetValue(NamedTuple):
    """The value that a target has at a key, as far as it is compared and shown."""

    digest: bytes
    text: str


def values_of(result: Result, page: dict[str, Any]) -> dict[str, TargetValue]:
    """The values at the keys of a target: its documents where it has many, else what is at the top.

    What holds something that its page withholds is withheld here.
    """
    withheld = set(_withheld(result, page))
    return {
        name: TargetValue(b"", WITHHELD)
        if name in withheld
        else TargetValue(_digest(value), on_one_line(value, _LONGEST))
        for name, value in _values(result)
    }


def _values(result: Result) -> Iterator[tuple[str, Any]]:
    for folded in result.outputs:
        if result.many:
            yield visible(folded.output.name), folded.value
        elif isinstance(folded.value, dict):
            yield from ((show_key(key), value) for key, value in folded.value.items())
        else:
            yield ".", folded.value


def _withheld(result: Result, page: dict[str, Any]) -> Iterator[str]:
    """The keys in which a page withholds something."""
    for view, output in zip(views_of(result), page["outputs"], strict=True):
        whole = visible(view.name) if result.many else show_key(view.prefix[0]) if view.prefix else ""
        top = "."
        for level, kind, step, *_ in output["rows"]:
            if not level:
                top = page["texts"][step]
            if kind == SECRET:
                yield whole or top


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
