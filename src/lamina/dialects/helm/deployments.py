"""What deploys a chart of the repository: Applications of Argo CD, HelmReleases of Flux, written as plain YAML."""

from __future__ import annotations

from dataclasses import dataclass, field
from posixpath import join, normpath
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence


_LARGEST: Final = 1_000_000
_MARKS: Final = (b"argoproj.io/", b"helm.toolkit.fluxcd.io/")
_INLINE: Final = "values that are written out in it are not taken: put them in a file, and name it"


@dataclass(frozen=True, slots=True)
class Deployment:
    """A chart of the repository with the value files it is deployed with, in order."""

    kind: str
    name: str
    file: str
    chart: str
    value_files: tuple[str, ...]
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What is set besides, by the name of the option."""
    remarks: tuple[str, ...] = ()


def deployments(files: lpf.Files, names: Sequence[str], charts: Collection[str], run: lp.Run) -> Iterator[Deployment]:
    """All that is deployed of some charts; files that are templates, or cannot be read, are passed over."""
    known = frozenset(names)
    for name in names:
        if not name.endswith((".yaml", ".yml")):
            continue
        source = files.read(name)
        if source is None or len(source.data) > _LARGEST or not any(mark in source.data for mark in _MARKS):
            continue
        try:
            documents = lpf.read_all_yaml(source, run) if b"{{" not in source.data else []
        except lp.InputError:
            continue
        for document in documents:
            found = _deployments(document.value, name, charts)
            yield from (each for each in found if all(file in known for file in each.value_files))


def _deployments(value: Any, file: str, charts: Collection[str]) -> Iterator[Deployment]:
    kind, version = _at(value, "kind"), str(_at(value, "apiVersion"))
    name, spec = _at(value, "metadata", "name"), _at(value, "spec")
    if not isinstance(name, str):
        return
    if kind == "Application" and version.startswith("argoproj.io/"):
        yield from _of_argo(name, spec, file, charts)
    elif kind == "HelmRelease" and version.startswith("helm.toolkit.fluxcd.io/"):
        yield from _of_flux(name, spec, file, charts)


def _of_argo(name: str, spec: Any, file: str, charts: Collection[str]) -> Iterator[Deployment]:
    """The sources of an Application; files of another source are named by its `ref`."""
    several = _at(spec, "sources")
    sources = [each for each in [_at(spec, "source"), *(several if isinstance(several, list) else [])] if each]
    references = {str(_at(each, "ref")) for each in sources if _at(each, "ref")}
    for source in sources:
        chart, helm = _at(source, "path"), _at(source, "helm")
        if not isinstance(chart, str) or _relative(chart) not in charts:
            continue
        place = _relative(chart)
        files = [_file_of_argo(each, place, references) for each in _list(_at(helm, "valueFiles"))]
        given: dict[str, tuple[str, ...]] = {}
        for option, forced in (("set", False), ("set_string", True)):
            found = [each for each in _list(_at(helm, "parameters")) if bool(_at(each, "forceString")) is forced]
            if found:
                given[option] = tuple(f"{_at(each, 'name')}={_escaped(_at(each, 'value'))}" for each in found)
        inline = (_INLINE,) if _at(helm, "values") or _at(helm, "valuesObject") else ()
        yield Deployment("Application", name, file, place, tuple(files), given, inline)


def _file_of_argo(name: Any, chart: str, references: Collection[str]) -> str:
    text = str(name)
    reference, _, rest = text.removeprefix("$").partition("/")
    if text.startswith("$") and reference in references:
        return _relative(rest)
    return _relative(text) if text.startswith("/") else _relative(join(chart, text))


def _of_flux(name: str, spec: Any, file: str, charts: Collection[str]) -> Iterator[Deployment]:
    chart = _at(spec, "chart", "spec", "chart")
    if not isinstance(chart, str) or _relative(chart) not in charts:
        return
    files = tuple(_relative(str(each)) for each in _list(_at(spec, "chart", "spec", "valuesFiles")))
    # The files stand instead of the chart's own values, which they usually name first.
    own = join(_relative(chart), "values.yaml")
    inline = (_INLINE,) if _at(spec, "values") or _at(spec, "valuesFrom") else ()
    yield Deployment(
        "HelmRelease", name, file, _relative(chart), tuple(each for each in files if each != own), {}, inline
    )


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _relative(path: str) -> str:
    """A path as names of files in the repository are written."""
    found = normpath(path.lstrip("/") or ".")
    return "" if found == "." else found


def _escaped(value: Any) -> str:
    """A value as `--set` takes it, with its commas and backslashes."""
    text = ("true" if value else "false") if isinstance(value, bool) else str(value)
    return text.replace("\\", "\\\\").replace(",", "\\,")
