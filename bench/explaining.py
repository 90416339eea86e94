"""Explaining one path of a result: against rendering all of it, and how much each event adds.

python bench/explaining.py [--quick] [--rows]
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from merging import RULE, five_layers
from rows import Row, of_pairs, print_rows, seconds

from lamina.dialects import registry as dialects
from lamina.run import Run
from lamina.session import default_session
from lamina.sources import document_cache
from lamina.sources.inputs import Inputs, source_of
from lamina.sources.yaml.writer import dump
from lamina.views.render import render_with

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.views.result import Result

TIMES = 50
REPLACED = 8


def rows() -> Iterator[Row]:
    layers = five_layers()
    inputs = Inputs(tuple(source_of(f"{at}.yaml", dump(layer)) for at, layer in enumerate(layers)))
    dialect = dialects.find("cloud-init")
    options = dialects.make_options(dialect, {"mode": "merge", "merge": RULE})
    for source in inputs.sources:
        document_cache.yaml_document(source, Run())
    table = next(iter(layers[-1]))
    path = (table, next(iter(layers[-1][table])))

    def whole() -> None:
        for _ in range(TIMES):
            render_with(dialect, inputs, options)

    def from_bytes_to_text() -> None:
        for _ in range(TIMES):
            default_session().clear()
            dump(render_with(dialect, inputs, options).plain)

    results = [render_with(dialect, inputs, options) for _ in range(TIMES)]

    def one() -> None:
        for result in results:
            result.explain(path)

    for against, render, target in (
        ("rendering the node, bytes to YAML text", from_bytes_to_text, 0.05),
        ("merging the node", whole, None),
    ):
        pairs = [(seconds(one), seconds(render)) for _ in range(5)]
        yield of_pairs("explain one path of a rendered node", against, pairs, target=target, at_most=True)
    yield from events()


def events() -> Iterator[Row]:
    """How long it takes to explain a value that one layer sets, and how much longer for each layer that replaces it."""
    dialect = dialects.find("cloud-init")
    options = dialects.make_options(dialect, {"mode": "merge", "merge": RULE})

    def results(count: int) -> list[Result]:
        layers = [
            {f"table{at}": {f"member{member}": f"{number}-{at}-{member}" for member in range(14)} for at in range(40)}
            for number in range(count)
        ]
        inputs = Inputs(tuple(source_of(f"{at}.yaml", dump(layer)) for at, layer in enumerate(layers)))
        return [render_with(dialect, inputs, options) for _ in range(TIMES)]

    few, many = results(1), results(1 + REPLACED)
    path = ("table20", "member7")

    def explained(given: list[Result]) -> float:
        """Microseconds for one; every event is looked at."""

        def one() -> None:
            for result in given:
                for event in result.explain(path).events:
                    assert event.origin is not None

        return seconds(one) / len(given) * 1e6

    explained(few), explained(many)
    rounds = [(explained(few), explained(many)) for _ in range(9)]
    for job, times, target in (
        ("explain a value that one layer sets", [one for one, _ in rounds], 10),
        ("the same, for each layer that replaces it", [(all_ - one) / REPLACED for one, all_ in rounds], 2),
    ):
        yield Row(job, "a microsecond", median(times), min(times), max(times), target, at_most=True)


if __name__ == "__main__":
    print_rows(rows())
