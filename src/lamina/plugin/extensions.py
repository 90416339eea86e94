"""For what a dialect may add to views and commands: lint rules, nodes and layers, graphs, secrets, fleets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina._support.misspelling import is_similar
from lamina.engine.history import Event, History
from lamina.engine.provenance import origins_of
from lamina.engine.secret_keys import Secrecy, SecretKeys
from lamina.errors import Effect, Fix
from lamina.origins import origin_data
from lamina.plugin.toolkit import secret, secret_where
from lamina.protocol.extensions import (
    Context,
    Explain,
    FileStore,
    Fleet,
    FleetNode,
    FoundTargets,
    Golden,
    Graph,
    Link,
    Means,
    NodeLayer,
    NodeLayers,
    Offer,
    OwnMeans,
    PlanView,
    Scope,
    Secrets,
    Table,
    Wanted,
)
from lamina.protocol.lint import LintRule, on_result
from lamina.protocol.rendered import Checked, Rendered
from lamina.sources.json.brief import in_brief

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.engine.plan import Output
    from lamina.engine.step_context import Folded

__all__ = [
    "Checked",
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
    "Means",
    "NodeLayer",
    "NodeLayers",
    "Offer",
    "OwnMeans",
    "PlanView",
    "Rendered",
    "Scope",
    "Secrecy",
    "SecretKeys",
    "Secrets",
    "Table",
    "Wanted",
    "in_brief",
    "is_similar",
    "on_result",
    "origin_data",
    "origins_of",
    "secret",
    "secret_where",
    "tried",
]


def tried(output: Output, results: Mapping[str, Folded]) -> Folded:
    """What an output would come to, given the results that it takes from: to explain a result, which has none of it."""
    from lamina.engine.fold import fold_output

    return fold_output(output, dict(results))
