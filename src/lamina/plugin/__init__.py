"""The names that nine of ten dialects need, and that lint rules and mergers may need.

    from lamina import plugin as lamina        # or: from lamina.plugin import Dialect, option, …

Operators and steps of your own need `lamina.plugin.operators`, readers of your own `lamina.plugin.formats`, levels and
nodes `lamina.plugin.hierarchy`, references between values `lamina.plugin.references`, files with settings
`lamina.plugin.settings`, and what a dialect adds to views and commands `lamina.plugin.extensions`. What is in these
seven stays as it is between minor releases; everything else inside the package may move. The how-to "Write a dialect"
goes through it step by step. A custom merger of cloud-init is a plain class and needs none of it; it may raise
`Reject`.
"""

from __future__ import annotations

from lamina.engine.node import LiteralNode, Node, SourceNode
from lamina.engine.operators.mapping import Union
from lamina.engine.operators.whole import DELETE, DESCEND, KEEP, TAKE
from lamina.engine.plan import (
    Compiler,
    Directive,
    Fail,
    From,
    Merge,
    OnFault,
    Output,
    OutputRef,
    Plan,
    Stage,
    Start,
    StateRef,
)
from lamina.engine.policy import Cases, PathPolicy, PathRule, Policy
from lamina.errors import Diagnostic, InputError, MergeError, Message, Reject, Severity, UsageError
from lamina.origins import Origin
from lamina.paths import MISSING, Path, show, walk
from lamina.paths import parse as parse_path
from lamina.plugin.rules import Rules
from lamina.plugin.toolkit import (
    LayerDocument,
    blamed_on,
    did_you_mean,
    folded,
    gathered,
    items_of,
    merge,
    output,
    read_json,
    read_yaml,
    rewrite,
    start,
)
from lamina.protocol.dialect import Dialect, ResultSpec, lazy, one_path, option, strict_option
from lamina.run import Run
from lamina.sources.inputs import Inputs
from lamina.sources.source import Source
from lamina.values import ABSENT, ALL, LISTS, MAPS, NULL, NUMBERS, PRESENT, Unknown, word_for

__all__ = [
    "ABSENT",
    "ALL",
    "DELETE",
    "DESCEND",
    "KEEP",
    "LISTS",
    "MAPS",
    "MISSING",
    "NULL",
    "NUMBERS",
    "PRESENT",
    "TAKE",
    "Cases",
    "Compiler",
    "Diagnostic",
    "Dialect",
    "Directive",
    "Fail",
    "From",
    "InputError",
    "Inputs",
    "LayerDocument",
    "LiteralNode",
    "Merge",
    "MergeError",
    "Message",
    "Node",
    "OnFault",
    "Origin",
    "Output",
    "OutputRef",
    "Path",
    "PathPolicy",
    "PathRule",
    "Plan",
    "Policy",
    "Reject",
    "ResultSpec",
    "Rules",
    "Run",
    "Severity",
    "Source",
    "SourceNode",
    "Stage",
    "Start",
    "StateRef",
    "Union",
    "Unknown",
    "UsageError",
    "blamed_on",
    "did_you_mean",
    "folded",
    "gathered",
    "items_of",
    "lazy",
    "merge",
    "one_path",
    "option",
    "output",
    "parse_path",
    "read_json",
    "read_yaml",
    "rewrite",
    "show",
    "start",
    "strict_option",
    "walk",
    "word_for",
]
