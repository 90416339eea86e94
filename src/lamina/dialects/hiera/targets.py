"""Targets of Hiera in a repository: the nodes of each environment, which are its files of facts."""

from __future__ import annotations

import re
from posixpath import join
from typing import TYPE_CHECKING, Final

from lamina.dialects.hiera.facts_files import ENDINGS, FOLDER
from lamina.dialects.hiera.layers import HIERA_YAML
from lamina.plugin import extensions as lpx
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from lamina import plugin as lp

_VERSION_5: Final = re.compile(rb"^[\"']?version[\"']?\s*:\s*5\b", re.MULTILINE)


def find_targets(
    files: lpf.Files,
    names: Sequence[str],
    run: lp.Run,  # noqa: ARG001 - the hook's signature
) -> Iterator[lpx.FoundTargets]:
    """Each environment: a folder with a hiera.yaml of version 5 that is not a module."""
    known = frozenset(names)
    found: list[str] = []
    folders = [name.rpartition("/")[0] for name in names if name.rpartition("/")[2] == HIERA_YAML]
    for folder in sorted(folders, key=len):
        if (
            _is_inside(folder, found)
            or _is_module(folder, known)
            or not _has_version_5(files, join(folder, HIERA_YAML))
        ):
            continue
        found.append(folder)
        has_facts = any(_is_facts_file(folder, name) for name in names)
        file = join(folder, FOLDER, "NAME.yaml")
        remark = (
            "there are no facts, so that nodes are those that levels have a file for, and much may be unknown; "
            f"{file} is for the facts of a node, as `puppet facts` prints them"
        )
        yield lpx.FoundTargets(
            folder.rpartition("/")[2] or "nodes",
            f"a Hiera environment: {join(folder, HIERA_YAML)}",
            {"nodes": folder or "."},
            (folder,),
            () if has_facts else (remark,),
        )


def _is_inside(folder: str, environments: Sequence[str]) -> bool:
    """Whether a folder belongs to an environment that was found: it is a module, or part of one."""
    return any(not each or folder.startswith(f"{each}/") for each in environments)


def _is_module(folder: str, names: Collection[str]) -> bool:
    """Whether a folder is a module by itself: it is in a folder of modules, or has the metadata of a module and not the
    configuration of an environment."""
    if folder.rpartition("/")[0].rpartition("/")[2].endswith("modules"):
        return True
    return join(folder, "metadata.json") in names and join(folder, "environment.conf") not in names


def _has_version_5(files: lpf.Files, name: str) -> bool:
    source = files.read(name)
    return source is not None and _VERSION_5.search(source.data) is not None


def _is_facts_file(folder: str, name: str) -> bool:
    parent, _, own = name.rpartition("/")
    return parent == join(folder, FOLDER) and own.endswith(ENDINGS)
