"""Reading a layer, by the ending of its name: TOML, JSON, else YAML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.layers import messages, tags
from lamina.plugin import formats as lpf
from lamina.plugin import operators as lpo

if TYPE_CHECKING:
    from collections.abc import Hashable


_WITH_PYYAML: Final = ("ansible-combine", "ansible-combine-recursive")
"""The presets of tools that reject an anchor that is defined twice, as PyYAML does."""
_WITH_GO: Final = ("helm-values",)
"""The presets of tools that read YAML as Kubernetes does."""


def read(source: lp.Source, run: lp.Run, preset: str | None = None) -> lp.LayerDocument:
    """The document of a file, as the tool of a preset reads it."""
    name = source.name.lower()
    if name.endswith(".toml"):
        return lpf.read_toml(source, run)
    if name.endswith(".json"):
        return lp.read_json(source, run)
    if preset in tags.PRESETS and tags.may_have_tags(source):
        source = tags.without_tags(source)
    if preset in _WITH_GO:
        return lpf.read_go_yaml(source, run)
    return lp.read_yaml(source, run, keep_tags=preset not in tags.PRESETS, anchors_again=preset not in _WITH_PYYAML)


def is_encrypted(value: Any) -> bool:
    """Whether a value is one that Ansible encrypted."""
    return isinstance(value, lpf.Tagged) and value.tag == "!vault"


def read_mapping(source: lp.Source, run: lp.Run, preset: str | None = None) -> lp.LayerDocument | None:
    """The document of a file that must be a mapping; None if it holds nothing."""
    document = read(source, run, preset)
    if document.value is None:
        return None
    if not isinstance(document.value, dict):
        raise lp.Reject(
            messages.LAYER_NOT_A_MAPPING.at(document.root(source.name).origin(), kind=lp.word_for(document.value))
        )
    return document


def option_file(inputs: lp.Inputs, name: str) -> tuple[lp.Source, lpf.Files]:
    """A file that an option names, and the files that it may name in turn."""
    in_memory = inputs.files.read(name)
    return (in_memory, inputs.files) if in_memory is not None else inputs.opened(name)


def written_text(source: lp.Source, run: lp.Run) -> lp.LayerDocument:
    """The text of a file as a string."""

    def read_text(source: lp.Source, limits: lpf.Limits) -> lpf.Document:
        limits.check_size(source)
        try:
            text = source.data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = source.data[: error.start].count(b"\n")
            finding = messages.NOT_UTF8.at(source.locate(line, 0), name=source.name)
            raise lp.InputError(finding) from None
        positions = lpf.PositionMap(source.locate)
        positions.add(0, 0)
        return lpf.Document(text, positions)

    return lpf.read_as("text", source, run, read_text)


def identity_of(value: Any, context: lpo.MergeContext) -> Hashable:
    """What makes a value the same as another one: its type counts, the order of the keys of a mapping does not."""
    context.spend(1)
    if isinstance(value, dict):
        return "map", frozenset((identity_of(key, context), identity_of(each, context)) for key, each in value.items())
    if isinstance(value, (list, tuple)):
        return "list", tuple(identity_of(item, context) for item in value)
    if isinstance(value, (set, frozenset)):
        return "set", frozenset(identity_of(item, context) for item in value)
    if isinstance(value, float) and value != value:  # noqa: PLR0124 - not a number is the same as not a number here
        return "nan", None
    return type(value).__name__, value
