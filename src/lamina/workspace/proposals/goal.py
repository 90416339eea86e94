"""Goals: what a value is to be, and in which targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.errors import UsageError
from lamina.paths import MISSING, resolve_path, walk
from lamina.protocol.extensions import means_of
from lamina.values import same
from lamina.views.path_help import path_not_found
from lamina.workspace.proposals.text_nodes import with_value

if TYPE_CHECKING:
    from lamina.engine.history import History
    from lamina.paths import Path
    from lamina.views.result import Result


@dataclass(frozen=True)
class Goal:
    """A value at a path of some targets; MISSING if it is to go."""

    path: str
    value: Any
    targets: frozenset[str]

    def steps_in(self, result: Result) -> Path:
        """The path in a result, as the value has its steps."""
        steps = result.requested_path(self.path)
        for form in result.forms_of(steps):
            try:
                history = result.history_at(form)
            except UsageError:
                continue
            return _whole_path(result, history)
        return resolve_path(result.forms_of(steps)[-1], result.plain)

    def expected(self, result: Result) -> Any:
        """What the whole value of a result is to be."""
        steps = self.steps_in(result)
        try:
            return with_value(real_value(result), steps, self.value)
        except IndexError:
            raise UsageError(path_not_found(result, steps)) from None

    def whole_in(self, result: Result, end: int) -> Any:
        """What is at the first steps of the path, as it is to be."""
        return walk(self.expected(result), self.steps_in(result)[:end])

    def is_reached(self, result: Result) -> bool:
        """Whether a result is what it is to be."""
        return same(real_value(result), self.expected(result))

    def has_value(self, result: Result) -> bool:
        """Whether the value at the path is as it is wanted, whatever else the result is."""
        return same(walk(real_value(result), self.steps_in(result)), self.value)

    @property
    def removes(self) -> bool:
        """Whether the value is to go."""
        return self.value is MISSING


def real_value(result: Result) -> Any:
    """The whole value of a result, also where it is printed without its secrets: these are not to change, either."""
    if result.spec.secrets != "redact":
        return result.plain
    values = [output.value for output in result.outputs]
    return values if result.many else values[0] if values else None


def essential(result: Result, whole: Any) -> Any:
    """What counts of a whole value where a document took the place of another one: what both mean."""
    essence = means_of(result.dialect).essence
    return whole if essence is None or not isinstance(whole, list) else dict(map(essence, whole))


def _whole_path(result: Result, history: History) -> Path:
    """The path of a history in the whole value of its result."""
    if not result.many:
        return tuple(str(step) if isinstance(step, str) else step for step in history.path)
    names = [output.output.name for output in result.outputs]
    return (names.index(history.output or ""), *history.path)
