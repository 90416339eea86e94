"""Charts as they are on disk: metadata, default values and schema, and the charts in `charts/`.

All charts of a folder are loaded, also those that will turn out to be off: one that cannot be read stops Helm.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from lamina import plugin as lp
from lamina.dialects.helm import helmignore, messages
from lamina.dialects.helm.metadata import Metadata, read_metadata
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Sequence

_SUBCHARTS: Final = "charts/"
_DEEPEST: Final = 32
_PARTS: Final = ("Chart.yaml", "requirements.yaml", "values.yaml", "values.schema.json")


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, and the charts in its folder `charts/`, by the names of their folders."""

    metadata: Metadata
    values: lp.SourceNode | None
    """The mapping of values.yaml, if it is there and holds anything."""
    schema: lp.Source | None
    requirements: lp.Source | None
    subcharts: tuple[Chart, ...]

    @property
    def name(self) -> str:
        return self.metadata.name


@dataclass(frozen=True, slots=True)
class ChartFolder:
    """The files of a chart's folder, with the part of their names that leads there."""

    files: lpf.Files
    prefix: str = ""

    def read(self, name: str) -> lp.Source | None:
        return self.files.read(self.prefix + name)

    def names(self) -> Sequence[str]:
        """All names below the folder, without those that .helmignore hides."""
        found = [name.removeprefix(self.prefix) for name in self.files.names() if name.startswith(self.prefix)]
        rules = helmignore.IgnoreRules(self.read(helmignore.NAME))
        return [name for name in found if not rules.ignore(name)]


def chart_folder(inputs: lp.Inputs, chart: str | None) -> ChartFolder:
    """The folder of the chart: the one that the option names, or the only folder among the inputs."""
    if chart is not None:
        prefix = f"{chart.rstrip('/')}/"
        if any(name.startswith(prefix) for name in inputs.files.names()):
            return ChartFolder(inputs.files, prefix)
        return ChartFolder(inputs.folder(chart, "--chart takes the folder of a chart").files)
    if len(inputs.folders) != 1:
        found = "several folders" if inputs.folders else "no folder"
        raise lp.UsageError(messages.NO_CHART.at(found=found))
    return ChartFolder(inputs.folders[0].files)


def load_chart(folder: ChartFolder, run: lp.Run) -> Chart:
    """The chart in a folder with all its subcharts."""
    names = [name for name in folder.names() if name in _PARTS or name.startswith(_SUBCHARTS)]
    return _load(folder, names, "", run, 0)


def _load(folder: ChartFolder, names: Sequence[str], at: str, run: lp.Run, depth: int) -> Chart:
    """The chart whose files have some names, each below `at`."""
    parts = {part: folder.read(at + part) for part in _PARTS if part in names}
    source = parts.get("Chart.yaml")
    if source is None or depth > _DEEPEST:
        raise lp.Reject(_no_chart(folder.prefix + at, too_deep=depth > _DEEPEST))
    requirements = parts.get("requirements.yaml")
    values = read_values(parts.get("values.yaml"), run)
    metadata = read_metadata(source, requirements, run)
    inside: dict[str, list[str]] = {}
    for name in names:
        if name.startswith(_SUBCHARTS) and not name.endswith(".prov"):
            first, _, rest = name.removeprefix(_SUBCHARTS).partition("/")
            inside.setdefault(first, []).append(rest)
    subcharts = []
    for name, files in sorted(inside.items()):
        if name.startswith(("_", ".")):
            continue
        below = f"{at}{_SUBCHARTS}{name}"
        if name.endswith(".tgz"):
            raise lp.Reject(messages.PACKED_CHART.at(name=folder.prefix + below))
        subcharts.append(_load(folder, files, f"{below}/", run, depth + 1))
    return Chart(metadata, values, parts.get("values.schema.json"), requirements, tuple(subcharts))


def read_values(source: lp.Source | None, run: lp.Run) -> lp.SourceNode | None:
    """The mapping of a file of values; None if it holds nothing."""
    if source is None:
        return None
    try:
        document = lpf.read_go_yaml(source, run)
    except lp.InputError as error:
        # One code for whatever is wrong with a file of values; the message says what.
        raise lp.InputError.of(replace(each, code="yaml") for each in error.diagnostics) from None
    root = document.root(source.name)
    if document.value is None:
        return None
    if not isinstance(document.value, dict):
        raise lp.Reject(messages.VALUES_NOT_A_MAPPING.at(root.origin(), kind=lp.word_for(document.value)))
    return root


def _no_chart(at: str, *, too_deep: bool) -> lp.Diagnostic:
    if too_deep:
        return messages.NESTED_TOO_DEEP.at(deepest=_DEEPEST, at=at)
    return messages.NO_CHART_FILE.at(at=at.rstrip("/") or "the folder")
