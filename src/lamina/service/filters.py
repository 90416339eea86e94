"""Filters, sorting and limits of listings, by the parameters of a request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lamina.paths import MISSING
from lamina.service.faults import ApiFault, bad_request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_TRUE = frozenset(("true", "True", "t", "yes", "y", "1", "on", ""))
_FALSE = frozenset(("false", "False", "f", "no", "n", "0", "off"))
_LAYER = "metadata.layeringDefinition.layer"
_ABSTRACT = "metadata.layeringDefinition.abstract"
_PATH = re.compile(r"(?:\$?\.)?[^\s.\[\]$*'\"()]+(?:\.[^\s.\[\]$*'\"()]+|\[\d+\])*")
_STEP = re.compile(r"[^.\[\]]+")


def limit_of(query: Mapping[str, list[str]]) -> int | None:
    """How many entries are asked for."""
    given = query.get("limit")
    if given is None:
        return None
    text = given[0].strip()
    if len(given) > 1 or not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        raise _invalid("limit", "The value must be a whole number.")
    return abs(int(text))


def number_of(query: Mapping[str, list[str]], name: str) -> int | None:
    """A parameter that is a whole number from 1, if it is there."""
    given = query.get(name)
    if given is None:
        return None
    if len(given) > 1 or not re.fullmatch(r"[0-9]{1,18}", given[0]) or not int(given[0]):
        raise _invalid(name, "The value must be a whole number from 1.")
    return int(given[0])


def boolean_of(query: Mapping[str, list[str]], name: str, default: bool) -> bool:
    """A parameter that is true or false."""
    given = query.get(name)
    if given is None:
        return default
    if given[-1] in _TRUE:
        return True
    if given[-1] in _FALSE:
        return False
    raise _invalid(name, "The value must be true or false.")


def _invalid(name: str, why: str) -> ApiFault:
    return bad_request(f'The "{name}" parameter is invalid. {why}', "HTTPInvalidParam")


class DocumentFilter:
    """The filters of a request for documents; all must match."""

    def __init__(self, query: Mapping[str, list[str]], *, rendered: bool) -> None:
        self._tests: list[Callable[[Mapping[str, Any]], bool]] = []
        for name, values in query.items():
            test = _tests_of(name, values, rendered)
            if test is not None:
                self._tests.append(test)

    def __call__(self, view: Mapping[str, Any]) -> bool:
        return all(test(view) for test in self._tests)

    def __bool__(self) -> bool:
        return bool(self._tests)


def _tests_of(name: str, values: list[str], rendered: bool) -> Callable[[Mapping[str, Any]], bool] | None:
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


def sort_keys_of(query: Mapping[str, list[str]], *, rendered: bool) -> list[tuple[str | int, ...]]:
    """The paths to sort by, the strongest first."""
    paths = []
    for given in query.get("sort", []):
        if not given and rendered:
            continue
        if not _PATH.fullmatch(given):
            raise bad_request(f"The sort key {given!r} is not a path such as metadata.name.")
        steps = _STEP.findall(given.removeprefix("$"))
        paths.append(tuple(int(step) if step.isdigit() else step for step in steps))
    return paths


def is_descending(query: Mapping[str, list[str]]) -> bool:
    return query.get("order", [""])[-1] == "desc"


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
