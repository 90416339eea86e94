"""The one import for those who write dialects, operators and lint rules.

    from lamina import plugin as lamina        # or: from lamina.plugin import Dialect, option, …

What is here stays as it is between minor releases; everything else inside the package may move. The how-to
"Write a dialect" goes through it step by step. A custom merger of cloud-init is a plain class and needs none of it; it
may raise `Reject`.
"""

from __future__ import annotations

from lamina._support.escapes import text_of
from lamina._support.json_schema.draft4 import LimitReached, Schema, SchemaBudget, check_schema
from lamina._support.json_schema.references import UnusableSchema
from lamina._support.safe_regex import BadPattern
from lamina._support.safe_regex import Compiled as SafePattern
from lamina.dialects.base import Dialect, ResultSpec, YamlStyle, lazy, one_path, option
from lamina.dialects.extensions import (
    Context,
    Explain,
    FileStore,
    Fleet,
    FleetNode,
    FoundTargets,
    Golden,
    Graph,
    NodeLayer,
    NodeLayers,
    PlanView,
    Scope,
    Secrets,
    Table,
)
from lamina.dialects.toolkit import (
    LayerDocument,
    MadeFrom,
    blamed_on,
    computed,
    did_you_mean,
    folded,
    gathered,
    items_of,
    merge,
    merged_into,
    output,
    read_all_yaml,
    read_as,
    read_json,
    read_plain_yaml,
    read_toml,
    read_yaml,
    removed,
    rewrite,
    secret,
    start,
    written_for,
    yaml_events,
)
from lamina.engine.delta import NEW, OLD, Compose, Delta, ListDelta, MapDelta, Ref, Removed, Slice
from lamina.engine.history import Event, History
from lamina.engine.merge_context import MergeContext
from lamina.engine.node import LiteralNode, Node, SourceNode
from lamina.engine.operators.convert import Cast, Convert
from lamina.engine.operators.mapping import MemberOperator, Union
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
    Step,
)
from lamina.engine.policy import Cases, Operator, PathPolicy, PathRule, Policy, Trail
from lamina.engine.provenance import origins_of
from lamina.engine.secret_keys import Secrecy, SecretKeys
from lamina.engine.step_context import StepContext, StepFailure
from lamina.errors import Diagnostic, Effect, Fix, InputError, MergeError, Reject, Severity, UsageError
from lamina.origins import Origin, PositionMap
from lamina.paths import MISSING, Path, resolve_path, show, walk
from lamina.paths import parse as parse_path
from lamina.run import Run
from lamina.sources.document import Document, duplicate_key
from lamina.sources.inputs import Files, Folder, Inputs, VersionedFiles
from lamina.sources.limits import Limits
from lamina.sources.source import Source
from lamina.sources.yaml.scalars import OddScalarError, ScalarTable
from lamina.values import ABSENT, ALL, BOOLS, LISTS, MAPS, NULL, NUMBERS, PRESENT, TEXTS, word_for
from lamina.views.explain import in_brief, origin_data
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
    "BadPattern",
    "Cases",
    "Cast",
    "Compiler",
    "Compose",
    "Context",
    "Convert",
    "Delta",
    "Diagnostic",
    "Dialect",
    "Directive",
    "Document",
    "Effect",
    "Event",
    "Explain",
    "Fail",
    "FaultText",
    "FileStore",
    "Files",
    "Fix",
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
    "LimitReached",
    "Limits",
    "Link",
    "LintRule",
    "ListDelta",
    "LiteralNode",
    "MadeFrom",
    "MapDelta",
    "MemberOperator",
    "Merge",
    "MergeContext",
    "MergeError",
    "Node",
    "NodeLayer",
    "NodeLayers",
    "OddScalarError",
    "OnFault",
    "Operator",
    "Origin",
    "Output",
    "OutputRef",
    "Path",
    "PathPolicy",
    "PathRule",
    "Plan",
    "PlanView",
    "Policy",
    "PositionMap",
    "Ref",
    "Reject",
    "RejectPair",
    "Removed",
    "Result",
    "ResultSpec",
    "Run",
    "SafePattern",
    "ScalarTable",
    "Schema",
    "SchemaBudget",
    "Scope",
    "Secrecy",
    "SecretKeys",
    "Secrets",
    "Severity",
    "Slice",
    "Source",
    "SourceNode",
    "Stage",
    "Start",
    "Step",
    "StepContext",
    "StepFailure",
    "Survey",
    "Table",
    "Trail",
    "Union",
    "UnusableSchema",
    "UsageError",
    "VersionedFiles",
    "WarnOf",
    "YamlStyle",
    "blamed_on",
    "check_schema",
    "computed",
    "did_you_mean",
    "duplicate_key",
    "folded",
    "gathered",
    "in_brief",
    "items_of",
    "lazy",
    "merge",
    "merged_into",
    "on_result",
    "one_path",
    "option",
    "origin_data",
    "origins_of",
    "output",
    "parse_path",
    "read_all_yaml",
    "read_as",
    "read_json",
    "read_plain_yaml",
    "read_toml",
    "read_yaml",
    "removed",
    "resolve_path",
    "rewrite",
    "secret",
    "show",
    "start",
    "text_of",
    "walk",
    "word_for",
    "written_for",
    "yaml_events",
]
