"""Targets of plain layers in a repository: hierarchies, values of Helm charts, and Compose files with overrides."""

from __future__ import annotations

import re
from posixpath import dirname, join
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.layers import documents
from lamina.dialects.layers.detect import HIERARCHY_FILES
from lamina.plugin import extensions as lpx
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_VALUES: Final = ("values.yaml", "values.yml")
_OVERLAY: Final = re.compile(r"(?:values[-._]?.+|.+[-._]values)\.ya?ml|values/[^/]+\.ya?ml")
_COMPOSE: Final = re.compile(r"(?P<stem>(?:docker-)?compose)\.(?P<ending>ya?ml)")


def find_targets(files: lpf.Files, names: Sequence[str], run: lp.Run) -> Iterator[lpx.FoundTargets]:
    """What goes by its names; of a hierarchy the file is looked into."""
    by_folder: dict[str, list[str]] = {}
    for name in names:
        by_folder.setdefault(dirname(name), []).append(name.rpartition("/")[2])
    for folder, own in by_folder.items():
        yield from _hierarchy(files, run, folder, own)
        yield from _helm_values(files, run, folder, own, by_folder.get(join(folder, "values"), ()))
        yield from _compose(files, run, folder, own)


def _hierarchy(files: lpf.Files, run: lp.Run, folder: str, own: Sequence[str]) -> Iterator[lpx.FoundTargets]:
    for name in HIERARCHY_FILES:
        path = join(folder, name)
        if name in own and _has_layers(files, run, path):
            claims = (folder,) if folder else tuple(own)
            yield lpx.FoundTargets(
                _key(folder, "nodes"), f"layers with nodes: {path}", {"nodes": folder or "."}, claims
            )
            return


def _has_layers(files: lpf.Files, run: lp.Run, path: str) -> bool:
    value = _mapping(files, run, path)
    return "layers" in value and bool(value.keys() & {"inventory", "nodes"})


def _helm_values(
    files: lpf.Files, run: lp.Run, folder: str, own: Sequence[str], inside: Sequence[str]
) -> Iterator[lpx.FoundTargets]:
    """values.yaml with the files that are laid over it: beside it, or in a folder values.

    A file that has none of the keys of values.yaml is for another chart.
    """
    base = next((name for name in _VALUES if name in own), None)
    overlays = [name for name in (*own, *(f"values/{each}" for each in inside)) if _OVERLAY.fullmatch(name)]
    overlays = [name for name in overlays if name != base]
    if base is None or not (overlays or "Chart.yaml" in own):
        return
    keys = _mapping(files, run, join(folder, base)).keys()
    overlays = [name for name in overlays if not keys or keys & _mapping(files, run, join(folder, name)).keys()]
    for overlay in [None, *overlays]:
        inputs = [join(folder, name) for name in (base, overlay) if name is not None]
        about = f"values of a Helm chart: {', '.join(inputs)}"
        key = _key(folder, "values") if overlay is None else _overlay_key(folder, overlay)
        yield _preset(key, about, inputs, "helm-values", guessed=overlay is not None)


def _compose(files: lpf.Files, run: lp.Run, folder: str, own: Sequence[str]) -> Iterator[lpx.FoundTargets]:
    """A Compose file: with its override file, if there is one, and with each of the others that is no whole one."""
    base = next((match for name in own if (match := _COMPOSE.fullmatch(name))), None)
    if base is None:
        return
    variant = re.compile(rf"{re.escape(base['stem'])}[.-]([\w-]+)\.ya?ml")
    variants = {match[1]: name for name in own if (match := variant.fullmatch(name))}
    override = variants.pop("override", None)
    services = _services(files, run, join(folder, base[0]))
    whole = {key for key, name in variants.items() if _is_whole(_services(files, run, join(folder, name)), services)}
    for key, others in [(None, [override] if override else []), *((key, [name]) for key, name in variants.items())]:
        inputs = [join(folder, name) for name in (() if key in whole else (base[0],)) + tuple(others)]
        about = f"a Compose file: {', '.join(inputs)}"
        name = _key(folder, "compose") + (f"-{key}" if key else "")
        yield _preset(name, about, inputs, "docker-compose", guessed=len(inputs) > 1 and key is not None)


def _mapping(files: lpf.Files, run: lp.Run, path: str) -> dict[Any, Any]:
    """The content of a file; empty if it is no mapping, or cannot be read."""
    try:
        source = files.read(path)
        value: Any = documents.read(source, run).value if source is not None else None
    except lp.InputError:
        return {}
    return value if isinstance(value, dict) else {}


def _services(files: lpf.Files, run: lp.Run, path: str) -> dict[Any, Any]:
    services = _mapping(files, run, path).get("services")
    return services if isinstance(services, dict) else {}


def _is_whole(services: dict[Any, Any], base: dict[Any, Any]) -> bool:
    """Whether a Compose file is one of its own: all its services can run, and it repeats what the base says of one."""
    described = [each for each in services.values() if isinstance(each, dict)]
    runs = bool(described) and all(each.keys() & {"image", "build", "extends"} for each in described)
    return runs and any(
        key in fields and fields[key] == value
        for name, each in base.items()
        if isinstance(each, dict) and isinstance(fields := services.get(name), dict)
        for key, value in each.items()
    )


def _preset(key: str, about: str, inputs: list[str], preset: str, *, guessed: bool) -> lpx.FoundTargets:
    """A target with the rules of a preset; that a file is laid over another one may be no more than a guess."""
    fields: dict[str, Any] = {"inputs": inputs, "options": {"preset": preset}}
    if not guessed:
        return lpx.FoundTargets(key, about, fields, tuple(inputs))
    remark = (
        f"a guess: {inputs[-1]} may be used without {inputs[0]}, or with other files; if it is right, remove guessed"
    )
    return lpx.FoundTargets(key, about, {**fields, "guessed": True}, tuple(inputs), (remark,))


def _key(folder: str, otherwise: str) -> str:
    return folder.rpartition("/")[2] or otherwise


def _overlay_key(folder: str, overlay: str) -> str:
    """A name such as `shop-prod`, of the folder and what the file is called besides values."""
    stem = re.sub(r"\.ya?ml$", "", overlay.rpartition("/")[2])
    word = re.sub(r"^values[-._]?|[-._]values$", "", stem) or stem
    return f"{_key(folder, 'values')}-{word}"
