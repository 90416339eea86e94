"""What goes onto the page, before any browser sees it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.cli.report import _named
from lamina.engine.change import MergeChange, PartOfChange
from lamina.engine.delta import NEW
from lamina.engine.history import Event
from lamina.engine.log import Log
from lamina.engine.node import ComputedNode, LiteralNode, Node, SourceNode
from lamina.engine.plan import Directive, Fail
from lamina.engine.step_context import StepRef
from lamina.errors import Diagnostic
from lamina.origins import Origin, PositionMap
from lamina.paths import MISSING
from lamina.views.redaction import has_secret_history
from lamina.views.report import build_html, value_text
from lamina.views.report.build_html import assemble, embedded, report
from lamina.views.report.layer_order import in_one_line
from lamina.views.report.layer_status import LayerStatus, LayerStatuses
from lamina.views.report.page_data import collect
from lamina.views.report.source_links import SourceLinks, check_template, source_links
from lamina.views.result import Result
from lamina.views.rows import WORDS
from support.page_fleet import render_fleet
from support.page_rows import rows_of
from support.toys import SITE, render_toys

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


def status_names(*events: Event) -> list[str]:
    """The status of layers that set a value one after the other."""
    return [status.name for status in LayerStatuses().of(enumerate(events)).values()]


def test_statuses() -> None:
    first = event(1, 1)
    assert status_names(first) == ["SET"]
    assert status_names(first, event(2, 2, 1)) == ["LOSES", "WINS"]
    assert status_names(first, event(2, 1)) == ["SET", "LOSES"]
    assert status_names(first, event(1, 1, 1)) == ["SET", "REDUNDANT"]
    assert status_names(first, event(1, 1)) == ["SET", "REDUNDANT"]
    assert status_names(first, event(True, True, 1)) == ["LOSES", "WINS"]
    assert status_names(event([1], [1]), event([2], [1, 2], [1])) == ["SET", "SET"]
    assert status_names(first, event(MISSING, MISSING, 1)) == ["LOSES", "REMOVES"]
    assert status_names(first, event(MISSING, MISSING, 1), event(3, 3)) == ["LOSES", "REMOVES", "SET"]


def test_status_of_a_key_that_was_merged_with_its_container() -> None:
    replaced = event({"b": 2}, {"b": 2}, {"a": 1}, inside=("a",))
    assert status_names(event(1, 1), replaced) == ["LOSES", "REMOVES"]


def test_a_layer_the_value_comes_from_does_not_lose() -> None:
    events = event("x", "x"), event("y", "xy", "x"), event("xy", "xy", "own")
    by_layer = list(zip("abc", events, strict=True))
    assert LayerStatuses().of(by_layer)["b"] is LayerStatus.LOSES
    assert LayerStatuses().of(by_layer, holds="ab")["b"] is LayerStatus.SET


def secret_node() -> SourceNode:
    positions = PositionMap(lambda line, column: Origin("secrets.yaml", line + 1, column + 1))
    positions.add(0, 0)
    return SourceNode("hunter2", (), positions, 0, "secrets", secret=True)


CAUSE = StepRef("out", 0, Fail(directive=Directive("a test"), finding=Diagnostic(code="no", message="no")))


def test_a_secret_is_found_behind_every_kind_of_node() -> None:
    secret, blank = secret_node(), LiteralNode(1, ())
    hidden = MergeChange("hunter2", (), blank, secret, NEW, CAUSE)
    shadowed = MergeChange(1, (), secret, blank, NEW, CAUSE)
    log = Log(blank, blank.value)
    log.append(hidden)
    behind: list[Node] = [
        secret,
        hidden,
        shadowed,
        log.end,
        ComputedNode("hunter", (), (blank, secret), "cut"),
        ComputedNode.of_parts(["hunter2"], (), {0: secret}),
        PartOfChange(("a",), hidden, blank, blank),
        PartOfChange((), MergeChange(1, (), blank, blank, NEW, CAUSE), blank, secret),
    ]
    assert all(map(has_secret_history, behind))
    assert not has_secret_history(blank)
    assert {type(node) for node in behind} | {LiteralNode} == set(Node.__subclasses__())


def test_a_note_about_a_secret_does_not_contain_it() -> None:
    note = Diagnostic(code="odd", message="hunter2 is odd", hint="not hunter2", path=(4, "web", "token"))
    result = replace(render_toys(*SITE), notes=(note,))
    (shown,) = collect(result, "")["notes"]
    assert (shown["path"], shown["output"], shown["message"]) == ("web.token", 4, "withheld: secret")
    assert "hunter2" not in report(result)


def test_every_leaf_of_the_result_has_a_row_with_its_origin() -> None:
    result = lamina.render([("a.yaml", "#cloud-config\nb: {c: 1}\nd: [x, z]\ne: {}\n")], dialect="cloud-init")
    data = collect(result, "")
    rows = [[data["texts"][row[2]], data["texts"][row[3]]] for row in rows_of(data)]
    assert rows == [["b", "1 key"], ["c", "1"], ["d", "2 items"], ["[0]", "x"], ["[1]", "z"], ["e", "{}"]]
    places = [data["places"][row[4][1]][1] for row in rows_of(data) if row[4]]
    assert places == [2, 3, 3, 4]


def test_data_cannot_end_the_element_it_is_in() -> None:
    hostile = {"</script><!--": "\u2028\ud800 </SCRIPT>"}
    text = embedded(hostile)
    assert "<" not in text
    assert text.isascii()
    assert json.loads(text) == hostile


def test_much_data_is_compressed(monkeypatch: pytest.MonkeyPatch) -> None:
    data = {"texts": ["</script>", "\u2028"] * 100}
    plain = embedded(data)
    monkeypatch.setattr(build_html, "PLAIN_SIZE", len(plain))
    assert embedded(data) == plain
    monkeypatch.setattr(build_html, "PLAIN_SIZE", len(plain) - 1)
    packed = embedded(data)
    assert re.fullmatch(r"[\w+/]+=*", packed)
    assert len(packed) < len(plain) / 4
    assert json.loads(zlib.decompress(base64.b64decode(packed))) == data


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


def test_a_result_of_nothing_is_shown_as_such() -> None:
    result = lamina.render([("a.yaml", "#cloud-config\n")], dialect="cloud-init")
    assert isinstance(result, Result)
    data = collect(result, "")
    assert [data["texts"][row[3]] for row in rows_of(data)] == ["{}"]


def test_layers_come_after_those_they_follow() -> None:
    first = {1: (0, 2), 2: (0, 5), 3: (1, 0), 4: (9, 0)}
    assert in_one_line([[1, 2], [3, 2]], first) == [1, 3, 2, 4]
    assert in_one_line([[3, 1], [1, 2]], first) == [3, 1, 2, 4]


def test_of_orders_that_contradict_one_another_the_earlier_holds() -> None:
    first = {1: (0, 0), 2: (0, 1), 3: (0, 2)}
    assert in_one_line([[1, 2], [2, 1], [2, 3]], first) == [1, 2, 3]
    assert in_one_line([[2, 3], [3, 1], [1, 2]], first) == [2, 3, 1]


def test_a_note_is_reported_once() -> None:
    note = Diagnostic(code="odd", message="this is odd")
    result = replace(render_toys(*SITE), notes=(note, note))
    assert len(collect(result, "")["notes"]) == 1


def test_layers_are_in_the_order_of_precedence_also_where_they_never_meet(tmp_path: Path) -> None:
    result = render_fleet(tmp_path, nodes=4, keys=6)
    data = collect(result, "")
    for output in data["outputs"]:
        names = [data["texts"][data["layers"][number][0]].split("/")[0] for number in output["layers"]]
        order = [level for level in ("Common", "Systems", "Sites", "Roles", "AllNodes") if level in names]
        assert names == order


def test_a_verdict_never_reads_as_if_the_layer_had_won() -> None:
    assert WORDS["kept"] == "ignored"


@pytest.mark.parametrize(
    "template",
    [
        "javascript:alert(1)//{path}",
        "data:text/html,{path}",
        "//host/{path}",
        "https://{path}/x",
        "ftp://host/{path}",
        "https://host/{branch}/{path}",
        'https://host/"><script>/{path}',
        "https://[host/{path}",
        "",
    ],
)
def test_a_source_url_that_is_not_on_the_web_is_rejected(template: str) -> None:
    with pytest.raises(lamina.UsageError, match="source URL"):
        check_template(template)


def test_a_source_url_is_filled_in_and_escaped(tmp_path: Path) -> None:
    odd = tmp_path / "a b" / 'c#d"e.yaml'
    odd.parent.mkdir()
    odd.write_text("")
    links = SourceLinks("https://host/r/{commit}/{path}#L{line}", tmp_path, "main?x")
    assert links.of(str(odd)) == "https://host/r/main%3Fx/a%20b/c%23d%22e.yaml#L{line}"
    assert links.of_all([str(odd), str(tmp_path / "none.yaml"), "/etc/hostname", "standard input"]) == {
        str(odd): links.of(str(odd))
    }
    assert SourceLinks().of_all([str(odd)]) == {}


def test_a_source_url_takes_the_commit_and_the_path_in_the_repository(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    source = tmp_path / "site" / "a.yaml"
    source.write_text("a: 1\n")
    for command in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
        subprocess.run(["git", "-C", tmp_path, *command], check=True)
    commit = subprocess.run(
        ["git", "-C", tmp_path, "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    ).stdout
    links = source_links("https://host/r/blob/{commit}/{path}#L{line}", [str(tmp_path / "site")])
    assert links.of(str(source)) == f"https://host/r/blob/{commit.strip()}/site/a.yaml#L{{line}}"


def test_a_page_of_the_current_folder_is_named_after_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "my-site"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert _named((".",)) == "my-site"
    assert _named(("../my-site/", "-")) == "../my-site/ + standard input"


def test_a_folder_that_all_inputs_are_in_is_named_once() -> None:
    assert _named(("/srv/site/global", "/srv/site/type/foundry", "-")) == "site: global + type/foundry + standard input"
    assert _named(("a.yaml", "b.yaml")) == "a.yaml + b.yaml"
    assert _named(("/a.yaml", "/b.yaml")) == "/a.yaml + /b.yaml"
    assert _named(("parts/a.yaml", "/b.yaml")) == "parts/a.yaml + /b.yaml"
    assert _named(("../a.yaml", "../b.yaml")) == "../a.yaml + ../b.yaml"
