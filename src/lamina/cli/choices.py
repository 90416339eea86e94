"""Choices on the command line, with the words of an earlier release for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class RenamedChoice(click.Choice[str]):
    """A choice that also accepts the words of an earlier release; help and completion show only the current ones."""

    def __init__(self, choices: Sequence[str], former: Mapping[str, str]) -> None:
        super().__init__(choices)
        self._former = former

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return super().convert(self._former.get(value, value), param, ctx)
