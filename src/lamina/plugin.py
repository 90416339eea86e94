"""The one import for those who write dialects, operators and lint rules.

    from lamina import plugin as lamina        # or: from lamina.plugin import Dialect, option, …

What is here stays as it is between minor releases; everything else inside the package may move. The how-to
"Write a dialect" goes through it step by step. A custom merger of cloud-init is a plain class and needs none of it; it
may raise `Reject`.
"""

from __future__ import annotations

from lamina.dialects.base import Dialect, ResultSpec, YamlStyle, lazy, option
from lamina.dialects.cloudinit.list_overlay import Overlay
from lamina.dialects.extensions import (
    Context,
    Explain,
    Fleet,
    FleetNode,
    FoundTargets,
    Golden,
    Graph,
    NodeLayer,
    NodeLayers,
    PlanView,
    Scope,
    Table,
)
from lamina.dialects.toolkit import (
    LayerDocument,
    Reject,
    computed,
    merge,
    output,
    read_all_yaml,
    read_json,
    read_yaml,
    removed,
    rewrite,
    start,
)
from lamina.engine.delta import NEW, OLD, Delta, ListDelta, MapDelta, Slice
from lamina.engine.history import Event, History
from lamina.engine.merge_context import MergeContext
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
    FaultText,
    From,
    Merge,
    OnFault,
    Output,
    OutputRef,
    Plan,
    Stage,
    Start,
)
from lamina.engine.policy import Cases, Operator, PathPolicy, PathRule, Policy, Trail
from lamina.engine.provenance import origins_of
from lamina.errors import Diagnostic, InputError, MergeError, Severity, UsageError
from lamina.origins import Origin
from lamina.paths import MISSING, Path, show
from lamina.sources.inputs import Folder, Inputs
from lamina.sources.source import Source
from lamina.values import ABSENT, ALL, BOOLS, LISTS, MAPS, NULL, NUMBERS, PRESENT, TEXTS
from lamina.views.lint.context import Survey
from lamina.views.lint.rule import LintRule, on_result
from lamina.views.output_graph import Link
from lamina.views.result import Result

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
    "NEW",
    "NULL",
    "NUMBERS",
    "OLD",
    "PRESENT",
    "STRINGS",
    "TAKE",
    "Cases",
    "Compiler",
    "Context",
    "Delta",
    "Diagnostic",
    "Dialect",
    "Directive",
    "Event",
    "Explain",
    "Fail",
    "FaultText",
    "Fleet",
    "FleetNode",
    "Folder",
    "FoundTargets",
    "From",
    "Golden",
    "Graph",
    "History",
    "InputError",
    "Inputs",
    "JoinLists",
    "JoinStrings",
    "LayerDocument",
    "Link",
    "LintRule",
    "ListDelta",
    "LiteralNode",
    "MapDelta",
    "Merge",
    "MergeContext",
    "MergeError",
    "Node",
    "NodeLayer",
    "NodeLayers",
    "OnFault",
    "Operator",
    "Origin",
    "Output",
    "OutputRef",
    "Overlay",
    "Path",
    "PathPolicy",
    "PathRule",
    "Plan",
    "PlanView",
    "Policy",
    "Reject",
    "RejectPair",
    "Result",
    "ResultSpec",
    "Scope",
    "Severity",
    "Slice",
    "Source",
    "SourceNode",
    "Stage",
    "Start",
    "Survey",
    "Table",
    "Trail",
    "Union",
    "UsageError",
    "WarnOf",
    "YamlStyle",
    "computed",
    "lazy",
    "merge",
    "on_result",
    "option",
    "origins_of",
    "output",
    "read_all_yaml",
    "read_json",
    "read_yaml",
    "removed",
    "rewrite",
    "show",
    "start",
]
