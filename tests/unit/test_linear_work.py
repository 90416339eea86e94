"""The work is proportional to what is shown: it is counted, not timed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import lamina
from lamina.engine import provenance
from lamina.sources.json.brief import in_brief
from lamina.views.diff.edited_lines import EditedLines
from lamina.views.explain import as_tree
from lamina.views.redaction import Redactor
from lamina.views.report import layer_order, page_data
from support.page_rows import rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.views.result import Result

POLICY = """\
---
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: policy}
data: {layerOrder: [site]}
"""


def document(number: int) -> str:
    """A document that takes its value from the one before it."""
    takes = (
        f"  substitutions: [{{src: {{schema: example/Kind/v1, name: d{number - 1}, path: .v}}, dest: {{path: .v}}}}]\n"
        if number
        else ""
    )
    return (
        "---\nschema: example/Kind/v1\nmetadata:\n  schema: metadata/Document/v1\n"
        f"  name: d{number}\n  storagePolicy: cleartext\n"
        f"  layeringDefinition: {{layer: site, abstract: false}}\n{takes}data: {{v: v{number}}}\n"
    )


def chain(length: int) -> Result:
    text = POLICY + "".join(map(document, range(length)))
    return lamina.render([("site.yaml", text)], dialect="deckhand")


class Counter:
    """Counts the calls of a function."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.calls = 0

    def __call__(self, *arguments: Any) -> Any:
        self.calls += 1
        return self.function(*arguments)


class CountedList(list[Any]):
    """Counts the items that were looked at."""

    seen = 0

    def __iter__(self) -> Iterator[Any]:
        for item in super().__iter__():
            self.seen += 1
            yield item


def last_of(rendered: Result) -> tuple[int, str, str]:
    """The path of the value at the end of the chain."""
    names = [folded.output.name for folded in rendered.outputs]
    number = names.index(f"example/Kind/v1/d{len(names) - 2} (site)")
    return number, "data", "v"


def lookups(length: int, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """How often nodes were asked for their sources to explain the end of a chain, and how many events that has."""
    rendered = chain(length)
    path = last_of(rendered)
    counter = Counter(provenance._sources)
    with monkeypatch.context() as patch:
        patch.setattr(provenance, "_sources", counter)
        history = rendered.explain(path)
    return counter.calls, len(history.events)


def test_a_chain_of_substitutions_is_explained_in_as_many_steps_as_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    for length in (50, 100):
        calls, events = lookups(length, monkeypatch)
        assert events >= length
        assert calls <= 6 * events


def test_a_page_of_a_chain_takes_as_many_steps_as_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = Counter(provenance._sources)
    rendered = chain(60)
    with monkeypatch.context() as patch:
        patch.setattr(provenance, "_sources", counter)
        data = page_data.collect(rendered, "a chain")
    shown = sum(len(row[4]) for output in range(len(data["outputs"])) for row in rows_of(data, output))
    assert counter.calls <= 6 * shown


_REPLACE = "#cloud-config\nmerge_how: dict(replace)+list(replace)+str(replace)\n"
_APPEND = "#cloud-config\nmerge_how: list(append)+dict(recurse_array)+str()\n"
_KEEP = "#cloud-config\nmerge_how: list()+dict()+str()\n"


@pytest.mark.parametrize(
    ("texts", "path", "events"),
    [
        ([f"{_REPLACE}a: {{b: {{c: {number}}}}}\n" for number in range(1500)], "a.b.c", 1500),
        ([f"{_REPLACE}a: {{{'x' if number == 0 else 'y'}: 1}}\n" for number in range(1500)], "a.x", 2),
        ([f"{_REPLACE}a: {{{'x' if number % 2 else 'y'}: 1}}\n" for number in range(1500)], "a.x", 1499),
        ([f"{_APPEND}a: [{{b: {number}}}]\n" for number in range(1500)], "a[0].b", 1),
        ([f"{_KEEP}a: [{{b: {number}}}]\n" for number in range(1500)], "a[0].b", 1500),
    ],
    ids=["replaced", "removed once", "removed each time", "first of many appended", "kept each time"],
)
def test_a_value_of_many_layers_is_explained_without_recursion(texts: list[str], path: str, events: int) -> None:
    result = lamina.render([(f"{number:04}.yaml", text) for number, text in enumerate(texts)], dialect="cloud-init")
    assert len(result.explain(path).events) == events


def test_secrets_are_looked_for_once_in_a_past() -> None:
    rendered = chain(80)
    node = rendered.node_at(last_of(rendered))
    redactor = Redactor()
    assert not redactor.is_secret(node)
    assert len(redactor._first._known) <= 6 * 80


def test_everything_is_explained_as_each_value_alone() -> None:
    rendered = chain(8)
    reported = [as_tree(history, rendered) for history in rendered.explain_all()]
    from lamina.paths import leaves

    assert reported == [as_tree(rendered.explain(path), rendered) for path in leaves(rendered.plain)]


@pytest.mark.parametrize("limit", [1, 2, 10, 60])
@pytest.mark.parametrize(
    "value",
    [
        "text",
        'a "quoted" \\ text\n\x9b',
        list(range(200)),
        [[[[]]]] * 50,
        {"a": {"b": ["x" * 100, {"c": None}]}, "d": list("abc")},
        {str(number): number for number in range(100)},
        [True, 1.5, None, "x"],
    ],
)
def test_a_value_in_brief_is_the_start_of_the_whole(value: Any, limit: int) -> None:
    whole = in_brief(value, 1 << 30)
    assert json.loads(whole) == value
    assert in_brief(value, limit) == (whole if len(whole) <= limit else whole[: limit - 1] + "…")


def test_a_long_value_in_brief_is_looked_at_only_as_far_as_it_is_shown() -> None:
    items = CountedList(range(100_000))
    assert in_brief({"a": items}).startswith('{"a": [0, 1, 2')
    assert items.seen < 100


class CountedDict(dict[int, tuple[int, int]]):
    """Counts the keys that were looked at."""

    seen = 0

    def __iter__(self) -> Iterator[int]:
        for key in super().__iter__():
            self.seen += 1
            yield key


def test_layers_are_ordered_in_as_many_steps_as_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 500
    first = CountedDict({layer: (0, layer) for layer in range(count)})
    counter = Counter(layer_order._is_before)
    monkeypatch.setattr(layer_order, "_is_before", counter)
    backwards = list(range(count))[::-1]
    assert layer_order.in_one_line([backwards, backwards], first) == backwards
    assert first.seen + counter.calls <= 10 * count


def with_parents(count: int, chosen: int) -> str:
    """Documents that each have two possible parents, of which the labels choose one."""
    text = POLICY.replace("[site]", "[global, site]")
    for number in range(count):
        for which in (0, 1):
            label = f"d{number}" if which == chosen else "none"
            text += (
                "---\nschema: example/Kind/v1\nmetadata:\n  schema: metadata/Document/v1\n"
                f"  name: parent{number}-{which}\n  storagePolicy: cleartext\n"
                f"  labels:\n    child: {label}\n"
                f"  layeringDefinition: {{layer: global, abstract: true}}\ndata: {{v: {which}}}\n"
            )
        text += (
            "---\nschema: example/Kind/v1\nmetadata:\n  schema: metadata/Document/v1\n"
            f"  name: d{number}\n  storagePolicy: cleartext\n"
            f"  layeringDefinition: {{layer: site, abstract: false, parentSelector: {{child: d{number}}},\n"
            "    actions: [{method: merge, path: .}]}\ndata: {}\n"
        )
    return text


def lines_looked_at(count: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many lines are looked at to find what changes documents that have other parents."""
    looked_at = Counter(EditedLines._text)
    with monkeypatch.context() as patched:
        bound = lambda *arguments: looked_at(*arguments)  # noqa: E731,PLW0108 - only a function becomes a method
        patched.setattr(EditedLines, "_text", bound)
        before, after = ([("site.yaml", with_parents(count, chosen))] for chosen in (0, 1))
        differences = lamina.diff(before, after, dialect="deckhand")
    assert len(differences.changes) == count
    return looked_at.calls


def test_what_steers_is_found_in_as_many_steps_as_there_are_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lines_looked_at(40, monkeypatch) < 2.5 * lines_looked_at(20, monkeypatch)
