"""Values written into texts: the text then has exactly that value, and every other byte stays."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from lamina.values import same
from lamina.workspace.proposals.text_nodes import NotEditableError, TextNodes, with_value

KEYS = st.sampled_from(["a", "b", "c", "port", "x-y"])
SCALARS = st.none() | st.booleans() | st.integers(-9, 9000) | st.sampled_from(["", "text", "a b", "1", "yes", "#", "é"])
TREES = st.dictionaries(
    KEYS,
    st.recursive(
        SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=8
    ),
    min_size=1,
    max_size=4,
)


def replaced(text: str, line: int, column: int, value: Any) -> str:
    nodes = TextNodes(text.encode())
    return nodes.edited([nodes.replace(line, column, value)]).decode()


@pytest.mark.parametrize(
    ("text", "place", "value", "expected"),
    [
        ("a: 1 # one\n", (1, 4), 2, "a: 2 # one\n"),
        ("a: '1'\n", (1, 4), "2", "a: '2'\n"),
        ('a: "x"\r\nb: 1\r\n', (1, 4), "y", 'a: "y"\r\nb: 1\r\n'),
        ("a: 1\n", (1, 4), "1", "a: '1'\n"),
        ("a: 1\n", (1, 4), {"b": 1}, "a:\n  b: 1\n"),
        ("a:\n- 1\n- 2\nb: 1\n", (2, 1), [3], "a:\n- 3\nb: 1\n"),
        ("a: {b: 1, c: 2}\n", (1, 8), 5, "a: {b: 5, c: 2}\n"),
        ("a: [1, 2]\n", (1, 5), [7], "a: [[7], 2]\n"),
        ("a: &x 1\nb: *x\n", (1, 4), 2, "a: &x 2\nb: *x\n"),
        ("a: &x 1\nb: *x\n", (2, 4), 2, "a: &x 1\nb: 2\n"),
        ("a:\t1\n", (1, 4), 2, "a:\t2\n"),
        ("a: '1'# one\n", (1, 4), 2, "a: 2 # one\n"),
        ("a: |\n  x\n  y\n\nb: 1\n", (1, 4), "1\n2\n", "a: |\n  1\n  2\n\nb: 1\n"),
        ("a: |\n  x\nb: 1\n", (1, 4), "one", "a: one\nb: 1\n"),
        ("- |-\n  x\n- 1\n", (1, 3), "1\n2", "- |-\n  1\n  2\n- 1\n"),
    ],
)
def test_a_value_is_replaced(text: str, place: tuple[int, int], value: Any, expected: str) -> None:
    assert replaced(text, *place, value) == expected


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("b: 1\nd: 2\n", ("c",), "b: 1\nc: 9\nd: 2\n"),
        ("b: 1\n# about d\nd: 2\n", ("c",), "b: 1\nc: 9\n# about d\nd: 2\n"),
        ("z: 1\nb: 2\n", ("c",), "z: 1\nb: 2\nc: 9\n"),
        ("a:\n  b: |\n    text\n\nz: 1\n", ("a", "c"), "a:\n  b: |\n    text\n  c: 9\n\nz: 1\n"),
        ("a: {}\n", ("a", "c"), "a: {c: 9}\n"),
        ("a: {b: 1}\n", ("a", "c"), "a: {b: 1, c: 9}\n"),
        ("a: 1", ("c",), "a: 1\nc: 9"),
        ("a: 1\n", ("b", "c"), "a: 1\nb:\n  c: 9\n"),
        ("", ("b", "c"), "b:\n  c: 9\n"),
    ],
)
def test_a_member_is_added(text: str, path: tuple[str, ...], expected: str) -> None:
    nodes = TextNodes(text.encode())
    assert nodes.edited([nodes.add_to_document(path, 9)]).decode() == expected


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("a: 1\nb: 2\nc: 3\n", (2, 4), "a: 1\nc: 3\n"),
        ("a:\n  b: 1\nc: 3\n", (2, 6), "a: {}\nc: 3\n"),
        ("a: {b: 1, c: 2}\n", (1, 8), "a: {c: 2}\n"),
        ("a: {b: 1, c: 2}\n", (1, 14), "a: {b: 1}\n"),
        ("a:\n  b:\n  - 1\n  - 2 # two\nc: 3\n", (2, 3), "c: 3\n"),
        ("a:\n- 1\n- 2 # two\n- 3\n", (3, 3), "a:\n- 1\n- 3\n"),
        ("a:\n- 1\n", (2, 3), "a: []\n"),
        ("a: [1, 2]\n", (1, 5), "a: [2]\n"),
        ("a: [1, 2]\n", (1, 8), "a: [1]\n"),
        ("- b: 1\n  c: 2\n- 3\n", (1, 6), "- c: 2\n- 3\n"),
        ("- b: 1\n  c: 2\n- 3\n", (1, 3), "- 3\n"),
    ],
)
def test_a_member_is_removed(text: str, place: tuple[int, int], expected: str) -> None:
    nodes = TextNodes(text.encode())
    assert nodes.edited([nodes.remove(*place)]).decode() == expected


@pytest.mark.parametrize(
    ("text", "place"),
    [("a: &x [1]\nb: *x\n", (1, 4)), ("a: !vault x\n", (1, 4)), ("a: 1\n", (9, 9))],
)
def test_what_could_break_the_layout_is_not_edited(text: str, place: tuple[int, int]) -> None:
    with pytest.raises(NotEditableError):
        replaced(text, *place, 2)


@pytest.mark.parametrize("text", ["a: [1\n", "a: \x85b\n"])
def test_what_is_not_plain_is_not_edited(text: str) -> None:
    with pytest.raises(NotEditableError):
        TextNodes(text.encode())


def test_json_stays_json() -> None:
    nodes = TextNodes(b'{"a": {"b": true}}\n', is_json=True)
    assert nodes.edited([nodes.add_to_document(("a", "c"), None)]) == b'{"a": {"b": true, "c": null}}\n'
    assert nodes.edited([nodes.replace(1, 13, "x")]) == b'{"a": {"b": "x"}}\n'


@given(TREES, st.booleans(), st.data())
def test_an_edited_text_has_exactly_the_value(tree: Any, flow: bool, data: st.DataObject) -> None:
    text = yaml.safe_dump(tree, default_flow_style=flow, sort_keys=False, allow_unicode=True)
    nodes = TextNodes(text.encode())
    paths = [path for path in _paths(tree) if all(isinstance(step, str) for step in path)]
    path, value = data.draw(st.sampled_from(paths)), data.draw(SCALARS)
    mark = _mark(yaml.compose(text), path)
    try:
        edited = nodes.edited([nodes.replace(mark.line + 1, mark.column + 1, value)])
    except NotEditableError:
        return
    assert same(yaml.safe_load(edited), with_value(tree, path, value))


@given(TREES, st.booleans(), KEYS, SCALARS)
def test_what_is_added_is_all_that_is_added(tree: Any, flow: bool, key: str, value: Any) -> None:
    text = yaml.safe_dump(tree, default_flow_style=flow, sort_keys=False, allow_unicode=True)
    nodes = TextNodes(text.encode())
    if key in tree:
        with pytest.raises(NotEditableError):
            nodes.add_to_document((key,), value)
        return
    edit = nodes.add_to_document((key,), value)
    edited = nodes.edited([edit]).decode()
    assert same(yaml.safe_load(edited), {**tree, key: value})
    assert edited[: edit.start] + edited[edit.start + len(edit.text) :] == text


def _paths(value: Any) -> list[tuple[Any, ...]]:
    if not isinstance(value, dict):
        return []
    inner = [(key, *path) for key, each in value.items() for path in _paths(each)]
    return [*((key,) for key in value), *inner]


def _mark(node: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        node = next(value for key, value in node.value if key.value == step)
    return node.start_mark
