"""What a line decides agrees with the history of every value: whatever a value comes from leads back to it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

import lamina
from lamina.dialects import registry
from lamina.engine.history import history_of
from lamina.engine.node import Node
from lamina.engine.provenance import source_nodes_behind
from lamina.origins import Origin
from lamina.paths import Path, leaves
from lamina.run import Run
from lamina.sources.inputs import Folder, Inputs, MemoryFiles
from lamina.sources.source import Source
from lamina.views.render import render_with
from lamina.workspace.line_uses import LineUse, uses_in_results, uses_of_lines
from support.golden_results import golden_results


class Lines:
    """What the lines decide that anything in a result comes from."""

    def __init__(self, result: lamina.Result) -> None:
        self._result = result
        self._uses: dict[tuple[str, int], list[LineUse]] = {}

    def uses(self, origin: Origin) -> list[LineUse]:
        line = origin.source, origin.line
        if line not in self._uses:
            self._uses[line] = uses_in_results([("target", self._result)], *line)
        return self._uses[line]

    def verdicts(self, origin: Origin, path: Path) -> set[str]:
        """What is said of a line at a path, at what is around it, and at what is inside."""
        return {
            use.verdict
            for use in self.uses(origin)
            if use.path == path[: len(use.path)] or use.path[: len(path)] == path
        }


def check(result: lamina.Result) -> int:
    """Compare what lines decide with the histories of all values; returns how many values were compared."""
    lines = Lines(result)
    count = 0
    for number, output in enumerate(result.outputs):
        start: Path = (number,) if result.many else ()
        for path in leaves(output.node.value):
            history, where = history_of(output.node.at(path)), (*start, *path)
            for origin in history.origins:
                verdicts = lines.verdicts(origin, where)
                # Of a collection that lost all it had, the lines of its members are ignored.
                assert {"wins", "merged"} & verdicts or (history.value in ({}, []) and verdicts), (where, origin)
            count += 1
        sources = (each.origin() for each in source_nodes_behind(output.node))
        uses = (use for origin in sources for use in lines.uses(origin) if use.path[: len(start)] == start)
        assert all(is_true(use, output.node.at(use.path[len(start) :])) for use in uses)
    return count


def is_true(use: LineUse, node: Node) -> bool:
    """Whether a value comes from the line that is said to have won; of a removed one nothing is left to compare."""
    origins = history_of(node).origins
    return use.verdict != "overridden" or not origins or use.by in origins


@pytest.mark.parametrize(
    ("name", "least"),
    [("cloud-init", 2_000), ("heat", 2_000), ("deckhand", 2_000), ("datum", 900), ("hiera", 600), ("layers", 100)],
)
def test_of_every_line_of_the_cases(name: str, least: int) -> None:
    compared = 0
    for _, result in golden_results(name):
        compared += check(result)
    assert compared > least


def uses(result: lamina.Result, source: str, line: int) -> list[tuple[str, str, str]]:
    found = uses_in_results([("target", result)], source, line)
    return [(use.where, use.verdict, "" if use.by is None else f"{use.by.source}:{use.by.line}") for use in found]


def looked_up(node: str, role: str, merge: Mapping[str, object]) -> lamina.Result:
    files = [("node.yml", node), ("role.yml", role)]
    return lamina.render(files, dialect="datum", lookup="T", lookup_options={"T": merge})


def test_of_an_item_that_moved() -> None:
    files = [
        ("a", "#cloud-config\nl:\n- x\n"),
        ("b", "#cloud-config\nmerge_how: list(prepend)+dict(no_replace,recurse_list)\nl:\n- y\n- z\n"),
    ]
    result = lamina.render(files, dialect="cloud-init")
    assert result.plain == {"l": ["y", "z", "x"]}
    assert uses(result, "a", 3) == [("l[2]", "wins", "")]
    assert uses(result, "b", 5) == [("l[1]", "wins", "")]


def test_of_an_item_that_is_there_already() -> None:
    result = looked_up("T:\n- x\n", "T:\n- x\n- y\n", {"merge_baseType_array": "Unique"})
    assert result.plain == ["x", "y"]
    assert uses(result, "role.yml", 2) == [(".", "ignored", "")]
    assert uses(result, "role.yml", 3) == [("[1]", "wins", "")]


def test_of_a_knockout_marker_and_what_it_removes() -> None:
    merge = {"merge_hash": "deep", "merge_options": {"knockout_prefix": "--"}}
    result = looked_up("T:\n  A: 1\n  --B:\n", "T:\n  B: 2\n  C: 3\n", merge)
    assert result.plain == {"A": 1, "C": 3}
    assert uses(result, "role.yml", 2) == [("B", "overridden", "node.yml:3")]
    assert uses(result, "node.yml", 3) == [("B", "steers", "")]


def test_of_a_scalar_that_a_table_replaces() -> None:
    files = [("a", "#cloud-config\nk: 1\n"), ("b", "#cloud-config\nk: {x: 1, y: 2}\n")]
    assert uses(lamina.render(files, dialect="cloud-init"), "a", 2) == [("k", "overridden", "b:2")]


ALIASES = """\
#cloud-config
base: &base
  m: 1
  n: 2
child:
  <<: *base
  n: 3
other: 4
items: [*base, 5]
text: &text here
again: *text
"""


@pytest.mark.parametrize(
    ("line", "decided"),
    [
        (3, ["base.m wins", "child.m wins", "items[0].m wins"]),
        (4, ["base.n wins", "items[0].n wins"]),
        (6, ["child merged"]),
        (7, ["child.n wins"]),
        (8, ["other wins"]),
        (10, ["text wins", "again wins"]),
        (11, ["again wins"]),
    ],
)
def test_of_a_file_with_aliases(line: int, decided: list[str]) -> None:
    files = [("a", ALIASES), ("b", "#cloud-config\nlast: 1\n")]
    found = uses(lamina.render(files, dialect="cloud-init"), "a", line)
    assert [f"{where} {verdict}" for where, verdict, _ in found] == decided


DOCUMENTS = """\
---
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: p}
data: {layerOrder: [site]}
---
schema: example/Kind/v1
metadata: {schema: metadata/Document/v1, name: from, storagePolicy: cleartext, layeringDefinition: {layer: site}}
data: {u: {v: 1}}
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: into
  storagePolicy: cleartext
  layeringDefinition:
    layer: site
  substitutions:
  - src:
      schema: example/Kind/v1
      name: from
      path: .u.v
    dest:
      path: .a.b
data:
  a: {}
  c: 2
"""


def steered(result: lamina.Result, name: str, text: str) -> list[str]:
    """The paths that each line of a file steers."""
    source = Source.of_text(name, text)
    lines = range(1, text.count("\n") + 1)
    found = [uses_in_results([("target", result)], name, line, text=source) for line in lines]
    return [" ".join(use.inner for use in uses if use.verdict == "steers") for uses in found]


def test_all_lines_of_a_substitution_say_what_it_sets() -> None:
    result = lamina.render([("site.yaml", DOCUMENTS)], dialect="deckhand")
    found = steered(result, "site.yaml", DOCUMENTS)
    assert found == [*[""] * 10, "data.a.b", *[""] * 5, *["data.a.b"] * 7, *[""] * 3]


HIERA = {
    "hiera.yaml": "version: 5\nhierarchy:\n- {name: all, paths: [high.yaml, low.yaml]}\n",
    "data/high.yaml": "h: {x: 1}\nlist: [a]\n",
    "data/low.yaml": """\
lookup_options:
  h:
    merge:
      strategy: deep
      merge_hash_arrays: true
  '^l.*':
    merge: unique
  none: {merge: hash}
h: {y: 2}
list: [b]
last: [c]
""",
    "facts/n.yaml": "f: 1\n",
}


def test_all_lines_of_lookup_options_say_which_keys_they_are_for() -> None:
    dialect = registry.find("hiera")
    options = registry.make_options(dialect, {"node": "n"})
    result = render_with(dialect, Inputs((), MemoryFiles(HIERA)), options)
    found = steered(result, "data/low.yaml", HIERA["data/low.yaml"])
    assert found == ["h list last", *["h"] * 4, *["list last"] * 2, *[""] * 4]


DATUM = """\
ResolutionPrecedence:
- AllNodes\\$($Node.Name)
- Baselines\\All
default_lookup_options: MostSpecific
lookup_options:
  L: Unique
  H:
    merge_hash: deep
    merge_options:
      knockout_prefix: --
  None: deep
"""


def test_all_lines_of_the_options_of_datum_say_which_keys_they_are_for() -> None:
    files = {
        "Datum.yml": DATUM,
        "AllNodes/n.yml": "Name: n\nConfigurations: [L, H, S]\nL: [1]\nH: {a: 1}\n",
        "Baselines/All.yml": "L: [2]\nH: {b: 2}\nS: {c: 3}\n",
    }
    dialect = registry.find("datum")
    inputs = Inputs((Folder("tree", MemoryFiles(files)),))
    result = render_with(dialect, inputs, registry.make_options(dialect, {"node": "n"}))
    assert steered(result, "Datum.yml", DATUM) == [*[""] * 3, "Configurations S", "L H", "L", *["H"] * 4, ""]


def test_a_merge_rule_of_a_part_says_what_it_is_for_on_each_of_its_lines() -> None:
    rule = "merge_how:\n- name: list\n  settings: [append]\n- name: dict\n  settings: [recurse_list]\n"
    text = f"#cloud-config\n{rule}l: [b]\n"
    result = lamina.render([("a", "#cloud-config\nl: [a]\nk: 1\n"), ("b", text)], dialect="cloud-init")
    assert result.plain == {"l": ["a", "b"], "k": 1}
    assert steered(result, "b", text) == ["", *["l"] * 5, ""]


def test_the_key_of_a_list_wins_or_is_overridden_as_a_whole() -> None:
    files = [("a", "#cloud-config\nl:\n- x\n- y\n"), ("b", "#cloud-config\nl:\n- z\n")]
    result = lamina.render(files, dialect="cloud-init")
    assert [uses(result, "b", line) for line in (2, 3)] == [[("l", "wins", "")], [("l[0]", "wins", "")]]
    assert [uses(result, "a", line) for line in (2, 3, 4)] == [[("l", "overridden", "b:3")]] * 3


PARENT_AND_CHILD = """\
---
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: p}
data: {layerOrder: [global, site]}
---
schema: example/Kind/v1
metadata:
  {schema: metadata/Document/v1, name: a, storagePolicy: cleartext, labels: {q: a}, layeringDefinition: {layer: global}}
data:
  u:
    v: 1
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: b
  storagePolicy: cleartext
  layeringDefinition: {layer: site, parentSelector: {q: a}, actions: [{method: merge, path: .}]}
data: {u: 2}
"""


def test_a_line_may_win_in_one_document_and_be_lost_with_its_container_in_another() -> None:
    result = lamina.render([("site.yaml", PARENT_AND_CHILD)], dialect="deckhand")
    assert sorted(use[1:] for use in uses(result, "site.yaml", 11)) == [("overridden", "site.yaml:19"), ("wins", "")]


def sources_behind(result: lamina.Result) -> dict[str, Source]:
    """The files that anything in a result comes from."""
    found = {}
    for output in result.outputs:
        for each in source_nodes_behind(output.node):
            source = Source.behind(each.positions)
            if source is not None:
                found[source.outermost.name] = source.outermost
    return found


@pytest.mark.parametrize("name", ["cloud-init", "heat", "deckhand", "datum", "hiera", "layers"])
def test_all_lines_of_a_file_at_once_are_as_each_by_itself(name: str) -> None:
    compared = 0
    for number, (_, result) in enumerate(golden_results(name)):
        if number % 4:  # one line at a time takes long
            continue
        results = [("target", result)]
        for source in sources_behind(result).values():
            lines = range(1, source.data.count(b"\n") + 2)
            at_once = uses_of_lines(results, source, lines, Run())
            for line in lines:
                alone = uses_in_results(results, source.name, line, text=source)
                assert at_once.get(line, []) == alone, (source.name, line)
                compared += bool(alone)
    assert compared > 50
