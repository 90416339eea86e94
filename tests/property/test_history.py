"""Exact history: every leaf has exactly the origin it came from, and the events show what every prefix gives."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from hypothesis import given

import lamina
from lamina.paths import MISSING, Path, leaves, walk
from lamina.run import Run
from lamina.sources.document_cache import yaml_document
from lamina.sources.source import Source
from support.cloud_configs import Parts, distinct_parts, written


def places(parts: Parts) -> dict[tuple[str, int, int], Any]:
    found: dict[tuple[str, int, int], Any] = {}
    for name, text in parts:
        found.update(written(name, text))
    return found


@given(distinct_parts())
def test_every_leaf_names_just_the_places_it_came_from(parts: Parts) -> None:
    result = lamina.render(parts, dialect="cloud-init")
    location = places(parts)
    for path in filter(None, leaves(result.value)):
        history = result.explain(path)
        shown = [location[origin.source, origin.line, origin.column] for origin in history.origins]
        assert history.origins, path
        if isinstance(history.value, str) and len(shown) > 1:
            assert "".join(shown) == history.value
        elif isinstance(history.value, str) and isinstance(shown[0], (str, dict)) and shown[0] != history.value:
            # A string or mapping appended to a list: its characters or keys come from the whole.
            assert history.value in shown[0]
        elif history.value not in ([], {}):
            assert shown == [history.value]


@given(distinct_parts())
def test_events_show_what_every_prefix_of_the_plan_gives(parts: Parts) -> None:
    result = lamina.render(parts, dialect="cloud-init")
    after = [lamina.render(parts[:count], dialect="cloud-init").value for count in range(1, len(parts) + 1)]
    for path in leaves(result.value):
        for event in result.explain(path).events:
            assert event.step is not None
            assert walk(after[event.step - 1], event.path) == event.result


def keyed_paths(value: Any, path: Path = ()) -> list[Path]:
    """The paths that go through keys only, where positions cannot shift."""
    found = [path]
    if isinstance(value, dict):
        for key, inner in value.items():
            found.extend(keyed_paths(inner, (*path, key)))
    return found


@given(distinct_parts())
def test_no_change_is_missing(parts: Parts) -> None:
    result = lamina.render(parts, dialect="cloud-init")
    after = [{}, *(lamina.render(parts[:count], dialect="cloud-init").value for count in range(1, len(parts) + 1))]
    for path in {path for value in after for path in keyed_paths(value) if path}:
        steps = {event.step for event in result.explain(path).events}
        for step in range(1, len(after)):
            before, now = walk(after[step - 1], path), walk(after[step], path)
            if before is not now and (before is MISSING or now is MISSING or before != now):
                assert step in steps, f"{path} changed in step {step}, and no event says so"


@given(distinct_parts())
def test_rendering_changes_no_input(parts: Parts) -> None:
    documents = [yaml_document(Source.of_text(*part), Run()) for part in parts]
    before = deepcopy([document.value for document in documents])
    result = lamina.render(parts, dialect="cloud-init")
    result.value.clear()
    assert [document.value for document in documents] == before


@given(distinct_parts())
def test_what_is_written_reads_back(parts: Parts) -> None:
    result = lamina.render(parts, dialect="cloud-init")
    for text in (result.to_yaml(), result.to_annotated_yaml()):
        assert yaml_document(Source.of_text("out", text), Run()).value == result.value
