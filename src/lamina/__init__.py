"""Lamina renders layered configuration and says where every value came from.

The names below are imported when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lamina.engine.history import Event, History
    from lamina.errors import Diagnostic, InputError, LaminaError, MergeError, Note, Severity, UsageError
    from lamina.origins import Origin
    from lamina.project.project import Project
    from lamina.project.target import Target
    from lamina.session import Session
    from lamina.sources.source import Source
    from lamina.views.diff.api import Differences, diff
    from lamina.views.diff.change import Change
    from lamina.views.lint.api import lint
    from lamina.views.render import plan, render
    from lamina.views.result import Result
    from lamina.workspace.impact import Impact
    from lamina.workspace.line_uses import LineUse
    from lamina.workspace.workspace import Workspace

    __version__: str

_MODULES = {
    "Change": "views.diff.change",
    "Diagnostic": "errors",
    "Differences": "views.diff.api",
    "Event": "engine.history",
    "History": "engine.history",
    "Impact": "workspace.impact",
    "InputError": "errors",
    "LaminaError": "errors",
    "LineUse": "workspace.line_uses",
    "MergeError": "errors",
    "Note": "errors",
    "Origin": "origins",
    "Project": "project.project",
    "Result": "views.result",
    "Session": "session",
    "Severity": "errors",
    "Source": "sources.source",
    "Target": "project.target",
    "UsageError": "errors",
    "Workspace": "workspace.workspace",
    "diff": "views.diff.api",
    "lint": "views.lint.api",
    "plan": "views.render",
    "render": "views.render",
}
"""The module each public name lives in."""

__all__ = [
    "Change",
    "Diagnostic",
    "Differences",
    "Event",
    "History",
    "Impact",
    "InputError",
    "LaminaError",
    "LineUse",
    "MergeError",
    "Note",
    "Origin",
    "Project",
    "Result",
    "Session",
    "Severity",
    "Source",
    "Target",
    "UsageError",
    "Workspace",
    "__version__",
    "diff",
    "lint",
    "plan",
    "render",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from lamina.version import VERSION

        return VERSION
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"lamina.{_MODULES[name]}"), name)
    return value
