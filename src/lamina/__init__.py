"""Lamina renders layered configuration and says where every value came from."""

from __future__ import annotations

from lamina.errors import Diagnostic, InputError, LaminaError, MergeError, Note, Severity, UsageError
from lamina.history import Event, History
from lamina.places import Origin
from lamina.rendered import Rendered
from lamina.rendering import plan, render
from lamina.sources.source import Source

__version__ = "0.1.0"

__all__ = [
    "Diagnostic",
    "Event",
    "History",
    "InputError",
    "LaminaError",
    "MergeError",
    "Note",
    "Origin",
    "Rendered",
    "Severity",
    "Source",
    "UsageError",
    "__version__",
    "plan",
    "render",
]
