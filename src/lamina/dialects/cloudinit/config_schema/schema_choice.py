"""Which schema a configuration is checked against: the one that is part of Lamina, or the file that was named.

It does not depend on what is installed on the machine: the same input has the same findings everywhere.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from lamina.dialects.cloudinit import messages
from lamina.dialects.cloudinit.options import BUILT_IN
from lamina.errors import InputError

if TYPE_CHECKING:
    from lamina.run import Run


def schema_name(given: str | None) -> str:
    """The schema for people."""
    return "Lamina's table of the keys of cloud-init 26.2" if given is None or given == BUILT_IN else given


def chosen_schema(given: str | None, run: Run) -> dict[str, Any]:
    """The schema to check against."""
    return own_schema() if given is None or given == BUILT_IN else _read(given, run)


@cache
def own_schema() -> dict[str, Any]:
    """The schema that is part of Lamina, JSON Schema of draft 4. All callers share it, and none may change it."""
    text = files(__package__ or "").joinpath("cloud_config.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def _read(path: str, run: Run) -> dict[str, Any]:
    from lamina.sources.document_cache import json_document
    from lamina.sources.inputs import read_file

    document = json_document(read_file(path, path), run)
    if not isinstance(document.value, dict):
        raise InputError(messages.BAD_CONFIG_SCHEMA.at(document.origin))
    return document.value
