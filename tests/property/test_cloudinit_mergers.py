"""Random rules on random values: our mergers and the plain second writing of them agree."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import lamina
from lamina.values import same
from support.cloud_configs import mappings, rule_text, rules, values
from support.naive_mergers import Rejected, Rule, merge


def merged(layers: list[Any], rule: Rule) -> Any:
    inputs = [(f"layer{i}", yaml.safe_dump(layer, sort_keys=False)) for i, layer in enumerate(layers)]
    return lamina.render(inputs, dialect="cloud-init", mode="merge", merge=rule_text(rule)).value


def expected(layers: list[Any], rule: Rule) -> Any:
    result = layers[0]
    for layer in layers[1:]:
        result = merge(result, layer, rule)
    return result


@given(layers=st.lists(st.one_of(mappings, values), min_size=1, max_size=4), rule=rules)
def test_mergers_agree_with_the_rules_written_plainly(layers: list[Any], rule: Rule) -> None:
    try:
        wanted = expected(layers, rule)
    except Rejected:
        with pytest.raises(lamina.MergeError) as caught:
            merged(layers, rule)
        assert caught.value.diagnostic.code == "merge-type-error"
    else:
        assert same(merged(layers, rule), wanted)
