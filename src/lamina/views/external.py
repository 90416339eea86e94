"""A result for Terraform's data source `external`: one JSON object whose values are strings.

A string stays as it is; anything else is written as JSON, which `jsondecode` reads.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lamina.errors import Diagnostic, UsageError

if TYPE_CHECKING:
    from lamina.views.result import Result


def as_external(result: Result) -> str:
    """The members of a result that is a mapping, as strings."""
    members = json.loads(result.to_json())
    if not isinstance(members, dict):
        raise UsageError(
            Diagnostic(
                code="not-a-mapping",
                message="the result is a list, and Terraform's external takes a mapping",
                hint="choose one document or node with an option of the system, or use --format json",
            )
        )
    texts = {name: value if isinstance(value, str) else _as_json(value) for name, value in members.items()}
    return json.dumps(texts, ensure_ascii=False, indent=2) + "\n"


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
