"""Plain layers: values as a naive merge gives them, laws of the operators, and exact histories."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import lamina
from lamina.paths import MISSING, Path, leaves, walk
from support import naive_layers
from support.cloud_configs import Unique, written

WORDS = ["deep", "take", "keep", "append", "prepend", "unique", "by-key", "join", "sum", "reject", "lock"]
WITH_KNOCKOUT = ("deep", "append", "prepend", "unique", "by-key")
REJECTED = {"locked-value", "conflicting-values", "wrong-type-for-rule", "item-without-key"}

keys = st.sampled_from(["a", "b", "c", "name", "--a"])
scalars = st.one_of(st.none(), st.booleans(), st.integers(-2, 2), st.sampled_from(["", "x", "y", "--x", "--"]))
named = st.builds(lambda name, rest: {"name": name, **rest}, st.sampled_from(["x", "y", "--x"]), st.just({}))
items = st.lists(scalars | st.dictionaries(keys, scalars, max_size=3) | named, max_size=4)
records = st.lists(st.builds(lambda name, b: {"name": name, "b": b}, st.sampled_from(["x", "y", "--x"]), scalars))
values = st.recursive(
    scalars | items | records | st.integers(0, 9),
    lambda inner: st.dictionaries(keys, inner, max_size=4),
    max_leaves=8,
)
roots = st.sampled_from(["p", "q", "r"])
layers = st.lists(st.dictionaries(roots, values, max_size=3), min_size=1, max_size=4)


@st.composite
def rules(draw: st.DrawFn) -> dict[str, dict[str, Any]]:
    made: dict[str, dict[str, Any]] = {}
    for key in draw(st.lists(roots, unique=True)):
        word = draw(st.sampled_from(WORDS))
        made[key] = {"merge": word}
        if word == "by-key":
            made[key]["key"] = "name"
        if word == "join":
            made[key]["separator"] = draw(st.sampled_from(["", ", "]))
        if word in WITH_KNOCKOUT and draw(st.booleans()):
            made[key]["knockout"] = "--"
    return made


def files(bodies: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(f"l{number}.yaml", yaml.safe_dump(body, sort_keys=False)) for number, body in enumerate(bodies)]


def render(bodies: list[dict[str, Any]], rule: dict[str, dict[str, Any]], *, deletes: bool) -> lamina.Result:
    written_out = {"rules": [{"path": path, **each} for path, each in rule.items()]}
    null = "delete" if deletes else "keep"
    return lamina.render(files(bodies), dialect="layers", rules=written_out, null=null, no_references=True)


@given(layers, rules(), st.booleans())
def test_the_result_is_that_of_a_naive_merge(bodies: list[Any], rule: Any, deletes: bool) -> None:
    try:
        wanted = naive_layers.merged(bodies, rule, deletes=deletes)
    except naive_layers.ConflictError:
        with pytest.raises(lamina.MergeError) as caught:
            render(bodies, rule, deletes=deletes)
        assert caught.value.diagnostic.code in REJECTED
        assert caught.value.diagnostic.at is not None
        return
    result = render(bodies, rule, deletes=deletes).value
    assert naive_layers.same(result, wanted), (result, wanted)
    assert json.dumps(result) == json.dumps(wanted)  # the order of keys, too


@given(layers)
def test_with_null_delete_no_mapping_has_a_null(bodies: list[Any]) -> None:
    result = render(bodies, {}, deletes=True).value
    keyed = [path for path in leaves(result) if not any(isinstance(step, int) for step in path)]
    assert not any(walk(result, path) is None for path in keyed)


@given(layers, st.sampled_from(["deep", "take", "keep", "unique", "reject", "lock"]), st.booleans())
def test_a_layer_that_comes_twice_in_a_row_changes_nothing(bodies: list[Any], word: str, deletes: bool) -> None:
    rule = {key: {"merge": word} for key in ("p", "q", "r")}
    try:
        once = render(bodies, rule, deletes=deletes).value
    except lamina.MergeError:
        return
    assert naive_layers.same(render([*bodies, bodies[-1]], rule, deletes=deletes).value, once)


@given(layers, st.booleans())
def test_an_empty_layer_changes_nothing(bodies: list[Any], deletes: bool) -> None:
    assert render([*bodies, {}], {}, deletes=deletes).value == render(bodies, {}, deletes=deletes).value


@given(st.lists(st.lists(st.integers(0, 5), max_size=4), min_size=1, max_size=4))
def test_laws_of_lists_and_sums(lists: list[list[int]]) -> None:
    bodies = [{"p": each, "q": sum(each)} for each in lists]

    def of(word: str) -> Any:
        return render(bodies, {"p": {"merge": word}, "q": {"merge": "sum"}}, deletes=False).value

    flat = [item for each in lists for item in each]
    assert of("append") == {"p": flat, "q": sum(flat)}
    assert of("prepend")["p"] == [item for each in reversed(lists) for item in each]
    assert of("unique")["p"] == list(dict.fromkeys(flat))


@st.composite
def runs(draw: st.DrawFn) -> tuple[list[Any], dict[str, dict[str, Any]]]:
    """Layers whose leaves are all different, except for what items are known by, with rules that reject nothing."""
    unique = Unique()
    shapes = {"p": draw(st.sampled_from(["deep", "take", "keep"])), "q": draw(st.sampled_from(["append", "by-key"]))}
    shapes["r"] = draw(st.sampled_from(["join", "prepend", "sum"]))
    bodies: list[Any] = []
    for _ in range(draw(st.integers(1, 4))):
        body: dict[str, Any] = {}
        if draw(st.booleans()):
            body["p"] = unique.relabel(draw(st.dictionaries(keys, values, max_size=3)))
        if draw(st.booleans()):
            names = draw(st.lists(st.sampled_from(["x", "y", "z"]), unique=True))
            body["q"] = [{"name": name, draw(keys.filter("name".__ne__)): unique.leaf(True)} for name in names]
        if draw(st.booleans()):
            leaf = unique.leaf(shapes["r"] == "join")
            body["r"] = [leaf] if shapes["r"] == "prepend" else leaf
        bodies.append(body)
    rule: dict[str, dict[str, Any]] = {key: {"merge": word} for key, word in shapes.items()}
    if shapes["q"] == "by-key":
        rule["q"]["key"] = "name"
    return bodies, rule


@given(runs(), st.booleans())
def test_every_leaf_names_just_the_places_it_came_from(run: Any, deletes: bool) -> None:
    bodies, rule = run
    result = render(bodies, rule, deletes=deletes)
    location: dict[tuple[str, int, int], Any] = {}
    for name, text in files(bodies):
        location.update(written(name, text))
    for path in filter(None, leaves(result.value)):
        history = result.explain(path)
        shown = [location[origin.source, origin.line, origin.column] for origin in history.origins]
        if history.value in ([], {}):
            continue
        if path == ("r",):
            assert (sum(shown) if rule["r"]["merge"] == "sum" else "".join(shown)) == history.value
        else:
            assert shown == [history.value], path


@given(runs(), st.booleans())
def test_events_show_what_every_prefix_gives_and_no_change_is_missing(run: Any, deletes: bool) -> None:
    bodies, rule = run
    after = [{}, *(render(bodies[:n], rule, deletes=deletes).value for n in range(1, len(bodies) + 1))]
    result = render(bodies, rule, deletes=deletes)
    for path in filter(None, leaves(result.value)):
        for event in result.explain(path).events:
            assert event.step is not None
            assert walk(after[event.step], event.path) == event.result, path
    for path in {path for value in after for path in _keyed(value) if path}:
        steps = {event.step for event in result.explain(path).events}
        for step in range(1, len(after)):
            before, now = walk(after[step - 1], path), walk(after[step], path)
            if (before is MISSING) != (now is MISSING) or before != now:
                assert step in steps, f"{path} changed in step {step}, and no event says so"


def _keyed(value: Any, path: Path = ()) -> list[Path]:
    inner = value.items() if isinstance(value, dict) else ()
    return [path, *(found for key, each in inner for found in _keyed(each, (*path, key)))]


@given(layers, rules())
def test_rendering_changes_no_input(bodies: list[Any], rule: Any) -> None:
    before = deepcopy(bodies)
    session = lamina.Session()
    texts = files(bodies)
    written_out = {"rules": [{"path": path, **each} for path, each in rule.items()]}

    def once() -> Any:
        try:
            return lamina.render(texts, dialect="layers", rules=written_out, session=session).value
        except lamina.MergeError as error:
            return str(error)

    first = deepcopy(once())
    assert once() == first
    assert bodies == before


names = st.sampled_from(["a", "b", "c", "d"])


@given(st.dictionaries(names, st.lists(st.tuples(st.sampled_from(["", "-", "$${", "}"]), names), max_size=3)))
def test_references_are_resolved_as_a_plain_substitution_does_or_rejected(graph: dict[str, Any]) -> None:
    body = {name: "".join(f"{text}${{{other}}}" for text, other in parts) or name for name, parts in graph.items()}

    def value(name: str, above: tuple[str, ...] = ()) -> str:
        if name in above or name not in graph:
            raise LookupError(name)
        parts = graph[name]
        if not parts:
            return name
        return "".join(text.replace("$${", "${") + value(other, (*above, name)) for text, other in parts)

    try:
        wanted = {name: value(name) for name in graph}
    except LookupError:
        with pytest.raises(lamina.MergeError) as caught:
            lamina.render(files([body]), dialect="layers", strict=True)
        assert {each.code for each in caught.value.diagnostics} <= {"reference-cycle", "unknown-reference"}
        return
    result = lamina.render(files([body]), dialect="layers")
    assert result.value == wanted
    location = written(*files([body])[0])
    for name in graph:
        shown = [location[origin[:3]] for origin in result.explain((name,)).origins]
        assert shown[0] == body[name]
        assert set(shown) == {body[each] for each in _reached(name, graph)}


def _reached(name: str, graph: dict[str, Any]) -> set[str]:
    return {name}.union(*(_reached(other, graph) for _, other in graph[name]))
