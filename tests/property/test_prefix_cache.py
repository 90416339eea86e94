"""Folding with a cache of prefixes gives what folding without it gives: values, faults, notes and histories."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lamina.engine.fold import Work, run
from lamina.engine.history import history_of
from lamina.engine.node import LiteralNode, SourceNode
from lamina.engine.operators.convert import ITEMS
from lamina.engine.operators.mapping import Union
from lamina.engine.operators.sequence import JoinLists
from lamina.engine.operators.text import JoinStrings
from lamina.engine.operators.whole import DESCEND, KEEP, TAKE, RejectPair, Warn
from lamina.engine.plan import (
    NOTHING,
    AnyStep,
    Compiler,
    Directive,
    FaultText,
    From,
    Merge,
    OnFault,
    Output,
    OutputRef,
    Stage,
    Start,
    StateRef,
    Step,
)
from lamina.engine.plan import Fail as RefuseStep
from lamina.engine.policy import Cases, Policy
from lamina.engine.prefix_cache import PrefixCache, key_of
from lamina.engine.step_context import Folded
from lamina.errors import Diagnostic
from lamina.paths import Path
from lamina.session import Session, calling
from lamina.sources.document_cache import yaml_document
from lamina.sources.source import Source
from lamina.sources.yaml.writer import dump
from lamina.values import ABSENT, ALL, LISTS, MAPS, TEXTS
from support.cloud_configs import Unique, mappings

_NEW = ((ABSENT,), ALL, TAKE)
DEEP = Policy(
    Cases((MAPS, MAPS, Union(Cases(_NEW, (ALL, ALL, DESCEND)))), (LISTS, LISTS, JoinLists()), (ALL, ALL, TAKE))
)
FIRST = Policy(
    Cases(
        (MAPS, MAPS, Union(Cases(_NEW, (ALL, ALL, DESCEND)))),
        (TEXTS, TEXTS, JoinStrings()),
        (ALL, ALL, RejectPair("clash")),
    )
)
WARNED = Policy(Cases((MAPS, MAPS, Union(Cases(_NEW, (ALL, ALL, Warn(KEEP, "warned"))))), (ALL, ALL, KEEP)))
FAULTS = {
    "clash": FaultText(code="clash", message="{layer}: {path}: {old} and {new}"),
    "warned": FaultText(code="warned", message="{layer}: {path}: {old} stays"),
    "no-such-place": FaultText(code="no-place", message="{path}: no such place"),
}
SWEPT = Policy(Cases((MAPS, ALL, Warn(KEEP, "warned")), (ALL, ALL, KEEP)))
POLICIES = (DEEP, FIRST, WARNED)
PATHS: tuple[Path, ...] = ((), ("a",), ("a", "b"))


class Recipe:
    """A step to be made again each time, as a compiler does: equal, but never the same object."""

    def __init__(self, draw: st.DrawFn, texts: list[str]) -> None:
        self.kind = draw(st.sampled_from(("put", "put", "put", "put", "start", "sweep", "refuse")))
        self.text = draw(st.sampled_from(texts))
        self.source = draw(st.sampled_from(("layer", "layer", "layer", "blank", "output", "state")))
        self.trim = draw(st.booleans())
        self.policy = draw(st.sampled_from(POLICIES))
        self.path = draw(st.sampled_from(PATHS))
        self.create = draw(st.booleans())
        self.casts = (ITEMS,) if draw(st.integers(0, 9)) == 0 else ()
        self.common: dict[str, Any] = {
            "on_fault": draw(st.sampled_from((OnFault.SKIP, OnFault.STOP))),
            "faults": FAULTS,
            "dry": draw(st.integers(0, 9)) == 0,
            "verb": draw(st.sampled_from((None, "substituted"))),
            "directive": Directive(draw(st.sampled_from(("this", "that")))),
        }

    def step(self, number: int, others: list[str]) -> AnyStep:
        if self.kind == "refuse":
            return RefuseStep(finding=Diagnostic(code="no", message="no"), **self.common)
        if self.kind == "sweep":
            return Merge(take=NOTHING, policy=SWEPT, **self.common)
        take = self._take(number, others)
        if self.kind == "start":
            return Start(take=take, **self.common)
        return Merge(take=take, policy=self.policy, path=self.path, create=self.create, **self.common)

    def _take(self, number: int, others: list[str]) -> From:
        if self.source == "output" and others:
            return From(source=OutputRef(others[-1]))
        if self.source == "state" and number:
            return From(source=StateRef(number // 2))
        if self.source == "blank":
            return From(source=LiteralNode({}, ()))
        document = yaml_document(Source.of_text(f"{len(self.text)}.yaml", self.text))
        node = SourceNode(document.value, (), document.positions, 0, "a layer")
        keys = list(document.value)[:1] if self.trim else []
        return From(source=node.without(keys), casts=self.casts, layer="a layer")


Plans = list[list[tuple[str, list[Recipe]]]]


@st.composite
def plans(draw: st.DrawFn) -> Plans:
    """Plans of a few outputs each; their steps come from one small stock, so that many begin alike."""
    unique = Unique()
    texts = [dump(unique.relabel(body)) for body in draw(st.lists(mappings, min_size=1, max_size=3))]
    stock = [Recipe(draw, texts) for _ in range(draw(st.integers(1, 4)))]
    beginning = [draw(st.sampled_from(stock)) for _ in range(draw(st.integers(0, 3)))]

    def output(name: str) -> tuple[str, list[Recipe]]:
        own = [draw(st.sampled_from(stock)) for _ in range(draw(st.integers(0, 2)))]
        return name, beginning + own

    names = draw(st.lists(st.sampled_from("xyz"), min_size=1, max_size=3, unique=True))
    count = draw(st.integers(2, 4))
    return [[output(name) for name in draw(st.permutations(names))] for _ in range(count)]


def compiled(outputs: list[tuple[str, list[Recipe]]]) -> Compiler:
    made: list[Output] = []
    for name, recipes in outputs:
        others = [output.name for output in made]
        made.append(Output(name=name, steps=tuple(recipe.step(i, others) for i, recipe in enumerate(recipes))))
    yield Stage(title="all", outputs=tuple(made))


def all_paths(value: Any, path: Path = ()) -> list[Path]:
    found = [path]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found.extend(all_paths(inner, (*path, key)))
    return found


def spelled(value: Any) -> Any:
    """A record, with all records in it, as something that can be compared."""
    if is_dataclass(value):
        return (type(value).__name__, *(spelled(getattr(value, field.name)) for field in fields(value)))
    return [spelled(item) for item in value] if isinstance(value, (list, tuple)) else value


def histories(folded: Folded) -> list[Any]:
    """The histories of everything that is in an output, and of two keys that may have been."""
    paths = [*all_paths(folded.value), ("a",), ("b",), ("a", "b")]
    return [spelled(history_of(folded.node.at(path))) for path in paths]


def outcome(work: Work) -> list[Any]:
    return [
        (name, repr(folded.value), spelled(folded.faults), spelled(folded.notes), histories(folded))
        for name, folded in work.results.items()
    ]


@given(plans(), st.sampled_from((3, 4096)))
def test_the_cache_changes_nothing(drawn: Plans, room: int) -> None:
    prefix_cache = PrefixCache(room)
    for outputs in [*drawn, *drawn]:
        assert outcome(run(compiled(outputs), prefix_cache)) == outcome(run(compiled(outputs)))


@given(plans())
def test_what_was_met_twice_is_not_folded_a_third_time(drawn: Plans) -> None:
    prefix_cache = PrefixCache()
    outputs = [drawn[0][0]]
    with Session() as session, calling(session):  # in which a text is read once, and so is one document
        for _ in range(2):
            work = run(compiled(outputs), prefix_cache)
        folded = work.results[outputs[0][0]]
        keys = [key_of(step, {}) for step in folded.output.steps]
        known = len(keys) if None not in keys else keys.index(None)
        prefix_cache.hits = 0
        run(compiled(outputs), prefix_cache)
    assert prefix_cache.hits == known or folded.failed


def test_steps_are_distinguished_by_all_they_have() -> None:
    """A field that is not compared would make different steps equal."""
    common = {"directive", "on_fault", "faults", "subject", "verb", "dry", "forwards"}
    assert {field.name for field in fields(Step)} == common
    assert {field.name for field in fields(Merge)} == {*(*common, "take", "policy", "path", "create", "directives")}
    assert {field.name for field in fields(Start)} == {*common, "take"}
    assert {field.name for field in fields(From)} == {*("source", "path", "casts", "layer", "rank")}
    assert set(SourceNode.__slots__) == {*("_index", "full", "layer", "secret", "secret_keys", "positions")}


def test_paths_distinguish_one_from_true() -> None:
    def key(path: Path) -> Any:
        return key_of(Merge(directive=Directive(""), take=From(source=LiteralNode({}, ())), policy=DEEP, path=path), {})

    paths: list[Path] = [(), (1,), (True,), (1.0,), ("1",), ((1, 2),), ((True, 2),), (Caseless("1"),)]
    assert len({key(path) for path in paths}) == len(paths)
    assert key(("a", 1)) == key(("a", 1))


class Caseless(str):
    """A key with an equality of its own."""

    __slots__ = ()
