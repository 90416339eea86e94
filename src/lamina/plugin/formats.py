"""For readers of your own: documents with positions, scalars, schemas, and files by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from lamina._support.escapes import text_of
from lamina.origins import PositionMap
from lamina.paths import resolve_path
from lamina.plugin.toolkit import (
    MadeFrom,
    read_all_yaml,
    read_as,
    read_go_yaml,
    read_plain_yaml,
    read_python_json,
    read_table_yaml,
    read_toml,
    written_at,
    written_for,
    yaml_events,
)
from lamina.sources.document import Document, duplicate_key
from lamina.sources.inputs import Files, Folder, VersionedFiles
from lamina.sources.limits import Limits
from lamina.sources.yaml.scalars import PYYAML, OddScalarError, ScalarTable
from lamina.values import Tagged

if TYPE_CHECKING:
    from lamina._support.json_schema.draft4 import LimitReached, Schema, check_schema
    from lamina._support.json_schema.draft7 import KEYWORDS_TO_7
    from lamina._support.json_schema.references import UnusableSchema
    from lamina._support.safe_regex import BadPattern
    from lamina._support.safe_regex import Compiled as SafePattern
    from lamina.sources.yaml.go_reader import as_number as go_number
    from lamina.sources.yaml.go_reader import go_float
    from lamina.sources.yaml.located_events import LocatedReading, OpenCollection

_ON_DEMAND: Final = {
    "BadPattern": ("lamina._support.safe_regex", "BadPattern"),
    "KEYWORDS_TO_7": ("lamina._support.json_schema.draft7", "KEYWORDS_TO_7"),
    "LimitReached": ("lamina._support.json_schema.draft4", "LimitReached"),
    "LocatedReading": ("lamina.sources.yaml.located_events", "LocatedReading"),
    "OpenCollection": ("lamina.sources.yaml.located_events", "OpenCollection"),
    "SafePattern": ("lamina._support.safe_regex", "Compiled"),
    "Schema": ("lamina._support.json_schema.draft4", "Schema"),
    "UnusableSchema": ("lamina._support.json_schema.references", "UnusableSchema"),
    "check_schema": ("lamina._support.json_schema.draft4", "check_schema"),
    "go_number": ("lamina.sources.yaml.go_reader", "as_number"),
    "go_float": ("lamina.sources.yaml.go_reader", "go_float"),
}
"""What few readers need and takes long to import, with where it is."""


def __getattr__(name: str) -> Any:
    if name not in _ON_DEMAND:
        raise AttributeError(name)
    module, own_name = _ON_DEMAND[name]
    return getattr(import_module(module), own_name)


__all__ = [
    "KEYWORDS_TO_7",
    "PYYAML",
    "BadPattern",
    "Document",
    "Files",
    "Folder",
    "LimitReached",
    "Limits",
    "LocatedReading",
    "MadeFrom",
    "OddScalarError",
    "OpenCollection",
    "PositionMap",
    "SafePattern",
    "ScalarTable",
    "Schema",
    "Tagged",
    "UnusableSchema",
    "VersionedFiles",
    "check_schema",
    "duplicate_key",
    "go_float",
    "go_number",
    "read_all_yaml",
    "read_as",
    "read_go_yaml",
    "read_plain_yaml",
    "read_python_json",
    "read_table_yaml",
    "read_toml",
    "resolve_path",
    "text_of",
    "written_at",
    "written_for",
    "yaml_events",
]
