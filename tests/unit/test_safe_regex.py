"""Patterns that libraries warn about are read without a warning, and mean the same."""

from __future__ import annotations

import re
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina._support.safe_regex import BadPattern, Compiled, readable, without_doubles

PIECES = st.sampled_from([*"[]^-&~|a9z(.", "--", "&&", "\\]", "\\-", "\\w", "[[", "[:", "a-z"])


def read_by_re(pattern: str) -> re.Pattern[str] | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return re.compile(pattern)
        except re.error:
            return None


@given(st.lists(PIECES, max_size=9).map("".join), st.text("[]^-&~|a9z(.:\\\\", max_size=6))
def test_the_pattern_means_the_same_and_nobody_is_warned(pattern: str, text: str) -> None:
    wanted = read_by_re(pattern)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = re.compile(without_doubles(pattern))
        except re.error:
            found = None
    assert (found is None) == (wanted is None)
    if found is not None and wanted is not None:
        assert [match.span() for match in found.finditer(text)] == [match.span() for match in wanted.finditer(text)]


def test_warnings_of_the_program_around_are_left_alone() -> None:
    before = list(warnings.filters)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Compiled("[a-b--z]").search("q")
        assert readable("[[a&&b]")
    assert list(warnings.filters) == before


def test_positions_in_messages_are_those_of_the_pattern() -> None:
    with pytest.raises(BadPattern, match="at position 8"):
        Compiled("[0&&9&&](")
