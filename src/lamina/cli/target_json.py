"""The JSON of targets: one form for one and for many."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lamina._support.escapes import escaped_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.project.target import Target


def target_json(target: Target, members: Iterable[str]) -> list[str]:
    """A target in pieces: its name and its dialect, and what there is to say of it, as the inside of a JSON object.

    The pieces are not put together, since those of a large result take much memory.
    """
    name = escaped_json(json.dumps(target.name, ensure_ascii=False))
    return [f'{{"name": {name}, "dialect": {json.dumps(target.dialect)}, ', *members, "}"]


def with_frame(targets: Iterable[list[str]]) -> list[str]:
    """All targets as one output."""
    pieces = ['{"version": 1, "targets": [']
    for number, target in enumerate(targets):
        pieces += [",\n" if number else "\n", *target]
    return [*pieces, "\n]}\n"]
