"""Targets of Hiera in a repository: the nodes of each environment, which are its files of facts."""

from __future__ import annotations

import re
from posixpath import commonpath, dirname, join, normpath, relpath
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.hiera.config import read_config
from lamina.dialects.hiera.facts_files import ENDINGS, FOLDER
from lamina.dialects.hiera.layers import HIERA_YAML
from lamina.plugin import extensions as lpx
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

_VERSION_5: Final = re.compile(rb"^[\"']?version[\"']?\s*:\s*5\b", re.MULTILINE)
_VERSION_3: Final = re.compile(rb"^[\"']?:(?:hierarchy|backends)[\"']?\s*:", re.MULTILINE)
_CONFIG: Final = re.compile(r"(?:\w+[-_.])?hiera(?:[-_.]\w+)?\.ya?ml")
_MOST: Final = 100
"""How many files are looked into that may be a hiera.yaml of version 3."""


def find_targets(files: lpf.Files, names: Sequence[str], run: lp.Run) -> Iterator[lpx.FoundTargets]:
    """Each environment: a folder with a hiera.yaml of version 5 that is not a module, or the folder above it that has
    its data; then what there is of version 3."""
    known = frozenset(names)
    found: list[str] = []
    folders = [name.rpartition("/")[0] for name in names if name.rpartition("/")[2] == HIERA_YAML]
    for folder in sorted(folders, key=len):
        if (
            _is_inside(folder, found)
            or _is_module(folder, known)
            or not _matches(files, join(folder, HIERA_YAML), _VERSION_5)
        ):
            continue
        found.append(folder)
        yield _environment(files, names, folder, run)
    named = [name for name in names if _CONFIG.fullmatch(name.rpartition("/")[2])][:_MOST]
    old = [name for name in named if not _is_inside(dirname(name), found) and _matches(files, name, _VERSION_3)]
    if old:
        more = f" and {len(old) - 1} more" if len(old) > 1 else ""
        yield lpx.FoundTargets("", f"a hiera.yaml of version 3: {old[0]}{more}", {}, tuple(old), (_CONVERT,))


_CONVERT: Final = (
    "Lamina reads version 5: lookups are levels with name, path and data_hash there, as Puppet's manual says "
    "(Hiera: Upgrading to Hiera 5)"
)


def _environment(files: lpf.Files, names: Sequence[str], folder: str, run: lp.Run) -> lpx.FoundTargets:
    config = join(folder, HIERA_YAML)
    root = _root_of(files, folder, run)
    fields: dict[str, Any] = {"nodes": root or "."}
    remarks = []
    if root != folder:
        fields["options"] = {"hiera_config": relpath(config, root or ".")}
        remarks.append(f"its data is in {root or 'the root'}, above its folder")
    if not any(_is_facts_file(root, name) for name in names):
        file = join(root, FOLDER, "NAME.yaml")
        samples = sorted({dirname(name) for name in names if _is_sample(root, name)})
        remarks.append(
            "there are no facts, so that nodes are those that levels have a file for, and much may be unknown; "
            f"{file} is for the facts of a node, as `puppet facts` prints them"
        )
        remarks += [
            f"{each} has facts of machines: --facts {each}/NAME.json renders a node with them" for each in samples
        ]
    claims = (root,) if root == folder else (folder, config)
    key = folder.rpartition("/")[2] or "nodes"
    return lpx.FoundTargets(key, f"a Hiera environment: {config}", fields, claims, tuple(remarks))


def _root_of(files: lpf.Files, folder: str, run: lp.Run) -> str:
    """The folder that has the data of a hiera.yaml: its own, or one above it that its datadirs lead to."""
    config = join(folder, HIERA_YAML)
    source = files.read(config)
    try:
        found = None if source is None else read_config(source, config, "environment", run)
    except (lp.Reject, lp.InputError):
        return folder  # linting it says what is wrong with it
    root = folder
    for level in found.levels if found else ():
        datadir = level.datadir.text.partition("%{")[0]
        path = normpath(join(folder, datadir))
        if not datadir.startswith("/") and path.split("/")[0] != "..":
            root = commonpath([root, path]) if root else ""
    return root


def _is_inside(folder: str, environments: Sequence[str]) -> bool:
    """Whether a folder belongs to an environment that was found: it is a module, or part of one."""
    return any(not each or folder.startswith(f"{each}/") for each in environments)


def _is_module(folder: str, names: Collection[str]) -> bool:
    """Whether a folder is a module by itself: it is in a folder of modules, or has the metadata of a module and not the
    configuration of an environment."""
    if folder.rpartition("/")[0].rpartition("/")[2].endswith("modules"):
        return True
    return join(folder, "metadata.json") in names and join(folder, "environment.conf") not in names


def _matches(files: lpf.Files, name: str, version: re.Pattern[bytes]) -> bool:
    source = files.read(name)
    return source is not None and version.search(source.data) is not None


def _is_sample(root: str, name: str) -> bool:
    """Whether a file has facts that Onceover tests roles with."""
    return name.startswith(join(root, "spec/factsets", "")) and name.endswith(".json")


def _is_facts_file(folder: str, name: str) -> bool:
    parent, _, own = name.rpartition("/")
    return parent == join(folder, FOLDER) and own.endswith(ENDINGS)
