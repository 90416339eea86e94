"""The page shows what `explain` prints: for every value, the same origins and the same events."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given

import lamina
from lamina.paths import leaves, show
from lamina.views.report.page_data import collect
from lamina.views.rows import WORDS
from support.cloud_configs import Parts, distinct_parts
from support.page_rows import paths_of, rows_of


def shown(data: dict[str, Any]) -> dict[str, tuple[list[str], list[str]]]:
    """The origins and verdicts of every row, by path."""
    texts, places = data["texts"], data["places"]

    def place(number: int) -> str:
        return f"{texts[places[number][0]]}:{places[number][1]}:{places[number][2]}"

    return {
        path: (
            [place(number) for number in origins[1::2]],
            [texts[data["rules"][data["events"][event][0]][0]] for event in events],
        )
        for path, (_, _, _, _, origins, events, _, _) in zip(paths_of(data), rows_of(data), strict=True)
    }


@given(distinct_parts())
@example([("0.yaml", "#cloud-config\na:\n- []\n"), ("1.yaml", "#cloud-config\na:\n  b: null\n")])
@example([("0.yaml", "#cloud-config\na: []\n"), ("1.yaml", "#cloud-config\nb: null\na:\n  b: null\n")])
@example(
    [("0.yaml", "#cloud-config\na: {}\nmerge_how: list()\n"), ("1.yaml", "#cloud-config\nb: null\na:\n  b: null\n")]
)
def test_the_page_shows_what_explain_shows(parts: Parts) -> None:
    result = lamina.render(parts, dialect="cloud-init")
    rows = shown(collect(result, ""))
    for path in filter(None, leaves(result.plain)):
        history = result.explain(path)
        origins = [f"{origin.source}:{origin.line}:{origin.column}" for origin in history.origins]
        assert rows[show(path)] == (origins, [WORDS.get(event.verdict, event.verdict) for event in history.events])
