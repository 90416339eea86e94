"""Deferred work: a run whose value is known already, and that is compiled and folded when somebody asks for more.

There is one output, without a fault or a note, and with keys of no special type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.engine.node import DeferredNode
from lamina.engine.plan import Plan
from lamina.engine.step_context import Folded

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.engine.fold import Work
    from lamina.engine.node import Node
    from lamina.engine.plan import Output, Stage
    from lamina.engine.result_spec import ResultSpec
    from lamina.errors import Diagnostic, Note


class DeferredPlan(Plan):
    """A plan that is made, and folded, when somebody looks at it."""

    __slots__ = ("_make", "_work")

    def __init__(self, result: ResultSpec, make: Callable[[], Work]) -> None:
        self.result = result
        self._make = make
        self._work: Work | None = None

    @property
    def work(self) -> Work:
        """What was folded."""
        if self._work is None:
            self._work = self._make()
        return self._work

    @property
    def stages(self) -> list[Stage]:  # type: ignore[override]  # nobody replaces the stages of a plan
        return self.work.plan.stages


class DeferredFolded(Folded):
    """The only output of a plan that is made later."""

    __slots__ = ("_plan", "_value")

    def __init__(self, plan: DeferredPlan, value: Any) -> None:
        self._plan = plan
        self._value = value

    @property
    def _folded(self) -> Folded:
        (folded,) = self._plan.work.results.values()
        return folded

    @property
    def output(self) -> Output:  # type: ignore[override]  # nobody sets anything of an output that is folded
        return self._folded.output

    @property
    def node(self) -> Node:  # type: ignore[override]  # likewise
        return self._folded.node

    @property
    def faults(self) -> list[Diagnostic]:  # type: ignore[override]  # likewise
        return []

    @property
    def notes(self) -> list[Note]:  # type: ignore[override]  # likewise
        return []

    @property
    def clean(self) -> tuple[int, int] | None:  # type: ignore[override]  # likewise
        return None

    @property
    def taken(self) -> set[str]:  # type: ignore[override]  # likewise
        return set()

    @property
    def spent(self) -> tuple[int, int]:  # type: ignore[override]  # likewise
        return (0, 0)

    @property
    def value(self) -> Any:
        return self._value

    @property
    def plain(self) -> Any:
        return self._value

    @property
    def lazy(self) -> Node:
        return DeferredNode(self._value, (), lambda: self.node)
