"""Results of validations."""

from typing import Any

from fastapi import APIRouter, Depends
from typing_extensions import TypedDict

from lamina.service import validation_results
from lamina.service.api.parameters import API, EntryNumber, KnownName, RevisionNumber, StoreService
from lamina.service.dependencies import BodyValue, OwnAuthor, documents_are_asked, requires, takes
from lamina.service.faults import ApiFault
from lamina.service.service import Service
from lamina.service.wire import YamlResponse

READ = requires("read", "list_validations")

router = APIRouter(prefix=f"{API}/revisions/{{revision}}/validations", default_response_class=YamlResponse)


class NamedStatus(TypedDict):
    """What all results of a name come to."""

    name: str
    status: str


class NamedStatuses(TypedDict):
    count: int
    results: list[NamedStatus]


class NumberedStatus(TypedDict):
    """One result of a name."""

    id: int
    status: str


class NumberedStatuses(TypedDict):
    count: int
    results: list[NumberedStatus]


class ValidationDetails(TypedDict):
    count: int
    results: list[dict[str, Any]]


class PostedResult(TypedDict):
    status: str
    validator: Any


@router.get("", dependencies=[READ])
def list_validations(revision: RevisionNumber, service: StoreService) -> NamedStatuses:
    """The results of validations, one for each name."""
    posted = service.store.validations(revision)
    statuses = validation_results.summary(_listed(service, revision), [each.name for each in posted])
    results: list[NamedStatus] = [{"name": name, "status": status} for name, status in statuses.items()]
    return {"count": len(results), "results": results}


@router.get("/detail", dependencies=[READ, Depends(documents_are_asked)])
def list_validation_details(revision: RevisionNumber, service: StoreService) -> ValidationDetails:
    """All results of validations with their errors."""
    entries = [{"id": number, **each.entry()} for number, each in enumerate(_listed(service, revision))]
    return {"count": len(entries), "results": entries}


def _listed(service: Service, revision: int, name: str | None = None) -> list[validation_results.ListedResult]:
    """The results of a revision, or of one name."""
    posted = service.store.validations(revision)
    results = validation_results.listed(posted, service.store.revision(revision).validation_policies)
    return [each for each in results if name is None or each.name == name]


@router.get("/{validation}", dependencies=[READ])
def list_validation(revision: RevisionNumber, validation: KnownName, service: StoreService) -> NumberedStatuses:
    """The results of one name."""
    results: list[NumberedStatus] = [
        {"id": number, "status": each.status} for number, each in enumerate(_listed(service, revision, validation))
    ]
    return {"count": len(results), "results": results}


@router.post(
    "/{validation}",
    status_code=201,
    openapi_extra=takes(dict[str, Any]),
    dependencies=[requires("write", "create_validation")],
)
def create_validation(
    revision: RevisionNumber, validation: KnownName, value: BodyValue, service: StoreService, author: OwnAuthor
) -> PostedResult:
    """Add a result."""
    found = validation_results.posted(validation, value)
    service.store.add_validation(revision, found, author)
    return {"status": found.status, "validator": found.validator}


@router.get("/{validation}/entries/{entry}", dependencies=[READ])
def show_validation(
    revision: RevisionNumber, validation: KnownName, entry: EntryNumber, service: StoreService
) -> dict[str, Any]:
    """One result."""
    results = _listed(service, revision, validation)
    if not 0 <= entry < len(results):
        message = f"The requested validation entry {entry} was not found for {validation} and revision {revision}."
        raise ApiFault(404, "ValidationNotFound", message)
    return results[entry].entry()
