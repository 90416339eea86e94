"""Shared content: which containers of some outputs are one container, by their paths.

A value that is copied one level deep has its members in common with its source. So what is recorded for a substitution
is one content, the members of the container that was read, and the two spots where it appears; the containers
themselves are not visited. A content is a tree of its own, in which other contents may appear again, and a path of an
output is followed from content to content to the one tree that has it. A container in the tree of an output has that
location alone; one in a content has as many as the content has spots.

A member that is set at a spot itself no longer comes from the content: it is the spot's own from then on.

This covers what nearly all documents do. For the rest, `Heap.of_contents` makes the containers (see `heap`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.dialects.deckhand.heap import Location

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.paths import Path

MOST_WRAPPED = 40
"""How many contents may be the same but for some members, each a copy of the one before."""


class TooWrapped(Exception):
    """A content would be wrapped in too many others."""


class Spot:
    """A location in a tree, as far as a content appears there or below.

    `content` has its members, except those in `own`; spots below it are in the content, or below a member of its own.
    """

    __slots__ = ("content", "inner", "key", "outer", "own", "tree")

    def __init__(self, outer: Spot | None, key: Any, tree: Tree | None = None) -> None:
        self.outer = outer
        self.key = key
        self.tree = tree
        """The tree of which it is the top."""
        self.inner: dict[Any, Spot] = {}
        self.content: Tree | None = None
        self.own: set[Any] = set()

    def within(self, key: Any) -> Spot:
        """The spot that has the member of a key: this one, or the top of the content it comes from."""
        spot = self
        while spot.content is not None and key not in spot.own:
            spot = spot.content.top
        return spot

    def place(self) -> tuple[Tree, Path]:
        """The tree it is in, and the path there."""
        keys: list[Any] = []
        spot = self
        while spot.outer is not None:
            keys.append(spot.key)
            spot = spot.outer
        assert spot.tree is not None
        return spot.tree, tuple(reversed(keys))

    def made(self, path: Path) -> Spot:
        """The spot at a path below, which leads through no content; it is created if necessary."""
        spot = self
        for key in path:
            known = spot.inner.get(key)
            if known is None:
                known = spot.inner[key] = Spot(spot, key)
            spot = known
        return spot

    def below(self) -> Iterator[Spot]:
        """This spot and all those below it in the same tree."""
        pending = [self]
        while pending:
            spot = pending.pop()
            yield spot
            pending.extend(spot.inner.values())


class Tree:
    """An output, or without a name a content."""

    __slots__ = ("in_contents", "in_outputs", "name", "spots", "top", "wraps")

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.top = Spot(None, None, self)
        self.spots: dict[Spot, None] = {}
        """The spots where a content appears."""
        self.in_outputs: dict[Tree, int] = {}
        """The outputs that it appears in directly, and how often; so a source with many takers is looked up once."""
        self.in_contents: dict[Tree, int] = {}
        self.wraps = 0
        """How many contents it was made of one after the other."""

    def appear(self, spot: Spot, tree: Tree) -> None:
        """Let the content appear at a spot of a tree."""
        spot.content, spot.own = self, set()
        self.spots[spot] = None
        self.count(tree, 1)

    def count(self, tree: Tree, more: int) -> None:
        """Count the spots in another tree."""
        counts = self.in_outputs if tree.name else self.in_contents
        counts[tree] = counts.get(tree, 0) + more
        if not counts[tree]:
            del counts[tree]

    def ways_from(self, output: Tree, known: dict[Tree, int]) -> int:
        """How many ways lead from an output to this content."""
        if self not in known:
            known[self] = self.in_outputs.get(output, 0) + sum(
                times * content.ways_from(output, known) for content, times in self.in_contents.items()
            )
        return known[self]

    def contents_inside(self) -> Iterator[Tree]:
        """This content and all that appear in it, once for each spot."""
        pending = [self]
        while pending:
            content = pending.pop()
            yield content
            pending.extend(spot.content for spot in content.top.below() if spot.content is not None)


class Found(NamedTuple):
    """Where a path of an output leads: a tree, the path in it, and the spot there if there is one."""

    tree: Tree
    path: Path
    spot: Spot | None


class SharedContents:
    """The outputs of a run that have containers in common, and the contents that appear in them."""

    def __init__(self) -> None:
        self.trees: dict[str, Tree] = {}

    def tree(self, output: str) -> Tree:
        """The tree of an output."""
        known = self.trees.get(output)
        if known is None:
            known = self.trees[output] = Tree(output)
        return known

    def find(self, location: Location) -> Found:
        """The one tree that has the container at a location."""
        tree = self.tree(location.output)
        spot: Spot | None = tree.top
        start = 0
        for at, key in enumerate(location.path):
            if spot is None:
                break
            inside = spot.within(key)
            if inside is not spot:
                assert inside.tree is not None
                tree, start = inside.tree, at
            spot = inside.inner.get(key)
        return Found(tree, location.path[start:], spot)

    def locations(self, found: Found) -> list[Location]:
        """All locations of a container."""
        everywhere: list[Location] = []
        pending = [(found.tree, found.path)]
        for tree, path in pending:
            if tree.name:
                everywhere.append(Location(tree.name, path))
                continue
            for spot in tree.spots:
                if path[0] not in spot.own:
                    outer, before = spot.place()
                    pending.append((outer, before + path))
        return everywhere

    def set_members(self, found: Found, keys: Iterable[Any]) -> None:
        """Record that members of a container were set: what appeared there appears there no longer."""
        spot = found.spot
        if spot is None:
            return
        for key in keys:
            if spot.content is not None:
                spot.own.add(key)
            gone = spot.inner.pop(key, None)
            for each in gone.below() if gone is not None else ():
                if each.content is not None:
                    del each.content.spots[each]
                    each.content.count(found.tree, -1)

    def content_of(self, location: Location) -> Tree:
        """The content of the container at a location."""
        tree, path, spot = self.find(location)
        spot = spot or tree.top.made(path)
        if spot.content is not None and not spot.own:
            return spot.content
        content = Tree()
        if spot.content is not None:
            # Some members are not those of the content: the new one has both.
            content.wraps = spot.content.wraps + 1
            if content.wraps > MOST_WRAPPED:
                raise TooWrapped
            content.top.content, content.top.own = spot.content, spot.own
            del spot.content.spots[spot]
            spot.content.spots[content.top] = None
            spot.content.count(tree, -1)
            spot.content.count(content, 1)
        for inner in spot.inner.values():
            inner.outer = content.top
            for each in inner.below():
                if each.content is not None:
                    each.content.count(tree, -1)
                    each.content.count(content, 1)
        content.top.inner, spot.inner = spot.inner, {}
        content.appear(spot, tree)
        return content

    def put(self, content: Tree, location: Location) -> None:
        """Let a content appear at a location that was just set."""
        tree, path, spot = self.find(location)
        content.appear(spot or tree.top.made(path), tree)

    def repeats(self, content: Tree, output: str) -> bool:
        """Whether a container of a content, or in it, is at two paths of an output."""
        tree, known = self.tree(output), dict[Tree, int]()
        return any(each.ways_from(tree, known) > 1 for each in content.contents_inside())

    def has_aliases(self, location: Location) -> bool:
        """Whether a container appears at two paths of the value at a location."""
        spot = self.find(location).spot
        seen: set[Tree] = set()
        for each in spot.below() if spot is not None else ():
            for inside in each.content.contents_inside() if each.content is not None else ():
                if inside in seen:
                    return True
                seen.add(inside)
        return False

    def copy(self, source: Location, target: Location) -> None:
        """Record that the value at a location was copied to another, and its aliases with it."""
        spot = self.find(source).spot
        tree, path, known = self.find(target)
        if spot is not None:
            _copy(spot, known or tree.top.made(path), tree)


def _copy(source: Spot, target: Spot, tree: Tree) -> None:
    """Copy what appears at a spot and below, each content once."""
    copies: dict[Tree, Tree] = {}
    pending = [(source, target, tree)]
    while pending:
        source, target, tree = pending.pop()
        if source.content is not None:
            copied = copies.get(source.content)
            if copied is None:
                copied = copies[source.content] = Tree()
                copied.wraps = source.content.wraps
                pending.append((source.content.top, copied.top, copied))
            copied.appear(target, tree)
            target.own = set(source.own)
        for key, inner in source.inner.items():
            target.inner[key] = Spot(target, key)
            pending.append((inner, target.inner[key], tree))
