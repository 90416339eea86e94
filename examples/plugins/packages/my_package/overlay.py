"""A dialect of its own: plain files, the later one wins; a folder with `nodes` holds a fleet.

Files are merged as they are given. Of a folder, a node is merged from `base.yaml`, the file of its role in `roles`, and
its own file in `nodes`. Numbers below `limits` only grow, and
a key that a later file sets to null is removed. `${name}` in a string is the name of the node, and `${KEY}`
what `--set KEY=VALUE` says.
"""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from lamina import plugin as lp
from lamina.plugin import extensions as lpx
from lamina.plugin import operators as lpo


class Largest:
    """An operator of its own: of two numbers the larger one."""

    name = "largest"

    def apply(self, old, new, policy, trail, context):
        return lpo.NEW if new > old else lpo.OLD


KEYS = lp.Cases(((lp.ABSENT,), lp.ALL, lp.TAKE), (lp.ALL, (lp.NULL,), lp.DELETE), (lp.ALL, lp.ALL, lp.DESCEND))
MAPPINGS = (lp.MAPS, lp.MAPS, lp.Union(KEYS))
LATER_WINS = lp.Policy(
    lp.Cases(MAPPINGS, (lp.LISTS, lp.LISTS, lpo.JoinLists()), (lp.ALL, lp.ALL, lp.TAKE)), "the later file wins"
)
LIMITS = lp.Cases(MAPPINGS, (lp.NUMBERS, lp.NUMBERS, Largest()), (lp.ALL, lp.ALL, lp.TAKE))
POLICY = lp.PathPolicy([lp.PathRule(lambda names: names[:1] == ("limits",), LIMITS, "limits only grow")], LATER_WINS)


@dataclass(frozen=True, kw_only=True)
class OverlayOptions:
    """What can be asked for."""

    node: str | None = lp.option(None, flag="--node", about="only this node of a folder")
    variables: tuple = lp.option((), flag="--set", many=True, about="KEY=VALUE: what ${KEY} in a string becomes")


def detect(inputs):
    """Whether a folder has nodes and what is common to them."""
    return inputs.kind_of("nodes") == "folder" and inputs.kind_of("base.yaml") == "file"


def nodes_of(inputs, name="*"):
    """The files of the nodes, by name; of one node without looking at the others."""
    return {PurePosixPath(source.name).stem: source for source in inputs.glob(f"nodes/{name}.yaml")}


def layers_of(inputs, node):
    """The files a node is merged from, with what people call them; a file that does not exist is None."""
    value = lp.read_yaml(node, inputs.run).value
    role = value.get("role") if isinstance(value, dict) else None
    for name in ("base.yaml", f"roles/{role}.yaml"):
        yield name, next(iter(inputs.glob(name)), None)
    yield "the node itself", node


def filled_in(variables):
    """The function that fills variables into a string."""

    def value_of(match):
        if match[1] not in variables:
            hint = f"give it with --set {match[1]}=VALUE"
            raise lp.Reject(lp.Diagnostic(code="unset-variable", message=f"nothing says what {match[0]} is", hint=hint))
        return variables[match[1]]

    return lambda string: re.sub(r"\$\{(\w+)\}", value_of, string)


def steps(documents, variables):
    """Each document merged into those before it."""
    yield lp.start()
    for name, document in documents:
        yield lp.merge(lp.rewrite(document.root(name), string=filled_in(variables)), POLICY)


def result(name, sources, variables, run):
    """One output."""
    documents = [(source.name, lp.read_yaml(source, run)) for source in sources]
    return lp.output(name, *steps(documents, variables))


def compile_inputs(inputs, options):
    """The plan: one output for files, one for each node of a folder."""
    variables = dict(each.partition("=")[::2] for each in options.variables)
    nodes = nodes_of(inputs, options.node or "*") if inputs.folders else {}
    if options.node is not None and options.node not in nodes:
        known = ", ".join(nodes_of(inputs)) or "none"
        raise lp.Reject(
            lp.Diagnostic(code="no-such-node", message=f"there is no node {options.node}", hint=f"known: {known}")
        )
    yield lp.ResultSpec(shape="list" if nodes and options.node is None else "one", noun="node")
    if not nodes:
        yield from result("result", inputs.sources, variables, inputs.run)
    for name, node in nodes.items():
        sources = [source for _, source in layers_of(inputs, node) if source is not None]
        yield from result(name, sources, {**variables, "name": name}, inputs.run)


def node_layers(inputs, options):
    """Every node with its layers, for `lamina targets`."""
    for name, node in nodes_of(inputs).items():
        layers = [(entry, source.name if source else None) for entry, source in layers_of(inputs, node)]
        yield lpx.NodeLayers(name, None, tuple(lpx.NodeLayer(entry, entry, file) for entry, file in layers))


def scope(options):
    """All nodes are linted, compared and reported, unless one is asked for."""
    return options if options.node is None else None


FLEET = lpx.Fleet(
    nodes=lambda inputs, options: (lpx.FleetNode(name=name, options={"node": name}) for name in nodes_of(inputs)),
    layers=node_layers,
)
DIALECT = lp.Dialect(
    name="overlay",
    title="plain overlays",
    options=OverlayOptions,
    detect=detect,
    compile=compile_inputs,
    extensions={
        "lint": "my_package.rules:RULES",
        "codes": "my_package.rules:CODES",
        "fleet": "my_package.overlay:FLEET",
        "scope": "my_package.overlay:scope",
    },
)
