"""What can be asked of the Heat dialect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.dialects.base import option

if TYPE_CHECKING:
    from collections.abc import Mapping

SURFACES = ("shipped", "spec", "client")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatOptions:
    """How environment files are read and merged."""

    compat: str = option(
        "shipped", about="what the program does, or what its manual says", choices=("shipped", "documented")
    )
    surface: str | None = option(
        None,
        flag="--surface",
        choices=SURFACES,
        about="shipped: Heat's own merging (parameter_merge_strategies); spec: the proposal it grew from "
        "(merge_strategy); client: the deep update of python-heatclient; found from the sections if not given",
    )
    template: str | None = option(
        None, flag="--template", short="-t", about="the root template, which declares the types of the parameters"
    )
    initial_parameters: Mapping[str, Any] | None = option(
        None, about="parameters sent with the request, the earliest layer of the section parameters"
    )
