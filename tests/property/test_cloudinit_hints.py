"""Following a hint does what it says: the value it is for changes, and no other one that the hint does not name."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import lamina
from lamina.errors import Note
from lamina.paths import show, walk
from lamina.values import differences

CODES = ("list-replaced", "mapping-replaced", "scalar-ignored")
RULES = (
    None,
    "list(append)+dict(no_replace,recurse_list)+str()",
    "dict(recurse_str)+list()+str(append)",
    "list()+dict()+str()",
    "dict(replace)+list()+str()",
)
SCALARS = st.sampled_from([True, False, 1, 2, "a", "b", None])
LISTS = st.lists(st.sampled_from(["x", "y"]), max_size=2)
INNER = st.dictionaries(st.sampled_from("pq"), SCALARS | LISTS, max_size=2)
BODIES = st.dictionaries(st.sampled_from("klmn"), SCALARS | LISTS | LISTS | INNER, max_size=4)
PARTS = st.lists(st.tuples(st.sampled_from(RULES), BODIES), min_size=2, max_size=3)

Part = tuple[str | None, dict[str, Any]]


def texts(parts: list[Part]) -> list[tuple[str, str]]:
    bodies = [{**({} if rule is None else {"merge_how": rule}), **body} for rule, body in parts]
    return [(f"p{number}", f"#cloud-config\n{json.dumps(body)}\n") for number, body in enumerate(bodies)]


def followed(parts: list[Part], note: Note) -> list[Part]:
    """The parts after the edit that a hint names."""
    hint, (key, *rest) = str(note.hint), note.path
    number = int(str(note.at.source)[1:]) if note.at else -1
    rule, body = parts[number]
    others = {name: value for name, value in body.items() if name != key}
    written = re.search(r"merge_how: (\S+?)(;| |$)", hint)
    own_rule = written[1] if written else None
    if ", add merge_how" in hint or ", write merge_how" in hint:
        changed: list[Part] = [(own_rule, body)]
    elif f"move {key} to a part of its own" in hint:
        changed = [(rule, others), (own_rule, {key: body[key]})]
    elif f"write all of {key} in a part of its own without a merge rule" in hint:
        merged = walk(lamina.render(texts(parts[: number + 1]), dialect="cloud-init").value, (key,))
        changed = [(rule, others), (None, {key: {**merged, rest[0]: walk(body, note.path)}})]
    else:
        assert "repeat the earlier keys in" in hint, hint
        earlier = lamina.render(texts(parts[:number]), dialect="cloud-init").value[key]
        changed = [(rule, {**body, key: {**earlier, **body[key]}})]
    return [*parts[:number], *changed, *parts[number + 1 :]]


@given(parts=PARTS)
def test_a_hint_changes_what_it_says(parts: list[Part]) -> None:
    before = lamina.render(texts(parts), dialect="cloud-init").value
    for note in lamina.lint(texts(parts), dialect="cloud-init", select=CODES):
        after_parts = followed(parts, note)
        after = lamina.render(texts(after_parts), dialect="cloud-init").value
        named = re.split(", |; it also (?:changes|appends) ", str(note.hint))
        other = [
            path
            for path, _, _ in differences(before, after)
            if path[: len(note.path)] != note.path and show(path) not in named
        ]
        assert not other, (note.hint, after)
        again = lamina.lint(texts(after_parts), dialect="cloud-init", select=[note.code])
        number = int(str(note.at.source)[1:]) if note.at else -1
        left = {(each.path, each.at.source) for each in again if each.at}
        moved = {f"p{number}", f"p{number + len(after_parts) - len(parts)}"}
        assert not {(note.path, name) for name in moved} & left, (note.hint, again)
