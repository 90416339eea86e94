"""Targets of Ansible in a repository: the inventory that ansible.cfg names, else each that has variables beside it."""

from __future__ import annotations

import re
from posixpath import dirname, join, splitext
from typing import TYPE_CHECKING, Any, Final

from lamina.plugin import extensions as lpx

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina import plugin as lp
    from lamina.plugin import formats as lpf

_VARIABLES: Final = re.compile(r"(?:(?P<folder>.*)/)?(?:group_vars|host_vars)/.+")
_NAMED: Final = re.compile(rb"^\s*inventory\s*=\s*\S", re.MULTILINE)
_SOURCE: Final = re.compile(r"(?:hosts|inventory|all-in-one|multinode|production|staging)[^/]*(?:\.ini|\.ya?ml)?")
_NOT_OURS: Final = re.compile(r"(?:.*/)?(?:roles|molecule|tests?|collections)/.*")


def find_targets(
    files: lpf.Files,
    names: Sequence[str],
    run: lp.Run,  # noqa: ARG001 - the hook's signature
) -> Iterator[lpx.FoundTargets]:
    """Folders with an ansible.cfg, and inventories with variables of groups or hosts."""
    roots = [dirname(name) for name in names if name.rpartition("/")[2] == "ansible.cfg" and not _NOT_OURS.match(name)]
    holders = {match["folder"] or "" for name in names if (match := _VARIABLES.fullmatch(name))}
    holders = {folder for folder in holders if not _NOT_OURS.match(f"{folder}/")}
    for root in roots:
        config = files.read(join(root, "ansible.cfg"))
        if config is not None and _NAMED.search(config.data):
            about = f"the inventory that {join(root, 'ansible.cfg')} names"
            yield lpx.FoundTargets(_key(root, "hosts"), about, {"nodes": root or "."}, (root,))
            holders = {folder for folder in holders if not _is_below(folder, root)}
    for folder in sorted(holders):
        root = max((root for root in roots if _is_below(folder, root)), key=len, default=folder)
        yield from _inventories(names, folder, root)


def _inventories(names: Sequence[str], folder: str, start: str) -> Iterator[lpx.FoundTargets]:
    """The sources beside variables, each a target of the folder that Ansible is started in."""
    sources = _sources(names, folder) or _sources(names, join(folder, "inventory"))
    for source in sources:
        path = source[len(start) :].lstrip("/")
        fields: dict[str, Any] = {"nodes": start or ".", "options": {"inventory": [path]}}
        key = splitext(source.rpartition("/")[2])[0] if len(sources) > 1 else _key(folder, "hosts")
        yield lpx.FoundTargets(key, f"the inventory {source}", fields, (folder,))


def _sources(names: Sequence[str], folder: str) -> list[str]:
    return [name for name in names if dirname(name) == folder and _SOURCE.fullmatch(name.rpartition("/")[2])]


def _is_below(folder: str, root: str) -> bool:
    return not root or folder == root or folder.startswith(f"{root}/")


def _key(folder: str, otherwise: str) -> str:
    return folder.rpartition("/")[2] or otherwise
