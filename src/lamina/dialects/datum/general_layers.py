"""The layers at the general end of the precedence, found once for all nodes that have them in common.

Where nothing is evaluated, the properties of a node decide which layers it has, and nodes of one role and location have
the same ones below their own files. Those are kept together with what was looked up in them, for every node whose
properties are the same: first the ones below, since still more nodes have these.

Files that may change while they are in use are looked up again for each node, so that it is known who depends on them;
what was kept serves as long as they are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina._support.derived import Derived
from lamina.dialects.datum.lookup import GeneralHits, Hit, in_tables
from lamina.dialects.datum.prefix_templates import located, own_names
from lamina.dialects.datum.tree import TreeFolder, TreeWalk
from lamina.engine.node import SourceNode
from lamina.paths import MISSING
from lamina.session import current_call

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.dialects.datum.node_values import NodeValues
    from lamina.dialects.datum.prefix_templates import OwnNames, PrefixTemplates, ResolvedPrefix
    from lamina.dialects.datum.tree import Position
    from lamina.errors import Note
    from lamina.paths import Path
    from lamina.session import Call
    from lamina.sources.powershell.case_insensitive import CaselessKey

_EACH: Final = 16 * 1024
_NODE: Final = 192
"""What a layer takes here besides its content, with what is looked up in it, and each value in it, in bytes, about."""


class _RecordedWalk(TreeWalk):
    """A walk that records what was looked up in folders."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[tuple[TreeFolder, str, Position | None]] = []

    def member(self, position: Position, name: str) -> Position | None:
        found = super().member(position, name)
        if isinstance(position, TreeFolder):
            self.steps.append((position, name, found))
        return found


class GeneralLayers:
    """A layer and the more general ones below it, as several nodes have them."""

    __slots__ = ("_below", "_found", "_own_problems", "_rank", "_steps", "is_complete", "prefixes", "problems")

    def __init__(self, prefix: ResolvedPrefix, rank: int, walk: _RecordedWalk, below: GeneralLayers | None) -> None:
        problems = walk.problems
        self._steps = walk.steps
        self._own_problems = problems
        self.prefixes: tuple[ResolvedPrefix, ...] = (prefix, *(below.prefixes if below else ()))
        """Where they are, the most specific first."""
        self.problems: Mapping[str, Note] = {**problems, **below.problems} if below else problems
        """Files that could not be read."""
        found = not problems and (prefix.missing is None or not prefix.keys)
        self.is_complete: bool = found and (below is None or below.is_complete)
        """Whether there is nothing to note: no such file, and no layer is missing that a property leads to."""
        self._rank = rank
        self._below = below
        self._found = Derived()

    def is_current(self) -> bool:
        """Whether looking the layers up again gives the same; who asks depends on the files then."""
        walk = TreeWalk()
        return (
            all(walk.member(folder, name) is found for folder, name, found in self._steps)
            and walk.problems == self._own_problems  # where in a file it is may have changed
            and (self._below is None or self._below.is_current())
        )

    def hits(self, path: Path) -> GeneralHits | None:
        """What they have at a path; None where that is not simply inside of their files."""
        found: tuple[GeneralHits | None] | None = self._found.find(path)
        return (self._found.keep(path, (self._looked_up(path),)) if found is None else found)[0]

    def _looked_up(self, path: Path) -> GeneralHits | None:
        below = self._below.hits(path) if self._below is not None else GeneralHits(())
        position = self.prefixes[0].position
        if below is None or position is None:
            return below
        value = in_tables(position.value, path) if type(position) is SourceNode else MISSING
        if value is MISSING or type(position) is not SourceNode:
            return None
        if value is None:
            return below
        own = Hit((position, path), value, position.layer or self.prefixes[0].path, self._rank)
        return GeneralHits((own, *below.hits))


def general_layers(
    values: NodeValues, templates: PrefixTemplates, keys: Mapping[str, CaselessKey]
) -> GeneralLayers | None:
    """The layers that a node, with its `own_keys`, has in common with others; None if each finds its own."""
    if not templates.general or values.rules.any:
        return None
    own = own_names(values.own.value, templates.properties, keys)
    return None if own is None else layers_of(own, templates, is_live=values.definition.root.is_live)


def layers_of(own: OwnNames, templates: PrefixTemplates, *, is_live: bool) -> GeneralLayers:
    """The layers of all nodes whose properties, as far as these layers depend on them, are the same."""
    return _kept(current_call(), templates, 0, own, is_live=is_live)


def _kept(call: Call, templates: PrefixTemplates, at: int, own: OwnNames, *, is_live: bool) -> GeneralLayers:
    key = (templates.token, at, *own[0])
    kept: GeneralLayers | None = call.find(key)
    if kept is not None and is_live and not kept.is_current():
        call.drop(key)
        kept = None
    if kept is None:
        kept = _made(call, templates, at, own, is_live=is_live)
        position = kept.prefixes[0].position
        nodes = position.positions.record_count if type(position) is SourceNode else 0
        call.keep(key, kept, _EACH + _NODE * nodes)
    return kept


def _made(call: Call, templates: PrefixTemplates, at: int, own: OwnNames, *, is_live: bool) -> GeneralLayers:
    prefix, template = templates.general[at]
    names, keys = own
    count, walk = len(template.properties), _RecordedWalk()
    layer = located(prefix, template, (names[:count], keys[:count]), walk)
    below = None
    if at + 1 < len(templates.general):
        below = _kept(call, templates, at + 1, (names[count:], keys[count:]), is_live=is_live)
    return GeneralLayers(layer, len(templates.own) + at, walk, below)
