"""What goes onto the page, before any browser sees it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import lamina
from browser import chromium
from browser.toys import SITE, render_toys, rows_of
from lamina.engine.delta import NEW
from lamina.engine.history import Event
from lamina.engine.node import ComputedNode, InheritedNode, LiteralNode, MergedNode, Node, SourceNode
from lamina.engine.secrecy import has_secret_past
from lamina.errors import Diagnostic
from lamina.origins import Origin, PositionMap
from lamina.paths import MISSING
from lamina.views.report import value_text
from lamina.views.report.build_html import assemble, embedded, report
from lamina.views.report.layer_order import in_one_line
from lamina.views.report.layer_status import Standing, Standings
from lamina.views.report.page_data import collect
from lamina.views.result import Result

PAGE = Path(lamina.__file__).parent / "views" / "report" / "page"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        (0, "0"),
        ("plain words", "plain words"),
        ("true", '"true"'),
        ("", '""'),
        ("12", '"12"'),
        (" led", '" led"'),
        ("tab\there", '"tab\\there"'),
        ("a\u202eb", '"a\\u202eb"'),
        ("one\ntwo\x1b", "one\ntwo\\u001b"),
        ([], "[]"),
        ({}, "{}"),
        ([1, {"a": "b c"}], "[1, {a: b c}]"),
    ],
)
def test_values_are_written_so_that_they_cannot_be_mistaken(value: Any, shown: str) -> None:
    assert value_text.full(value) == shown


def test_a_number_too_long_for_python_to_write_is_written_all_the_same() -> None:
    assert value_text.full(10**5000) == hex(10**5000)[:299] + "…"


def test_long_values_are_cut_and_not_looked_at_beyond() -> None:
    assert len(value_text.full("x" * 10_000)) == value_text.LONGEST_TEXT
    assert value_text.on_one_line(["item"] * 1_000_000).endswith("…")
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert value_text.on_one_line(deep) == "[" * 299 + "…"


def event(value: Any, result: Any, displaced: Any = MISSING, **more: Any) -> Event:
    return Event(verdict="-", value=value, result=result, displaced=displaced, path=("key",), **more)


def standings(*events: Event) -> list[str]:
    """The standings of layers that speak one after the other."""
    return [standing.name for standing in Standings().of(enumerate(events)).values()]


def test_standings() -> None:
    first = event(1, 1)
    assert standings(first) == ["SET"]
    assert standings(first, event(2, 2, 1)) == ["LOSES", "WINS"]
    assert standings(first, event(2, 1)) == ["SET", "LOSES"]
    assert standings(first, event(1, 1, 1)) == ["SET", "REDUNDANT"]
    assert standings(first, event(1, 1)) == ["SET", "REDUNDANT"]
    assert standings(first, event(True, True, 1)) == ["LOSES", "WINS"]
    assert standings(event([1], [1]), event([2], [1, 2], [1])) == ["SET", "SET"]
    assert standings(first, event(MISSING, MISSING, 1)) == ["LOSES", "REMOVES"]
    assert standings(first, event(MISSING, MISSING, 1), event(3, 3)) == ["LOSES", "REMOVES", "SET"]


def test_standing_of_a_key_that_was_settled_with_what_holds_it() -> None:
    said = event({"a": 1}, {"a": 1}), event({"b": 2}, {"b": 2}, {"a": 1}, inside=("a",))
    assert standings(event(1, 1), said[1]) == ["LOSES", "REMOVES"]


def test_a_layer_the_value_comes_from_does_not_lose() -> None:
    events = event("x", "x"), event("y", "xy", "x"), event("xy", "xy", "own")
    said = list(zip("abc", events, strict=True))
    assert Standings().of(said)["b"] is Standing.LOSES
    assert Standings().of(said, holds="ab")["b"] is Standing.SET


def secret_node() -> SourceNode:
    tape = PositionMap(lambda line, column: Origin("secrets.yaml", line + 1, column + 1))
    tape.add(0, 0)
    return SourceNode("hunter2", (), tape, 0, "secrets", secret=True)


class _Cause:
    verb = None


def test_a_secret_is_found_behind_every_kind_of_node() -> None:
    secret, blank = secret_node(), LiteralNode(1, ())
    hidden = MergedNode("hunter2", (), blank, secret, NEW, _Cause())
    shadowed = MergedNode(1, (), secret, blank, NEW, _Cause())
    behind: list[Node] = [
        secret,
        hidden,
        shadowed,
        ComputedNode("hunter", (), (blank, secret), "cut"),
        ComputedNode.of_parts(["hunter2"], (), {0: secret}),
        InheritedNode((), hidden, blank, blank),
        InheritedNode((), MergedNode(1, (), blank, blank, NEW, _Cause()), blank, secret),
    ]
    assert all(map(has_secret_past, behind))
    assert not has_secret_past(blank)
    assert {type(node) for node in behind} | {LiteralNode} == set(Node.__subclasses__())


def test_a_note_about_a_secret_does_not_tell_it() -> None:
    note = Diagnostic(code="odd", message="hunter2 is odd", hint="not hunter2", path=(4, "web", "token"))
    result = replace(render_toys(*SITE), noticed=(note,))
    (shown,) = collect(result, "")["notes"]
    assert (shown["path"], shown["output"], shown["message"]) == ("web.token", 4, "withheld: secret")
    assert "hunter2" not in report(result)


def test_every_leaf_of_the_result_has_a_row_with_its_origin() -> None:
    result = lamina.render([("a.yaml", "#cloud-config\nb: {c: 1}\nd: [x, z]\ne: {}\n")], dialect="cloud-init")
    data = collect(result, "")
    rows = [[data["texts"][row[1]], data["texts"][row[2]]] for row in rows_of(data)]
    assert rows == [["b", "1 key"], ["c", "1"], ["d", "2 items"], ["[0]", "x"], ["[1]", "z"], ["e", "{}"]]
    places = [data["places"][row[3][1]][1] for row in rows_of(data) if row[3]]
    assert places == [2, 3, 3, 4]


def test_data_cannot_end_the_element_it_stands_in() -> None:
    hostile = {"</script><!--": "\u2028\ud800 </SCRIPT>"}
    text = embedded(hostile)
    assert "<" not in text
    assert text.isascii()
    assert json.loads(text) == hostile


def test_the_policy_names_the_very_script_and_style() -> None:
    page = assemble({"title": "{{script}}"})
    for name in ("style", "script"):
        body = re.findall(rf"<{name}>(.*?)</{name}>", page, re.DOTALL)
        assert len(body) == 1
        digest = base64.b64encode(hashlib.sha256(body[0].encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in page
    assert '"title":"{{script}}"' in page


def test_the_page_is_whole() -> None:
    page = report(render_toys(*SITE))
    assert not re.search(r"""(src|href)=["']?(?!#)\w|url\(|@import|https?://(?!www\.w3\.org/2000/svg)""", page)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", page)


@pytest.mark.parametrize("path", sorted(PAGE.glob("*.js")), ids=lambda path: path.name)
def test_node_reads_every_script(path: Path) -> None:
    if shutil.which("node") is None:
        chromium.install()
    subprocess.run(["node", "--check", path], check=True)


def test_a_result_of_nothing_is_shown_as_such() -> None:
    result = lamina.render([("a.yaml", "#cloud-config\n")], dialect="cloud-init")
    assert isinstance(result, Result)
    data = collect(result, "")
    assert [data["texts"][row[2]] for row in rows_of(data)] == ["{}"]


def test_layers_stand_behind_those_they_spoke_after() -> None:
    first = {1: (0, 2), 2: (0, 5), 3: (1, 0), 4: (9, 0)}
    assert in_one_line([[1, 2], [3, 2]], first) == [1, 3, 2, 4]
    assert in_one_line([[3, 1], [1, 2]], first) == [3, 1, 2, 4]


def test_of_orders_that_contradict_one_another_the_earlier_holds() -> None:
    first = {1: (0, 0), 2: (0, 1), 3: (0, 2)}
    assert in_one_line([[1, 2], [2, 1], [2, 3]], first) == [1, 2, 3]
    assert in_one_line([[2, 3], [3, 1], [1, 2]], first) == [2, 3, 1]


def test_a_note_is_told_once() -> None:
    note = Diagnostic(code="odd", message="this is odd")
    result = replace(render_toys(*SITE), noticed=(note, note))
    assert len(collect(result, "")["notes"]) == 1
