"""For what a dialect may add to views and commands: lint rules, nodes and layers, graphs, secrets, fleets."""

from __future__ import annotations

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
from lamina.engine.history import Event, History
from lamina.engine.provenance import origins_of
from lamina.engine.secret_keys import Secrecy, SecretKeys
from lamina.errors import Effect, Fix
from lamina.views.explain import in_brief, origin_data
from lamina.views.lint.context import Survey
from lamina.views.lint.rule import LintRule, on_result
from lamina.views.output_graph import Link
from lamina.views.result import Result

__all__ = [
    "Context",
    "Effect",
    "Event",
    "Explain",
    "FileStore",
    "Fix",
    "Fleet",
    "FleetNode",
    "FoundTargets",
    "Golden",
    "Graph",
    "History",
    "Link",
    "LintRule",
    "NodeLayer",
    "NodeLayers",
    "PlanView",
    "Result",
    "Scope",
    "Secrecy",
    "SecretKeys",
    "Secrets",
    "Survey",
    "Table",
    "in_brief",
    "on_result",
    "origin_data",
    "origins_of",
]
