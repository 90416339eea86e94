"""cloud-init's mergers a second time, as plainly as the rules can be written down; the measure for the real ones."""

from __future__ import annotations

from typing import Any

Rule = list[tuple[str, list[str]]]


class Rejected(Exception):
    """The values cannot be merged."""


def merge(old: Any, new: Any, rule: Rule) -> Any:
    """Old and new merged by the first merger that handles old's kind; old if none does."""
    for name, options in rule:
        if name == "dict" and isinstance(old, dict):
            return merge_dict(old, new, options, rule)
        if name == "list" and isinstance(old, list):
            return merge_list(old, new, options, rule)
        if name == "str" and isinstance(old, str):
            return merge_str(old, new, options)
    return old


def goes_deeper(new: Any, options: list[str], *, mappings: bool) -> bool:
    if isinstance(new, dict):
        return mappings
    if isinstance(new, list):
        return "recurse_list" in options or "recurse_array" in options
    return isinstance(new, str) and "recurse_str" in options


def merge_dict(old: dict[Any, Any], new: Any, options: list[str], rule: Rule) -> Any:
    if not isinstance(new, dict):
        return old
    result = dict(old)
    for key, value in new.items():
        if key not in result:
            result[key] = value
        elif value is None and "allow_delete" in options:
            del result[key]
        elif "replace" in options:
            result[key] = value
        elif goes_deeper(value, options, mappings=True):
            result[key] = merge(result[key], value, rule)
    return result


def merge_list(old: list[Any], new: Any, options: list[str], rule: Rule) -> Any:
    method = next((name for name in ("append", "prepend", "replace", "no_replace") if name in options), "replace")
    if method == "replace":
        if not isinstance(new, list):
            return new
        result = list(old)
        for i in range(min(len(old), len(new))):
            deeper = goes_deeper(new[i], options, mappings="recurse_dict" in options)
            result[i] = merge(old[i], new[i], rule) if deeper else new[i]
        return result
    if not isinstance(new, (list, str, dict)):
        raise Rejected
    if method == "no_replace":
        if isinstance(new, dict) and new and old:
            raise Rejected
        return list(old)
    return [*old, *new] if method == "append" else [*new, *old]


def merge_str(old: str, new: Any, options: list[str]) -> Any:
    if "append" not in options:
        return new
    if not isinstance(new, str):
        raise Rejected
    return old + new
