"""Targets of Heat in a repository: environments in the order of a plan-environment or of a deploy script.

Environments in folders of which neither says the order are targets one by one.
"""

from __future__ import annotations

from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING

from lamina.dialects.extensions import FoundTargets
from lamina.dialects.heat.deploy_command import named_environments
from lamina.dialects.heat.deployment import environment_path
from lamina.dialects.heat.detect import sections_in
from lamina.dialects.heat.sections import PARAMETERS
from lamina.errors import InputError
from lamina.sources import document_cache

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lamina.run import Run
    from lamina.sources.inputs import Files
    from lamina.sources.source import Source

_PLAN = "plan-environment.yaml"
_LARGEST_SCRIPT = 1024 * 1024


def find_targets(files: Files, names: Sequence[str], run: Run) -> Iterator[FoundTargets]:
    """A target for each order that is written down, else patterns for folders of environments."""
    known = set(names)
    used: set[str] = set()
    for name in names:
        ordered = _ordered(name, files, known, run)
        if ordered:
            used.update(map(dirname, ordered))
            key = name.rpartition("/")[2].partition(".")[0]
            about = f"{len(ordered)} environments in the order of {name}"
            yield FoundTargets(key, about, {"inputs": ordered}, (name, *ordered))
    yield from _folders(files, [name for name in names if dirname(name) not in used])


def _ordered(name: str, files: Files, known: set[str], run: Run) -> list[str]:
    """The environments that a plan-environment or a deploy script names, in its order."""
    if name.endswith(_PLAN):
        source = files.read(name)
        return _existing(_of_plan(source, run), dirname(name), known) if source else []
    if name.endswith(".sh"):
        source = files.read(name)
        if source and len(source.data) <= _LARGEST_SCRIPT:
            return _existing(named_environments(source), dirname(name), known)
    return []


def _of_plan(source: Source, run: Run) -> list[str]:
    try:
        value = document_cache.yaml_document(source, run).value
    except InputError:
        return []
    entries = value.get("environments") if isinstance(value, dict) else None
    paths = map(environment_path, entries) if isinstance(entries, list) else ()
    return [path for path in paths if path is not None]


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
        sources = [files.read(name) for name in own]
        found = [sections_in(document_cache.decode(source)) if source is not None else set() for source in sources]
        if all(found) and any(sections - {PARAMETERS} for sections in found):
            each = join(folder, "*.yaml")
            about = f"{len(own)} environment{'' if len(own) == 1 else 's'} in {folder or '.'}, each on its own"
            key = folder.rpartition("/")[2] or "environments"
            remark = "the order is not known: for one stack, write [targets.NAME] with inputs in the order of -e"
            yield FoundTargets(key, about, {"each": each, "inputs": ["{path}"]}, tuple(own), (remark,))
