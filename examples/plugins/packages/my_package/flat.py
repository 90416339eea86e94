"""The smallest dialect: plain files, the later one wins."""

from dataclasses import dataclass

from lamina import plugin as lp

RULES = lp.Rules("the later file wins")


@dataclass(frozen=True)
class FlatOptions:
    """There is nothing to choose."""


def compile_inputs(inputs, options):
    """The plan: each file merged into those before it."""
    documents = [(source.name, lp.read_yaml(source, inputs.run)) for source in inputs.sources]
    merges = RULES.merges(("the later file wins", document.root(name)) for name, document in documents)
    notes = [note for _, document in documents for note in document.notes]
    yield from lp.output("result", lp.start(), *merges, notes=notes)


DIALECT = lp.Dialect(
    name="flat",
    title="plain files",
    options=FlatOptions,
    detect=lambda inputs: False,
    compile=compile_inputs,
)
