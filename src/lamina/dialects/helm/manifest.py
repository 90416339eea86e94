"""One manifest of a chart as the result, and below its history the values that a field of it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.helm import messages
from lamina.dialects.helm.coalesce import GLOBAL
from lamina.dialects.helm.field_links import FieldLinks, Links
from lamina.dialects.helm.program import HelmProgram
from lamina.plugin import extensions as lpx

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.dialects.helm.options import HelmOptions
    from lamina.dialects.helm.program import DocumentKey, Manifests
    from lamina.dialects.helm.uses import ChartUse

MANIFEST: Final = "manifest"


@dataclass(slots=True, eq=False)
class ManifestFacts:
    """Which document the result is, the values it was made with, and what finds links."""

    key: DocumentKey
    values: lp.Node
    links: FieldLinks


def manifest_stage(inputs: lp.Inputs, options: HelmOptions, given: Any, use: ChartUse, values: lp.Node) -> lp.Stage:
    """The stage whose output is the manifest that the caller asks for."""
    if options.helm is None:
        raise lp.UsageError(messages.HELM_REQUIRED.at())
    program = HelmProgram(options.helm, _chart(inputs, options), inputs.run, given)
    manifests = program.render_as_given(list(_arguments(inputs, options)))
    if manifests is None:
        raise lp.Reject(messages.HELM_FAILED.at(why=program.failure or "what it prints is no YAML"))
    key = _wanted(options.manifest or "", manifests)
    copies = frozenset((*path, GLOBAL) for path, _ in use.walk() if path)
    links = FieldLinks(program, values.value, copies, manifests)
    step = lp.start(manifests.documents[key], f"helm template, by {key[0]}")
    return lp.Stage(
        title=MANIFEST,
        outputs=(lp.Output(name=MANIFEST, steps=(step,)),),
        facts=ManifestFacts(key, values, links),
    )


def _chart(inputs: lp.Inputs, options: HelmOptions) -> str:
    folder = options.chart or (inputs.folders[0].name if inputs.folders else "")
    if not folder or not Path(folder).is_dir():
        raise lp.UsageError(messages.NO_CHART_ON_DISK.at())
    return folder


def _arguments(inputs: lp.Inputs, options: HelmOptions) -> Iterator[str]:
    """The user's own arguments, as Helm takes them."""
    for source in inputs.sources:
        yield from ("--values", source.name)
    for name in ("set_json", "set", "set_string", "set_file", "set_literal"):
        for argument in getattr(options, name):
            yield from (f"--{name.replace('_', '-')}", argument)


def _wanted(manifest: str, manifests: Manifests) -> DocumentKey:
    """The document that is called KIND/NAME."""
    called = {_name_of(value): key for key, value in manifests.documents.items() if isinstance(value, dict)}
    if manifest not in called:
        hint = lp.did_you_mean(manifest, sorted(called))
        raise lp.UsageError(messages.NO_SUCH_MANIFEST.at(manifest=manifest, hint=hint))
    return called[manifest]


def _name_of(value: dict[Any, Any]) -> str:
    metadata = value.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return f"{value.get('kind')}/{name}"


def context(result: lpx.Rendered, inputs: lp.Inputs, path: lp.Path) -> lpx.Context | None:  # noqa: ARG001 - the hook's
    """What a field of a manifest comes from; nothing for values."""
    facts = next((stage.facts for stage in result.plan.stages if isinstance(stage.facts, ManifestFacts)), None)
    if facts is None:
        return None
    links = facts.links.of(facts.key, path)
    lines = [*_lines(facts, links)]
    if links.unknown:
        lines.append(f"unknown because {links.unknown}")
    elif not lines:
        lines.append(f"no value was found that changes it: {facts.key[0]} writes it, or it follows from the release")
    if links.failing:
        shown = ", ".join(lp.show(each) for each in links.failing)
        lines.append(f"not tried, since Helm fails with another value: {shown}")
    return lpx.Context("\n".join(lines) + "\n", _data(facts, links))


def _lines(facts: ManifestFacts, links: Links) -> Iterator[str]:
    for word, paths in _by_word(links):
        for path in paths:
            node = facts.values.at(path)
            yield f"{word} {lp.show(path)}: {lpx.in_brief(node.value, 40)}  {_origin_of(node) or 'no line'}"


def _by_word(links: Links) -> Iterable[tuple[str, list[lp.Path]]]:
    return (("flows from", links.flows), ("decided by", links.decides), ("exists because of", links.exists))


def _origin_of(node: lp.Node) -> lp.Origin | None:
    return next(iter(lpx.origins_of(node)), None)


def _data(facts: ManifestFacts, links: Links) -> Any:
    """The same as plain data."""
    found: dict[str, Any] = {"template": facts.key[0]}
    for word, paths in _by_word(links):
        found[word.replace(" ", "-")] = [
            {
                "path": lp.show(path),
                "origin": lpx.origin_data(origin) if (origin := _origin_of(facts.values.at(path))) else None,
            }
            for path in paths
        ]
    found["failing"] = [lp.show(path) for path in links.failing]
    found["unknown"] = links.unknown or None
    return found


EXPLAIN: Final = lpx.Explain(context=context)
