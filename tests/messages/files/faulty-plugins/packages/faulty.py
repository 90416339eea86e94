"""Dialects with mistakes, one each; the one that rejects has none."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lamina import plugin as lp
from lamina.plugin import operators as lpo

KEYS = lp.Cases(((lp.ABSENT,), lp.ALL, lp.TAKE), (lp.ALL, lp.ALL, lp.DESCEND))
MAPPINGS = (lp.MAPS, lp.MAPS, lp.Union(KEYS))


class Careless:
    """Forgets to return anything."""

    name = "careless"

    def apply(self, *_: Any) -> Any:
        pass


class Rejecting:
    """Rejects two values as the how-to does."""

    name = "rejecting"

    def apply(self, old: Any, new: Any, _policy: lp.Policy, trail: lpo.Trail, context: lpo.MergeContext) -> lpo.Delta:
        context.reject("different-types", old, new, trail)
        return lpo.OLD


@dataclass(frozen=True)
class Options:
    """There is nothing to choose."""


def dialect(name: str, compile_inputs: Callable[..., lp.Compiler]) -> lp.Dialect[Options]:
    return lp.Dialect(name=name, title=name, options=Options, detect=lambda _: False, compile=compile_inputs)


def merging(operator: Any) -> Callable[..., lp.Compiler]:
    policy = lp.Policy(lp.Cases(MAPPINGS, (lp.LISTS, lp.MAPS, operator), (lp.ALL, lp.ALL, lp.TAKE)), "the later wins")

    def compile_inputs(inputs: lp.Inputs, _: Options) -> lp.Compiler:
        layers = [lp.read_yaml(source, inputs.run).root(source.name) for source in inputs.sources]
        yield from lp.output("result", lp.start(), *(lp.merge(layer, policy) for layer in layers))

    return compile_inputs


def crash(_inputs: lp.Inputs, _options: Options) -> lp.Compiler:
    values: dict[str, Any] = {}
    yield from lp.output("result", lp.start(values["missing"]))


def misuse(inputs: Any, _: Options) -> lp.Compiler:
    yield from lp.output("result", lp.start(), lp.merge(inputs, inputs))


CARELESS = dialect("careless", merging(Careless()))
CRASHING = dialect("crashing", crash)
MISUSING = dialect("misusing", misuse)
REJECTING = dialect("rejecting", merging(Rejecting()))
