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
from lamina.engine.operators.sequence import JoinLists
from lamina.engine.operators.text import JoinStrings
from lamina.engine.operators.whole import DELETE, DESCEND, KEEP, TAKE, RejectPair
from lamina.engine.operators.whole import Warn as WarnOf
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
from lamina.paths import MISSING, Path, resolve_path, show, walk
from lamina.paths import parse as parse_path
from lamina.plugin.rules import Rules, UniqueItems
from lamina.plugin.toolkit import (
    LayerDocument,
    blamed_on,
    did_you_mean,
    folded,
    gathered,
    items_of,
    merge,
    output,
    read_all_yaml,
    read_json,
    read_toml,
    read_yaml,
    rewrite,
    secret,
    secret_where,
    start,
    written_at,
)
from lamina.protocol.dialect import Dialect, ResultSpec, lazy, one_path, option, strict_option
from lamina.run import Run
from lamina.sources.inputs import Inputs
from lamina.sources.source import Source
from lamina.values import ABSENT, ALL, BOOLS, LISTS, MAPS, NULL, NUMBERS, PRESENT, TEXTS, Tagged, Unknown, word_for

STRINGS = TEXTS
"""The types of strings, empty or not."""

__all__ = [
    "ABSENT",
    "ALL",
    "BOOLS",
    "DELETE",
    "DESCEND",
    "KEEP",
    "LISTS",
    "MAPS",
    "MISSING",
    "NULL",
    "NUMBERS",
    "PRESENT",
    "STRINGS",
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
    "JoinLists",
    "JoinStrings",
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
    "RejectPair",
    "ResultSpec",
    "Rules",
    "Run",
    "Severity",
    "Source",
    "SourceNode",
    "Stage",
    "Start",
    "StateRef",
    "Tagged",
    "Union",
    "UniqueItems",
    "Unknown",
    "UsageError",
    "WarnOf",
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
    "read_all_yaml",
    "read_json",
    "read_toml",
    "read_yaml",
    "resolve_path",
    "rewrite",
    "secret",
    "secret_where",
    "show",
    "start",
    "strict_option",
    "walk",
    "word_for",
    "written_at",
]
