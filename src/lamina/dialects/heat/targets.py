"""Targets of Heat in a repository: environments in the order of a plan-environment or of a deploy script.

Environments in folders of which neither says the order are targets one by one.
"""

from __future__ import annotations

import re
from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING, Final

from lamina._support.escapes import one_line
from lamina.dialects.heat.detect import sections_in
from lamina.dialects.heat.sections import PARAMETERS
from lamina.plugin import InputError
from lamina.plugin.extensions import FoundTargets
from lamina.sources import document_cache

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.plugin import Source
    from lamina.plugin.formats import Files
    from lamina.run import Run

_PLAN: Final = "plan-environment.yaml"
_LARGEST_SCRIPT: Final = 1024 * 1024
_CONTINUED: Final = re.compile(r"\\\r?\n")
_DEPLOY: Final = re.compile(
    r"^[^#\n]*\b(?:overcloud deploy|tripleo deploy|stack create|stack update)\s([^#;|&\n]*)", re.MULTILINE
)
_ENVIRONMENT: Final = re.compile(r"""(?<!\S)(?:-e[ \t]*|--environment(?:-file)?[ \t=]+)["']?([^\s"']+)""")


def find_targets(files: Files, names: Sequence[str], run: Run) -> Iterator[FoundTargets]:
    """A target for each order that is written down, else patterns for folders of environments."""
    known = set(names)
    used: set[str] = set()
    for name in names:
        paths = _ordered(name, files, run)
        found = [_existing(path, dirname(name), known) for path in paths]
        ordered = [each for each in found if each is not None]
        if ordered:
            used.update(map(dirname, ordered))
            key = name.rpartition("/")[2].partition(".")[0]
            about = f"{len(ordered)} environments in the order of {name}"
            missing = ", ".join(one_line(path) for path, each in zip(paths, found, strict=True) if each is None)
            remarks = (f"{name} also names these, which are not in the repository: {missing}",) if missing else ()
            yield FoundTargets(key, about, {"inputs": ordered}, (name, *ordered), remarks)
    yield from _folders(files, [name for name in names if dirname(name) not in used])


def _ordered(name: str, files: Files, run: Run) -> list[str]:
    """The environments that a plan-environment or a deploy script names, in its order."""
    source = files.read(name) if name.endswith((_PLAN, ".sh")) else None
    if source is None:
        return []
    return _of_plan(source, run) if name.endswith(_PLAN) else _of_script(source)


def _of_script(source: Source) -> list[str]:
    """The files behind `-e` in the one deploy command of a script."""
    if len(source.data) > _LARGEST_SCRIPT:
        return []
    commands = _DEPLOY.findall(_CONTINUED.sub(" ", source.data.decode("utf-8", "replace")))
    return _ENVIRONMENT.findall(commands[0]) if len(commands) == 1 else []


def _of_plan(source: Source, run: Run) -> list[str]:
    try:
        value = document_cache.yaml_document(source, run).value
    except InputError:
        return []
    entries = value.get("environments") if isinstance(value, dict) else None
    if not isinstance(entries, list):
        return []
    paths = [each.get("path") if isinstance(each, dict) else each for each in entries]
    return [path for path in paths if isinstance(path, str)]


def _existing(path: str, folder: str, known: set[str]) -> str | None:
    """A path as a file of the repository, from the folder of who names it or else from the root.

    Deploy scripts name files where they are installed; the last steps of such a path find them in the repository.
    """
    steps = [step for step in path.split("/") if step not in ("", ".", "~")]
    ends = ["/".join(steps[at:]) for at in range(len(steps))]
    candidates = [normpath(join(folder, path)), *(join(folder, end) for end in ends), *ends]
    return next((each for each in candidates if each in known), None)


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
