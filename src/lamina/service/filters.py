"""Filters, sorting and limits of listings, by the parameters of a request."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Query
from pydantic import BeforeValidator

from lamina.paths import MISSING
from lamina.service.faults import bad_request

_TRUE = frozenset(("true", "True", "t", "yes", "y", "1", "on", ""))
_FALSE = frozenset(("false", "False", "f", "no", "n", "0", "off"))
_LAYER = "metadata.layeringDefinition.layer"
_ABSTRACT = "metadata.layeringDefinition.abstract"
_PATH = re.compile(r"(?:\$?\.)?[^\s.\[\]$*'\"()]+(?:\.[^\s.\[\]$*'\"()]+|\[\d+\])*")
_STEP = re.compile(r"[^.\[\]]+")


@dataclass(frozen=True, slots=True)
class Listing:
    """Which documents are listed, and how."""

    filters: tuple[tuple[str, tuple[str, ...]], ...]
    """The values of each filter, by its name."""
    sort: tuple[str, ...]
    descending: bool
    limit: int | None
    cleartext: bool | None
    """Whether secrets are to be shown, where that is said."""


def _whole(text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,18}", text.strip()):
        raise ValueError("The value must be a whole number.")
    return abs(int(text))


def _boolean(text: str) -> bool:
    if text not in _TRUE and text not in _FALSE:
        raise ValueError("The value must be true or false.")
    return text in _TRUE


Texts = Annotated[list[str] | None, Query()]
FromOne = Annotated[int | None, Query(ge=1, le=10**18)]
Limit = Annotated[int | None, Query(ge=0), BeforeValidator(_whole)]


async def _listing(
    schema: Texts = None,
    name: Annotated[list[str] | None, Query(alias="metadata.name")] = None,
    layer: Annotated[list[str] | None, Query(alias=_LAYER)] = None,
    abstract: Annotated[list[str] | None, Query(alias=_ABSTRACT)] = None,
    label: Annotated[list[str] | None, Query(alias="metadata.label")] = None,
    bucket: Annotated[list[str] | None, Query(alias="status.bucket")] = None,
    sort: Texts = None,
    limit: Limit = None,
    order: str = "asc",
    cleartext: Annotated[bool | None, BeforeValidator(_boolean), Query(alias="cleartext-secrets")] = None,
) -> Listing:
    given = {
        "schema": schema,
        "metadata.name": name,
        _LAYER: layer,
        _ABSTRACT: abstract,
        "metadata.label": label,
        "status.bucket": bucket,
    }
    filters = tuple((key, tuple(values)) for key, values in given.items() if values is not None)
    return Listing(filters, tuple(sort or ()), order == "desc", limit, cleartext)


OwnListing = Annotated[Listing, Depends(_listing)]


class DocumentFilter:
    """The filters of a request for documents; all must match."""

    def __init__(self, listing: Listing, *, rendered: bool) -> None:
        self._tests: list[Callable[[Mapping[str, Any]], bool]] = []
        for name, values in listing.filters:
            test = _tests_of(name, values, rendered)
            if test is not None:
                self._tests.append(test)

    def __call__(self, view: Mapping[str, Any]) -> bool:
        return all(test(view) for test in self._tests)

    def __bool__(self) -> bool:
        return bool(self._tests)


def _tests_of(name: str, values: Sequence[str], rendered: bool) -> Callable[[Mapping[str, Any]], bool] | None:
    if name == "metadata.label":
        wanted = _labels(values)
        return lambda view: wanted is not None and _has_labels(view["metadata"], wanted)
    plain = [value for value in values if "=" not in value]
    if name == "schema":
        return lambda view: _has_schema(view["schema"], plain)
    if name == "metadata.name":
        return lambda view: view["metadata"].get("name") in plain
    if name == _LAYER:
        return lambda view: view["metadata"].get("layeringDefinition", {}).get("layer") in plain
    if name == "status.bucket":
        return lambda view: view["bucket_name"] in plain
    if name == _ABSTRACT and not rendered:
        allowed = {found for value in plain if (found := _abstract(value)) is not None}
        return lambda view: view["metadata"].get("layeringDefinition", {}).get("abstract", False) in allowed
    return None


def _abstract(value: str) -> bool | int | None:
    word = value.lower()
    if word in ("true", "false"):
        return word == "true"
    return int(word) if re.fullmatch(r"[0-9]{1,4}", word) else None


def _has_schema(schema: str, wanted: Sequence[str]) -> bool:
    if len(wanted) != 1:
        return schema in wanted
    return bool(wanted[0]) and (schema == wanted[0] or schema.startswith(f"{wanted[0]}/"))


def _labels(values: Iterable[str]) -> dict[str, str] | None:
    """The labels asked for; none match where one has no value."""
    found = {}
    for value in values:
        if "=" not in value:
            return None
        key, wanted = value.split("=")[:2]
        found[key] = wanted
    return found


def _has_labels(metadata: Mapping[str, Any], wanted: Mapping[str, str]) -> bool:
    labels = metadata.get("labels")
    return isinstance(labels, dict) and all(labels.get(key) == value for key, value in wanted.items())


def sort_keys_of(listing: Listing, *, rendered: bool) -> list[tuple[str | int, ...]]:
    """The paths to sort by, the strongest first."""
    paths = []
    for given in listing.sort:
        if not given and rendered:
            continue
        if not _PATH.fullmatch(given):
            raise bad_request(f"The sort key {given!r} is not a path such as metadata.name.")
        steps = _STEP.findall(given.removeprefix("$"))
        paths.append(tuple(int(step) if step.isdigit() else step for step in steps))
    return paths


def ordered(
    items: list[Any], view: Callable[[Any], Any], keys: Sequence[tuple[str | int, ...]], *, descending: bool
) -> list[Any]:
    """Items sorted by paths into their views; those without a value there, or with one of another type, come first."""
    for key in reversed(keys):
        items = sorted(items, key=lambda item: _comparable(_at(view(item), key)), reverse=descending)
    return items


def _at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        if isinstance(value, dict):
            value = value.get(str(step), MISSING)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return MISSING
    return value


def _comparable(value: Any) -> tuple[int, Any]:
    if isinstance(value, bool | int | float):
        return 1, value
    if isinstance(value, str):
        return 2, value
    return 0, 0
