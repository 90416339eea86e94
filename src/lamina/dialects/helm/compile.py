"""From a chart and what the user gives to a plan.

1. `values given`: files, then what is set, each over those before.
2. For each chart that lists dependencies, from above: `conditions of PATH`, its values with all subcharts on. They
   decide which are.
3. For each chart with listed dependencies that are on, from below: its defaults with those of its subcharts, and what
   it imports from them.
4. The values of the chart: what is given, and the defaults of all charts that are on filled in below.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.helm import conditions, imports, messages
from lamina.dialects.helm.chart import Chart, ChartFolder, chart_folder, load_chart
from lamina.dialects.helm.coalesce import Coalescing, nests_globals, stop_if_failed
from lamina.dialects.helm.given import NAME as GIVEN
from lamina.dialects.helm.given import given_output, value_mappings
from lamina.dialects.helm.schema import check_schemas
from lamina.dialects.helm.uses import ChartUse, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.helm.options import HelmOptions
    from lamina.plugin import extensions as lpx

VALUES: Final = "values"
"""The output of the chart's values."""


@dataclass(slots=True, eq=False)
class Release:
    """What a plan was made from, for views: the chart, and its use with the subcharts that are on."""

    chart: Chart
    use: ChartUse
    folder: ChartFolder
    files: tuple[lp.SourceNode, ...]
    """The mappings of the value files, in order."""
    given: Any = None
    defaults: lp.Node = field(default_factory=lambda: lp.LiteralNode({}, ()))
    """The values without what is given."""


def compile_inputs(inputs: lp.Inputs, options: HelmOptions) -> lp.Compiler:
    """The plan: one output that holds the values of the chart and of its subcharts."""
    yield lp.ResultSpec(own_path=own_path)
    files = value_mappings(inputs)
    given = given_output(inputs, options, files)
    results = yield lp.Stage(title="what is given", outputs=(given,))
    stop_if_failed(results, GIVEN)
    folder = chart_folder(inputs, options.chart)
    chart = load_chart(folder, inputs.run)
    _check_root(chart)
    release = Release(chart, ChartUse.of(chart), folder, files, results[GIVEN].value)
    yield from conditions.decide(release.use)
    shares_globals = nests_globals(results[GIVEN].value) or _may_nest_globals(chart)
    gathered = yield from imports.gather(release.use, shares_globals=shares_globals)
    below = (release.given, gathered.value) if gathered is not None else ()
    release.defaults = gathered or chart.values or release.defaults
    values = Coalescing(lp.From(source=lp.OutputRef(GIVEN)), shares_globals=shares_globals, below=below)
    values.add_chart(release.use)
    output = lp.Output(name=VALUES, steps=tuple(values.steps), hidden=options.manifest is not None)
    results = yield lp.Stage(title="values", outputs=(output,), notes=tuple(_notes(chart)), facts=release)
    stop_if_failed(results, VALUES)
    check_schemas(release.use, results[VALUES].node, inputs.run)
    if options.manifest is not None:
        from lamina.dialects.helm.manifest import manifest_stage  # it runs programs, and few ask for it

        yield manifest_stage(inputs, options, results[GIVEN].value, release.use, results[VALUES].node)


def release_of(result: lpx.Rendered) -> Release:
    """What a result was made from."""
    found = next(stage.facts for stage in result.plan.stages if isinstance(stage.facts, Release))
    assert isinstance(found, Release)
    return found


def own_path(path: lp.Path) -> lp.Path:
    """`charts/a/charts/b:image.tag` as the path in the chart's values, `a.b.image.tag`; `.:` is the chart itself."""
    first = path[0] if path else None
    if not isinstance(first, str) or ":" not in first:
        return path
    chart, _, key = first.partition(":")
    parts = chart.split("/") if chart not in ("", ".") else []
    if any(part != "charts" for part in parts[::2]) or len(parts) % 2:
        return path
    return (*parts[1::2], *((key,) if key else ()), *path[1:])


def _may_nest_globals(chart: Chart) -> bool:
    """Whether a chart or one of its subcharts nests globals, or may do so by what it imports."""
    if chart.values is not None and nests_globals(chart.values.value):
        return True
    imports = any(each.imports for each in chart.metadata.dependencies or ())
    return imports or any(map(_may_nest_globals, chart.subcharts))


def _check_root(chart: Chart) -> None:
    """What Helm asks of the chart itself, and not of its subcharts."""
    if chart.metadata.is_library:
        raise lp.Reject(messages.LIBRARY.at(chart.metadata.origin, name=chart.name))
    loaded = {each.name for each in chart.subcharts}
    for dependency in chart.metadata.dependencies or ():
        if dependency.name not in loaded:
            raise lp.Reject(messages.MISSING_DEPENDENCY.at(dependency.origin, name=dependency.name))


def _notes(chart: Chart, path: tuple[str, ...] = ()) -> Iterator[lp.Diagnostic]:
    """What there is to say about the files of a chart and of its subcharts."""
    if chart.requirements is not None and not chart.metadata.is_first_version:
        yield messages.REQUIREMENTS_FILE.at(chart.requirements.locate(0, 0), chart=shown(path))
    for each in chart.subcharts:
        yield from _notes(each, (*path, each.name))
