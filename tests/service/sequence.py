"""Recorded sequences: requests sent to the real service, and what counts as the same answer from ours.

The form of a case, and what is normalised before answers are compared, is described in sequences/README.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from service.servers import Reply, Server

FOLDER = Path(__file__).parent / "sequences"
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?")
_REFERENCE = re.compile(r"https?://\S*secrets/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HASH = re.compile(r"[0-9a-f]{64}")
_SORTED = ("dictionary_item_added", "dictionary_item_removed")
_FREE = ("message", "diagnostic")


class TextDates(yaml.CSafeLoader):
    """The safe loader, with dates as strings."""


TextDates.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:timestamp"]
    for first, found in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def load() -> Iterator[dict[str, Any]]:
    """All cases."""
    for path in sorted(FOLDER.glob("*.json")):
        yield from json.loads(path.read_text(encoding="utf-8"))


def play(server: Server, case: dict[str, Any]) -> list[str]:
    """What comes out otherwise than recorded, up to the first step that does."""
    documents: dict[int, str] = {}
    for number, step in enumerate(case["steps"], 1):
        request, expect = step["request"], step["expect"]
        query = [tuple(pair) for pair in request.get("query") or ()]
        reply = server.send(request["method"], request["path"], request.get("body"), request.get("headers"), query)
        found = [_normal(each, documents, expect) for each in yaml.load_all(reply.body, TextDates)]
        wrong = [_judged(answer, reply, found) for answer in (expect, *expect.get("or", ()))]
        if all(wrong):
            return [f"step {number}, {request['method']} {request['path']}: {wrong[0]}"]
    return []


def _judged(expect: dict[str, Any], reply: Reply, found: list[Any]) -> str | None:
    """What is wrong with an answer; None where nothing is."""
    if expect.get("crash"):
        is_status = len(found) == 1 and _is_error(found[0])
        return None if reply.status >= 400 and is_status else f"status {reply.status} instead of any error"
    if reply.status != expect["status"]:
        return f"status {reply.status} instead of {expect['status']}: {found}"
    if "content_type" in expect and reply.media_type != expect["content_type"]:
        return f"content type {reply.media_type} instead of {expect['content_type']}"
    if "docs" not in expect:
        return None
    if any(not any(word in text for text in _texts(found)) for word in expect.get("says", ())):
        return f"the error does not say {expect['says']}: {_texts(found)}"
    if expect.get("unordered"):
        return _unordered(expect["docs"], found)
    if expect.get("unordered_results"):
        return _unordered(*([each for one in side for each in one["results"]] for side in (expect["docs"], found)))
    return _difference(expect["docs"], found)


def _is_error(value: Any) -> bool:
    return isinstance(value, dict) and value.get("kind") == "Status" and "details" in value


def _texts(found: list[Any]) -> list[str]:
    errors = [each for each in found if _is_error(each)]
    return [str(one.get("message")) for each in errors for one in (each, *each["details"]["messageList"])]


def _normal(value: Any, documents: dict[int, str], expect: dict[str, Any]) -> Any:
    """An answer without what differs from run to run."""
    if isinstance(value, dict) and {"schema", "metadata", "status"} <= value.keys():
        value = {**value, "id": documents.setdefault(value["id"], f"<doc {len(documents) + 1}>")}
    elif isinstance(value, dict) and "validationPolicies" in value:
        value = {**value, "validationPolicies": [{**each, "url": "<url>"} for each in value["validationPolicies"]]}
    return _plain(value, expect.get("mask_hash", False))


def _plain(value: Any, mask: bool, key: Any = None) -> Any:
    if isinstance(value, dict):
        pairs = ((name if isinstance(name, str) else json.dumps(name), name) for name in value)
        return {text: _plain(value[name], mask, name) for text, name in pairs}
    if isinstance(value, list):
        items = [_plain(each, mask) for each in value]
        in_pairs = key == "details" and all(isinstance(each, list) for each in items)
        return sorted(items, key=json.dumps) if in_pairs or key in _SORTED else items
    if not isinstance(value, str):
        return value
    if key == "createdAt" and _TIME.fullmatch(value):
        return "<time>"
    if _REFERENCE.fullmatch(value):
        return "<secret-ref>"
    return "<sha256>" if mask and _HASH.fullmatch(value) else value


def _difference(expected: Any, found: Any, path: str = "", in_error: bool = False) -> str | None:
    """The first difference; None where there is none."""
    if expected == "<any>":
        return None
    if isinstance(expected, dict) and isinstance(found, dict):
        if expected.keys() != found.keys():
            return f"{path}: the keys {sorted(found)} instead of {sorted(expected)}"
        in_error = in_error or _is_error(expected)
        compared = [key for key in expected if not (in_error and _is_free(key, expected[key]))]
        inner = (_difference(expected[key], found[key], f"{path}/{key}", in_error) for key in compared)
        return next(filter(None, inner), None)
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        if in_error and path.endswith("/messageList"):
            return _unordered(expected, found, in_error=True)
        pairs = enumerate(zip(expected, found, strict=True))
        inner = (_difference(one, other, f"{path}/{at}", in_error) for at, (one, other) in pairs)
        return next(filter(None, inner), None)
    same = type(expected) is type(found) and expected == found
    return None if same else f"{path}: {found!r} instead of {expected!r}"


def _is_free(key: str, expected: Any) -> bool:
    """Whether a text of an error is for people; other reasons than these two are free texts."""
    if key == "reason":
        return expected not in ("Unspecified", "Validation")
    return key in _FREE and not isinstance(expected, dict)


def _unordered(expected: list[Any], found: list[Any], *, in_error: bool = False) -> str | None:
    if len(expected) != len(found):
        return f"{len(found)} entries instead of {len(expected)}"
    left = list(found)
    for one in expected:
        match = next((at for at, other in enumerate(left) if not _difference(one, other, "", in_error)), None)
        if match is None:
            return f"nothing like {one} among {left}"
        left.pop(match)
    return None
