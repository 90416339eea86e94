"""Documents that each hold the one before twice: what shows the history of every value ends at its limit."""

from __future__ import annotations

import pytest

import lamina
from lamina import budget
from lamina.views.report.build_html import report

POLICY = """---
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: policy}
data: {layerOrder: [site]}
"""
DOCUMENT = """---
schema: example/Kind/v1
metadata: {{schema: metadata/Document/v1, name: d{0}, storagePolicy: cleartext, layeringDefinition: {{layer: site}}{1}}}
data: {{a: {{}}, b: {{}}}}
"""


def chain(length: int) -> lamina.Result:
    """Documents of which each inserts the one before at two places."""
    texts = [POLICY, DOCUMENT.format(0, "")]
    for number in range(1, length):
        source = f"{{schema: example/Kind/v1, name: d{number - 1}, path: .}}"
        both = ", ".join(f"{{src: {source}, dest: {{path: .{key}}}}}" for key in "ab")
        texts.append(DOCUMENT.format(number, f", substitutions: [{both}]"))
    return lamina.render([("chain.yaml", "".join(texts))])


def values_in(value: object) -> int:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(values_in, inside))


def test_annotating_ends_at_the_limit_of_values() -> None:
    result = chain(18)
    with pytest.raises(lamina.LaminaError, match="result-too-large"):
        result.to_annotated_yaml()


def test_the_events_of_a_page_count(monkeypatch: pytest.MonkeyPatch) -> None:
    result = chain(8)
    monkeypatch.setattr(budget, "SHOWN", 2 * values_in(result.value))
    with pytest.raises(lamina.LaminaError, match="result-too-large"):
        report(result)
    result.to_annotated_yaml()
