"""Where the prefixes of the precedence lead, for one node, without running anything.

A prefix may be a script of a handler: it then becomes the prefixes the script returns. It is split at `\\` (and `/`);
every segment is expanded as PowerShell expands a string, and looked up as a member. So `$Node.Role` is the text of
`$Node` with `.Role` behind it, which leads nowhere, with a note; `$($Node.Role)` is meant.

A segment `<%= ... %>` is an expression whose value becomes the position itself. The usual form picks the members of the
current position whose names are in a value: `$CurrentNode.PSObject.Properties.Where{$_.Name -in $Node.Role}.Value`.
A layer whose prefix cannot be evaluated is not read, which a note says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina._support import suggestions
from lamina.dialects.datum import messages
from lamina.dialects.datum.equality import text_form
from lamina.dialects.datum.expressions.errors import ExpressionError, NotKnown
from lamina.dialects.datum.expressions.evaluator import Evaluator
from lamina.dialects.datum.expressions.limits import to_evaluate
from lamina.dialects.datum.expressions.parser import expandable, script
from lamina.dialects.datum.expressions.syntax import Variable
from lamina.dialects.datum.expressions.values import collected, plain
from lamina.dialects.datum.handlers import holds_script
from lamina.dialects.datum.script_variables import NodeVariable, TreeValue
from lamina.dialects.datum.tree import TreeFolder
from lamina.engine.node import ComputedNode, LiteralNode, Node, SourceNode
from lamina.engine.provenance import first_origin
from lamina.protocol.extensions import NodeLayer
from lamina.sources.caseless_keys import CaselessKey, folded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.dialects.datum.datum_yml import Prefix
    from lamina.dialects.datum.expressions.syntax import Expandable
    from lamina.dialects.datum.node_evaluator import NodeEvaluator
    from lamina.dialects.datum.tree import Position
    from lamina.errors import Note

_PROPERTY = re.compile(r"\$\(\$Node\.(?P<name>[A-Za-z_]\w*)\)", re.IGNORECASE | re.ASCII)
_BLOCK = re.compile(r"<%=(?P<expression>.*?)%>", re.DOTALL)
_MEMBER = re.compile(r"\.\w+")
_FILTER = re.compile(
    r"""\$CurrentNode\.PSObject\.Properties\.Where\s*\(?\s*\{\s*\$_\.Name\s+-(?P<test>c?i?in|c?i?eq)\s+(?P<wanted>.+?)\s*\}
        \s*\)?\s*\.Value""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(slots=True, eq=False)
class ResolvedPrefix:
    """Where a prefix leads for a node: the names it was expanded to, and what is there."""

    prefix: Prefix
    position: Position | None
    names: list[str] = field(default_factory=list)
    several: tuple[str, ...] = ()
    """The files and folders of a prefix that leads to a list of them."""
    missing: tuple[str, Position] | None = None
    """The first step that leads nowhere, and the position it was looked up in."""
    reads: list[Node] = field(default_factory=list)
    """The node's own values that decided where it leads."""

    @property
    def path(self) -> str:
        """The path as expanded."""
        return "\\".join(self.names)

    def as_layer(self) -> NodeLayer:
        """What commands show of it."""
        return NodeLayer(self.prefix.written or self.prefix.pattern, self.path, self.file, self.prefix.origin)

    @property
    def file(self) -> str | None:
        """The file or folder that is there."""
        if self.several and self.position is not None:
            return ", ".join(self.several)
        if isinstance(self.position, TreeFolder):
            return self.position.name
        node = self.position
        while isinstance(node, ComputedNode) and node.parts:
            node = next(iter(node.parts.values()))
        return node.layer if isinstance(node, SourceNode) else None


class Expansion:
    """Expands prefixes for one node."""

    def __init__(self, evaluator: NodeEvaluator) -> None:
        self._evaluator = evaluator
        own = evaluator.own.value
        self._own_keys = {str(key): key for key in own if isinstance(key, CaselessKey)} if isinstance(own, dict) else {}
        self.notes: list[Note] = []

    def resolved_prefixes(self) -> list[ResolvedPrefix]:
        """The resolved prefixes, in order; a script may return several, or none."""
        found: list[ResolvedPrefix] = []
        for prefix in self._evaluator.definition.precedence:
            try:
                found += [self._located(expanded) for expanded in self._expanded_prefixes(prefix)]
            except ExpressionError as error:
                layer = " ".join(prefix.pattern.split())
                self.notes.append(messages.LAYER_NOT_READ.at(prefix.origin, layer=layer, reason=error.reason))
        return found

    def _expanded_prefixes(self, prefix: Prefix) -> Iterator[Prefix]:
        """The prefixes that a prefix expands to."""
        if not (self._evaluator.rules.invoke and holds_script(prefix.pattern)):
            if _is_handler(prefix.pattern):
                raise NotKnown("no handler evaluates it")
            yield prefix
            return
        with self._evaluator.choosing_layer():
            found = self._evaluator.script(prefix.pattern)
        for item in found if isinstance(found, list) else [found]:
            text = text_form(item)
            if text.strip():
                yield replace(prefix, pattern=text, written=prefix.pattern)

    def _located(self, prefix: Prefix) -> ResolvedPrefix:
        """Where a prefix leads: each segment goes on from the position before it."""
        found = ResolvedPrefix(prefix, self._evaluator.definition.root)
        for segment in _segments(prefix.pattern):
            before = found.position
            if segment.expression is not None:
                found.names.append(segment.text)
                if before is not None:
                    found.position, found.several = self._evaluated(segment.expression, before)
                continue
            name = self._name(segment, prefix, found.reads)
            found.names.append(name)
            if before is not None:
                found.position = self._evaluator.walk.member(before, name)
                found.missing = (name, before) if found.position is None else None
        return found

    def _name(self, segment: _Segment, prefix: Prefix, reads: list[Node]) -> str:
        """The name that a segment is for the node; the node's values that decided it are added to those read."""
        if segment.is_constant:
            return segment.text
        key = self._own_keys.get(segment.property_name)
        name = None if key is None else self._evaluator.own.value[key]
        if key is not None and type(name) is str and not self._evaluator.has_scripts(name):
            reads.append(self._evaluator.own_at((key,)))
            return name
        if "<%=" in segment.text:
            raise NotKnown("an expression must be a whole path segment")
        return self._expanded(segment.text, prefix, reads)

    def _expanded(self, segment: str, prefix: Prefix, reads: list[Node]) -> str:
        """A segment with the variables in it expanded by the evaluator."""
        string = expandable(segment)
        with self._evaluator.choosing_layer() as read_here:
            name = Evaluator(to_evaluate(), self._evaluator.prefix_variable).expanded(string)
        self.notes.extend(
            messages.BARE_VARIABLE.at(prefix.origin, expression=bare) for bare in _unbracketed_members(string)
        )
        for node in read_here:
            if self._evaluator.rules.any and holds_script(node.value):
                raise NotKnown(f"{node.path[-1]} of the node is not evaluated")
        reads.extend(read_here)
        return name

    def _evaluated(self, expression: str, position: Position) -> tuple[Position | None, tuple[str, ...]]:
        """Where an expression leads from a position; with the files and folders if these are several."""
        match = _FILTER.fullmatch(expression)
        wanted = self._value(match["wanted"] if match else expression, position)
        if match is None:
            return self._as_position(wanted), ()
        wanted = plain(wanted)
        names = {folded(text_form(name)) for name in (wanted if isinstance(wanted, list) else [wanted])}
        members = position.listing() if isinstance(position, TreeFolder) else position.value
        keys = [key for key in members if folded(str(key)) in names]
        walk = self._evaluator.walk
        found = [walk.member(position, key) for key in keys]
        present = [walk.value(each) for each in found if each is not None]
        if not present:
            return None, ()
        several = tuple(position.members[key].name for key in keys) if isinstance(position, TreeFolder) else ()
        # A list even of one: the next step collects the member from each (cases prefix-roles-*).
        value = [each.value for each in present]
        return ComputedNode.of_parts(value, walk.value(position).path, dict(enumerate(present))), several

    def _value(self, expression: str, position: Position) -> Any:
        def lookup(name: str) -> Any:
            if name.lower() == "currentnode":
                return TreeValue(position, self._evaluator)
            return self._evaluator.prefix_variable(name)

        with self._evaluator.choosing_layer():
            return collected(Evaluator(to_evaluate(), lookup).script(script(expression)))

    def _as_position(self, found: Any) -> Position | None:
        if isinstance(found, TreeValue):
            return found.position
        if isinstance(found, NodeVariable):
            return found.node()
        value = plain(found)
        return None if value is None else LiteralNode(value, ())


# Prefixes as written


class _Segment(NamedTuple):
    """A segment of a prefix as written."""

    text: str
    property_name: str
    """The property of the node that is all of it, as in nearly every segment with a variable; else empty."""
    expression: str | None
    """What is in `<%= %>`, if that is all of it."""
    is_constant: bool
    """Whether it is a name without anything to expand."""


def _is_handler(text: str) -> bool:
    """Whether a prefix is something that a handler would evaluate."""
    stripped = text.strip()
    return stripped.startswith("[") and stripped.endswith("=]") and "=" in stripped[:12]


@lru_cache(maxsize=256)
def _segments(text: str) -> list[_Segment]:
    """The segments of a prefix: it is cut at separators, except inside expressions."""
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match[0])
        return f"\0{len(kept) - 1}\0"

    bare = re.sub(r"<%=.*?%>|\$\((?:[^()]|\([^()]*\))*\)", keep, text, flags=re.DOTALL)
    parts = re.split(r"[\\/]", bare)
    if len(parts) > 1 and not parts[-1]:
        parts.pop()  # one separator at the end is ignored
    return [_segment(re.sub("\0(\\d+)\0", lambda match: kept[int(match[1])], part)) for part in parts]


def _segment(text: str) -> _Segment:
    block, own = _BLOCK.fullmatch(text.strip()), _PROPERTY.fullmatch(text)
    if block is not None:
        return _Segment(text.strip(), "", block["expression"].strip(), is_constant=False)
    is_constant = "$" not in text and "`" not in text and "<%=" not in text
    return _Segment(text, own["name"] if own else "", None, is_constant)


def _unbracketed_members(string: Expandable) -> Iterator[str]:
    """Variables with a member behind them that is not in brackets with them."""
    for part, following in pairwise(string.parts):
        member = _MEMBER.match(following) if isinstance(following, str) else None
        if isinstance(part, Variable) and member:
            yield f"${part.name}{member[0]}"


# Findings


def missing_layers(prefixes: Iterable[ResolvedPrefix]) -> Iterator[Note]:
    """A note for every layer that a property of the node leads to and that does not exist: usually it is misspelt."""
    for found in prefixes:
        if found.missing is None or not found.reads:
            continue
        name, position = found.missing
        read = found.reads[-1]
        if not name.strip() or not isinstance(position, TreeFolder) or text_form(read.value) not in name:
            continue
        known = [str(key) for key in position.listing()]
        if name.lower() not in map(str.lower, known):  # else the file is there and holds nothing yet
            yield _missing_layer(found, name, position, read, known)


def _missing_layer(found: ResolvedPrefix, name: str, folder: TreeFolder, read: Node, known: list[str]) -> Note:
    defined = found.prefix.origin
    listed = ", ".join(known[:8]) + (", …" if len(known) > 8 else "")
    hint = suggestions.did_you_mean(
        name, known, f"{folder.name} contains {listed}" if known else f"{folder.name} is empty"
    )
    origin = first_origin(read)
    related = (("the layer is defined here", defined),) if origin else ()
    what = read.path[-1] if read.path else "the value"
    return messages.MISSING_LAYER.at(
        origin or defined, subject=found.path, related=related, hint=hint, name=what, value=name
    )
