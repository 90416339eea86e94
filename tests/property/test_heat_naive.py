"""Random environments against a second implementation of Heat's rules, which changes plain values in place.

The second one is written for plainness, not for speed: it reads with PyYAML and does to the objects what Heat does, so
that lists and mappings shared by aliases grow together by themselves. Where it would die of a kind that does not fit,
it says `type-mismatch`.
"""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lamina.dialects import registry as dialects
from lamina.errors import LaminaError
from lamina.protocol.extensions import golden_of
from lamina.sources.inputs import Inputs, MemoryFiles
from lamina.values import same
from lamina.views.render import render_with

HEAT = dialects.find("heat")
KINDS = {
    "words": "string",
    "more": "string",
    "items": "comma_delimited_list",
    "others": "comma_delimited_list",
    "tree": "json",
    "bush": "json",
    "count": "number",
    "flag": "boolean",
}
NAMES = [*KINDS, "ghost", "default"]
TEMPLATE = yaml.safe_dump(
    {"heat_template_version": "2018-08-31", "parameters": {name: {"type": kind} for name, kind in KINDS.items()}}
)


class Rejected(Exception):
    """The second implementation gives up, with the code Lamina should give."""


class Naive:
    """Heat's merging on plain values."""

    def __init__(self, initial: dict[str, Any]) -> None:
        self.result: dict[str, Any] = {"parameters": deepcopy(initial)}
        self.table: dict[str, Any] = {}

    def file(self, text: str) -> None:
        environment = yaml.load(text, yaml.CSafeLoader) or {}
        for value in environment.values():
            if value is None:
                raise Rejected("empty-section")
        strategies = environment.pop("parameter_merge_strategies", {})
        for section, value in environment.items():
            if not value:
                continue
            if section in ("parameters", "parameter_defaults"):
                self.parameters(section, value, strategies)
            else:
                self.result[section] = self.update(self.result.get(section), value, False)

    def parameters(self, section: str, new: Any, strategies: Any) -> None:
        counted = [name for name, value in new.items() if name in KINDS and value is not None]
        for name in counted:
            word = self.word(name, strategies)
            if self.table.setdefault(name, word) != word:
                raise Rejected("conflicting-strategy")
        old = self.result.get(section)
        if not old:
            self.result[section] = new
            return
        for name in counted:
            word = self.table[name]
            if word in ("merge", "deep_merge"):
                old[name] = self.merge(name, old, new[name], word == "deep_merge")
            else:
                old[name] = new[name]

    def word(self, name: str, strategies: Any) -> Any:
        fallback = strategies.get("default", "overwrite")
        word = strategies.get(name, self.table.get(name, fallback))
        return word if word in ("overwrite", "merge", "deep_merge") else fallback

    def merge(self, name: str, section: dict[str, Any], new: Any, deep: bool) -> Any:
        kind = KINDS[name]
        if kind == "json":
            return self.update(section.get(name), self.from_json(new), deep)
        if not isinstance(new, (str, list)):
            raise Rejected("invalid-parameter-value")
        if kind == "boolean":
            raise Rejected("invalid-strategy-for-type")
        if kind == "comma_delimited_list":
            return self.extend(section.get(name), new)
        if kind == "number":
            return self.add(section.get(name, 0), new)
        return self.join(section.get(name, ""), new)

    def add(self, old: Any, new: Any) -> Any:
        if type(old) is not type(new):
            raise Rejected("type-mismatch")
        return old + new

    def from_json(self, new: Any) -> Any:
        try:
            text = new if isinstance(new, str) else json.dumps(new)
            return json.loads(text) if text else text
        except ValueError:
            raise Rejected("invalid-parameter-value") from None

    def extend(self, old: Any, new: Any) -> Any:
        if not old:
            return new
        if isinstance(new, list):
            if not isinstance(old, list):
                raise Rejected("type-mismatch")
            old.extend(new)
            return old
        if not isinstance(old, str):
            raise Rejected("type-mismatch")
        return f"{old},{new}"

    def join(self, old: Any, new: Any) -> str:
        if not isinstance(old, str) or not isinstance(new, str):
            raise Rejected("type-mismatch")
        return old + new

    def update(self, old: Any, new: Any, deep: bool) -> Any:
        if not old:
            return new
        if not isinstance(new, dict):
            raise Rejected("type-mismatch")
        for key, value in new.items():
            if value is None:
                continue
            if not isinstance(old, dict):
                raise Rejected("type-mismatch")
            old[key] = self.deeper(old, key, value) if deep else value
        return old

    def deeper(self, old: dict[Any, Any], key: Any, value: Any) -> Any:
        if isinstance(value, dict):
            return self.update(old.get(key), value, True) if old.get(key) else value
        if isinstance(value, list):
            return self.extend(old.get(key), value) if old.get(key) else value
        if isinstance(value, str):
            return self.join(old.get(key, ""), value)
        return value


def sent(texts: list[str]) -> list[str]:
    """The texts as Heat's client sends them."""
    merged: dict[Any, Any] = {}
    out: list[str] = []
    for text in texts:
        environment = yaml.load(text, yaml.CSafeLoader) or {}
        entries = (environment.get("resource_registry") or {}).values()
        if not all(isinstance(entry, str) for entry in entries):
            raise Rejected("client-error")
        if entries:
            raise Rejected("missing-file")
        out.append(json.dumps(environment))
        merged = laid_over(merged, environment)
    return out


def laid_over(old: Any, new: dict[Any, Any]) -> Any:
    """The client's own update, on plain values: Python says what fails."""
    old = {} if old is None else old
    try:
        for key, value in new.items():
            if isinstance(value, dict):
                old[key] = laid_over(old.get(key, {}), value)
            elif value is not None or not isinstance(old.get(key), dict):
                old[key] = value
    except (AttributeError, IndexError, TypeError):
        raise Rejected("type-mismatch") from None
    return old


def naive(texts: list[str], initial: dict[str, Any], via: str) -> Any:
    """What the second implementation makes of the files: all five sections, or the code of its error."""
    run = Naive(initial)
    try:
        for text in sent(texts) if via == "client" else texts:
            run.file(text)
    except Rejected as rejected:
        return str(rejected)
    empty: dict[str, Any] = {"parameters": {}, "parameter_defaults": {}, "resource_registry": {}}
    return {**empty, "encrypted_param_names": [], "event_sinks": [], **run.result}


def lamina(texts: list[str], initial: dict[str, Any], via: str) -> Any:
    """What Lamina makes of them, in the same terms."""
    names = [f"e{number}.yaml" for number in range(len(texts))]
    files = MemoryFiles({"template.yaml": TEMPLATE, **dict(zip(names, texts, strict=True))})
    sources = [files.read(name) for name in names]
    inputs = Inputs(tuple(source for source in sources if source), files)
    options = dialects.make_options(
        HEAT, {"rule_set": "strategies", "template": "template.yaml", "initial_parameters": initial, "via": via}
    )
    try:
        result = render_with(HEAT, inputs, options)
        if any(note.code == "missing-file" for note in result.notes):
            return "missing-file"  # where the client stops
        return golden_of(HEAT).observe(result)["value"]
    except LaminaError as error:
        return error.diagnostic.code


SCALARS = st.sampled_from([None, True, False, 0, 1, 2.5, 1e16, "", "a", "b,c", "x"])
KEYS = st.sampled_from(["k", "l", "m", "1"])
SHARED: list[Any] = [["p"], ["q", "r"], {"k": ["s"], "l": {"m": "t"}}, {"k": {"k": ["u"]}}]
"""Containers to be shared: the same object drawn twice becomes an alias."""


def values(pool: list[Any]) -> st.SearchStrategy[Any]:
    """Values of any kind; those of the pool are shared wherever they are drawn again."""
    shared = st.sampled_from(pool)
    inner = st.one_of(SCALARS, shared)
    lists = st.lists(inner, max_size=3)
    maps = st.dictionaries(KEYS, st.one_of(inner, lists, st.dictionaries(KEYS, inner, max_size=2)), max_size=3)
    texts = st.one_of(maps, lists, SCALARS).map(json.dumps)
    odd = st.dictionaries(st.sampled_from([1, True, "1", 2.5, None, "null"]), inner, max_size=2)
    return st.one_of(maps, lists, SCALARS, shared, texts, odd)


FITTING: dict[str, st.SearchStrategy[Any]] = {
    "string": st.sampled_from(["", "a", "b"]),
    "boolean": st.booleans(),
    "number": st.sampled_from(["1", "2", 3]),
}


@st.composite
def environments(draw: st.DrawFn) -> str:
    """The text of one environment file."""
    pool = deepcopy(SHARED)
    any_value = values(pool)

    def value(name: str) -> Any:
        kind = KINDS.get(name)
        if draw(st.integers(0, 5)) == 0 or kind is None:
            return draw(any_value)
        if kind in FITTING:
            return draw(FITTING[kind])
        fits = dict if kind == "json" else list
        shared = st.sampled_from([item for item in pool if isinstance(item, fits)])
        new = values(pool).filter(lambda found: isinstance(found, fits))
        return draw(st.one_of(shared, new))

    document: dict[str, Any] = {}
    for section in draw(st.permutations(["parameters", "parameter_defaults", "parameter_merge_strategies"])):
        names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=5))
        if section == "parameter_merge_strategies":
            words = st.sampled_from(["merge", "deep_merge", "deep_merge", "overwrite", "bogus"])
            document[section] = {name: draw(words) for name in ["default", *names[:2]] if draw(st.booleans())}
        elif draw(st.integers(0, 3)):
            document[section] = {name: value(name) for name in names}
    if draw(st.integers(0, 4)) == 0:
        document["resource_registry"] = draw(st.dictionaries(KEYS, SCALARS, max_size=2))
    return yaml.dump(document, Dumper=yaml.CSafeDumper, sort_keys=False)


SHARED_LIST = """
parameter_merge_strategies: {default: merge}
parameters: {items: &shared [a], others: *shared}
"""
SHARED_SECTION = """
parameter_merge_strategies: {default: merge}
parameters: &shared {items: [a]}
parameter_defaults: *shared
"""


@settings(max_examples=300, deadline=None)
@given(st.lists(environments(), min_size=1, max_size=4), st.dictionaries(st.sampled_from(NAMES), SCALARS, max_size=2))
@example([SHARED_LIST, "parameters: {items: [b], others: [c]}"], {})
@example([SHARED_SECTION, "parameters: {items: [b], words: w}"], {})
@example(["parameters: {tree: {1: x, 1.0e+16: .inf}}", "parameters: {tree: {'1': 1.0e-7}}"], {})
@example(["parameters: {items: [p, q]}", "parameters: {items: {1: x}}", "parameters: {items: {true: y, -2: z}}"], {})
def test_lamina_agrees_with_a_plain_second_implementation(texts: list[str], initial: dict[str, Any]) -> None:
    for via in ("server", "client"):
        _check_agreement(texts, initial, via)


def _check_agreement(texts: list[str], initial: dict[str, Any], via: str) -> None:
    mine, theirs = lamina(texts, initial, via), naive(texts, initial, via)
    if theirs == "missing-file" and isinstance(mine, str):
        return  # the client stops before it merges; Lamina goes on, and what fails then is an error, too
    assert same(mine, theirs), f"lamina: {mine}\nnaive:  {theirs}"
