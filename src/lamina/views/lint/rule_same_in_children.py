"""Values that every child of a layer sets alike.

The children of a layer are the results that are made from it: the nodes below a common level, the documents with one
parent. What only one of them reads is its own. If the own layers of all children set a path to the same value, it is
written as often as there are children, and could be written once: in the layer that they share.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from lamina.engine.provenance import key_origin, origins_of
from lamina.errors import Diagnostic
from lamina.paths import show
from lamina.protocol.extensions import fleet_of
from lamina.values import same
from lamina.views.lint.layer_index import members_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.engine.node import Node, SourceNode
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.views.lint.context import Survey

_FEWEST: Final = 3
"""In fewer children, that a value is the same says little."""


class _WrittenValue(NamedTuple):
    """A value that is written for a output, its path there, and the file it is in."""

    child: str
    path: Path
    node: SourceNode
    source: str


def same_in_every_child(survey: Survey) -> Iterator[Note]:
    """A finding for each value that all children of a layer set alike, at the first of them."""
    of_table = survey.rendered.spec.shape == "table"
    yield from _of_nodes(survey) if of_table else _of_documents(survey)


def _of_documents(survey: Survey) -> Iterator[Note]:
    """The children are outputs, and the layers those of the plan."""
    values = list(_values(survey))
    children: dict[str, set[str]] = {}
    for each in values:
        children.setdefault(each.source, set()).add(each.child)
    own: dict[Path, dict[str, SourceNode]] = {}
    for each in values:
        if each.path and len(children[each.source]) == 1:
            own.setdefault(each.path, {})[each.child] = each.node
    shared = _shared(children)
    reported: list[Path] = []
    for path in sorted(own, key=lambda path: (len(path), str(path))) if shared else ():
        if any(path[: len(each)] == each for each in reported):
            continue
        for source, found in shared:
            if _is_alike(own[path], found):
                reported.append(path)
                nodes = [own[path][child] for child in sorted(found)]
                yield _finding(survey, path, [key_origin(each) or each.origin() for each in nodes], source)
                break


def _shared(children: dict[str, set[str]]) -> list[tuple[str, frozenset[str]]]:
    """The layers with enough children, the most general first."""
    shared = ((source, frozenset(found)) for source, found in children.items() if len(found) >= _FEWEST)
    return sorted(shared, key=lambda each: (-len(each[1]), each[0]))


def _is_alike(nodes: dict[str, SourceNode], children: frozenset[str]) -> bool:
    """Whether these children all set a value, and to the same."""
    if not nodes.keys() >= children:
        return False
    first = nodes[min(children)].value
    return all(same(nodes[child].value, first) for child in children)


def _values(survey: Survey) -> Iterator[_WrittenValue]:
    """What is written for each output: whole layers, with what is in them."""
    for layer in survey.layers:
        for output, end in survey.ends.of(layer.output, layer.path):
            pending = [layer.node]
            while pending:
                node = pending.pop()
                yield _WrittenValue(output, (*end, *node.path[len(layer.node.path) :]), node, node.origin().source)
                if isinstance(node.value, dict):
                    pending += members_of(node)


def _of_nodes(survey: Survey) -> Iterator[Note]:
    """The children are the nodes of a table, and the layers those that the dialect resolves for them.

    Values are compared first, and where they come from is asked only for those that are the same.
    """
    fleet = fleet_of(survey.rendered.dialect)
    if fleet is None or fleet.layers is None or not survey.rendered.outputs:
        return
    children: dict[str, set[str]] = {}
    for node in fleet.layers(survey.inputs, survey.rendered.options):
        for layer in node.layers:
            if layer.file is not None:
                children.setdefault(layer.file, set()).add(node.name)
    [output] = survey.rendered.outputs
    reported: set[str] = set()
    for file, found in _shared(children):
        tables = [output.value.get(name) for name in sorted(found)]
        if not all(isinstance(table, dict) for table in tables):
            continue
        for key, value in tables[0].items():
            if key in reported or not all(key in table and same(table[key], value) for table in tables[1:]):
                continue
            places = _own_places((output.node.child(name).child(key) for name in sorted(found)), children)
            if places is not None:
                reported.add(key)
                folder = places[0].source.removesuffix(_file_of(places[0], children) or "")
                yield _finding(survey, (key,), places, folder + file)


def _own_places(found: Iterable[Node], children: dict[str, set[str]]) -> list[Origin] | None:
    """Where the value of each child is written, if that is a file of its own."""
    places: list[Origin] = []
    for node in found:
        written = list(islice(origins_of(node), 2))
        file = _file_of(written[0], children) if len(written) == 1 else None
        if file is None or len(children[file]) > 1:
            return None
        places += written
    return places


def _file_of(origin: Origin, children: dict[str, set[str]]) -> str | None:
    """The file of a layer that a value is in; its source has the folder of the nodes in front."""
    source = origin.source
    return next((source[at:] for at in _starts(source) if source[at:] in children), None)


def _starts(source: str) -> Iterator[int]:
    yield 0
    yield from (at + 1 for at, letter in enumerate(source) if letter == "/")


def _finding(survey: Survey, path: Path, places: list[Origin], source: str) -> Note:
    first, *others = places
    move = f"lamina move {show(path)} --to {source} tries that, and proves that no result changes"
    return Diagnostic(
        code="same-in-every-child",
        message=f"{show(path)} is the same in all {len(places)} results that share {source}",
        at=first,
        path=path,
        related=tuple(("the same value is here", each) for each in others[:2]),
        hint="write it there once" if survey.rendered.many else f"write it there once: {move}",
    )
