"""Layers that are not files: what the command line sets, and what the environment sets where that was asked for.

Each assignment is its own layer. It is a small source with a name that says where it is from (`--set a.b`), so
that its value has an origin as any other.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lamina import plugin as lp
from lamina.dialects.layers import documents, messages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.layers.options import LayersOptions

_STEP = "__"
"""What is between the keys in the name of a variable."""


@dataclass(frozen=True, slots=True)
class SetValue:
    """A value, and the path it is set at."""

    path: lp.Path
    node: lp.SourceNode


def assignments_of(inputs: lp.Inputs, options: LayersOptions) -> list[SetValue]:
    """What is set beside the files, the weakest first: the environment, then files, then values."""
    found = list(_from_environment(options, inputs.run)) if options.env_prefix is not None else []
    for text in options.set_file:
        path, name = _split(text, "--set-file", "motd=banner.txt")
        source, _ = documents.option_file(inputs, name)
        found.append(SetValue(path, documents.written_text(source, inputs.run).root(f"--set-file {lp.show(path)}")))
    for text in options.set:
        path, value = _split(text, "--set", "service.port=8080")
        found.append(SetValue(path, _value(f"--set {lp.show(path)}", value, inputs.run)))
    return found


def _value(name: str, text: str, run: lp.Run) -> lp.SourceNode:
    """A value as YAML reads it."""
    document = lp.read_yaml(lp.Source(name, text.encode("utf-8", "surrogateescape")), run)
    return document.root(name)


def _split(text: str, flag: str, example: str) -> tuple[lp.Path, str]:
    name, sign, value = text.partition("=") if isinstance(text, str) else ("", "", "")
    path = lp.parse_path(name.strip()) if sign else ()
    if not path:
        raise lp.UsageError(messages.BAD_ASSIGNMENT.at(flag=flag, text=text, example=example))
    return path, value


def _from_environment(options: LayersOptions, run: lp.Run) -> Iterator[SetValue]:
    variables = os.environ if options.environment is None else options.environment
    prefix = options.env_prefix or ""
    if not prefix:
        raise lp.UsageError(messages.EMPTY_PREFIX.at())
    for name in sorted(variables):
        keys = name[len(prefix) :].split(_STEP)
        if name.startswith(prefix) and all(keys):
            yield SetValue(tuple(keys), _value(f"${name}", variables[name], run))
