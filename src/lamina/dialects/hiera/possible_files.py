"""The files that levels may have, whatever the facts of a node are: what there is to read without nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina import plugin as lp
from lamina.dialects.hiera.interpolation import Interpolator, name_chain
from lamina.dialects.hiera.level_files import LevelFiles
from lamina.dialects.hiera.variables import Variables, unknown_variable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lamina.dialects.hiera.config import HieraLevel
    from lamina.dialects.hiera.keys import Segment
    from lamina.dialects.hiera.layers import DataLayer, HieraSite


class _AnyNode(Variables):
    """The variables of no node in particular: none but the environment is known."""

    def value(
        self,
        segments: tuple[Segment, ...],
        name: str,
        origin_of: Callable[[], lp.Origin | None] = lambda: None,
        local: Mapping[str, lp.Node] | None = None,
    ) -> lp.Node | None:
        if name.removeprefix("::") == "environment" or (local is not None and name in local):
            return super().value(segments, name, origin_of, local)
        return lp.LiteralNode(unknown_variable(name), ())


class PossibleFiles(LevelFiles):
    """Finds the files of levels for any node."""

    def __init__(self, site: HieraSite, environment: str, mapped: Mapping[str, str], run: lp.Run) -> None:
        nothing = lp.LiteralNode({}, ())
        variables = _AnyNode(nothing, nothing, environment)
        interpolator = Interpolator(variables, lambda key: None, name_chain(), run)  # noqa: ARG005
        super().__init__(site, variables, interpolator, mapped, run)

    def names(self, levels: tuple[HieraLevel, ...]) -> set[str]:
        """The names of the files that some levels may have."""
        return {each.path for level in levels for each in self.paths(level) if each.path is not None}


def levels_with_files(layer: DataLayer) -> tuple[HieraLevel, ...]:
    """All levels of a layer, also those that only plans and defaults of a module use."""
    config = layer.config
    return (*config.levels, *config.default_levels, *config.plan_levels)
