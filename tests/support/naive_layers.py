"""The rules of plain layers again, on plain values and as short as possible: what the dialect is compared with."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

MISSING = object()


class ConflictError(Exception):
    """The rules reject the values."""


def merged(layers: list[dict[str, Any]], rules: dict[str, dict[str, Any]], *, deletes: bool) -> dict[str, Any]:
    """Merged layers; rules are for keys of the root."""
    result: dict[str, Any] = {}
    for layer in layers:
        for key, new in deepcopy(layer).items():
            value = _member(result.get(key, MISSING), new, rules.get(key, {"merge": "deep"}), deletes)
            if value is MISSING:
                result.pop(key, None)
            else:
                result[key] = value
    return result


def _member(old: Any, new: Any, rule: dict[str, Any], deletes: bool) -> Any:
    word = rule["merge"]
    if old is not MISSING and word in ("keep", "lock"):
        if word == "lock" and not same(old, stripped(new) if deletes else new):
            raise ConflictError
        return old
    if old is not MISSING and word == "reject":
        return _rejecting(old, new, deletes)
    if deletes and new is None:
        return MISSING
    if word == "take":
        return new
    nothing = old is MISSING or old is None
    for kind, words in ((list, ("append", "prepend", "unique", "by-key")), (str, ("join",)), ((int, float), ("sum",))):
        if word in words and (_is(new, kind) or _is(old, kind)):
            if nothing and kind is list:
                return _typed([], new, rule, deletes)
            if nothing or new is None:
                return new
            if not (_is(new, kind) and _is(old, kind)):
                raise ConflictError
            return _typed(old, new, rule, deletes)
    return deep(old, new, rule.get("knockout"), deletes)


def _is(value: Any, kind: Any) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _typed(old: Any, new: Any, rule: dict[str, Any], deletes: bool) -> Any:
    prefix: str | None = rule.get("knockout")
    match rule["merge"]:
        case "join":
            return old + rule.get("separator", "") + new
        case "sum":
            return old + new
        case "by-key":
            return _by_key(old, new, rule["key"], prefix, deletes)
    gone = [item[len(prefix or "") :] for item in new if _marker(item, prefix)]
    old = [item for item in old if not (isinstance(item, str) and item in gone)]
    new = [item for item in new if not _marker(item, prefix)]
    both = new + old if rule["merge"] == "prepend" else old + new
    if rule["merge"] != "unique":
        return both
    found: list[Any] = []
    for item in both:
        if not any(same(item, other) for other in found):
            found.append(item)
    return found


def _marker(item: Any, prefix: str | None) -> bool:
    return prefix is not None and isinstance(item, str) and item.startswith(prefix) and item != prefix


def _by_key(old: list[Any], new: list[Any], key: str, prefix: str | None, deletes: bool) -> list[Any]:
    if any(not isinstance(item, dict) or item.get(key) is None for item in [*old, *new]):
        raise ConflictError
    result = list(old)
    for item in new:
        if _marker(item[key], prefix):
            result = [other for other in result if not same(other[key], item[key][len(prefix or "") :])]
            continue
        for position, other in enumerate(result):
            if same(other[key], item[key]):
                result[position] = deep(other, item, prefix, deletes)
                break
        else:
            result.append(item)
    return result


def _rejecting(old: Any, new: Any, deletes: bool) -> Any:
    if not (isinstance(old, dict) and isinstance(new, dict)):
        if not same(old, stripped(new) if deletes else new):
            raise ConflictError
        return old
    result = dict(old)
    for key, value in new.items():
        if key in result:
            result[key] = _rejecting(result[key], value, deletes)
        elif (taken := deep(MISSING, value, None, deletes)) is not MISSING:
            result[key] = taken
    return result


def deep(old: Any, new: Any, prefix: str | None, deletes: bool) -> Any:
    """Two values merged deeply; the prefix holds for the keys of this mapping only."""
    if deletes and new is None:
        return MISSING
    if not isinstance(new, dict):
        return new
    if not isinstance(old, dict):
        if not deletes and prefix is None:
            return new
        old = {}
    gone = {key[len(prefix or "") :] for key in new if prefix is not None and key.startswith(prefix)}
    result = {key: value for key, value in old.items() if key not in gone}
    for key, value in new.items():
        if prefix is not None and key.startswith(prefix):
            continue
        replaced = MISSING if deletes and value is None else value
        made = replaced if key in gone else deep(result.get(key, MISSING), value, None, deletes)
        if made is MISSING:
            result.pop(key, None)
        else:
            result[key] = made
    return result


def stripped(value: Any) -> Any:
    """A value without the nulls of its mappings."""
    if not isinstance(value, dict):
        return value
    return {key: stripped(each) for key, each in value.items() if each is not None}


def same(one: Any, other: Any) -> bool:
    """Equality that distinguishes types."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)
