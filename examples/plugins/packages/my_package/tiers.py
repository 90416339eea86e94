"""Nodes that include roles: a node is merged from `base.yaml`, the roles it includes, and its own file.

nodes/web-1.yaml    include: [web]         roles/web.yaml may include other roles
                    port: 8080
"""

from lamina import plugin as lp
from lamina.plugin import formats as lpf
from lamina.plugin import hierarchy as lph
from lamina.plugin import references as lpr

RULES = lp.Rules("the later layer wins", lists="append", null="delete", marks={"!": "replace"})
REFERENCES = lpr.References("${", "}")


class Tiers(lph.NodeSystem):
    """The nodes of a folder are the files in `nodes`."""

    def __init__(self, inputs, options):
        self.tree = lph.tree_of(inputs)
        self.run = inputs.run

    def nodes(self):
        """All nodes; where they are written would be their values."""
        names = self.tree.below("nodes", takes=lambda name: name.endswith(".yaml"))
        return {name.removeprefix("nodes/").removesuffix(".yaml"): None for name in names}

    def steps(self, name):
        """What makes the value of a node."""
        yield lp.start()
        layers = [("base.yaml", self.read("base.yaml")), *((each.path, each.root) for each in self.tiers(name))]
        yield from RULES.merges((path, root.without(("include",))) for path, root in layers)
        yield lpr.interpolate(REFERENCES)

    def tiers(self, name):
        """The roles of a node, those they include first, and the node itself."""
        node = Tier(self, f"nodes/{name}.yaml")
        return lph.inherited(node, lambda tier, before: tier.included(), lambda role, at, tier: tier.role(role, at))

    def read(self, path):
        """The mapping in a file; an empty one if there is none."""
        source = self.tree.read(path)
        if source is None:
            return lpf.written_at({}, lp.Origin(path, 1, 1), path)
        return lp.read_yaml(source, self.run).root(path)


class Tier:
    """A file that may include roles."""

    def __init__(self, tiers, path):
        self.tiers = tiers
        self.path = path
        self.root = tiers.read(path)

    def included(self):
        """The names of the roles it includes, with where they are written."""
        names = self.root.child("include")
        return [(name, names.child(at).origin()) for at, name in enumerate(names.value or ())]

    def role(self, name, origin):
        """The role of a name; `origin` is where it is included."""
        if self.tiers.tree.read(f"roles/{name}.yaml") is None:
            message = f"there is no role {name}"
            hint = "add it to roles, or correct the name"
            raise lp.Reject(lp.Diagnostic(code="no-such-role", message=message, at=origin, hint=hint))
        return Tier(self.tiers, f"roles/{name}.yaml")


DIALECT = lph.node_dialect(
    "tiers",
    title="nodes that include roles",
    known_by="nodes and base.yaml",
    system_of=Tiers,
)
