"""The layers of a view: when each set something first, and which wins over which."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lamina.views.report.layer_order import in_one_line
from lamina.views.report.page_tables import NONE
from lamina.views.report.views import takes_from_others

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.engine.history import Event
    from lamina.origins import Origin
    from lamina.views.result import Result


class LayerSetting(NamedTuple):
    """Which layer sets something, and when: as much of an event as its order with other layers depends on."""

    layer: str | None
    origin: Origin | None
    output: str | None = None
    step: int | None = None
    rank: int | None = None


class LayerRecord:
    """The layers of the current view."""

    def __init__(self, rendered: Result, number: Callable[[str | None, Origin | None], int]) -> None:
        """Layers are numbered by `number`, from their name and an origin in them."""
        self._number = number
        outputs = [output for stage in rendered.plan.stages for output in stage.outputs]
        self._outputs = {output.name: number for number, output in enumerate(outputs)}
        self._takers = {number for number, output in enumerate(outputs) if takes_from_others(output)}
        self._names: dict[int, tuple[str, str]] = {NONE: ("", "")}
        """The name and the source of each layer."""
        self._numbers: dict[tuple[str | None, str | None], int] = {}
        self.begin()

    def begin(self) -> None:
        """Begin with another view."""
        self._order: dict[int, tuple[int, int]] = {}
        """When each layer set something first: in which output of the plan, at which step."""
        self._steps: dict[int, dict[int, int]] = {}
        """The last step of each layer in each of those outputs of the plan."""
        self._ranks: dict[int, int] = {}
        """The precedence of each layer, as far as the plan states one."""

    def named(self, name: str | None, origin: Origin | None) -> int:
        """The number of a layer."""
        source = origin.source if origin else None
        layer = self._numbers.get((name, source))
        if layer is None:
            layer = self._numbers[name, source] = self._number(name, origin)
            self._names.setdefault(layer, (name or "", source or ""))
        return layer

    def holding(self, name: str, origin: Origin) -> int:
        """The number of a layer that a value of the view comes from."""
        layer = self.named(name, origin)
        self._order.setdefault(layer, (len(self._outputs), 0))
        return layer

    def setting(self, event: Event | LayerSetting) -> int:
        """The number of the layer of an event; remembers when it first set something, and its precedence."""
        layer = self.named(event.layer, event.origin)
        if layer != NONE:
            when = (self._outputs.get(event.output or "", NONE), NONE if event.step is None else event.step)
            self._order[layer] = min(when, self._order.get(layer, when))
            steps = self._steps.setdefault(when[0], {})
            steps[layer] = max(when[1], steps.get(layer, when[1]))
            if event.rank is not None:
                self._ranks[layer] = min(event.rank, self._ranks.get(layer, event.rank))
        return layer

    def in_order(self) -> list[int]:
        """The layers, the one that wins over all others last.

        They are ordered by precedence where the plan states one: then what has none, and so never competes, is first.
        """
        if self._ranks:
            known, last = self._ranks, max(self._ranks.values()) + 1
            return sorted(self._order, key=lambda layer: (-known.get(layer, last), self._names[layer]))
        return in_one_line(self._sequences(), self._order)

    def _sequences(self) -> list[list[int]]:
        """The layers by step in each output; outputs come last in which one layer represents all of another."""
        found = sorted(self._steps.items(), key=lambda each: each[0] in self._takers)
        return [sorted(steps, key=steps.__getitem__) for _, steps in found]
