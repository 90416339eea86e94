"""Expanding prefixes of the precedence, for one node, without running anything.

A prefix is cut at `\\` (and `/`); every segment is expanded as PowerShell expands a text, and looked up as a member.
What may stand in `$( )` is a way through members of `$Node` or `$Datum`. `$Node.X` without brackets is read the same,
with a note, since PowerShell itself would only expand `$Node`.

A segment `<%= ... %>` is an expression whose value becomes the position itself. Three forms only read: members of
`$Node`, `$Datum` or `$CurrentNode`; and the members of the current position whose names are in such a value:
`$CurrentNode.PSObject.Properties.Where{$_.Name -in $Node.Role}.Value`. Anything else would have to be run and is
refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lamina.dialects.datum.equality import text_form
from lamina.dialects.datum.tree import TreeFolder, TreeWalk
from lamina.engine.node import Gathered, Node
from lamina.errors import Diagnostic, InputError, Severity
from lamina.paths import position_of
from lamina.session import session_cache
from lamina.sources.powershell.case_insensitive import caseless, folded

if TYPE_CHECKING:
    from lamina.dialects.datum.datum_yml import Prefix
    from lamina.dialects.datum.tree import Position
    from lamina.errors import Note

_STEP: Final = r"""\.(?:[\w-]+|'[^']*'|"[^"]*")|\[(?:\d+|'[^']*'|"[^"]*")\]"""
_CHAIN = re.compile(rf"\$(?P<variable>\w+)(?P<steps>(?:{_STEP})*)")
_ONE_STEP = re.compile(_STEP)
_PART = re.compile(
    rf"`(?P<escaped>.)|\$\((?P<sub>[^()]*)\)|(?P<bare>\$\w+(?!:)\b(?:{_STEP})*)|(?P<odd>\$[({{:]?\S*)", re.DOTALL
)
_BLOCK = re.compile(r"<%=(?P<expression>.*?)%>", re.DOTALL)
_FILTER = re.compile(
    r"""\$CurrentNode\.PSObject\.Properties\.Where\s*\(?\s*\{\s*\$_\.Name\s+-(?P<test>c?i?in|c?i?eq)\s+(?P<wanted>.+?)\s*\}
        \s*\)?\s*\.Value""",
    re.IGNORECASE | re.VERBOSE,
)
_HANDLER = re.compile(r"^\s*\[\w*=.*=\]\s*$", re.DOTALL)


@dataclass(slots=True, eq=False)
class Scope:
    """What prefixes may read: the node's data and the tree."""

    node: Node | None
    root: TreeFolder
    walk: TreeWalk = field(default_factory=TreeWalk)
    notes: list[Note] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ResolvedPrefix:
    """Where a prefix leads for a node: the path as expanded, and what is there."""

    prefix: Prefix
    path: str
    position: Position | None
    several: tuple[str, ...] = ()
    """The files and folders of a prefix that leads to a list of them."""

    @property
    def file(self) -> str | None:
        """The file or folder that is there."""
        if self.several and self.position is not None:
            return ", ".join(self.several)
        if isinstance(self.position, TreeFolder):
            return self.position.name
        node = self.position
        while isinstance(node, Gathered) and node.parts:
            node = next(iter(node.parts.values()))
        return getattr(node, "layer", None)


def locate(prefix: Prefix, scope: Scope) -> ResolvedPrefix:
    """The place a prefix leads to."""
    if _HANDLER.match(prefix.text):
        raise InputError(_needs_powershell(prefix.text.strip(), prefix))
    position: Position | None = scope.root
    shown: list[str] = []
    several: tuple[str, ...] = ()
    for segment in _segments(prefix.text):
        block = _BLOCK.fullmatch(segment.strip())
        if block is None and "<%=" in segment:
            raise InputError(_needs_powershell(segment, prefix))
        if block:
            shown.append(segment.strip())
            if position is not None:
                position, several = _evaluate(block["expression"].strip(), position, scope, prefix)
        else:
            name = expand(segment, scope, prefix)
            shown.append(name)
            position = None if position is None else scope.walk.member(position, name)
    return ResolvedPrefix(prefix, "\\".join(shown), position, several)


@session_cache(1024)
def _segments(text: str) -> list[str]:
    """The prefix cut at separators, except inside expressions."""
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match[0])
        return f"\0{len(kept) - 1}\0"

    bare = re.sub(r"<%=.*?%>|\$\([^()]*\)", keep, text, flags=re.DOTALL)
    parts = re.split(r"[\\/]", bare)
    if len(parts) > 1 and not parts[-1]:
        parts.pop()  # one separator at the end is ignored
    return [re.sub("\0(\\d+)\0", lambda match: kept[int(match[1])], part) for part in parts]


def expand(segment: str, scope: Scope, prefix: Prefix) -> str:
    """A segment with its variables filled in."""
    if "$" not in segment and "`" not in segment:
        return segment

    def fill(match: re.Match[str]) -> str:
        if match["escaped"]:
            return match["escaped"]
        if match["odd"]:
            raise InputError(_needs_powershell(match["odd"], prefix))
        if match["sub"] is not None:
            return text_form(_value(match["sub"].strip(), scope, None, prefix))
        if "." in match["bare"] or "[" in match["bare"]:
            scope.notes.append(_bare_variable(match["bare"], prefix))
        return text_form(_value(match["bare"], scope, None, prefix))

    return _PART.sub(fill, segment)


def _value(expression: str, scope: Scope, current: Position | None, prefix: Prefix) -> Any:
    way = _way(expression)
    if way is not None and way.variable == "node" and len(way.steps) == 1 and not way.steps[0][1]:
        value = None if scope.node is None else scope.node.value
        if isinstance(value, dict):  # a member of the node, as nearly always: nobody asks where it stands
            return value.get(caseless(way.steps[0][0]))
    found = _chain(expression, scope, current, prefix)
    return None if found is None else scope.walk.value(found).value


class Way(NamedTuple):
    """A way through members: the variable it begins at, and the steps, each with whether it may be a position."""

    variable: str
    steps: tuple[tuple[str, bool], ...]


@session_cache(1024)
def _way(expression: str) -> Way | None:
    """The way an expression is; None where it is something else."""
    match = _CHAIN.fullmatch(expression)
    if match is None:
        return None
    steps = [(step.strip(".[]").strip("'\""), step.startswith("[")) for step in _ONE_STEP.findall(match["steps"])]
    return Way(match["variable"].lower(), tuple(steps))


def _chain(expression: str, scope: Scope, current: Position | None, prefix: Prefix) -> Position | None:
    """What a way through members leads to."""
    way = _way(expression)
    variables: dict[str, Position | None] = {"node": scope.node, "datum": scope.root, "currentnode": current}
    if way is None or way.variable not in variables:
        raise InputError(_needs_powershell(expression, prefix))
    position = variables[way.variable]
    for name, bracketed in way.steps:
        if position is None:
            return None
        if bracketed and name.isdigit() and isinstance(position, Node) and isinstance(position.value, list):
            at = position_of(name)
            position = position.child(at) if at is not None and at < len(position.value) else None
        else:
            position = scope.walk.member(position, name)
    return position


def _evaluate(
    expression: str, position: Position, scope: Scope, prefix: Prefix
) -> tuple[Position | None, tuple[str, ...]]:
    match = _FILTER.fullmatch(expression)
    if match is None:
        return _chain(expression, scope, position, prefix), ()
    wanted = _value(match["wanted"], scope, position, prefix)
    names = {folded(text_form(name)) for name in (wanted if isinstance(wanted, list) else [wanted])}
    members = position.members if isinstance(position, TreeFolder) else position.value
    keys = [key for key in members if folded(str(key)) in names]
    found = [scope.walk.member(position, key) for key in keys]
    present = [scope.walk.value(each) for each in found if each is not None]
    if not present:
        return None, ()
    if len(present) == 1:
        return present[0], ()
    several = tuple(position.members[key].name for key in keys) if isinstance(position, TreeFolder) else ()
    # A list even of one: the next step collects the member from each (cases prefix-roles-*).
    value = [each.value for each in present]
    return Gathered(value, scope.walk.value(position).path, dict(enumerate(present))), several


def _needs_powershell(expression: str, prefix: Prefix) -> Diagnostic:
    return Diagnostic(
        code="needs-powershell",
        message=f"the expression {expression} would have to be run by PowerShell",
        at=prefix.origin,
        hint="Lamina never runs code from data; it reads members, as in $($Node.Role) or <%= $Node.Role %>",
    )


def _bare_variable(expression: str, prefix: Prefix) -> Note:
    return Diagnostic(
        code="bare-variable",
        message=f"{expression} is read as $({expression}); PowerShell would only expand the variable itself",
        at=prefix.origin,
        hint=f"write $({expression})",
        severity=Severity.WARNING,
    )
