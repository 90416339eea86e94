"""A walk gives for each part the events that its own history has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import lamina
from lamina.conformance.case import load
from lamina.conformance.check import settings_of
from lamina.dialects import registry as dialects
from lamina.engine.history import Event, events_of
from lamina.engine.node import Node
from lamina.engine.provenance import source_nodes_of
from lamina.engine.walk import walk
from lamina.errors import LaminaError
from lamina.paths import MISSING, leaves
from lamina.protocol.extensions import golden_of
from lamina.views.render import render_with
from lamina.views.result import Result
from support.cloud_configs import Parts, distinct_parts

CASES = Path(__file__).parents[1] / "cases"
FIELDS = [field.name for field in fields(Event) if field.name not in ("directive", "lost")]


def shown(events: Iterator[Event]) -> list[list[Any]]:
    return [
        [
            *(getattr(event, name) for name in FIELDS),
            event.directive and (event.directive.text, event.directive.origin),
            [(loss.verdict, loss.key, loss.value, loss.origin, loss.by) for loss in event.lost],
        ]
        for event in events
    ]


def is_filled(value: Any) -> bool:
    return isinstance(value, (dict, list, tuple)) and bool(value)


def assert_same(root: Node) -> None:
    visited = list(walk(root))
    found = [each.path for each in visited if each.value is not MISSING and not is_filled(each.value)]
    assert found == [*leaves(root.value)]
    for each in visited:
        node = root.at(each.path)
        assert shown(each.events()) == shown(events_of(node)), each.path
        origins = [source.origin() for source in source_nodes_of(node)]
        assert [source.origin() for source in each.sources()] == origins, each.path


def results_of(folder: Path) -> Iterator[Result]:
    """The results of the golden cases in a folder."""
    for path in sorted(folder.rglob("*.json")):
        for case in load(path):
            chosen = dialects.find(case.dialect)
            try:
                options = dialects.make_options(chosen, {**golden_of(chosen).options, **settings_of(case)})
                yield render_with(chosen, case.inputs(), options)
            except LaminaError:
                continue


@pytest.mark.parametrize("name", sorted(path.name for path in CASES.iterdir() if path.is_dir()))
def test_golden_cases(name: str) -> None:
    for result in results_of(CASES / name):
        for output in result.outputs:
            assert_same(output.node)


@given(distinct_parts())
def test_cloud_configs(parts: Parts) -> None:
    assert_same(lamina.render(parts, dialect="cloud-init").outputs[0].node)
