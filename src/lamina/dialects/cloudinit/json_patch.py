"""JSON Patch: operations at paths, applied in order (RFC 6902).

add       set a key, or insert before an item of a list (`-`: after the last)
replace   replace an existing value
remove    remove an existing value
move      remove a value and add it at another path, which must not be inside it
copy      add a copy of a value at another path
test      change nothing; the value at the path must equal the given one (true and 1 are different)

The path `()` is the whole value: add, replace, move and copy may set it, remove may not. All operations together give
one node; each changed path is a merge of the old and the new value, so that its history is shown as for any other step.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lamina.budget import BudgetExceeded
from lamina.dialects.cloudinit.patch_tree import Brought, OpenContainer, PatchTree, inside
from lamina.paths import MISSING, Path, child, show

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lamina.dialects.cloudinit.patch_step import PatchOperation
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.node import Node
    from lamina.engine.step_context import StepRef

_POSITION = re.compile("0|[1-9][0-9]*")
_MAX_DIGITS = 18
_MAX_DEPTH = 400
"""How deep values may be nested."""


class InapplicableOperation(Exception):
    """An operation that cannot be applied: `malformed`, `no-such-place`, `unequal`, or `cyclic`."""

    def __init__(self, fault: str, path: Path, detail: str) -> None:
        super().__init__(fault, path, detail)
        self.fault = fault
        self.path = path
        self.detail = detail
        self.number = 0
        """The number of the operation, from one."""
        self.there: Node | None = None
        """The value at the path."""


def patched(node: Node, changes: Sequence[PatchOperation], cause: StepRef, run: MergeContext) -> Node:
    """The node after all operations; raises InapplicableOperation."""
    tree = PatchTree(node, cause, run)
    for number, change in enumerate(changes, start=1):
        run.build(1 + len(change.path))
        try:
            if change.problem:
                raise InapplicableOperation(change.problem[0], (), change.problem[1])
            _OPERATIONS[change.operation](tree, change)
        except InapplicableOperation as unfit:
            unfit.number, unfit.there = number, _there(tree, unfit.path)
            raise
    return tree.result()


def _there(tree: PatchTree, path: Path) -> Node | None:
    """The value at the path where an operation fails, if any."""
    try:
        return tree.taken(path)
    except (LookupError, TypeError):
        return None


def _add(tree: PatchTree, change: PatchOperation) -> None:
    _put_value(tree, change.path, _brought(change))


def _replace(tree: PatchTree, change: PatchOperation) -> None:
    new = _brought(change)
    _weigh(tree, new.value, len(change.path))
    if not change.path:
        tree.replace_root(new)
        return
    parent, step = _last(tree, change.path)
    holder = tree.content(parent)
    if step == "-" and _is_list(holder):
        raise InapplicableOperation("malformed", (*parent, step), "there is no item after the last one to replace")
    if not _has(holder, step):
        raise _missing((*parent, step))
    tree.set(parent, step, new)


def _remove(tree: PatchTree, change: PatchOperation) -> None:
    if not change.path:
        raise InapplicableOperation("no-such-place", (), "the whole document cannot be removed")
    parent, step = _last(tree, change.path)
    if not _has(tree.content(parent), step):
        raise _missing((*parent, step))
    tree.remove(parent, step, change.node)


def _move(tree: PatchTree, change: PatchOperation) -> None:
    inside = len(change.path) > len(change.source) and change.path[: len(change.source)] == change.source
    if inside:
        raise InapplicableOperation("no-such-place", change.path, f"{show(change.source)} cannot be moved into itself")
    source = _existing(tree, change.source)
    if change.path == change.source:
        return
    if not source:
        raise InapplicableOperation("no-such-place", (), "the whole document cannot be removed")
    moving = tree.moving(source)
    taken = tree.taken(source)
    tree.remove(source[:-1], source[-1], change.node)
    if moving is not None and change.path and tree.holds(moving, _container(tree, change.path[:-1])):
        raise InapplicableOperation("cyclic", change.path, f"{show(change.source)} would be inside itself")
    _put_value(tree, change.path, Brought(taken, taken.value, moving))


def _container(tree: PatchTree, tokens: tuple[str, ...]) -> Path:
    path = _existing(tree, tokens)
    if not isinstance(_kind(tree.content(path)), (dict, list)):
        raise InapplicableOperation("no-such-place", path, f"{show(path)} is neither a mapping nor a list")
    return path


def _copy(tree: PatchTree, change: PatchOperation) -> None:
    _put_value(tree, change.path, tree.copied(_existing(tree, change.source)))


def _test(tree: PatchTree, change: PatchOperation) -> None:
    try:
        path = _existing(tree, change.path)
    except InapplicableOperation as unfit:
        raise InapplicableOperation("unequal", unfit.path, unfit.detail) from None
    wanted = _value(change)
    if not equal(tree.value(path), wanted.value):
        raise InapplicableOperation("unequal", path, f"{show(path)} does not have the value the test expects")


_OPERATIONS: dict[str, Callable[[PatchTree, PatchOperation], None]] = {
    "add": _add,
    "replace": _replace,
    "remove": _remove,
    "move": _move,
    "copy": _copy,
    "test": _test,
}
OPERATIONS = tuple(_OPERATIONS)


def _value(change: PatchOperation) -> Node:
    if change.value is None:
        raise InapplicableOperation("malformed", (), f"{change.operation} needs a value")
    return change.value


def _brought(change: PatchOperation) -> Brought:
    node = _value(change)
    return Brought(node, node.value)


def _put_value(tree: PatchTree, tokens: tuple[str, ...], new: Brought) -> None:
    """Set a key, insert before an item or after the last, or replace the root."""
    _weigh(tree, new.value, len(tokens))
    if not tokens:
        tree.replace_root(new)
        return
    parent, step = _last(tree, tokens)
    holder = _kind(tree.content(parent))
    if isinstance(holder, dict):
        tree.set(parent, step, new)
        return
    if not isinstance(holder, list):
        raise InapplicableOperation("no-such-place", parent, f"{show(parent)} is neither a mapping nor a list")
    position = len(holder) if step == "-" else step
    if position > len(holder):
        raise InapplicableOperation(
            "no-such-place", (*parent, position), f"{show(parent)} has only {len(holder)} items"
        )
    tree.insert(parent, position, new)


def _weigh(tree: PatchTree, value: Any, depth: int) -> None:
    if tree.weigh(value, depth) > _MAX_DEPTH:
        raise BudgetExceeded(f"{_MAX_DEPTH} nested collections")


def _last(tree: PatchTree, tokens: tuple[str, ...]) -> tuple[Path, Any]:
    """The path of the container that the tokens lead to, and the last step; only the container must exist."""
    parent = _existing(tree, tokens[:-1])
    return parent, _step(tree.content(parent), tokens[-1], parent)


def _existing(tree: PatchTree, tokens: tuple[str, ...]) -> Path:
    """The path of the tokens; it must exist."""
    content = tree.content(())
    path: list[Any] = []
    for token in tokens:
        step = _step(content, token, tuple(path))
        path.append(step)
        if not _has(content, step):
            raise _missing(tuple(path))
        content = inside(content, step)
    return tuple(path)


def _step(holder: Any, token: str, path: Path) -> Any:
    holder = _kind(holder)
    if isinstance(holder, dict):
        return token
    if not _is_list(holder):
        raise InapplicableOperation("no-such-place", path, f"{show(path)} is neither a mapping nor a list")
    if token == "-":
        return token
    if not _POSITION.fullmatch(token) or len(token) > _MAX_DIGITS:
        raise InapplicableOperation("no-such-place", path, f"{token!r} is not an index of the list {show(path)}")
    return int(token)


def _kind(holder: Any) -> Any:
    """A container with the current keys or length."""
    return holder.value if isinstance(holder, OpenContainer) else holder


def _has(holder: Any, step: Any) -> bool:
    return child(_kind(holder), step) is not MISSING


def _is_list(holder: Any) -> bool:
    return isinstance(_kind(holder), (list, tuple))


def _missing(path: Path) -> InapplicableOperation:
    return InapplicableOperation("no-such-place", path, f"there is nothing at {show(path)}")


def equal(first: Any, second: Any) -> bool:
    """Whether two values are equal by RFC 6902: numbers by value, booleans only equal booleans."""
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(equal(first[key], second[key]) for key in first)
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
        return len(first) == len(second) and all(map(equal, first, second))
    return bool(first == second)
