"""How PyYAML's emitter writes a scalar, and what type its resolver gives a plain scalar."""

from __future__ import annotations

from datetime import date, datetime
from io import StringIO
from typing import Any

import yaml
from yaml.emitter import Emitter
from yaml.events import ScalarEvent
from yaml.nodes import ScalarNode
from yaml.representer import SafeRepresenter
from yaml.resolver import Resolver

from lamina.errors import Diagnostic, UsageError
from lamina.values import Tagged, Unknown


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


_Dumper.add_multi_representer(float, SafeRepresenter.represent_float)  # decimals that keep their digits
_Dumper.add_multi_representer(str, SafeRepresenter.represent_str)


def _represent_tagged(representer: Any, value: Tagged) -> Any:
    """A value with its tag; a collection on one line, as such values are mostly written."""
    if isinstance(value.content, dict):
        return representer.represent_mapping(value.tag, value.content, flow_style=True)
    if isinstance(value.content, list):
        return representer.represent_sequence(value.tag, value.content, flow_style=True)
    return representer.represent_scalar(value.tag, value.content, style=value.style)


def _represent_unknown(representer: Any, value: Unknown) -> Any:
    return representer.represent_scalar(UNKNOWN_TAG, value.description, style='"')


UNKNOWN_TAG = "!unknown"
"""The tag of a value that is not known; its text is the reason."""
_Dumper.add_representer(Tagged, _represent_tagged)
_Dumper.add_representer(Unknown, _represent_unknown)


def dumped(value: Any, *, allow_unicode: bool, explicit_start: bool) -> str:
    """A whole document as PyYAML's safe dumper writes it, without anchors."""
    text: str = yaml.dump(value, Dumper=_Dumper, allow_unicode=allow_unicode, explicit_start=explicit_start)
    return text


class ScalarEmitter:
    """Writes scalars."""

    def __init__(self, allow_unicode: bool) -> None:
        self._allow_unicode = allow_unicode
        self._representer = SafeRepresenter()
        self._resolver: Any = Resolver()

    def is_text(self, value: str) -> bool:
        """Whether a plain scalar with this text is read as a string."""
        return bool(self._resolver.resolve(ScalarNode, value, (True, False)) == Resolver.DEFAULT_SCALAR_TAG)

    def emit(self, value: Any, indent: int, column: int, width: int) -> str:
        """A scalar as it is written from a column on, in a block of that indent."""
        if isinstance(value, Tagged) and isinstance(value.content, (dict, list)):
            text: str = yaml.dump(value, Dumper=_Dumper, width=1 << 30, allow_unicode=self._allow_unicode)
            return text.rstrip("\n")
        width = 1 << 30 if isinstance(value, Unknown) else width  # a reason is read as one line
        node = self._node(value)
        detected = self._resolver.resolve(ScalarNode, node.value, (True, False))
        default = self._resolver.resolve(ScalarNode, node.value, (False, True))
        out = StringIO()
        emitter: Any = Emitter(out, width=width, allow_unicode=self._allow_unicode)
        emitter.indent, emitter.column = indent, column
        emitter.tag_prefixes = Emitter.DEFAULT_TAG_PREFIXES
        emitter.event = ScalarEvent(
            None, node.tag, (node.tag == detected, node.tag == default), node.value, style=node.style
        )
        emitter.increase_indent(flow=True)
        emitter.process_tag()
        emitter.process_scalar()
        return out.getvalue().removesuffix("\n")

    def _node(self, value: Any) -> Any:
        represent = self._representer.yaml_representers.get(type(value))
        if represent is not None:
            return represent(self._representer, value)
        if isinstance(value, Tagged):
            return _represent_tagged(self._representer, value)
        if isinstance(value, Unknown):
            return _represent_unknown(self._representer, value)
        for kind in (str, bool, int, float, datetime, date, bytes):
            if isinstance(value, kind):
                return self._representer.yaml_representers[kind](self._representer, value)
        raise UsageError(
            Diagnostic(
                code="not-yaml",
                message=f"a value of type {type(value).__name__} cannot be written as YAML",
                hint="use mappings, lists, strings, numbers, booleans, null, dates, bytes and sets",
            )
        )
