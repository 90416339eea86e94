"""Positions survive every packing: each leaf of the result has the exact position where it is written."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lamina
from lamina.paths import leaves
from lamina.values import same
from support.bundles import PACKINGS, Bundle, Pack, bundles
from support.cloud_configs import Unique, mappings, part_text, rules


def is_reported(value: Any, texts: list[str]) -> bool:
    """Whether a leaf is at the reported positions: whole at one, or joined from several."""
    if len(texts) == 1:
        return str(value) in texts[0] or value in ("", [], {}, None)
    return isinstance(value, str) and all(text.lstrip("'\"").split(";")[0] in value for text in texts)


def check_places(bundle: Bundle) -> None:
    result = lamina.render(bundle.inputs(), dialect="cloud-init")
    for path in filter(None, leaves(result.plain)):
        history = result.explain(path)
        if isinstance(history.value, str) and not history.value.endswith(";"):
            continue  # a character of a string, or a key of a mapping, added to a list: the origin is that of the whole
        texts = [bundle.text_at(origin) for origin in history.origins]
        assert texts, path
        assert is_reported(history.value, texts), (path, history.value, history.origins)
        exact = [text for text, origin in zip(texts, history.origins, strict=True) if ":" not in (origin.part or "")]
        if isinstance(history.value, int) and exact:
            assert exact[0].startswith(str(history.value)), (path, history.origins)


@given(bundles())
def test_every_leaf_is_where_its_position_says(bundle: Bundle) -> None:
    check_places(bundle)


@pytest.mark.parametrize("pack", PACKINGS)
@given(bodies=st.lists(mappings, min_size=1, max_size=2))
@settings(max_examples=20)
def test_places_survive_each_packing(pack: Pack, bodies: list[Any]) -> None:
    unique = Unique()
    bundle = Bundle()
    pack(bundle, "blob", [part_text(unique.relabel({"number": 1, "text": "t", **body}), None) for body in bodies])
    check_places(bundle)


@given(bodies=st.lists(st.tuples(mappings, st.none() | rules), min_size=1, max_size=3), data=st.data())
def test_the_packing_does_not_change_the_result(bodies: list[Any], data: st.DataObject) -> None:
    unique = Unique()
    texts = [part_text(unique.relabel(body), rule) for body, rule in bodies]
    values = []
    for pack in (PACKINGS[0], data.draw(st.sampled_from(PACKINGS))):
        bundle = Bundle()
        pack(bundle, "blob", texts)
        values.append(lamina.render(bundle.inputs(), dialect="cloud-init").value)
    assert same(values[0], values[1])
