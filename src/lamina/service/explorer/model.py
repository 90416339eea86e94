"""What the explorer shows, whether it comes from files or from a store: targets, each with a result of several outputs.

A target of a project is one of its targets; a target of a store is a revision. All that is shown is text that was
escaped here; secrets are omitted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

from lamina._support.escapes import visible
from lamina.protocol.extensions import explain_of
from lamina.service.explorer.change_data import changes_data, new_errors
from lamina.service.explorer.search import matches
from lamina.service.explorer.tree import stack_data, tree_data
from lamina.service.faults import ApiFault
from lamina.version import VERSION
from lamina.views.diff.api import diff
from lamina.views.report.views import views_aside, views_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.views.report.views import PageView
    from lamina.views.result import Result
    from lamina.views.schemas.explorer import (
        ExploreChangesData,
        ExploredTargetData,
        ExploreOutputsData,
        ExploreSearchData,
        ExploreStackData,
        ExploreTargetsData,
        ExploreTreeData,
        ListedOutputData,
    )
    from lamina.views.schemas.places import WhereData


class Explored(Protocol):
    """Something to look at."""

    kind: Literal["files", "store"]
    title: str
    noun: str
    """What a target is called."""

    @property
    def generation(self) -> int:
        """A number that grows with every change."""

    def targets(self) -> list[ExploredTargetData]:
        """The targets: their names, a few words about each, and why it has no result."""

    def result(self, target: str) -> Result:
        """The result of a target."""

    def outputs(self, target: str) -> list[ListedOutputData]:
        """The outputs of a target: their names, a few words about each, and why some are not part of the result."""

    def searched(self, target: str | None) -> Iterable[tuple[str, Result]]:
        """The results to search: of one target, or of all."""

    def where(self, target: str | None, source: str, line: int, column: int | None) -> WhereData:
        """What a line decides, in the form of `lamina where`."""

    def what_if(self, target: str | None, place: tuple[str, int, int], value: str) -> ExploreChangesData:
        """What another value at a place would change; nothing is written."""


def targets_data(explored: Explored) -> ExploreTargetsData:
    """What there is to look at."""
    return {
        "version": 1,
        "lamina": VERSION,
        "kind": explored.kind,
        "title": visible(explored.title),
        "noun": explored.noun,
        "generation": explored.generation,
        "targets": explored.targets(),
    }


def outputs_data(explored: Explored, target: str) -> ExploreOutputsData:
    """The outputs of a target."""
    result = explored.result(target)
    return {
        "version": 1,
        "target": visible(target),
        "dialect": result.dialect.title,
        "noun": result.spec.noun,
        "opens_at": explain_of(result.dialect).opens_at,
        "outputs": explored.outputs(target),
    }


def output_data(explored: Explored, target: str, output: str) -> ExploreTreeData:
    """One output as a tree."""
    result = explored.result(target)
    return tree_data(result, _view(result, output))


def value_data(explored: Explored, target: str, output: str, path: str) -> ExploreStackData:
    """A value of an output with every layer that sets it."""
    result = explored.result(target)
    return stack_data(result, _view(result, output), path)


def found_data(explored: Explored, target: str | None, words: str) -> ExploreSearchData:
    """The values that have all words in their path, their text or the name of their output."""
    return {"version": 1, **matches(explored.searched(target), words)}


def compared_data(explored: Explored, before: str, after: str) -> ExploreChangesData:
    """What differs between two targets."""
    old, new = explored.result(before), explored.result(after)
    return {
        "version": 1,
        "targets": [],
        **changes_data(diff(old, new).groups),
        "findings": new_errors(old, new),
        "resolved": new_errors(new, old),
    }


def _view(result: Result, output: str) -> PageView:
    for view in (*views_of(result), *views_aside(result)):
        if visible(view.name) == output:
            return view
    raise ApiFault(404, "OutputNotFound", f"There is no {result.spec.noun} {visible(output)!r}.")
