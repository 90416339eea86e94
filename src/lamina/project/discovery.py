"""Discovery: finds the targets of a repository, for a new project file.

Each dialect searches for its targets. A folder that one of them claims belongs to it: what another one finds inside is
ignored.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects import registry as dialects
from lamina.errors import InputError
from lamina.project.declared import SOURCES
from lamina.project.manifest import is_manifest
from lamina.protocol.extensions import FoundTargets, find_targets_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lamina.project.file_view import FileView
    from lamina.sources.inputs import Files
    from lamina.sources.source import Source

_DEEPEST = 8
"""How many folders may be in the key of a target."""
_SKIPPED = frozenset({"node_modules", "__pycache__", "output", "build", "dist", "venv"})
"""Folders with build results or installed packages."""


@dataclass(frozen=True, slots=True)
class Discovered:
    """An entry for the project file, with the dialect that found it; a manifest names its own."""

    dialect: str | None
    found: FoundTargets

    @property
    def is_supported(self) -> bool:
        """Whether it is something that can be rendered, and not only what was seen."""
        return bool(self.found.fields)


class _RepositoryFiles:
    """The files of a repository; one that cannot be read, such as a link that leads out of it, counts as absent."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def read(self, name: str) -> Source | None:
        try:
            return self._files.read(name)
        except InputError:
            return None

    def names(self) -> Sequence[str]:
        return self._files.names()

    def attached(self) -> Sequence[str]:
        return self._files.attached()


def entries_in(view: FileView) -> list[Discovered]:
    """The targets in a repository."""
    files = _RepositoryFiles(view.below(""))
    names = [name for name in files.names() if not _is_skipped(name)]
    entries = [Discovered(None, found) for found in _manifests(view, names)]
    for name in dialects.names():
        find = find_targets_of(dialects.find(name))
        entries += [Discovered(name, found) for found in find(files, names, view.run)] if find else []
    entries = [entry for entry in entries if not any(_covers(other, entry) for other in entries)]
    supported = _with_own_keys([entry for entry in entries if entry.is_supported])
    return [*supported, *(entry for entry in entries if not entry.is_supported), *_other_systems(names)]


_OTHER_SYSTEMS: Final = {
    "kustomization.yaml": "Kustomize",
    "kustomization.yml": "Kustomize",
    "top.sls": "Salt",
    "skaffold.yaml": "Skaffold",
    "helmfile.yaml": "Helmfile",
    "jsonnetfile.json": "Jsonnet",
    "terragrunt.hcl": "Terragrunt",
    "Berksfile": "Chef",
}
"""Systems of layered configuration that are not supported, by the files that they are known by."""


def _other_systems(names: Iterable[str]) -> Iterator[Discovered]:
    """What there is of systems that are not supported."""
    found: dict[str, list[str]] = {}
    for name in names:
        system = _OTHER_SYSTEMS.get(name.rpartition("/")[2])
        if system is not None:
            found.setdefault(system, []).append(name)
    for system, own in found.items():
        more = f" and {len(own) - 1:,} more" if len(own) > 1 else ""
        yield Discovered(None, FoundTargets("", f"{system}: {own[0]}{more}", {}, (), ("Lamina does not read it",)))


def _covers(other: Discovered, entry: Discovered) -> bool:
    """Whether everything that an entry claims is in a folder that another system claims."""
    if other.dialect == entry.dialect:
        return False
    folders = tuple(f"{claim}/" if claim else "" for claim in other.found.claims)
    return all(claim not in other.found.claims and claim.startswith(folders) for claim in entry.found.claims)


def is_skipped_folder(name: str) -> bool:
    """Whether a folder of this name has nothing that somebody wrote: build results, or installed packages."""
    return name.startswith(".") or name in _SKIPPED


def _is_skipped(name: str) -> bool:
    return any(map(is_skipped_folder, name.split("/")[:-1])) or not name.isprintable()


def _manifests(view: FileView, names: Iterable[str]) -> Iterator[FoundTargets]:
    for name in names:
        if name.endswith((".yaml", ".yml", ".json")) and "fleet" in name.rpartition("/")[2]:
            try:
                source = view.read(name)
                if source is None or not is_manifest(source, view.run):
                    continue
            except InputError:
                continue
            folder = name.rpartition("/")[0]
            key = re.sub(r"\.\w+$", "", name.rpartition("/")[2])
            yield FoundTargets(key, f"a fleet manifest: {name}", {"manifest": name}, (folder,))


def _with_own_keys(entries: list[Discovered]) -> list[Discovered]:
    """The entries with unique keys, by the folders they are in where names alone are not; if there are several, the
    targets of a pattern have its key as a prefix."""
    keys = [entry.found.key for entry in entries]
    for depth in range(1, _DEEPEST):
        again = {key for key, count in Counter(keys).items() if count > 1}
        if not again:
            break
        longer = [_key_below(entry.found, depth) for entry in entries]
        keys = [other if key in again else key for key, other in zip(keys, longer, strict=True)]
    taken: set[str] = set()
    named = []
    for entry, own in zip(entries, keys, strict=True):
        key, number = own, 1
        while key in taken:
            number += 1
            key = f"{own}-{number}"
        taken.add(key)
        fields = dict(entry.found.fields)
        if len(entries) > 1 and _is_pattern(entry):
            fields["name"] = f"{key}/{fields.get('name', '{name}')}"
        named.append(Discovered(entry.dialect, entry.found._replace(key=key, fields=fields)))
    return named


def _key_below(found: FoundTargets, depth: int) -> str:
    """The key after the names of so many folders above what it names."""
    claim = found.claims[0] if found.claims else ""
    steps = claim.split("/")
    if found.key != steps[-1]:
        steps = steps[:-1]  # a file
    if steps and found.key.startswith(steps[-1]):
        steps = steps[:-1]
    return "-".join([*steps[-depth:], found.key])


def as_toml(entries: Iterable[Discovered]) -> str:
    """The project file for what was found."""
    parts = ["# What is in this repository, for lamina; see `lamina schema project` for what may be written here.\n"]
    entries = list(entries)
    if ignore := list(dict.fromkeys(pattern for entry in entries for pattern in entry.found.ignore)):
        parts.append(f"ignore = {_value(ignore)}\n")
    parts += [_entry(entry) for entry in entries]
    return "\n".join(parts)


def _entry(entry: Discovered) -> str:
    found = entry.found
    lines = [f"# {text}" for text in (found.about, *found.remarks)]
    if not entry.is_supported:
        return "".join(f"{line}\n" for line in lines)
    lines.append(f"[{'patterns' if _is_pattern(entry) else 'targets'}.{_key(found.key)}]")
    lines += [f"dialect = {_value(entry.dialect)}"] if entry.dialect else []
    lines += [f"{name} = {_value(value)}" for name, value in found.fields.items()]
    return "".join(f"{line}\n" for line in lines)


def _is_pattern(entry: Discovered) -> bool:
    return bool(entry.found.fields.keys() & set(SOURCES))


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _value(key)


def _value(value: Any) -> str:
    """A value as TOML writes it: strings, booleans, lists of strings and tables of these."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list):
        if sum(map(len, value)) > 80:
            return "[\n" + "".join(f"  {_value(each)},\n" for each in value) + "]"
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
