"""Templates without instance data: what they say whatever the data is.

Every expression that depends on a variable of the instance is a hole: a mark takes its place, and a value with a mark
in it is unknown. A condition (or loop) that depends on one goes either way: the template is rendered with all of them
true, with all of them false, and with each of them differing from the others. What all these texts agree on is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from jinja2 import nodes
from jinja2.visitor import NodeTransformer

from lamina.dialects.cloudinit.template_marks import filled, has_mark, mark, unknown_node
from lamina.dialects.cloudinit.template_sandbox import Sandbox
from lamina.engine.node import ComputedNode, Node
from lamina.paths import MISSING
from lamina.values import same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from lamina.origins import Origin

_MOST_CONDITIONS: Final = 12
"""How many conditions are tried one by one."""
HINT: Final = (
    "pass instance data: --instance-data FILE (on an instance, `cloud-init query --all` prints it), or "
    "--instance-data sample:nocloud for made-up data"
)
_STATEMENTS: Final = ("if", "elif", "for")


class HolesTooMany(Exception):
    """A template has more conditions than can be tried."""


class Variant:
    """One way in which the conditions of a template may go: as most of them do, or as one exception does."""

    def __init__(self, usual: bool, exception: int | None = None) -> None:
        self.usual = usual
        self.exception = exception

    def choice(self, number: int) -> bool:
        """How a condition goes."""
        return self.usual != (number == self.exception)


ALL_TRUE: Final = Variant(usual=True)


class HoleySandbox(Sandbox):
    """The environment in which a template is rendered without instance data."""

    def __init__(self, variant: Variant) -> None:
        super().__init__()
        self._variant = variant
        self.expressions: list[str] = []
        """The text of each expression, in order."""
        self.statements: list[tuple[str, int]] = []
        """The text of each condition or loop, with its line."""
        self.open_conditions: list[int] = []
        """The conditions that depend on the instance."""
        self.holes = 0
        """How many expressions do."""

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        self._note_texts(source)
        names = _NamesOfInstance(tree, {*self.globals})
        cut = _HoleCut(names, self._variant)
        made: nodes.Template = cut.visit(tree)
        self.open_conditions, self.holes = cut.conditions, cut.holes
        return made

    def _note_texts(self, source: str) -> None:
        self.expressions, self.statements = [], []
        pieces: list[str] = []
        for line, kind, text in self.lexer.tokeniter(source, None):
            if kind in ("variable_begin", "block_begin"):
                pieces = []
            elif kind == "variable_end":
                self.expressions.append("".join(pieces).strip())
            elif kind == "block_end":
                statement = " ".join("".join(pieces).split())
                if statement.partition(" ")[0] in _STATEMENTS:
                    self.statements.append((statement, line))
            else:
                pieces.append(text)


class _NamesOfInstance:
    """Which names in a template depend on the instance: those that nothing in it defines, and what is made of them."""

    def __init__(self, tree: nodes.Template, known: set[str]) -> None:
        self._own = known | {"loop", "caller", "varargs", "kwargs"}
        for name in tree.find_all(nodes.Name):
            if name.ctx != "load":
                self._own.add(name.name)
        for macro in tree.find_all(nodes.Macro):
            self._own.add(macro.name)
        self._tainted: set[str] = set()
        before = -1
        while before != len(self._tainted):
            before = len(self._tainted)
            self._spread(tree, under=False)

    def depends(self, node: nodes.Node) -> bool:
        """Whether an expression, or anything below a statement, depends on the instance."""
        return any(self._is_open(name) for name in _names_read(node))

    def _is_open(self, name: str) -> bool:
        return name in self._tainted or name not in self._own

    def _spread(self, node: nodes.Node, *, under: bool) -> None:
        """Note the names that become dependent below a node; `under` a condition that depends on the instance."""
        if isinstance(node, nodes.If):
            under = under or self.depends(node.test)
        elif isinstance(node, nodes.For) and (self.depends(node.iter) or (node.test and self.depends(node.test))):
            under = True
            self._taint(node.target)
            self._tainted.add("loop")
        elif isinstance(node, nodes.Macro):
            inner = {each.name for each in node.args}
            if any(self._is_open(name) for each in node.body for name in _names_read(each) if name not in inner):
                self._tainted.add(node.name)
        elif isinstance(node, (nodes.Assign, nodes.AssignBlock)):
            source = [node.node] if isinstance(node, nodes.Assign) else node.body
            if under or any(map(self.depends, source)):
                self._taint(node.target)
        elif isinstance(node, nodes.With):
            for target, value in zip(node.targets, node.values, strict=True):
                if under or self.depends(value):
                    self._taint(target)
        elif isinstance(node, nodes.ExprStmt) and (under or self.depends(node.node)):
            self._tainted.update(_names_read(node.node))
        for child in node.iter_child_nodes():
            self._spread(child, under=under)

    def _taint(self, target: nodes.Node) -> None:
        self._tainted.update(each.name for each in (target, *target.find_all(nodes.Name)) if hasattr(each, "name"))


def _names_read(node: nodes.Node) -> Iterator[str]:
    for each in (node, *node.find_all(nodes.Name)):
        if isinstance(each, nodes.Name) and each.ctx == "load":
            yield each.name


class _HoleCut(NodeTransformer):
    """Puts marks in the place of what depends on the instance, and decides about conditions."""

    def __init__(self, names: _NamesOfInstance, variant: Variant) -> None:
        self._names = names
        self._variant = variant
        self._expressions = self._statements = 0
        self.conditions: list[int] = []
        self.holes = 0

    def visit_Output(self, node: nodes.Output) -> nodes.Node:  # noqa: N802 - as Jinja calls it
        parts: list[nodes.Expr] = []
        for part in node.nodes:
            if isinstance(part, nodes.TemplateData):
                parts.append(part)
                continue
            if self._names.depends(part):
                self.holes += 1
                parts.append(nodes.TemplateData(mark(self._expressions), lineno=part.lineno))
            else:
                parts.append(part)
            self._expressions += 1
        node.nodes = parts
        return node

    def visit_If(self, node: nodes.If) -> nodes.Node:  # noqa: N802 - likewise
        number = self._statements
        self._statements += 1
        if self._names.depends(node.test):
            self.conditions.append(number)
            node.test = nodes.Const(self._variant.choice(number), lineno=node.lineno)
        return self._visited(node)

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - likewise
        number = self._statements
        self._statements += 1
        depends = self._names.depends(node.iter) or (node.test is not None and self._names.depends(node.test))
        visited = self._visited(node)
        if not depends or not isinstance(visited, nodes.For):
            return visited
        self.conditions.append(number)
        taken = visited.body if self._variant.choice(number) else visited.else_
        return nodes.Scope(taken, lineno=node.lineno)

    def _visited(self, node: nodes.Node) -> nodes.Node:
        """The node with everything in it visited."""
        visited: nodes.Node = self.generic_visit(node)
        return visited


def variants(conditions: Sequence[int]) -> list[Variant]:
    """The ways to try, after all conditions true: one false, all false, one true; a single one only both ways."""
    if not conditions:
        return []
    if len(conditions) == 1:
        return [Variant(usual=False)]
    if len(conditions) > _MOST_CONDITIONS:
        raise HolesTooMany
    ones = [Variant(usual, number) for usual in (True, False) for number in conditions]
    return [*ones, Variant(usual=False)]


class Agreement:
    """What the texts of all variants agree on."""

    def __init__(
        self, sandbox: HoleySandbox, others: Sequence[tuple[Variant, Any]], line_of: Callable[[int], Origin]
    ) -> None:
        """`line_of` is where a line of the template is."""
        self._expressions, self._statements = sandbox.expressions, sandbox.statements
        self._conditions = sandbox.open_conditions
        self._variants = [variant for variant, _ in others]
        self._values = [value for _, value in others]
        self._line_of = line_of

    def of(self, node: Node) -> Node:
        """The node of the body with everything unknown that is a hole, or that not all variants agree on."""
        return self._part(node, self._values)

    def _part(self, node: Node, others: Sequence[Any]) -> Node:
        value = node.value
        if isinstance(value, dict) and all(isinstance(other, dict) for other in others):
            holes = [key for each in (value, *others) for key in each if isinstance(key, str) and has_mark(key)]
            if holes:
                return self._hole(node, holes[0])
            keys = dict.fromkeys(key for each in (value, *others) for key in each)
            parts = {key: self._part(node.child(key), [each.get(key, MISSING) for each in others]) for key in keys}
            return self._assembled(node, parts)
        if isinstance(value, list) and all(isinstance(other, list) and len(other) == len(value) for other in others):
            items = {at: self._part(node.child(at), [each[at] for each in others]) for at in range(len(value))}
            return self._assembled(node, items)
        differing = next((at for at, other in enumerate(others) if not same(other, value)), None)
        if differing is not None:
            return self._undecided(node, self._variants[differing])
        if isinstance(value, str) and has_mark(value):
            return self._hole(node, value)
        return node

    def _assembled(self, node: Node, parts: dict[Any, Node]) -> Node:
        """The collection of these parts; the node itself, if they are its own."""
        if all(part.value is (node.child(key).value) for key, part in parts.items()):
            return node
        values = {key: part.value for key, part in parts.items()}
        made: Any = values if isinstance(node.value, dict) else list(values.values())
        return ComputedNode.of_parts(made, node.path, parts)

    def _hole(self, node: Node, text: str) -> Node:
        whole, written = filled(text, [f"{{{{ {each} }}}}" for each in self._expressions])
        names = ", ".join(each.strip("{ }") for each in written)
        return unknown_node(node, f"{names} is data of the instance, which was not given", whole, HINT)

    def _undecided(self, node: Node, variant: Variant) -> Node:
        number = variant.exception if variant.exception is not None else self._conditions[0]
        statement, line = self._statements[number]
        reason = f"it depends on {{% {statement} %}}, and so on data that was not given"
        return unknown_node(node, reason, None, HINT, self._line_of(line))
