"""Environments merged for the value alone: results, notes, errors, steps and histories are those of the full rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from lamina.budget import Budget
from lamina.dialects.heat import compile as heat_compile
from lamina.dialects.heat import plain_merge
from lamina.dialects.heat.plan_facts import facts_of
from lamina.engine.plan import ValuedOutput
from lamina.errors import LaminaError
from lamina.paths import leaves
from lamina.sources.inputs import Inputs, MemoryFiles
from lamina.views.explain import as_data
from lamina.views.render import render
from lamina.views.result import Result

KINDS = {
    "words": "string",
    "items": "comma_delimited_list",
    "commas": "comma_delimited_list",
    "tree": "json",
    "bush": "json",
    "count": "number",
    "flag": "boolean",
}
TEMPLATE = json.dumps(
    {"heat_template_version": "2018-08-31", "parameters": {name: {"type": kind} for name, kind in KINDS.items()}}
)

KEYS = st.sampled_from(["k", "l", "m"])
TREES = st.fixed_dictionaries(
    {},
    optional={
        "text": st.sampled_from(["a", "b"]),
        "list": st.lists(st.sampled_from(["x", "y", 1]), max_size=2),
        "number": st.integers(0, 3),
        "map": st.dictionaries(KEYS, st.lists(st.integers(0, 3), max_size=2), max_size=2),
    },
)
FITTING: dict[str, st.SearchStrategy[Any]] = {
    "words": st.sampled_from(["", "a", "b"]),
    "items": st.lists(st.sampled_from(["p", "q"]), max_size=2),
    "commas": st.sampled_from(["c", "d"]),
    "tree": TREES,
    "bush": TREES,
    "count": st.integers(0, 3),
    "flag": st.booleans(),
}
ODD = st.one_of(
    st.none(),
    st.sampled_from(['{"text": "j"}', "{", 1.5, {1: "x"}, {"text": {"k": 1}}, {"list": None}, [None], {}, []]),
)
MERGED = ("words", "items", "commas", "tree", "bush")
WORDS = st.sampled_from(["overwrite", "merge", "deep_merge"])


@st.composite
def plain_runs(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Files in which nothing is odd."""
    words = {name: draw(WORDS) for name in MERGED}
    files = []
    for _ in range(draw(st.integers(1, 6))):
        document: dict[str, Any] = {"parameter_merge_strategies": words}
        for section in draw(st.permutations(["parameters", "parameter_defaults"])):
            names = draw(st.lists(st.sampled_from(sorted(KINDS)), unique=True, max_size=5))
            document[section] = {name: draw(FITTING[name]) for name in names}
        if draw(st.booleans()):
            document["resource_registry"] = draw(st.dictionaries(KEYS, st.sampled_from(["a", "b"]), max_size=2))
        files.append(document)
    return files


@st.composite
def runs(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Files of which some have something odd: values, names, strategies, sections."""
    files: list[dict[str, Any]] = draw(plain_runs())
    for document in files:
        for section in ("parameters", "parameter_defaults"):
            if draw(st.integers(0, 3)) == 0:
                document[section][draw(st.sampled_from([*KINDS, "ghost", "default"]))] = draw(ODD)
        if draw(st.integers(0, 3)) == 0:
            names = st.sampled_from([*KINDS, "default", "ghost"])
            words: st.SearchStrategy[Any] = st.sampled_from(["overwrite", "merge", "deep_merge", "bogus", None, []])
            document["parameter_merge_strategies"] = draw(st.dictionaries(names, words, max_size=3))
        if draw(st.integers(0, 7)) == 0:
            odd_section = st.sampled_from(["parameters", "encrypted_param_names", "event_sinks", "unknown"])
            document[draw(odd_section)] = draw(st.sampled_from([["a"], "a", None, {}]))
    return files


def rendered(texts: list[str], **options: Any) -> Result:
    names = [f"e{number}.yaml" for number in range(len(texts))]
    files = MemoryFiles({"template": TEMPLATE, **dict(zip(names, texts, strict=True))})
    sources = tuple(source for name in names if (source := files.read(name)))
    return render(Inputs(sources, files), dialect="heat", template="template", **options)


def written(files: list[dict[str, Any]]) -> list[str]:
    return [yaml.dump(each, Dumper=_NoAliases, sort_keys=False) for each in files]


class _NoAliases(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the signature is the library's
        return True


@contextmanager
def by_the_full_rules() -> Iterator[None]:
    with mock.patch.object(heat_compile, "merged_environment", lambda *_: None):
        yield


def is_plain(result: Result) -> bool:
    return isinstance(result.plan.stages[0].outputs[0], ValuedOutput)


def everything(texts: list[str], **options: Any) -> Any:
    """All there is to know of a run."""
    try:
        result = rendered(texts, **options)
    except LaminaError as error:
        return [repr(each) for each in error.diagnostics]
    fixed = {
        name: (known.word, known.file, known.how, known.origin) for name, known in facts_of(result.plan).fixed.items()
    }
    steps = [
        (step.directive.text, step.directive.origin, step.subject) for step in result.plan.stages[0].outputs[0].steps
    ]
    histories = [
        json.dumps(as_data(result.explain(path), result), default=repr) for path in leaves(result.plain) if path
    ]
    return result.to_json(), result.to_yaml(), result.notes, fixed, steps, histories


@given(plain_runs())
def test_plain_files_are_merged_for_the_value_alone(files: list[dict[str, Any]]) -> None:
    assert is_plain(rendered(written(files)))


@given(st.one_of(runs(), plain_runs()), st.sampled_from(["server", "client"]), st.booleans())
@example(
    [
        {"parameter_merge_strategies": {"default": []}, "parameters": {"count": 1}},
        {
            "parameter_merge_strategies": {"count": "deep_merge", "default": "deep_merge"},
            "parameter_defaults": {"count": 2},
        },
    ],
    "server",
    False,
)
@example([{"parameters": {"tree": {}}}, {"parameters": {"tree": '{"text": "j"}'}}], "server", False)
def test_it_makes_no_difference(files: list[dict[str, Any]], via: str, initial: bool) -> None:
    texts = written(files)
    options: dict[str, Any] = {"via": via, **({"initial_parameters": {"words": "w"}} if initial else {})}
    fast = everything(texts, **options)
    with by_the_full_rules():
        assert fast == everything(texts, **options)


def test_shared_containers_follow_the_full_rules() -> None:
    shared = "parameter_merge_strategies: {default: merge}\nparameters: {items: &a [a], commas: *a}\n"
    assert not is_plain(rendered([shared, "parameters: {items: [b]}"]))


def test_the_manual_is_followed_by_the_full_rules() -> None:
    texts = ["parameters: {items: [a]}", "parameters: {items: [b]}"]
    assert is_plain(rendered(texts))
    assert not is_plain(rendered(texts, compat="manual"))


def test_what_exceeds_the_budget_follows_the_full_rules() -> None:
    texts = ["parameters: {items: [a]}", "parameters: {items: [b]}"]
    for nodes, enough in ((3, True), (2, False)):
        budget = Budget(nodes)
        with mock.patch.object(plain_merge, "current_budget", lambda budget=budget: budget):
            assert is_plain(rendered(texts)) == enough
        assert budget.nodes == (0 if enough else nodes)
