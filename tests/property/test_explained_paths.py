"""`explain`: a history has the path that was asked for, wherever its value was before, and the value there."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lamina
from lamina.paths import leaves, show, walk
from support.golden_results import golden_results
from support.styled_layers import DIALECTS, rendered, styled_layers


def check(result: lamina.Result) -> int:
    """Compare the histories of all values with the paths they were asked by; returns how many there are."""
    paths = list(leaves(result.plain)) if not result.many else [path for path in leaves(result.plain) if path]
    histories = list(result.explain_all())
    assert len(histories) == len(paths)
    for path, one_of_all in zip(paths, histories, strict=True):
        inner = path[1:] if result.many else path
        for history in (result.explain(path), result.explain(show(path)), one_of_all):
            assert history.path == inner, (history.path, path)
            if not result.hides_secrets:
                assert history.value == walk(result.plain, path)
    return len(paths)


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_history_has_the_path_that_was_asked_for(dialect: str, data: st.DataObject) -> None:
    check(rendered(data.draw(styled_layers(dialect)))[0])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_of_all_cases(dialect: str) -> None:
    assert sum(check(result) for _, result in golden_results(dialect)) > 100


def test_an_item_that_moved_is_explained_where_it_is() -> None:
    files = [
        ("a", "#cloud-config\nc: [x]\n"),
        ("b", "#cloud-config\nmerge_how: list(prepend)+dict(recurse_list)\nc: [y]\n"),
    ]
    result = lamina.render(files, dialect="cloud-init")
    history = result.explain("c[1]")
    assert (show(history.path), history.value, [show(event.path) for event in history.events]) == (
        "c[1]",
        "x",
        ["c[0]"],
    )


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_a_comment_in_annotated_yaml_names_the_lines_that_explain_names(dialect: str, data: st.DataObject) -> None:
    result = rendered(data.draw(styled_layers(dialect)))[0]
    values = [path for path in leaves(result.plain) if path]
    named = [", ".join(f"{origin.source}:{origin.line}" for origin in result.explain(path).origins) for path in values]
    comments = re.findall(r" # ((?:[a-z/]+\.?[a-z]*:[0-9]+(?:, )?)+)$", result.to_annotated_yaml(), re.MULTILINE)
    assert sorted(comments) == sorted(named)
