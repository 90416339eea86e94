"""The routes the page asks; all answer in JSON, by schemas that `lamina schema` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from lamina.errors import LaminaError
from lamina.service.explorer import model
from lamina.service.explorer.files import rejected
from lamina.service.faults import ApiFault, bad_request
from lamina.service.request import single, whole_number
from lamina.service.route import NO_DOCUMENTS, Operation, Route
from lamina.service.submission import one_value
from lamina.service.wire import Answer
from lamina.sources.json.writer import dump

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lamina.service.explorer.model import Explored
    from lamina.service.request import Request
    from lamina.session import Session
    from lamina.views.schemas.explorer import (
        ExploreChangesData,
        ExploreOutputsData,
        ExploreSearchData,
        ExploreStackData,
        ExploreTargetsData,
        ExploreTreeData,
    )
    from lamina.views.schemas.places import WhereData

PREFIX = "/explore"
LONGEST_BODY = 64 * 1024
"""How many bytes a what-if may have."""
_READ_ROLE = "list_cleartext_documents"


class Explorable(Protocol):
    """What is served."""

    @property
    def session(self) -> Session: ...

    def explored(self) -> Explored:
        """What there is to look at."""


def _targets(explored: Explored, _request: Request) -> ExploreTargetsData:
    return model.targets_data(explored)


def _outputs(explored: Explored, request: Request) -> ExploreOutputsData:
    return model.outputs_data(explored, single(request, "target"))


def _tree(explored: Explored, request: Request) -> ExploreTreeData:
    return model.output_data(explored, single(request, "target"), single(request, "output"))


def _stack(explored: Explored, request: Request) -> ExploreStackData:
    return model.value_data(explored, single(request, "target"), single(request, "output"), single(request, "path"))


def _search(explored: Explored, request: Request) -> ExploreSearchData:
    return model.found_data(explored, _optional(request, "target"), single(request, "words"))


def _where(explored: Explored, request: Request) -> WhereData:
    column = whole_number(request, "column") if "column" in request.query else None
    line = whole_number(request, "line")
    return explored.where(_optional(request, "target"), single(request, "source"), line, column)


def _compare(explored: Explored, request: Request) -> ExploreChangesData:
    return model.compared_data(explored, single(request, "before"), single(request, "after"))


def _optional(request: Request, name: str) -> str | None:
    return single(request, name) if name in request.query else None


def _answering(run: Callable[[Explored, Request], Mapping[str, Any]]) -> Callable[[Explorable, Request], Answer]:
    def operation(served: Explorable, request: Request) -> Answer:
        try:
            data = run(served.explored(), request)
        except LaminaError as error:
            raise rejected(error) from None
        return Answer(200, dump(data, indent=None).encode(), "application/json")

    operation.__name__ = f"explore{run.__name__}"
    return operation


def what_if(served: Explorable, request: Request) -> Answer:
    """What another value would change; the body says where and which."""
    if len(request.body) > LONGEST_BODY:
        raise ApiFault(413, "HTTPContentTooLarge", f"A what-if may have {LONGEST_BODY} bytes at most.")
    edit = one_value(request.body, served.session)
    if not isinstance(edit, dict) or not isinstance(edit.get("value"), str):
        raise bad_request("The body must be a mapping with source, line, column and value.")
    source, line, column, target = (edit.get(name) for name in ("source", "line", "column", "target"))
    if not (isinstance(source, str) and type(line) is int and type(column) is int and line > 0 and column > 0):
        raise bad_request("A source is a string; a line and a column are whole numbers from 1.")
    if target is not None and not isinstance(target, str):
        raise bad_request("A target is a string.")
    value = edit["value"]

    def run(explored: Explored, _request: Request) -> ExploreChangesData:
        return explored.what_if(target, (source, line, column), value)

    return _answering(run)(served, request)


def _get(run: Callable[[Explored, Request], Mapping[str, Any]], schema: str, about: str) -> dict[str, Operation]:
    return {
        "GET": Operation(_answering(run), "read", _READ_ROLE, about, schema, takes_long=True, not_found=NO_DOCUMENTS)
    }


ROUTES = (
    Route(f"{PREFIX}/targets", _get(_targets, "explore-targets", "What there is to look at.")),
    Route(f"{PREFIX}/outputs", _get(_outputs, "explore-outputs", "The outputs of a target.")),
    Route(f"{PREFIX}/tree", _get(_tree, "explore-tree", "An output as a tree of values with their places.")),
    Route(f"{PREFIX}/stack", _get(_stack, "explore-stack", "A value with every layer that sets it.")),
    Route(f"{PREFIX}/search", _get(_search, "explore-search", "Values by words in their path or text.")),
    Route(f"{PREFIX}/where", _get(_where, "where", "What a line of a file or a stored document decides.")),
    Route(f"{PREFIX}/compare", _get(_compare, "explore-changes", "What differs between two targets.")),
    Route(
        f"{PREFIX}/what-if",
        {
            "POST": Operation(
                what_if,
                "read",
                _READ_ROLE,
                "What another value at a place would change; nothing is written.",
                "explore-changes",
                takes_long=True,
                not_found=NO_DOCUMENTS,
            )
        },
    ),
)
