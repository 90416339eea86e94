"""Keys that other files use at a path: what somebody who writes there may mean."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from lamina.errors import LaminaError
from lamina.sources.document_cache import yaml_documents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lamina.paths import Path
    from lamina.run import Run
    from lamina.sources.source import Source

_MOST_FILES: Final = 2_000
_SUFFIXES: Final = (".yaml", ".yml", ".json", ".eyaml")


def used_keys(sources: Iterable[Source], path: Path, prefix: str, run: Run) -> list[tuple[str, int]]:
    """The keys at a path of the documents of sources that begin with a prefix, the most used first, with how many
    documents have each. A step into a list stands for any of its items."""
    counts: Counter[str] = Counter()
    for number, source in enumerate(sources):
        if number == _MOST_FILES:
            break
        if source.name.endswith(_SUFFIXES):
            try:
                documents = yaml_documents(source, run)
            except LaminaError:
                continue  # it is being written, or no YAML
            for document in documents:
                counts.update(key for key in _keys_at(document.value, path) if key.startswith(prefix))
    return sorted(counts.items(), key=lambda each: (-each[1], each[0]))


def _keys_at(value: object, path: Path) -> set[str]:
    """The keys of the mappings that a path leads to."""
    places = [value]
    for step in path:
        if isinstance(step, int):
            places = [item for place in places if isinstance(place, list) for item in place]
        else:
            places = [place[step] for place in places if isinstance(place, dict) and step in place]
    return {key for place in places if isinstance(place, dict) for key in place if isinstance(key, str)}
