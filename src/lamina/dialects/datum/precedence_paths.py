"""Expanding prefixes of the precedence, for one node, without running anything.

A prefix may be a script of a handler: it then becomes the prefixes the script returns. It is split at `\\` (and `/`);
every segment is expanded as PowerShell expands a string, and looked up as a member. So `$Node.Role` is the text of
`$Node` with `.Role` behind it, which leads nowhere, with a note; `$($Node.Role)` is meant.

A segment `<%= ... %>` is an expression whose value becomes the position itself. The usual form picks the members of the
current position whose names are in a value: `$CurrentNode.PSObject.Properties.Where{$_.Name -in $Node.Role}.Value`.
What cannot be evaluated decides a layer, so it is rejected.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from lamina.dialects.datum.equality import text_form
from lamina.dialects.datum.expressions.errors import ExpressionError
from lamina.dialects.datum.expressions.evaluator import Evaluator
from lamina.dialects.datum.expressions.limits import to_evaluate
from lamina.dialects.datum.expressions.parser import expandable, script
from lamina.dialects.datum.expressions.syntax import Variable
from lamina.dialects.datum.expressions.values import collected, plain
from lamina.dialects.datum.handlers import holds_script
from lamina.dialects.datum.held_values import HeldOwn, HeldTreeValue
from lamina.dialects.datum.prefix_templates import (
    ResolvedPrefix,
    is_handler,
    located,
    own_keys,
    own_names,
    prefix_templates_of,
    segments_of,
)
from lamina.dialects.datum.tree import TreeFolder
from lamina.engine.node import ComputedNode, LiteralNode, Node
from lamina.engine.provenance import first_origin
from lamina.errors import Diagnostic, InputError, Severity
from lamina.sources.caseless_keys import folded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.datum.datum_yml import Prefix
    from lamina.dialects.datum.expressions.syntax import Expandable
    from lamina.dialects.datum.node_values import NodeValues
    from lamina.dialects.datum.tree import Position
    from lamina.engine.node import Node as AnyNode
    from lamina.errors import Note

_MEMBER = re.compile(r"\.\w+")
_FILTER = re.compile(
    r"""\$CurrentNode\.PSObject\.Properties\.Where\s*\(?\s*\{\s*\$_\.Name\s+-(?P<test>c?i?in|c?i?eq)\s+(?P<wanted>.+?)\s*\}
        \s*\)?\s*\.Value""",
    re.IGNORECASE | re.VERBOSE,
)


class Expansion:
    """Expands prefixes for one node."""

    def __init__(self, values: NodeValues) -> None:
        self._values = values
        self.notes: list[Note] = []

    def resolved_prefixes(self) -> list[ResolvedPrefix]:
        """The resolved prefixes, in order; a script may return several, or none."""
        values = self._values
        keys = own_keys(values.own.value)
        found: list[ResolvedPrefix] = []
        for prefix, template in prefix_templates_of(values.definition):
            own = None if template is None else own_names(values.own.value, template.properties, keys)
            if template is not None and own is not None:
                found.append(located(prefix, template, own, values.walk))
            else:
                found.extend(map(self._locate, self._expanded_prefixes(prefix)))
        return found

    def _expanded_prefixes(self, prefix: Prefix) -> Iterator[Prefix]:
        """The prefixes that a prefix expands to."""
        if not (self._values.rules.invoke and holds_script(prefix.text)):
            if is_handler(prefix.text):
                raise InputError(_needs_powershell(prefix.text.strip(), prefix, "no handler evaluates it"))
            yield prefix
            return
        try:
            with self._values.deciding_layer():
                found = self._values.script(prefix.text)
        except ExpressionError as error:
            raise InputError(_needs_powershell(prefix.text.strip(), prefix, error.reason)) from None
        for item in found if isinstance(found, list) else [found]:
            text = text_form(item)
            if text.strip():
                yield replace(prefix, text=text, written=prefix.text)

    def _locate(self, prefix: Prefix) -> ResolvedPrefix:
        position: Position | None = self._values.definition.root
        shown: list[str] = []
        several: tuple[str, ...] = ()
        reads: list[AnyNode] = []
        missing: tuple[str, Position] | None = None
        for segment, expression in segments_of(prefix.text):
            if expression is not None:
                shown.append(segment)
                if position is not None:
                    position, several = self._evaluate(expression, position, prefix)
                continue
            if "<%=" in segment:
                raise InputError(_needs_powershell(segment, prefix, "an expression must be a whole path segment"))
            name, read = self._expand(segment, prefix)
            shown.append(name)
            reads.extend(read)
            if position is not None:
                parent, position = position, self._values.walk.member(position, name)
                missing = (name, parent) if position is None else None
        return ResolvedPrefix(prefix, shown, position, several, missing, reads)

    def _expand(self, segment: str, prefix: Prefix) -> tuple[str, list[AnyNode]]:
        """A segment with its variables expanded, and the node's values that were read for it."""
        if "$" not in segment and "`" not in segment:
            return segment, []
        try:
            string = expandable(segment)
            with self._values.deciding_layer() as reads:
                name = Evaluator(to_evaluate(), self._values.prefix_variable).expanded(string)
        except ExpressionError as error:
            raise InputError(_needs_powershell(segment, prefix, error.reason)) from None
        self.notes.extend(_unbracketed_variable(bare, prefix) for bare in _unbracketed_members(string))
        for node in reads:
            if self._values.rules.any and holds_script(node.value):
                raise InputError(_not_evaluated(node, prefix))
        return name, list(reads)

    def _evaluate(self, expression: str, position: Position, prefix: Prefix) -> tuple[Position | None, tuple[str, ...]]:
        match = _FILTER.fullmatch(expression)
        wanted = self._value(match["wanted"] if match else expression, position, prefix)
        if match is None:
            return self._as_position(wanted), ()
        wanted = plain(wanted)
        names = {folded(text_form(name)) for name in (wanted if isinstance(wanted, list) else [wanted])}
        members = position.listing() if isinstance(position, TreeFolder) else position.value
        keys = [key for key in members if folded(str(key)) in names]
        walk = self._values.walk
        found = [walk.member(position, key) for key in keys]
        present = [walk.value(each) for each in found if each is not None]
        if not present:
            return None, ()
        several = tuple(position.members[key].name for key in keys) if isinstance(position, TreeFolder) else ()
        # A list even of one: the next step collects the member from each (cases prefix-roles-*).
        value = [each.value for each in present]
        return ComputedNode.of_parts(value, walk.value(position).path, dict(enumerate(present))), several

    def _value(self, expression: str, position: Position, prefix: Prefix) -> Any:
        def lookup(name: str) -> Any:
            if name.lower() == "currentnode":
                return HeldTreeValue(position, self._values)
            return self._values.prefix_variable(name)

        try:
            with self._values.deciding_layer():
                return collected(Evaluator(to_evaluate(), lookup).script(script(expression)))
        except ExpressionError as error:
            raise InputError(_needs_powershell(expression, prefix, error.reason)) from None

    def _as_position(self, found: Any) -> Position | None:
        if isinstance(found, HeldTreeValue):
            return found.position
        if isinstance(found, HeldOwn):
            return found.node()
        value = plain(found)
        return None if value is None else LiteralNode(value, ())


def _unbracketed_members(string: Expandable) -> Iterator[str]:
    """Variables with a member behind them that is not in brackets with them."""
    for part, following in pairwise(string.parts):
        member = _MEMBER.match(following) if isinstance(following, str) else None
        if isinstance(part, Variable) and member:
            yield f"${part.name}{member[0]}"


def _needs_powershell(expression: str, prefix: Prefix, reason: str) -> Diagnostic:
    return Diagnostic(
        code="needs-powershell",
        message=f"the expression {' '.join(expression.split())} selects a layer but cannot be evaluated: {reason}",
        at=prefix.origin,
        hint="Lamina evaluates only a safe subset of PowerShell; set variables of your build with --variable",
    )


def _not_evaluated(node: Node, prefix: Prefix) -> Diagnostic:
    name = str(node.path[-1]) if node.path else "a property"
    return Diagnostic(
        code="needs-powershell",
        message=f"{name} of the node selects the layer {prefix.text} but cannot be evaluated: {node.value}",
        at=first_origin(node),
        related=(("the layer is defined here", prefix.origin),) if prefix.origin else (),
        hint=f"set the value with --node-property {name}=VALUE",
    )


def _unbracketed_variable(expression: str, prefix: Prefix) -> Note:
    return Diagnostic(
        code="bare-variable",
        message=f"in {expression}, PowerShell expands only the variable, so the layer does not exist",
        at=prefix.origin,
        hint=f"write $({expression})",
        severity=Severity.WARNING,
    )
