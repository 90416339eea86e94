"""Shared content: which containers of some outputs are one container, by their paths.

A value that is copied one level deep has its members in common with its source. So what is recorded for a substitution
is one content, the members of the container that was read, and the two mounts where it appears; the containers
themselves are not visited. A content is a tree of its own, in which other contents may appear again, and a path of an
output is followed from content to content to the one tree that has it. A container in the tree of an output has that
location alone; one in a content has as many as the content has mounts.

A member that is set at a mount itself no longer comes from the content: it is the mount's own from then on.

This covers what nearly all documents do. For the rest, `Heap.adopt_shared` makes the containers (see `heap`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.dialects.deckhand.heap import Location

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.paths import Path
    from lamina.run import Run

_MOUNTED = 400
"""The cost in steps of a mount that is copied, or of a location that is looked up."""
MOST_WRAPPED = 40
"""How many contents may be the same but for some members, each a copy of the one before."""


class TooWrapped(Exception):
    """A content would be wrapped in too many others."""


class MountPoint:
    """A location in a tree, as far as a content appears there or below.

    `content` has its members, except those in `own`; mounts below it are in the content, or below a member of its own.
    """

    __slots__ = ("content", "inner", "key", "outer", "own", "tree")

    def __init__(self, outer: MountPoint | None, key: Any, tree: ContentTree | None = None) -> None:
        self.outer = outer
        self.key = key
        self.tree = tree
        """The tree of which it is the top."""
        self.inner: dict[Any, MountPoint] = {}
        self.content: ContentTree | None = None
        self.own: set[Any] = set()

    def within(self, key: Any) -> MountPoint:
        """The mount that has the member of a key: this one, or the top of the content it comes from."""
        mount = self
        while mount.content is not None and key not in mount.own:
            mount = mount.content.top
        return mount

    def path_in_tree(self) -> tuple[ContentTree, Path]:
        """The tree it is in, and the path there."""
        keys: list[Any] = []
        mount = self
        while mount.outer is not None:
            keys.append(mount.key)
            mount = mount.outer
        assert mount.tree is not None
        return mount.tree, tuple(reversed(keys))

    def made(self, path: Path) -> MountPoint:
        """The mount at a path below, which leads through no content; it is created if necessary."""
        mount = self
        for key in path:
            known = mount.inner.get(key)
            if known is None:
                known = mount.inner[key] = MountPoint(mount, key)
            mount = known
        return mount

    def below(self) -> Iterator[MountPoint]:
        """This mount and all those below it in the same tree."""
        pending = [self]
        while pending:
            mount = pending.pop()
            yield mount
            pending.extend(mount.inner.values())


class ContentTree:
    """An output, or without a name a content."""

    __slots__ = ("in_contents", "in_outputs", "mounts", "name", "top", "wraps")

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.top = MountPoint(None, None, self)
        self.mounts: dict[MountPoint, None] = {}
        """The mounts where a content appears."""
        self.in_outputs: dict[ContentTree, int] = {}
        """The outputs that it appears in directly, and how often; so a source with many takers is looked up once."""
        self.in_contents: dict[ContentTree, int] = {}
        self.wraps = 0
        """How many contents it was made of one after the other."""

    def appear(self, mount: MountPoint, tree: ContentTree) -> None:
        """Let the content appear at a mount of a tree."""
        mount.content, mount.own = self, set()
        self.mounts[mount] = None
        self.count(tree, 1)

    def count(self, tree: ContentTree, more: int) -> None:
        """Count the mounts in another tree."""
        counts = self.in_outputs if tree.name else self.in_contents
        counts[tree] = counts.get(tree, 0) + more
        if not counts[tree]:
            del counts[tree]

    def ways_from(self, output: ContentTree, known: dict[ContentTree, int]) -> int:
        """How many ways lead from an output to this content."""
        if self not in known:
            known[self] = self.in_outputs.get(output, 0) + sum(
                times * content.ways_from(output, known) for content, times in self.in_contents.items()
            )
        return known[self]

    def contents_inside(self) -> Iterator[ContentTree]:
        """This content and all that appear in it, once for each mount."""
        pending = [self]
        while pending:
            content = pending.pop()
            yield content
            pending.extend(mount.content for mount in content.top.below() if mount.content is not None)


class TreePath(NamedTuple):
    """Where a path of an output leads: a tree, the path in it, and the mount there if there is one."""

    tree: ContentTree
    path: Path
    mount: MountPoint | None


class SharedContents:
    """The outputs of a run that have containers in common, and the contents that appear in them."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.trees: dict[str, ContentTree] = {}

    def tree(self, output: str) -> ContentTree:
        """The tree of an output."""
        known = self.trees.get(output)
        if known is None:
            known = self.trees[output] = ContentTree(output)
        return known

    def find(self, location: Location) -> TreePath:
        """The one tree that has the container at a location."""
        tree = self.tree(location.output)
        mount: MountPoint | None = tree.top
        start = 0
        for at, key in enumerate(location.path):
            if mount is None:
                break
            inside = mount.within(key)
            if inside is not mount:
                assert inside.tree is not None
                tree, start = inside.tree, at
            mount = inside.inner.get(key)
        return TreePath(tree, location.path[start:], mount)

    def locations(self, found: TreePath) -> list[Location]:
        """All locations of a container."""
        everywhere: list[Location] = []
        pending = [(found.tree, found.path)]
        for tree, path in pending:
            self._run.spend(_MOUNTED)
            if tree.name:
                everywhere.append(Location(tree.name, path))
                continue
            for mount in tree.mounts:
                if path[0] not in mount.own:
                    outer, before = mount.path_in_tree()
                    pending.append((outer, before + path))
        return everywhere

    def set_members(self, found: TreePath, keys: Iterable[Any]) -> None:
        """Record that members of a container were set: what appeared there appears there no longer."""
        mount = found.mount
        if mount is None:
            return
        for key in keys:
            if mount.content is not None:
                mount.own.add(key)
            removed = mount.inner.pop(key, None)
            for each in removed.below() if removed is not None else ():
                if each.content is not None:
                    del each.content.mounts[each]
                    each.content.count(found.tree, -1)

    def content_of(self, location: Location) -> ContentTree:
        """The content of the container at a location."""
        tree, path, mount = self.find(location)
        mount = mount or tree.top.made(path)
        if mount.content is not None and not mount.own:
            return mount.content
        content = ContentTree()
        if mount.content is not None:
            # Some members are not those of the content: the new one has both.
            content.wraps = mount.content.wraps + 1
            if content.wraps > MOST_WRAPPED:
                raise TooWrapped
            content.top.content, content.top.own = mount.content, mount.own
            del mount.content.mounts[mount]
            mount.content.mounts[content.top] = None
            mount.content.count(tree, -1)
            mount.content.count(content, 1)
        for inner in mount.inner.values():
            inner.outer = content.top
            for each in inner.below():
                if each.content is not None:
                    each.content.count(tree, -1)
                    each.content.count(content, 1)
        content.top.inner, mount.inner = mount.inner, {}
        content.appear(mount, tree)
        return content

    def put(self, content: ContentTree, location: Location) -> None:
        """Let a content appear at a location that was just set."""
        tree, path, mount = self.find(location)
        content.appear(mount or tree.top.made(path), tree)

    def repeats(self, content: ContentTree, output: str) -> bool:
        """Whether a container of a content, or in it, is at two paths of an output."""
        tree, known = self.tree(output), dict[ContentTree, int]()
        return any(each.ways_from(tree, known) > 1 for each in content.contents_inside())

    def has_aliases(self, location: Location) -> bool:
        """Whether a container appears at two paths of the value at a location."""
        mount = self.find(location).mount
        seen: set[ContentTree] = set()
        for each in mount.below() if mount is not None else ():
            for inside in each.content.contents_inside() if each.content is not None else ():
                if inside in seen:
                    return True
                seen.add(inside)
        return False

    def copy(self, source: Location, target: Location) -> None:
        """Record that the value at a location was copied to another, and its aliases with it."""
        mount = self.find(source).mount
        tree, path, known = self.find(target)
        if mount is not None:
            self._copy(mount, known or tree.top.made(path), tree)

    def _copy(self, source: MountPoint, target: MountPoint, tree: ContentTree) -> None:
        """Copy what appears at a mount and below, each content once."""
        copies: dict[ContentTree, ContentTree] = {}
        pending = [(source, target, tree)]
        while pending:
            self._run.spend(_MOUNTED)
            source, target, tree = pending.pop()
            if source.content is not None:
                copied = copies.get(source.content)
                if copied is None:
                    copied = copies[source.content] = ContentTree()
                    copied.wraps = source.content.wraps
                    pending.append((source.content.top, copied.top, copied))
                copied.appear(target, tree)
                target.own = set(source.own)
            for key, inner in source.inner.items():
                target.inner[key] = MountPoint(target, key)
                pending.append((inner, target.inner[key], tree))
