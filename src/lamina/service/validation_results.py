"""Results of validations as they are listed: what was posted, and what ValidationPolicy documents make of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.service.faults import bad_request
from lamina.service.records import Validation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lamina.service.records import Content


@dataclass(frozen=True, slots=True)
class ListedResult:
    """A result as it is shown."""

    name: str
    status: str
    errors: Any

    def entry(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "status": self.status,
            "createdAt": None,
            "expiresAfter": None,
            "errors": self.errors,
        }


def posted(name: str, payload: Any) -> Validation:
    """The result in the body of a request."""
    if payload is None:
        raise bad_request("The request body must not be empty.")
    if not isinstance(payload, dict):
        raise bad_request("The request body must be a mapping.")
    status, validator = payload.get("status"), payload.get("validator")
    if not status or not validator:
        raise bad_request('Validation payload must contain keys: "status", "validator".')
    return Validation(name, status if isinstance(status, str) else str(status), validator, payload.get("errors", []))


def listed(results: Iterable[Validation], policies: Sequence[Content]) -> list[ListedResult]:
    """The results that were posted, and a failure for each that is expected and missing."""
    expected = _expected(policies)
    found = [_checked(result, expected if policies else None) for result in results]
    missing = [name for name in expected if name not in {result.name for result in found}]
    return found + [_absent(name, expected[name]) for name in missing]


def _expected(policies: Iterable[Content]) -> dict[str, str]:
    """The results that policies ask for, and the policy that asks."""
    found: dict[str, str] = {}
    for policy in policies:
        wanted = policy.data.get("validations") if isinstance(policy.data, dict) else None
        for each in wanted if isinstance(wanted, list) else ():
            if isinstance(each, dict) and isinstance(each.get("name"), str):
                found.setdefault(each["name"], policy.name)
    return found


def _checked(result: Validation, expected: dict[str, str] | None) -> ListedResult:
    if expected is None or result.name in expected:
        return ListedResult(result.name, result.status, result.errors)
    why = f"The result for {result.name} was ignored: no ValidationPolicy of this revision asks for it."
    errors = result.errors if isinstance(result.errors, list) else [result.errors]
    return ListedResult(result.name, f"ignored [{result.status}]", [*errors, {"message": why}])


def _absent(name: str, policy: str) -> ListedResult:
    why = f"The result for {name} is missing from this revision; the ValidationPolicy {policy} asks for it."
    return ListedResult(name, "failure", [{"message": why}])


def summary(results: Sequence[ListedResult], names: Iterable[str]) -> dict[str, str]:
    """One status for each name: the alphabetically first, so that a failure counts more than a success."""
    order = sorted(dict.fromkeys(names))
    order += [each.name for each in results if each.name not in order]
    return {name: min(each.status for each in results if each.name == name) for name in order}
