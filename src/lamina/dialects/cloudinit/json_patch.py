"""Patching: operations at paths, one after the other, as RFC 6902 has them.

add       put a value at a key, whether or not there is one, or before an item of a list (`-`: behind the last)
replace   put a value where there is one
remove    take out what is there
move      take out what is at one place, and add it at another that does not lie inside it
copy      add what is at one place at another
test      nothing changes; what is there must equal the value, true and 1 told apart

The path `()` is the whole: add, replace, move and copy may put anything there, remove may not. Every operation gives a
node merged from what was there and what it brings, so that history is told as for any other step.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lamina.dialects.heat.cells import changed_everywhere, own_copy, shares
from lamina.engine.delta import NEW, Compose, Delta, Inner, ListDelta, Lost, MapDelta, Outer, Removed, Slice, value_of
from lamina.engine.merge_context import BudgetSpent
from lamina.engine.node import ComputedNode, LiteralNode, MergedNode, Node
from lamina.engine.tree_edit import put
from lamina.paths import MISSING, Path, child, show

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.engine.merge_context import MergeContext
    from lamina.engine.node import MergeCause
    from lamina.engine.plan import PatchOperation

_POSITION = re.compile("0|[1-9][0-9]*")
_MAX_DIGITS = 18
_MAX_DEPTH = 400
"""How deep values may be put into one another."""


class InapplicableOperation(Exception):
    """An operation that cannot be applied: `malformed`, `no-such-place`, `unequal`, or `cyclic`."""

    def __init__(self, fault: str, path: Path, detail: str) -> None:
        super().__init__(fault, path, detail)
        self.fault = fault
        self.path = path
        self.detail = detail


def patched(node: Node, change: PatchOperation, cause: MergeCause, run: MergeContext) -> Node:
    """The node after one operation."""
    if change.problem:
        fault, detail = change.problem
        raise InapplicableOperation(fault, (), detail)
    return _OPERATIONS[change.operation](node, change, cause, run)


def _add(node: Node, change: PatchOperation, cause: MergeCause, run: MergeContext) -> Node:
    return _added(node, change.path, _value(change), cause, run)


def _replace(node: Node, change: PatchOperation, cause: MergeCause, run: MergeContext) -> Node:
    value = _value(change)
    if not change.path:
        return _whole(node, value, cause)
    parent, step = _last(node.value, change.path)
    holder = _walk(node.value, parent)
    here = child(holder, step)
    if step == "-" and isinstance(holder, list):
        raise InapplicableOperation("malformed", (*parent, step), "there is nothing behind the last item to replace")
    if here is MISSING:
        raise _nothing_at((*parent, step))
    return _at(node, parent, value, cause, lambda old, new: _set(old, new, step), run)


def _remove(node: Node, change: PatchOperation, cause: MergeCause, run: MergeContext) -> Node:
    return _removed(node, change.path, change.node, cause, run)


def _move(node: Node, change: PatchOperation, cause: MergeCause, run: MergeContext) -> Node:
    inside = len(change.path) > len(change.source) and change.path[: len(change.source)] == change.source
    if inside:
        raise InapplicableOperation("no-such-place", change.path, f"{show(change.source)} cannot be moved into itself")
    taken = node.at(_existing(node.value, change.source))
    if change.path == change.source:
        return node
    rest = _removed(node, change.source, change.node, cause, run)
    if change.path and _holds(taken.value, _walk(rest.value, _existing(rest.value, change.path[:-1]))):
        raise InapplicableOperation("cyclic", change.path, f"{show(change.source)} would then be inside itself")
    return _added(rest, change.path, taken, cause, run)


def _holds(value: Any, container: Any) -> bool:
    """Whether a value is, or has inside it, this very container."""
    pending = [value]
    for here in pending:
        if here is container:
            return True
        if isinstance(here, (dict, list)):
            pending.extend(here.values() if isinstance(here, dict) else here)
    return False


def _copy(node: Node, change: PatchOperation, cause: MergeCause, run: MergeContext) -> Node:
    taken = node.at(_existing(node.value, change.source))
    _weigh(taken.value, len(change.path), run)
    return _added(node, change.path, _own(taken, cause), cause, run)


def _test(node: Node, change: PatchOperation, cause: MergeCause, run: MergeContext) -> Node:
    del cause, run
    try:
        path = _existing(node.value, change.path)
    except InapplicableOperation as unfit:
        raise InapplicableOperation("unequal", unfit.path, unfit.detail) from None
    wanted = _value(change)
    if not equal(node.at(path).value, wanted.value):
        raise InapplicableOperation("unequal", path, f"{show(path)} is not what the test expects")
    return node


_OPERATIONS: dict[str, Callable[[Node, PatchOperation, MergeCause, MergeContext], Node]] = {
    "add": _add,
    "replace": _replace,
    "remove": _remove,
    "move": _move,
    "copy": _copy,
    "test": _test,
}
OPERATIONS = tuple(_OPERATIONS)


def _own(node: Node, cause: MergeCause) -> Node:
    """The node with a value of its own: a change of it shows nowhere else."""
    if not isinstance(node.value, (dict, list)):
        return node
    return MergedNode(own_copy(node.value), node.path, LiteralNode(MISSING, ()), node, NEW, cause)


def _value(change: PatchOperation) -> Node:
    if change.value is None:
        raise InapplicableOperation("malformed", (), f"{change.operation} needs a value")
    return change.value


def _whole(node: Node, new: Node, cause: MergeCause) -> Node:
    return MergedNode(new.value, (), node, new, NEW, cause)


def _added(node: Node, tokens: tuple[str, ...], new: Node, cause: MergeCause, run: MergeContext) -> Node:
    _weigh(new.value, len(tokens), run)
    if not tokens:
        return _whole(node, new, cause)
    parent, step = _last(node.value, tokens)
    holder = _walk(node.value, parent)
    if isinstance(holder, dict):
        return _at(node, parent, new, cause, lambda old, value: _set(old, value, step), run)
    if not isinstance(holder, list):
        raise InapplicableOperation("no-such-place", parent, f"{show(parent)} is neither a mapping nor a list")
    position = len(holder) if step == "-" else step
    if position > len(holder):
        raise InapplicableOperation(
            "no-such-place", (*parent, position), f"{show(parent)} has only {len(holder)} items"
        )
    return _at(node, parent, new, cause, lambda old, value: _inserted(old, value, position), run)


def _removed(node: Node, tokens: tuple[str, ...], by: Node, cause: MergeCause, run: MergeContext) -> Node:
    if not tokens:
        raise InapplicableOperation("no-such-place", (), "the whole cannot be removed")
    parent, step = _last(node.value, tokens)
    if child(_walk(node.value, parent), step) is MISSING:
        raise _nothing_at((*parent, step))
    nothing = ComputedNode(MISSING, (), (by,), "removed")
    return _at(node, parent, nothing, cause, lambda old, _: _without(old, step), run)


def _at(
    node: Node, parent: Path, new: Node, cause: MergeCause, combine: Callable[[Any, Any], Delta], run: MergeContext
) -> Node:
    """The node with the container at `parent` changed, wherever that very container is."""
    run.spend(1)
    if shares(node.value):
        holder = _walk(node.value, parent)
        piece = combine(holder, new.value)
        value, piece = changed_everywhere(node.value, holder, (value_of(piece, holder, new.value), piece))
        return MergedNode(value, (), node, new, piece, cause)
    piece = put(node.value, new.value, parent, lambda old, value, _: combine(old, value), create=False)
    return MergedNode(value_of(piece, node.value, new.value), (), node, new, piece, cause)


def _set(old: Any, new: Any, step: Any) -> Delta:
    before = child(old, step)
    joint = Compose(new, Inner(before, "old", (step,)), NEW, NEW)
    if isinstance(old, dict):
        return MapDelta({**old, step: new}, {step: Outer(joint)})
    value = [*old[:step], new, *old[step + 1 :]]
    return ListDelta(value, (Slice("old", 0, step), joint, Slice("old", step + 1, len(old))))


def _inserted(old: Any, new: Any, position: int) -> Delta:
    value = [*old[:position], new, *old[position:]]
    return ListDelta(value, (Slice("old", 0, position), Inner(new, "new", ()), Slice("old", position, len(old))))


def _without(old: Any, step: Any) -> Delta:
    gone = Removed("deleted", "new", ())
    if isinstance(old, dict):
        rest = {key: value for key, value in old.items() if key != step}
        return MapDelta(rest, {step: Outer(Compose(MISSING, Inner(old[step], "old", (step,)), NEW, gone))})
    value = [*old[:step], *old[step + 1 :]]
    spans = (Slice("old", 0, step), Slice("old", step + 1, len(old)))
    return ListDelta(value, spans, (Lost("old", step, "deleted"),))


def _last(value: Any, tokens: tuple[str, ...]) -> tuple[Path, Any]:
    """The path of the container the tokens lead to, and the last step in it; only the container must be there."""
    parent = _existing(value, tokens[:-1])
    return parent, _step(_walk(value, parent), tokens[-1], parent)


def _existing(value: Any, tokens: tuple[str, ...]) -> Path:
    """The path the tokens stand for, which must lead to something."""
    path: Path = ()
    for token in tokens:
        step = _step(value, token, path)
        value = child(value, step)
        path = (*path, step)
        if value is MISSING:
            raise _nothing_at(path)
    return path


def _step(holder: Any, token: str, path: Path) -> Any:
    if isinstance(holder, dict):
        return token
    if not isinstance(holder, (list, tuple)):
        raise InapplicableOperation("no-such-place", path, f"{show(path)} is neither a mapping nor a list")
    if token == "-":
        return token
    if not _POSITION.fullmatch(token) or len(token) > _MAX_DIGITS:
        raise InapplicableOperation("no-such-place", path, f"{token!r} is no position in the list {show(path)}")
    return int(token)


def _walk(value: Any, path: Path) -> Any:
    for step in path:
        value = child(value, step)
    return value


def _nothing_at(path: Path) -> InapplicableOperation:
    return InapplicableOperation("no-such-place", path, f"there is nothing at {show(path)}")


def equal(first: Any, second: Any) -> bool:
    """Whether two values are the same as RFC 6902 sees it: numbers by value, booleans only with themselves."""
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(equal(first[key], second[key]) for key in first)
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
        return len(first) == len(second) and all(map(equal, first, second))
    return bool(first == second)


def _weigh(value: Any, depth: int, run: MergeContext) -> None:
    """Count what is being put in, at that depth; what holds itself over and over soon has no end."""
    pending = [(value, depth)]
    while pending:
        item, depth = pending.pop()
        run.spend(1)
        if depth > _MAX_DEPTH:
            raise BudgetSpent
        if isinstance(item, dict):
            pending.extend((inner, depth + 1) for inner in item.values())
        elif isinstance(item, (list, tuple)):
            pending.extend((inner, depth + 1) for inner in item)
