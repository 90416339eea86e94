"""The files that levels may have, whatever the facts of a node are: what there is to read without nodes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lamina import plugin as lp
from lamina.dialects.hiera.glob_patterns import expand
from lamina.dialects.hiera.interpolation import Interpolator, name_chain
from lamina.dialects.hiera.level_files import LevelFiles
from lamina.dialects.hiera.variables import Variables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from lamina.dialects.hiera.config import Level
    from lamina.dialects.hiera.keys import Segment
    from lamina.dialects.hiera.layers import DataLayer, HieraSite

_ANY: Final = "\0"
"""What a variable is replaced by; no name of a file has it."""
_SPECIAL: Final = re.compile(r"[\\*?\[\]]")


class _AnyNode(Variables):
    """The variables of no node in particular: each but the environment stands for any string."""

    def value(
        self,
        segments: tuple[Segment, ...],
        name: str,
        origin_of: Callable[[], lp.Origin | None] = lambda: None,
        local: Mapping[str, lp.Node] | None = None,
    ) -> lp.Node | None:
        if name.removeprefix("::") == "environment":
            return super().value(segments, name, origin_of, local)
        return lp.LiteralNode(_ANY, ())


class PossibleFiles(LevelFiles):
    """Finds the files of levels for any node; a variable in a path matches a part of one name."""

    def __init__(self, site: HieraSite, environment: str, mapped: Mapping[str, str], run: lp.Run) -> None:
        nothing = lp.LiteralNode({}, ())
        variables = _AnyNode(nothing, nothing, environment)
        interpolator = Interpolator(variables, lambda key: None, name_chain(), run)  # noqa: ARG005
        super().__init__(site, variables, interpolator, mapped, run)

    def paths(self, level: Level) -> list[tuple[str, str | None]]:
        found: list[tuple[str, str | None]] = []
        for text, path in super().paths(level):
            if path is None or _ANY not in path:
                found.append((text.replace(_ANY, "*"), path))
            else:
                found += [(name, name) for name in expand(self._tree, "", _as_glob(path))]
        return found

    def _matching(self, datadir: str, pattern: str) -> Iterator[str]:
        return expand(self._tree, "", f"{_as_glob(datadir)}/{pattern.replace(_ANY, '*')}")

    def _leads_outside(self, level: Level, path: str) -> None:
        super()._leads_outside(level, path.replace(_ANY, "*"))

    def names(self, levels: tuple[Level, ...]) -> set[str]:
        """The names of the files that some levels may have."""
        return {path for level in levels for _, path in self.paths(level) if path is not None}


def _as_glob(path: str) -> str:
    """A path as a pattern: what is written in it stands for itself."""
    return _SPECIAL.sub(r"\\\g<0>", path).replace(_ANY, "*")


def levels_with_files(layer: DataLayer) -> tuple[Level, ...]:
    """All levels of a layer, also those that only plans and defaults of a module use."""
    config = layer.config
    return (*config.levels, *config.default_levels, *config.plan_levels)
