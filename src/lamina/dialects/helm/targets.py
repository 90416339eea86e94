"""Targets of Helm in a repository: charts, each alone and with value files that are laid over it.

Applications of Argo CD and releases of Flux that name a chart of the repository say which files belong together and in
what order. Otherwise a file that is called `values-prod.yaml`, or is in a folder of overrides, is a guess; one that has
no key of the chart's values.yaml is for another chart.
"""

from __future__ import annotations

import re
from posixpath import dirname, join
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.helm.deployments import Deployment, deployments
from lamina.dialects.helm.detect import CHART_FILE
from lamina.plugin import extensions as lpx
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

_OVERLAY: Final = re.compile(r"(?:values[-._].+|.+[-._]values|values/[^/]+|values_overrides/.+)\.ya?ml")
_OVERRIDES: Final = "values_overrides"


def find_targets(files: lpf.Files, names: Sequence[str], run: lp.Run) -> Iterator[lpx.FoundTargets]:
    """The charts that are no subcharts of others, and what is deployed of them."""
    charts = [dirname(name) for name in names if name.rpartition("/")[2] == CHART_FILE]
    known = frozenset(charts)
    outer = [chart for chart in charts if not _is_subchart(chart, known)]
    if not outer:
        return
    deployed = list(deployments(files, names, frozenset(outer), run))
    taken = {(each.chart, each.value_files) for each in deployed}
    for each in deployed:
        yield _deployed(each)
    for chart in outer:
        if _is_library(files, chart, run):
            continue
        yield lpx.FoundTargets(_key(chart), f"a Helm chart: {chart or '.'}", {"inputs": [chart or "."]}, _claims(chart))
        keys = _mapping(files, join(chart, "values.yaml"), run).keys()
        for file in _overlays(chart, names):
            if (chart, (file,)) not in taken and (not keys or keys & _mapping(files, file, run).keys()):
                yield _guessed(chart, file)


def is_value_file(name: str) -> bool:
    """Whether a file in the folder of a chart could be one of values; most others are templates and manifests."""
    folder, _, own = name.rpartition("/")
    parts = folder.split("/")
    return not {"templates", "crds", "ci", "files"} & {*parts} and bool(own == "values.yaml" or _OVERLAY.fullmatch(own))


def _is_subchart(chart: str, charts: Collection[str]) -> bool:
    """Whether a chart is in the folder `charts` of another one."""
    parent = dirname(chart)
    return parent.rpartition("/")[2] == "charts" and dirname(parent) in charts


def _is_library(files: lpf.Files, chart: str, run: lp.Run) -> bool:
    return bool(_mapping(files, join(chart, CHART_FILE), run).get("type") == "library")


def _mapping(files: lpf.Files, path: str, run: lp.Run) -> dict[Any, Any]:
    """The content of a file; empty if it is no mapping, or cannot be read."""
    try:
        source = files.read(path)
        value: Any = lpf.read_go_yaml(source, run).value if source is not None else None
    except lp.InputError:
        return {}
    return value if isinstance(value, dict) else {}


def _overlays(chart: str, names: Sequence[str]) -> Iterator[str]:
    """The files that are likely laid over the chart, by their names: in its folder, or in one for overrides."""
    prefix = f"{chart}/" if chart else ""
    beside = f"{join(dirname(chart), _OVERRIDES, chart.rpartition('/')[2])}/"
    for name in names:
        inside = name.removeprefix(prefix) if name.startswith(prefix) else ""
        is_inside = _OVERLAY.fullmatch(inside) is not None and (inside.startswith(_OVERRIDES) or inside.count("/") < 2)
        if is_inside or (chart and name.startswith(beside) and name.endswith((".yaml", ".yml"))):
            yield name


def _deployed(each: Deployment) -> lpx.FoundTargets:
    inputs = [each.chart or ".", *each.value_files]
    fields: dict[str, Any] = {"inputs": inputs}
    if each.parameters:
        fields["options"] = {name: list(given) for name, given in each.parameters.items()}
    about = f"{each.kind} {each.name} in {each.file}: {', '.join(inputs)}"
    return lpx.FoundTargets(each.name, about, fields, (*_claims(each.chart), *each.value_files), each.remarks)


def _guessed(chart: str, file: str) -> lpx.FoundTargets:
    """A file that is likely laid over a chart."""
    inputs = [chart or ".", file]
    stem = re.sub(r"\.ya?ml$", "", file.rpartition("/")[2])
    word = re.sub(r"^values[-._]|[-._]values$", "", stem)
    remark = f"a guess: {file} may be used with other files; if it is right, remove guessed"
    about = f"a Helm chart: {', '.join(inputs)}"
    return lpx.FoundTargets(
        f"{_key(chart)}-{word}", about, {"inputs": inputs, "guessed": True}, (*_claims(chart), file), (remark,)
    )


def _claims(chart: str) -> tuple[str, ...]:
    return (chart,) if chart else (CHART_FILE, "values.yaml")


def _key(chart: str) -> str:
    return chart.rpartition("/")[2] or "chart"
