"""Targets of cloud-init in a repository: images, seeds with vendor-data and user-data, and files of user-data."""

from __future__ import annotations

import os
import re
from posixpath import dirname, join
from typing import TYPE_CHECKING

from lamina.dialects.cloudinit.folder import ENDINGS, starts_like_user_data
from lamina.protocol.extensions import FoundTargets

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.run import Run
    from lamina.sources.inputs import Files

_CONFIG = "etc/cloud/cloud.cfg"
_PARTS = ("user-data", "vendor-data", "vendor-data2")
_MOST = 5000
"""How many files are looked into."""
_TEMPLATES = re.compile(r"(?i).*\.(?:tftpl|tpl|tmpl|gotmpl|j2|jinja2?|template|skel|in|cc)")
_NAMED = re.compile(r"(?i)[^/]*(?:user[-_.]?data|cloud[-_.]?(?:config|init))[^/]*")
"""Names of files that may be user-data, whatever their endings say."""


def find_targets(files: Files, names: Sequence[str], run: Run) -> Iterator[FoundTargets]:  # noqa: ARG001 - the hook's signature
    """Folders laid out as on an image, folders with user-data, then patterns for files that start like user-data."""
    taken: set[str] = set()
    for name in names:
        folder = _layered_folder(name)
        if folder is None or folder in taken:
            continue
        taken.add(folder)
        key = folder.rpartition("/")[2] or "image"
        yield FoundTargets(key, f"cloud-init's layers in {folder or '.'}", {"inputs": [folder or "."]}, (folder,))
    inside = tuple(f"{folder}/" if folder else "" for folder in taken)
    yield from _single_files(files, [name for name in names if not (inside and name.startswith(inside))])


def _layered_folder(name: str) -> str | None:
    """The folder that a file identifies as an image root or a seed."""
    if name == _CONFIG or name.endswith(f"/{_CONFIG}"):
        return name.removesuffix(_CONFIG).rstrip("/")
    folder, _, own = name.rpartition("/")
    return folder if own in _PARTS else None


def _single_files(files: Files, names: Sequence[str]) -> Iterator[FoundTargets]:
    """Files of user-data, each a target: by a pattern if one matches them and no other file."""
    groups: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
    for name in [name for name in names if _may_be_user_data(name)][:_MOST]:
        source = files.read(name)
        is_user_data = source is not None and starts_like_user_data(source.data)
        key = dirname(name), os.path.splitext(name)[1]  # noqa: PTH122 - likewise
        groups.setdefault(key, ([], []))[not is_user_data].append(name)
    for (folder, ending), (matching, others) in groups.items():
        for group in _by_first_word(folder, matching, others):
            yield from _as_targets(folder, ending, group, others)


def _may_be_user_data(name: str) -> bool:
    own = name.rpartition("/")[2]
    is_usual = os.path.splitext(own)[1] in ENDINGS  # noqa: PTH122 - a name
    return is_usual or _TEMPLATES.fullmatch(own) is not None or _NAMED.fullmatch(own) is not None


def _by_first_word(folder: str, names: list[str], others: Sequence[str]) -> list[list[str]]:
    """The files of a folder; if there are others next to them, grouped by the first word of their names."""
    if not others:
        return [names] if names else []
    words: dict[str, list[str]] = {}
    for name in names:
        word = re.split(r"[-_.]", name.removeprefix(folder).lstrip("/"), maxsplit=1)[0]
        words.setdefault(word, []).append(name)
    return list(words.values())


def _as_targets(folder: str, ending: str, names: list[str], others: Sequence[str]) -> Iterator[FoundTargets]:
    """A pattern for the files, if there is one that matches no others; else each by its name."""
    start = join(folder, "") if not others else _common_start(names)
    if len(names) > 1 and not any(name.startswith(start) for name in others):
        key = folder.rpartition("/")[2] or start or "user-data"
        about = f"{len(names)} files of user-data, {start}*{ending}, each on its own"
        remark = "for an instance made of several of them, write [targets.NAME] with inputs in their order"
        fields = {"each": f"{start}*{ending}", "inputs": ["{path}"]}
        stems = {name.rpartition("/")[2].partition(".")[0] for name in names}
        if len(stems) < len(names):
            fields["name"] = "{1}"  # what the star stands for, since names up to the first dot are not unique
        yield FoundTargets(key, about, fields, tuple(names), (remark,))
        return
    for path in names:
        key = path.rpartition("/")[2].partition(".")[0]
        yield FoundTargets(key, f"user-data: {path}", {"inputs": [path]}, (path,))


def _common_start(names: Sequence[str]) -> str:
    first, last = min(names), max(names)
    return next((first[:at] for at in range(len(first)) if not last.startswith(first[: at + 1])), first)
