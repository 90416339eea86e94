"""The smallest dialect: plain files, the later one wins."""

from dataclasses import dataclass

from lamina import plugin as lp

KEYS = lp.Cases(((lp.ABSENT,), lp.ALL, lp.TAKE), (lp.ALL, lp.ALL, lp.DESCEND))
LATER_WINS = lp.Policy(lp.Cases((lp.MAPS, lp.MAPS, lp.Union(KEYS)), (lp.ALL, lp.ALL, lp.TAKE)), "the later file wins")


@dataclass(frozen=True)
class FlatOptions:
    """There is nothing to choose."""


def compile_inputs(inputs, options):
    """The plan: each file merged into those before it."""
    layers = [lp.read_yaml(source).root(source.name) for source in inputs.sources]
    yield from lp.output("result", lp.start(), *(lp.merge(layer, LATER_WINS) for layer in layers))


DIALECT = lp.Dialect(
    name="flat",
    title="plain files",
    options=FlatOptions,
    detect=lambda inputs: False,
    compile=compile_inputs,
)
