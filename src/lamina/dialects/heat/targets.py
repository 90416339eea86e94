"""Targets of Heat in a repository: environments in the order of a plan-environment or of a deploy script.

Environments in folders of which neither says the order are targets one by one.
"""

from __future__ import annotations

import shlex
from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING

from lamina.dialects.extensions import FoundTargets
from lamina.dialects.heat.detect import is_environment
from lamina.errors import InputError
from lamina.sources import document_cache

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lamina.sources.inputs import Files
    from lamina.sources.source import Source

_PLAN = "plan-environment.yaml"
_DEPLOY = (b"overcloud deploy", b"stack create", b"stack update")
_LARGEST_SCRIPT = 1024 * 1024


def find_targets(files: Files, names: Sequence[str]) -> Iterator[FoundTargets]:
    """A target for each order that is written down, else patterns for folders of environments."""
    known = set(names)
    used: set[str] = set()
    for name in names:
        ordered = _ordered(name, files, known)
        if ordered:
            used.update(map(dirname, ordered))
            key = name.rpartition("/")[2].partition(".")[0]
            about = f"{len(ordered)} environments in the order of {name}"
            yield FoundTargets(key, about, {"inputs": ordered}, (name, *ordered))
    yield from _folders(files, [name for name in names if dirname(name) not in used])


def _ordered(name: str, files: Files, known: set[str]) -> list[str]:
    """The environments that a plan-environment or a deploy script names, in its order."""
    if name.endswith(_PLAN):
        source = files.read(name)
        return _existing(_of_plan(source), dirname(name), known) if source else []
    if name.endswith(".sh"):
        source = files.read(name)
        if source and len(source.data) <= _LARGEST_SCRIPT and any(word in source.data for word in _DEPLOY):
            return _existing(_of_script(source), dirname(name), known)
    return []


def _of_plan(source: Source) -> list[str]:
    try:
        value = document_cache.yaml_document(source).value
    except InputError:
        return []
    entries = value.get("environments") if isinstance(value, dict) else None
    paths = [entry.get("path") for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return [path for path in paths if isinstance(path, str)]


def _of_script(source: Source) -> list[str]:
    """The files behind -e and --environment-file, in the order of the script."""
    text = source.data.decode("utf-8", "replace").replace("\\\n", " ")
    paths: list[str] = []
    for line in text.split("\n"):
        if not any(word.decode() in line for word in _DEPLOY):
            continue
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            continue  # quotes that end on a later line; the order is not known then
        for at, word in enumerate(words):
            if word in ("-e", "--environment", "--environment-file") and at + 1 < len(words):
                paths.append(words[at + 1])
    return paths


def _existing(paths: Iterable[str], folder: str, known: set[str]) -> list[str]:
    """The paths as files of the repository, from the folder of who names them or else from the root.

    Deploy scripts name files where they are installed; the last steps of such a path find them in the repository.
    """
    found = []
    for path in paths:
        steps = [step for step in path.split("/") if step not in ("", ".", "~")]
        ends = ["/".join(steps[at:]) for at in range(len(steps))]
        candidates = [normpath(join(folder, path)), *(join(folder, end) for end in ends), *ends]
        match = next((each for each in candidates if each in known), None)
        found += [match] if match else []
    return found


def _folders(files: Files, names: Sequence[str]) -> Iterator[FoundTargets]:
    """A pattern for each folder whose YAML files are all environments."""
    folders: dict[str, list[str]] = {}
    for name in names:
        if name.endswith(".yaml") and not name.endswith(".j2.yaml"):
            folders.setdefault(dirname(name), []).append(name)
    for folder, own in folders.items():
        sources = (files.read(name) for name in own)
        if all(source is not None and is_environment(document_cache.decode(source)) for source in sources):
            each = join(folder, "*.yaml")
            about = f"{len(own)} environment{'' if len(own) == 1 else 's'} in {folder or '.'}, each on its own"
            key = folder.rpartition("/")[2] or "environments"
            remark = "the order is not known: for one stack, write [targets.NAME] with inputs in the order of -e"
            yield FoundTargets(key, about, {"each": each, "inputs": ["{path}"]}, tuple(own), (remark,))
