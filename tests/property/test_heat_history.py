"""Exact history of merged environments: places, events and prefixes, for every strategy and type."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

import lamina
from lamina.dialects.heat.merge_in_place import merge_at_path
from lamina.engine.fold import fold_output
from lamina.engine.merge_context import MergeContext
from lamina.engine.node import LiteralNode, Node
from lamina.engine.plan import Merge, Output
from lamina.engine.provenance import origins_of
from lamina.engine.step_context import StepRef
from lamina.paths import MISSING, Path, leaves, walk
from lamina.run import Run
from lamina.sources.document_cache import yaml_document_text_dates
from lamina.sources.inputs import Inputs, MemoryFiles
from lamina.sources.source import Source
from support.cloud_configs import Unique, written

if TYPE_CHECKING:
    from collections.abc import Iterator

KINDS = {
    "words": "string",
    "digits": "number",
    "items": "comma_delimited_list",
    "others": "comma_delimited_list",
    "commas": "comma_delimited_list",
    "tree": "json",
    "bush": "json",
}
TEMPLATE = json.dumps(
    {"heat_template_version": "2018-08-31", "parameters": {name: {"type": kind} for name, kind in KINDS.items()}}
)
WORDS = ["overwrite", "merge", "deep_merge"]
KEYS: list[Any] = ["text", "list", "number", "map", "null"]
ODD_KEYS = [*KEYS, 80, True, None, 1.5, "80"]

CollectionTexts = list[str]


class Maker:
    """Draws values whose leaves are all different and whose kinds fit, so that merging goes through."""

    def __init__(self, draw: st.DrawFn, *, odd: bool, texts: bool) -> None:
        self.draw = draw
        self.odd = odd
        self.texts = texts
        self.unique = Unique()
        self.pool: list[list[Any]] = []

    def text(self) -> str:
        return str(self.unique.leaf(True))

    def items(self) -> list[Any]:
        if self.pool and self.draw(st.integers(0, 3)) == 0:
            return self.draw(st.sampled_from(self.pool))
        made = [self.text() for _ in range(self.draw(st.integers(1, 3)))]
        self.pool.append(made)
        return made

    def odd_leaf(self, key: Any) -> Any:
        """A number that arrives as a string, alone, in a list or in a mapping, or a set: the same for each key."""
        number = float(f"1e+{16 + self.unique.leaf(False) % 280}")
        if key is True:
            return number
        return [number] if key is None else {1: number} if key == 1.5 else {self.text(), self.text()}

    def tree(self, depth: int = 2) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        for key in self.draw(st.lists(st.sampled_from(ODD_KEYS if self.odd else KEYS), unique_by=repr)):
            if key not in KEYS:
                made[key] = self.odd_leaf(key)
            elif key == "text":
                made[key] = self.text()
            elif key == "list":
                made[key] = self.items()
            elif key == "number":
                made[key] = self.unique.leaf(False)
            elif key == "null":
                made[key] = None
            elif depth:
                made[key] = self.tree(depth - 1)
        return made

    def value(self, name: str, first: bool) -> Any:
        if KINDS[name] == "json":
            made = self.tree()
            # Heat reads JSON text only where it is not the first.
            as_text = not first and self.texts and made and self.draw(st.integers(0, 3)) == 0
            return json.dumps(made) if as_text else made
        return self.items() if name in ("items", "others") else self.text()


@st.composite
def runs(draw: st.DrawFn, *, aliases: bool = True, odd: bool = False, client: bool = False) -> CollectionTexts:
    """The texts of environment files that merge without an error; the round trip through JSON changes odd values.

    The client stops at a mapping over text, so there is no JSON text among what it sends.
    """
    maker = Maker(draw, odd=odd, texts=not client)
    common = {name: draw(st.sampled_from(WORDS)) for name in KINDS}
    texts: CollectionTexts = []
    filled: set[str] = set()
    for _ in range(draw(st.integers(1, 4))):
        maker.pool = []
        sections: dict[str, Any] = {}
        for section in draw(st.permutations(["parameters", "parameter_defaults"])):
            chosen = draw(st.lists(st.sampled_from(list(KINDS)), unique=True, max_size=5))
            chosen = [name for name in chosen if name != "digits" or section not in filled]
            sections[section] = {name: maker.value(name, section not in filled) for name in chosen}
            filled.update([section] if chosen else [])
        sections = {"parameter_merge_strategies": common, **sections}
        data = sections if aliases else json.loads(json.dumps(sections))
        texts.append(yaml.safe_dump(data, sort_keys=False))
    return texts


VIAS = st.one_of(st.tuples(runs(), st.just("server")), st.tuples(runs(client=True), st.just("client")))
"""Runs, and the way they take."""


def render(texts: CollectionTexts, **options: Any) -> lamina.Result:
    names = [f"e{number}.yaml" for number in range(len(texts))]
    files = MemoryFiles({"template": TEMPLATE, **dict(zip(names, texts, strict=True))})
    sources = tuple(source for name in names if (source := files.read(name)))
    return lamina.render(Inputs(sources, files), dialect="heat", template="template", **options)


@given(VIAS)
def test_every_leaf_names_just_the_places_it_came_from(run: tuple[CollectionTexts, str]) -> None:
    texts, via = run
    result = render(texts, via=via)
    location: dict[tuple[str, int, int], Any] = {}
    for number, text in enumerate(texts):
        location.update(written(f"e{number}.yaml", text))
    for path in filter(None, leaves(result.value)):
        history = result.explain(path)
        shown = [location[origin.source, origin.line, origin.column] for origin in history.origins]
        if history.value in ([], {}):
            continue
        assert shown, path
        separator = "," if path[1] == "commas" else ""
        if isinstance(history.value, str) and len(shown) > 1:
            assert separator.join(_part(piece, path) for piece in shown) == history.value
        elif shown != [history.value]:
            # From JSON text every part comes from the place of the whole text.
            assert len(shown) == 1
            assert json.dumps(history.value) in shown[0]


def _part(piece: Any, path: Path) -> str:
    """What a place gives to a text: itself, or what JSON text holds there."""
    found = walk(json.loads(piece), path[2:]) if piece.startswith("{") else piece
    return str(found)


@given(VIAS)
def test_events_show_what_every_prefix_of_the_plan_gives(run: tuple[CollectionTexts, str]) -> None:
    texts, via = run
    result = render(texts, via=via)
    states = _states(result)
    for path in filter(None, leaves(result.value)):
        # In place, one step may change a value several times; what counts is where it ends.
        last = {event.step: event for event in result.explain(path).events}
        for step, event in last.items():
            assert step is not None
            assert walk(states[step], event.path) == event.result, path


@given(VIAS)
def test_no_change_is_missing(run: tuple[CollectionTexts, str]) -> None:
    texts, via = run
    result = render(texts, via=via)
    states = _states(result)
    for path in {path for state in states.values() for path in _keyed(state) if path}:
        steps = {event.step for event in result.explain(path).events}
        for step in range(1, len(states)):
            before, now = walk(states[step - 1], path), walk(states[step], path)
            if (before is MISSING) != (now is MISSING) or before != now:
                assert step in steps, f"{path} changed in step {step}, and no event says so"


def _states(result: lamina.Result) -> dict[int, Any]:
    """What the output is after each step, found by folding every prefix of its steps."""
    output = result.plan.stages[0].outputs[0]
    prefixes = (Output(name=output.name, steps=output.steps[: count + 1]) for count in range(len(output.steps)))
    return {count: deepcopy(fold_output(prefix, {}).value) for count, prefix in enumerate(prefixes)}


def _keyed(value: Any, path: Path = ()) -> list[Path]:
    inner = value.items() if isinstance(value, dict) else ()
    return [path, *(found for key, each in inner for found in _keyed(each, (*path, key)))]


@given(VIAS)
def test_rendering_changes_no_input(run: tuple[CollectionTexts, str]) -> None:
    texts, via = run
    documents = [yaml_document_text_dates(Source.of_text(f"e{i}.yaml", text), Run()) for i, text in enumerate(texts)]
    before = deepcopy([document.value for document in documents])
    render(texts, via=via).value.clear()
    assert [document.value for document in documents] == before


@given(runs(odd=True, client=True))
def test_through_the_client_every_leaf_names_the_place_it_was_written_at(texts: CollectionTexts) -> None:
    result = render(texts, via="client")
    location: dict[tuple[str, int, int], Any] = {}
    for number, text in enumerate(texts):
        location.update(_written(f"e{number}.yaml", text))
    for path in filter(None, leaves(result.value)):
        history = result.explain(path)
        shown = [_sent(location[origin.source, origin.line, origin.column]) for origin in history.origins]
        if history.value in ([], {}):
            continue
        separator = "," if path[1] == "commas" else ""
        joined = separator.join(map(str, shown)) if isinstance(history.value, str) and len(shown) > 1 else shown[0]
        assert joined == history.value, path


def _written(name: str, text: str) -> dict[tuple[str, int, int], Any]:
    """What is at each position, the members of sets included."""
    found = written(name, text)
    for node in _sets(yaml.compose(text, yaml.SafeLoader)):
        found.update({(name, key.start_mark.line + 1, key.start_mark.column + 1): key.value for key, _ in node.value})
    return found


def _sets(node: Any) -> Iterator[yaml.MappingNode]:
    if isinstance(node, yaml.MappingNode):
        if node.tag == "tag:yaml.org,2002:set":
            yield node
        for _, value in node.value:
            yield from _sets(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _sets(item)


def _sent(value: Any) -> Any:
    """A value as it arrives through the client."""
    return yaml.load(json.dumps(value, default=sorted), yaml.CSafeLoader)


@given(runs(odd=True, client=True))
def test_through_the_client_events_and_changes_are_reported(texts: CollectionTexts) -> None:
    result = render(texts, via="client")
    states = _states(result)
    for path in {path for state in states.values() for path in _keyed(state) if path}:
        events = {event.step: event for event in result.explain(path).events}
        for step in range(1, len(states)):
            before, now = walk(states[step - 1], path), walk(states[step], path)
            if (before is MISSING) != (now is MISSING) or before != now:
                assert step in events, f"{path} changed in step {step}, and no event says so"
        for event in events.values():
            assert event.step is not None
            assert walk(states[event.step], event.path) == event.result, path


@given(runs())
def test_the_result_is_an_environment_that_merges_to_itself(texts: CollectionTexts) -> None:
    result = render(texts)
    for text in (result.to_yaml(), result.to_json()):
        assert render([text]).value == result.value


@given(runs(aliases=False))
def test_where_nothing_is_shared_in_place_gives_the_same(texts: CollectionTexts) -> None:
    result = render(texts)
    output = result.plan.stages[0].outputs[0]
    state: Node = LiteralNode({}, ())
    for number, step in enumerate(output.steps):
        if isinstance(step, Merge):
            assert isinstance(step.take.source, Node)
            state = merge_at_path(
                state, step.take.source, step.path, step.policy, MergeContext(), StepRef(output.name, number, step)
            )
    assert state.value == result.value
    for path in filter(None, leaves(result.value)):
        assert origins_of(state.at(path)) == list(result.explain(path).origins)
