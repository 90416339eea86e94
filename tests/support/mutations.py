"""Inputs that are nearly right: the files of golden cases, cut, spliced and garbled, a little or a lot."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from support.seeds import ANY, DIALECTS, OWN, cases, contents

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lamina.conformance.case import Case

LONG = os.environ.get("LAMINA_FUZZ") == "long"
fuzzing = settings(
    max_examples=5000 if LONG else 60,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=not LONG,
)
"""How much is tried: always the same few by default, many and new ones by `make fuzz`."""


@st.composite
def mutated(draw: st.DrawFn, data: bytes, snippets: Sequence[bytes], others: Sequence[bytes]) -> bytes:
    """Some bytes, changed in up to five places."""
    found = bytearray(data)
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(found)))
        upto = min(len(found), at + draw(st.integers(0, 40)))
        match draw(st.sampled_from(("snippet", "cut", "double", "bytes", "lines", "splice"))):
            case "snippet":
                found[at:at] = draw(st.sampled_from(snippets))
            case "cut":
                del found[at:upto]
            case "double":
                found[at:at] = found[at:upto] * draw(st.integers(1, 4))
            case "bytes":
                found[at:upto] = draw(st.binary(max_size=6))
            case "lines":
                lines = bytes(found).splitlines(keepends=True)
                found = bytearray(b"".join(draw(st.permutations(lines[:12]))) + b"".join(lines[12:]))
            case "splice":
                other = draw(st.sampled_from(others))
                found[at:upto] = other[draw(st.integers(0, len(other))) :][:200]
    return bytes(found)


def _pool(dialect: str) -> list[bytes]:
    return sorted({data for case in cases(dialect) for data in contents(case).values()}, key=len)[:800] or [b""]


def texts(dialect: str) -> st.SearchStrategy[bytes]:
    """A file of a dialect, garbled."""
    pool, snippets = _pool(dialect), [*ANY, *OWN[dialect]]
    return st.sampled_from(pool).flatmap(lambda data: mutated(data, snippets, pool))


any_text = st.sampled_from(DIALECTS).flatmap(texts)
"""A file of any dialect, garbled."""


@st.composite
def mutated_case(draw: st.DrawFn, dialect: str) -> tuple[Case, Mapping[str, bytes]]:
    """A golden case, and its files with one or two of them garbled."""
    case: Case = draw(st.sampled_from(cases(dialect)))
    files = contents(case)
    pool, snippets = _pool(dialect), [*ANY, *OWN[dialect]]
    for name in draw(st.lists(st.sampled_from(sorted(files)), min_size=1, max_size=2, unique=True)):
        files[name] = draw(mutated(files[name], snippets, pool))
    return case, files
