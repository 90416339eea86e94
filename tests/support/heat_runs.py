"""Runs over one small template with a parameter of each type."""

from __future__ import annotations

from typing import Any

import lamina
from lamina.sources.inputs import Inputs, MemoryFiles

MERGE = "parameter_merge_strategies: {default: merge}\n"
DEEP = "parameter_merge_strategies: {default: deep_merge}\n"

TEMPLATE = """
heat_template_version: 2018-08-31
parameters:
  zones: {type: comma_delimited_list}
  dns: {type: comma_delimited_list}
  motd: {type: string}
  count: {type: number}
  debug: {type: boolean}
  extra: {type: json}
"""


def render(*texts: str, files: dict[str, str] | None = None, **options: Any) -> lamina.Result:
    """The result of environments e1.yaml, e2.yaml, ... over the template."""
    named = {f"e{number}.yaml": text for number, text in enumerate(texts, 1)}
    memory = MemoryFiles({"template.yaml": TEMPLATE, **(files or {}), **named})
    sources = tuple(source for name in named if (source := memory.read(name)))
    return lamina.render(Inputs(sources, memory), dialect="heat", **{"template": "template.yaml", **options})
