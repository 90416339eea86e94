"""Layers in every style that YAML has for texts, merged by each of the dialects."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import indent
from typing import Any, NamedTuple

import yaml
from hypothesis import assume
from hypothesis import strategies as st

from lamina.dialects import registry
from lamina.errors import LaminaError, Severity
from lamina.sources.inputs import Inputs, MemoryFiles
from lamina.sources.source import Source
from lamina.views.render import render_with
from lamina.views.result import Result

DIALECTS = ("cloud-init", "datum", "deckhand", "heat", "hiera", "layers")
RULES = ("merge", "append", "prepend")
_KEYS = ("a", "b", "c")


class _Writer:
    """Writes values with leaves that are all different, each in a style that is drawn for it."""

    def __init__(self, draw: st.DrawFn, name: str) -> None:
        self._draw = draw
        self._name = name
        self._count = 0

    def _word(self) -> str:
        self._count += 1
        return f"{self._name}{self._count}"

    def _scalar(self) -> str:
        """A scalar behind its key or dash; lines after the first have no margin yet."""
        one, two, three = self._word(), self._word(), self._word()
        gap = "\n" * self._draw(st.integers(1, 2))
        style = self._draw(st.sampled_from(["word", "number", "|", "|-", ">", ">+", "plain", '"', "'", "comment"]))
        match style:
            case "word":
                return one
            case "number":
                return f"{self._count * 7}{ord(self._name[-1])}"
            case "plain":
                return f"{one}{gap}{two} - {three}"
            case "comment":
                return f"{one} # {two}\n# {three}"
            case '"' | "'":
                return f"{style}{one}{gap}{two}: {three}\n{style}"
        return f"{style}\n{one}\n{gap}# {two}\n  {three}"

    def value(self, depth: int) -> str:
        """A value behind its key or dash; what begins on the next line begins with a break."""
        kind = self._draw(st.sampled_from(["scalar", "scalar", "list", "mapping"])) if depth else "scalar"
        if kind == "scalar":
            return f" {self._scalar()}"
        return "\n" + (self.items(depth - 1) if kind == "list" else self.mapping(depth - 1)).rstrip("\n")

    def mapping(self, depth: int, *, at_least: int = 1) -> str:
        keys = self._draw(st.lists(st.sampled_from(_KEYS), unique=True, min_size=at_least, max_size=3))
        return "".join(f"{key}:{_further_in(self.value(depth))}\n" for key in keys)

    def items(self, depth: int) -> str:
        made = (self.value(depth) for _ in range(self._draw(st.integers(1, 3))))
        # A mapping in a list begins behind the dash, as people write it.
        texts = (" " + value[1:] if value.startswith("\n") else value for value in made)
        return "".join(f"-{_further_in(text)}\n" for text in texts)


def _further_in(text: str) -> str:
    return text if "\n" not in text else text[: text.index("\n") + 1] + indent(text[text.index("\n") + 1 :], "  ")


class Layers(NamedTuple):
    """The texts of two layers, the lower one first, and how lists are merged."""

    dialect: str
    texts: tuple[str, str]
    rule: str

    def rendered(self) -> tuple[Result, dict[str, str]]:
        """The result, and the texts of the files that its values come from."""
        files, inputs, options = _FILES[self.dialect](self.texts, self.rule)
        sources = tuple(Source.of_text(name, files[name]) for name in inputs)
        dialect = registry.find(self.dialect)
        memory = MemoryFiles({name: text for name, text in files.items() if name not in inputs})
        result = render_with(dialect, Inputs(sources, memory), registry.make_options(dialect, options))
        return result, files


_Files = tuple[dict[str, str], tuple[str, ...], dict[str, Any]]


def _cloud_init(texts: tuple[str, str], rule: str) -> _Files:
    how = "" if rule == "merge" else f"merge_how: list({rule})+dict(no_replace,recurse_list)+str()\n"
    return {"low": f"#cloud-config\n{texts[0]}", "high": f"#cloud-config\n{how}{texts[1]}"}, ("low", "high"), {}


def _heat(texts: tuple[str, str], rule: str) -> _Files:
    del rule
    low, high = (f"parameter_defaults:\n{indent(text, '  ')}" for text in texts)
    return {"low.yaml": low, "high.yaml": high}, ("low.yaml", "high.yaml"), {}


def _layers(texts: tuple[str, str], rule: str) -> _Files:
    rules = {} if rule == "merge" else {"lists": rule}
    return {"low.yaml": texts[0], "high.yaml": texts[1]}, ("low.yaml", "high.yaml"), {"rules": rules}


def _datum(texts: tuple[str, str], rule: str) -> _Files:
    arrays = {} if rule == "merge" else {"merge_baseType_array": "Sum", "merge_hash_array": "Sum"}
    files = {name: f"T:\n{indent(text, '  ')}" for name, text in zip(("low.yml", "high.yml"), texts, strict=True)}
    merge = {"merge_hash": "deep", **arrays}
    return files, (), {"lookup": "T", "layers": ["high.yml", "low.yml"], "lookup_options": {"T": merge}}


def _hiera(texts: tuple[str, str], rule: str) -> _Files:
    merge = {"merge": "deep", "append": "unique", "prepend": "hash"}[rule]
    files = {
        "hiera.yaml": "version: 5\nhierarchy:\n- {name: all, paths: [high.yaml, low.yaml, options.yaml]}\n",
        "data/high.yaml": texts[1],
        "data/low.yaml": texts[0],
        "data/options.yaml": f"lookup_options: {{a: {{merge: {merge}}}}}\n",
        "facts/n.yaml": "x: 1\n",
    }
    return files, (), {"node": "n"}


def _deckhand(texts: tuple[str, str], rule: str) -> _Files:
    del rule
    policy = (
        "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: p}\n"
        "data: {layerOrder: [global, site]}\n"
    )
    low = _document("low", "labels: {is: low}\n  storagePolicy: cleartext", "{layer: global}", texts[0])
    layering = "{layer: site, parentSelector: {is: low}, actions: [{method: merge, path: .}]}"
    high = _document("high", "storagePolicy: cleartext", layering, texts[1])
    return {"site.yaml": f"---\n{policy}---\n{low}---\n{high}"}, ("site.yaml",), {}


def _document(name: str, more: str, layering: str, data: str) -> str:
    return (
        f"schema: example/Kind/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: {name}\n  {more}\n"
        f"  layeringDefinition: {layering}\ndata:\n{indent(data, '  ')}"
    )


_FILES = {
    "cloud-init": _cloud_init,
    "datum": _datum,
    "deckhand": _deckhand,
    "heat": _heat,
    "hiera": _hiera,
    "layers": _layers,
}


@st.composite
def styled_layers(draw: st.DrawFn, dialect: str) -> Layers:
    """Two layers for a dialect."""
    low, high = (_Writer(draw, name).mapping(2, at_least=2) for name in ("low", "high"))
    return Layers(dialect, (low, high), draw(st.sampled_from(RULES)))


def rendered(layers: Layers) -> tuple[Result, dict[str, str]]:
    """The result of layers that merge without an error, and the texts of their files."""
    try:
        result, files = layers.rendered()
    except LaminaError:  # such as for two values of different types that a rule cannot merge
        assume(False)
        raise
    assume(not any(note.severity >= Severity.ERROR for note in result.notes))
    return result, files


class WrittenScalar(NamedTuple):
    """A scalar in a file: where it begins and its last line, counted from one, according to PyYAML and not to us."""

    line: int
    column: int
    last_line: int
    value: Any


def scalars_in(text: str) -> Iterator[WrittenScalar]:
    """The scalars that are values in a file."""
    lines, loader = text.split("\n"), yaml.SafeLoader("")
    for _, node in _nodes(text):
        if isinstance(node, yaml.ScalarNode):
            start, end = node.start_mark, node.end_mark
            last = end.line if lines[end.line][: end.column].strip() else end.line - 1
            yield WrittenScalar(start.line + 1, start.column + 1, last + 1, loader.construct_object(node))


class WrittenKey(NamedTuple):
    """A key in a file with its value, and where it begins: a collection with its key, anything else by itself."""

    key: str
    value: Any
    line: int
    column: int


def keys_in(text: str) -> Iterator[WrittenKey]:
    """The keys of all mappings in a file, according to PyYAML and not to us."""
    loader = yaml.SafeLoader("")
    for key, node in _nodes(text):
        if key is not None:
            mark = (node if isinstance(node, yaml.ScalarNode) else key).start_mark
            value = loader.construct_object(node, deep=True)
            yield WrittenKey(loader.construct_object(key), value, mark.line + 1, mark.column + 1)


def _nodes(text: str) -> Iterator[tuple[yaml.Node | None, yaml.Node]]:
    """The nodes of a file that are values, each with its key."""
    pending: list[tuple[yaml.Node | None, yaml.Node]] = [
        (None, each) for each in yaml.compose_all(text, yaml.SafeLoader)
    ]
    while pending:
        key, node = pending.pop()
        yield key, node
        if isinstance(node, yaml.MappingNode):
            pending += node.value
        elif isinstance(node, yaml.SequenceNode):
            pending += [(None, item) for item in node.value]
