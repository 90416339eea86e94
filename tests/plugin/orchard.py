"""A dialect written with `lamina.plugin` alone, as its author would after reading the how-to.

Trees grow in rows. `orchard.yaml` holds what all rows share; `rows/NAME.yaml` holds one row. A list never holds a
sort twice; `harvest` is counted up; `@row` in a string is the name of the row, and `@@` an at sign.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lamina import plugin as lp
from lamina.plugin import extensions as lpx
from lamina.plugin import operators as lpo


class Distinct:
    """The items of both lists, each once; what a row repeats stays where it was first."""

    name = "distinct"

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, context: lpo.MergeContext) -> lpo.Delta:
        context.spend(len(old) + len(new))
        fresh = [at for at, item in enumerate(new) if item not in old and item not in new[:at]]
        slices = [lpo.Slice("old", 0, len(old)), *(lpo.Slice("new", at, at + 1) for at in fresh)]
        return lpo.ListDelta([*old, *(new[at] for at in fresh)], tuple(slices))


class Add:
    """The sum of two numbers."""

    name = "add"

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, context: lpo.MergeContext) -> lpo.Delta:
        return lpo.computed(old + new, "added")


KEYS = lp.Cases(((lp.ABSENT,), lp.ALL, lp.TAKE), (lp.ALL, lp.ALL, lp.DESCEND))
USUAL = lp.Cases(
    (lp.MAPS, lp.MAPS, lp.Union(KEYS)),
    (lp.LISTS, lp.LISTS, Distinct()),
    (lp.MAPS, lp.PRESENT, lpo.RejectPair("mapping-meets-other")),
    (lp.ALL, lp.ALL, lp.TAKE),
)
COUNTED = lp.Cases((lp.NUMBERS, lp.NUMBERS, Add()), (lp.ALL, lp.ALL, lp.TAKE))
POLICY = lp.PathPolicy(
    [lp.PathRule(lambda names: names == ("harvest",), COUNTED, "harvests are added")],
    lp.Policy(USUAL, "the row wins"),
)
FAULTS = {
    "mapping-meets-other": lp.Message(
        code="orchard-types", message="{path} is a mapping, and {layer} has {new_kind}", hint="write a mapping"
    )
}


@dataclass(frozen=True, kw_only=True)
class OrchardOptions:
    """What can be asked of an orchard."""

    row: str | None = lp.option(None, flag="--row", short="-r", about="only this row")
    season: int = lp.option(0, flag="--season", about="the year, which @season in a string becomes")


def rows(inputs: lp.Inputs) -> dict[str, lp.Source]:
    """The rows by name."""
    return {source.name.rpartition("/")[2].removesuffix(".yaml"): source for source in inputs.glob("rows/*.yaml")}


def filled(node: lp.SourceNode, values: dict[str, str]) -> lp.Node:
    """A document with what its strings ask for."""

    def value_of(match: re.Match[str]) -> str:
        if match[1] in values:
            return values[match[1]]
        raise lp.Reject(
            lp.Diagnostic(
                code="orchard-word", message=f"@{match[1]} stands for nothing", hint="write @@ for an at sign"
            )
        )

    return lp.rewrite(node, string=lambda text: re.sub(r"@(\w+|@)", value_of, text))


def compile_inputs(inputs: lp.Inputs, options: OrchardOptions) -> lp.Compiler:
    """One output a row, on top of what all rows share."""
    found = rows(inputs)
    if options.row is not None and options.row not in found:
        hint = f"known: {', '.join(found)}"
        raise lp.Reject(lp.Diagnostic(code="no-such-row", message=f"there is no row {options.row}", hint=hint))
    wanted = list(found) if options.row is None else [options.row]
    yield lp.ResultSpec(shape="list" if options.row is None else "one", noun="row")
    for name in wanted:
        values = {"row": name, "season": str(options.season), "@": "@"}
        layers = [*inputs.glob("orchard.yaml"), found[name]]
        yield from lp.output(name, lp.start(), *(step(source, values, inputs.run) for source in layers))


def step(source: lp.Source, values: dict[str, str], run: lp.Run) -> lp.Merge:
    """The step that merges a layer, with the words for what cannot be merged."""
    node = filled(lp.read_yaml(source, run).root(source.name), values)
    return lp.Merge(
        directive=lp.Directive("the row wins"),
        take=lp.From(source=node),
        policy=POLICY,
        faults=FAULTS,
        subject=source.name,
    )


def layers(inputs: lp.Inputs, options: OrchardOptions) -> Iterator[lpx.NodeLayers]:
    """What each row is made of."""
    shared = [source.name for source in inputs.glob("orchard.yaml")]
    for name, source in rows(inputs).items():
        files = [*shared, source.name]
        yield lpx.NodeLayers(name, None, tuple(lpx.NodeLayer(file, file, file) for file in files))


def unripe(result: lpx.Rendered) -> Iterator[lp.Diagnostic]:
    """Rows without a harvest."""
    for output in result.outputs:
        if "harvest" not in output.value:
            at = lpx.origins_of(output.node)[0]
            yield lp.Diagnostic(
                code="unripe-row", message=f"{output.output.name} has no harvest", at=at, hint="add harvest"
            )


FLEET = lpx.Fleet(
    nodes=lambda inputs, options: (lpx.FleetNode(name=name, options={"row": name}) for name in rows(inputs)),
    layers=layers,
)
RULES = (
    lpx.LintRule(code="unripe-row", title="No harvest", about="A row gives nothing.", check=lpx.on_result(unripe)),
)
DIALECT = lp.Dialect(
    name="orchard",
    title="orchards",
    options=OrchardOptions,
    detect=lambda inputs: inputs.kind_of("orchard.yaml") == "file" and inputs.kind_of("rows") == "folder",
    compile=compile_inputs,
    extensions={"fleet": "orchard:FLEET", "lint": "orchard:RULES"},
)
