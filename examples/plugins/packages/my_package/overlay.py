"""A dialect of its own: plain files, the later one wins."""

from dataclasses import dataclass

from lamina.dialects.registry import Dialect, option
from lamina.engine.node import LiteralNode, SourceNode
from lamina.engine.operators.mapping import Union
from lamina.engine.operators.whole import DESCEND, TAKE
from lamina.engine.plan import Directive, From, Merge, Output, Stage, Start
from lamina.engine.policy import Cases, Policy
from lamina.sources.document_cache import yaml_document
from lamina.values import ABSENT, ALL, MAPS

DEEP = Policy(
    Cases(
        (MAPS, MAPS, Union(Cases(((ABSENT,), ALL, TAKE), (ALL, ALL, DESCEND)))),
        (ALL, ALL, TAKE),
    ),
    "the later file wins",
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OverlayOptions:
    """There is nothing to choose, but every dialect has a manner."""

    compat: str = option("shipped", about="there is only one manner", choices=("shipped", "documented"))


def compile_inputs(inputs, options):
    """The plan: each file laid on those before it."""
    steps = [Start(directive=Directive("nothing yet"), take=From(source=LiteralNode({}, ())))]
    for source in inputs.sources:
        document = yaml_document(source)
        node = SourceNode(document.value, (), document.tape, 0, source.name)
        steps.append(Merge(directive=Directive("the later file wins"), take=From(source=node), policy=DEEP))
    yield Stage(title="overlay", outputs=(Output(name="result", steps=tuple(steps)),))


DIALECT = Dialect(
    name="overlay",
    title="plain overlays",
    options=OverlayOptions,
    claims=lambda inputs: False,
    compile=compile_inputs,
    lint="my_package.rules:RULES",
)
