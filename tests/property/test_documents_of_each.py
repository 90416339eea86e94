"""The documents of several sources, found together, are those that each source gives by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from lamina.budget import READ, Budget
from lamina.errors import LaminaError
from lamina.run import Run
from lamina.session import Session
from lamina.sources.document_cache import yaml_document, yaml_document_of_each
from lamina.sources.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lamina.sources.document import Document

TEXTS = st.sampled_from(["a: 1\n", "b: [1, 2]\n", "c: {d: 1, e: 2}\n", "bad: [\n", "also: }\n"])
SOURCES = st.lists(st.builds(Source.of_text, st.sampled_from(["one.yaml", "two.yaml"]), TEXTS), max_size=5)


def one_by_one(sources: Sequence[Source], run: Run) -> list[Document]:
    return [yaml_document(source, run) for source in sources]


def outcome(
    read: Callable[[Sequence[Source], Run], list[Document]], sources: list[Source], before: list[Source], room: int
) -> Any:
    """The values or the error, and what is left of a budget, in a session that has read some sources before."""
    session = Session()
    for source in before:
        try:
            yaml_document(source, Run(session))
        except LaminaError:
            continue
    run, budget = Run(session), Budget(1_000, room * READ)
    run.budget = budget
    try:
        found: Any = [document.value for document in read(sources, run)]
    except LaminaError as error:
        found = str(error)
    return found, budget.nodes, budget.size


@given(SOURCES, SOURCES, st.integers(0, 40))
def test_together_and_one_by_one(sources: list[Source], others: list[Source], room: int) -> None:
    for before in ([], others, sources[:-1], sources[1:], sources):
        expected = outcome(one_by_one, sources, before, room)
        assert outcome(yaml_document_of_each, sources, before, room) == expected
