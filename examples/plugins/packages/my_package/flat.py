"""The smallest dialect: plain files, the later one wins."""

from dataclasses import dataclass

from lamina import plugin as lp

RULES = lp.Rules("the later file wins")


@dataclass(frozen=True)
class FlatOptions:
    """There is nothing to choose."""


def compile_inputs(inputs, options):
    """The plan: each file merged into those before it."""
    roots = (lp.read_yaml(source, inputs.run).root(source.name) for source in inputs.sources)
    yield from lp.output("result", lp.start(), *RULES.merges(("the later file wins", root) for root in roots))


DIALECT = lp.Dialect(
    name="flat",
    title="plain files",
    options=FlatOptions,
    detect=lambda inputs: False,
    compile=compile_inputs,
)
