"""Edits of values in every YAML file of repositories: only that value changes, and undoing it gives the same bytes.

LAMINA_BENCH_REPOSITORIES in the environment names folders, with commas between them. In each file some values are
replaced by another one and some members removed; what the text then holds is compared with what it is to hold.

    python bench/text_edits.py
"""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from lamina.plugin import MISSING
from lamina.values import same
from lamina.workspace.proposals.text_nodes import NotEditableError, TextNodes, with_value

if TYPE_CHECKING:
    from collections.abc import Iterator

EDITS = 6
"""How many edits are tried in a file."""
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The scalars of a document, each with its path."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag == "tag:yaml.org,2002:str":
                yield from places(value, (*path, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            yield from places(item, (*path, number))
    elif path:
        yield path, node


def outcome(data: bytes, path: tuple[Any, ...], node: Any, value: Any) -> str:
    """What an edit of the only document of a text comes to."""
    try:
        text = TextNodes(data)
        line, column = node.start_mark.line + 1, node.start_mark.column + 1
        edit = text.remove(line, column) if value is MISSING else text.replace(line, column, value)
    except NotEditableError as error:
        return f"refused: {error}"
    edited = text.edited([edit])
    after = edited.decode()
    undone = after[: edit.start] + text.text[edit.start : edit.end] + after[edit.start + len(edit.text) :]
    if undone.encode() != data:
        return "wrong: undoing it gives other bytes"
    try:
        found = yaml.load(edited, LOADER)
    except yaml.YAMLError:
        return "wrong: it is no YAML"
    return "right" if same(found, with_value(yaml.load(data, LOADER), path, value)) else "wrong: another value changes"


def main() -> None:
    for folder in [Path(each) for each in os.environ.get("LAMINA_BENCH_REPOSITORIES", "").split(",") if each]:
        counts: Counter[str] = Counter()
        for file in sorted(each for end in ("yaml", "yml") for each in folder.rglob(f"*.{end}") if each.is_file()):
            counts.update(outcomes(file))
        print(f"{folder.name}: " + ", ".join(f"{kind} {count}" for kind, count in counts.most_common()), flush=True)


def outcomes(file: Path) -> Iterator[str]:
    """What edits of some values of a file come to; of those with one document and without anchors."""
    data, chosen = file.read_bytes(), random.Random(file.name)
    try:
        text = data.decode()
        documents = list(yaml.compose_all(text, LOADER))
        yaml.load(data, LOADER)
    except (yaml.YAMLError, ValueError, RecursionError):
        documents = []
    if len(documents) != 1 or "&" in text:
        yield "files that were left out"
        return
    yield "files"
    found = list(places(documents[0]))
    for path, node in chosen.sample(found, min(EDITS, len(found))):
        value = chosen.choice(["other: # text", 7, {"k": [1]}, MISSING])
        what = outcome(data, path, node, value)
        if what.startswith("wrong"):
            print(f"  {file}:{node.start_mark.line + 1} {path} = {value}: {what}")
        yield what


if __name__ == "__main__":
    main()
