"""Differences of two revisions: which buckets differ, and of rendered documents also how."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lamina.service.records import Placed
    from lamina.service.rendition import RenderedDocument


def difference(old: Iterable[Placed], new: Iterable[Placed], *, reverse: bool) -> dict[str, str]:
    """The change of each bucket; `reverse` if the second revision is the older one."""
    return _compared(_by_bucket(old, _bucket), _by_bucket(new, _bucket), _same_contents, reverse)


def deep_difference(
    old: Iterable[tuple[Placed, RenderedDocument]],
    new: Iterable[tuple[Placed, RenderedDocument]],
    *,
    reverse: bool,
) -> dict[str, Any]:
    """The same of rendered documents, with what changed in each."""
    before, after = _by_bucket(old, _bucket_of_rendered), _by_bucket(new, _bucket_of_rendered)
    found: dict[str, Any] = dict(_compared(before, after, _same_rendered, reverse))
    for bucket, word in list(found.items()):
        if word == "modified":
            found[f"{bucket} diff"] = _bucket_difference(before[bucket], after[bucket])
    return found


def _bucket(placed: Placed) -> str:
    return placed.bucket


def _bucket_of_rendered(pair: tuple[Placed, RenderedDocument]) -> str:
    return pair[0].bucket


def _by_bucket(items: Iterable[Any], bucket: Callable[[Any], str]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for item in items:
        found.setdefault(bucket(item), []).append(item)
    return found


def _compared(
    old: dict[str, list[Any]], new: dict[str, list[Any]], same: Callable[[list[Any], list[Any]], bool], reverse: bool
) -> dict[str, str]:
    found = {}
    for bucket in sorted({*old, *new}):
        if bucket in old and bucket in new:
            found[bucket] = "unmodified" if same(old[bucket], new[bucket]) else "modified"
        else:
            found[bucket] = "created" if (bucket in new) != reverse else "deleted"
    return found


def _same_contents(old: list[Placed], new: list[Placed]) -> bool:
    return {each.content.number for each in old} == {each.content.number for each in new}


def _same_rendered(old: list[tuple[Placed, RenderedDocument]], new: list[tuple[Placed, RenderedDocument]]) -> bool:
    before, after = _by_name(old), _by_name(new)
    return before.keys() == after.keys() and not any(_differ(before[key], after[key]) for key in before)


def _by_name(pairs: Iterable[tuple[Placed, RenderedDocument]]) -> dict[tuple[str, str], RenderedDocument]:
    return {(rendered.content.schema, rendered.content.name): rendered for _, rendered in pairs}


def _differ(old: RenderedDocument, new: RenderedDocument) -> bool:
    return old.content.number != new.content.number or _written(old.data) != _written(new.data)


def _written(value: Any) -> str:
    """A value as text: 1, 1.0 and true differ."""
    return json.dumps(value, sort_keys=True)


def _bucket_difference(
    old: list[tuple[Placed, RenderedDocument]], new: list[tuple[Placed, RenderedDocument]]
) -> dict[str, dict[str, Any]]:
    before, after = _by_name(old), _by_name(new)
    added = [list(key) for key in after if key not in before]
    deleted = [list(key) for key in before if key not in after]
    keys = [key for key in after if key in before and _differ(before[key], after[key])]
    pairs = [(_shown_data(before[key], after[key]), _shown_data(after[key], before[key])) for key in keys]
    pairs += [(before[key].metadata, after[key].metadata) for key in keys]
    found_in = [_library_difference(old_value, new_value) for old_value, new_value in pairs]
    changed = {
        str(key): {
            "data_changed": {"encrypted": True} if _is_encrypted(before[key], after[key]) else data,
            "metadata_changed": metadata,
        }
        for key, data, metadata in zip(keys, found_in[: len(keys)], found_in[len(keys) :], strict=True)
    }
    found = {"document_added": added, "document_deleted": deleted, "document_changed": changed}
    return {name: {"count": len(details), "details": details} for name, details in found.items() if details}


def _is_encrypted(old: RenderedDocument, new: RenderedDocument) -> bool:
    return old.encrypted or new.encrypted


def _shown_data(document: RenderedDocument, other: RenderedDocument) -> Any:
    """The data of a document to compare; nothing of what is secret."""
    return None if _is_encrypted(document, other) else document.data


def _library_difference(old: Any, new: Any) -> dict[str, Any]:
    """What differs in two values, in the notation of the library that Deckhand uses."""
    from deepdiff import DeepDiff

    found: dict[str, Any] = json.loads(DeepDiff(old, new).to_json())
    return found
