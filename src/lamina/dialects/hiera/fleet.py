"""The fleet of a tree: one node per file of facts, with the files that its levels resolve to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina.dialects.hiera.compile import mapped_folders, notes_of, view_of
from lamina.dialects.hiera.facts_files import node_names
from lamina.dialects.hiera.layers import site_of
from lamina.dialects.hiera.possible_files import PossibleFiles
from lamina.plugin import extensions as lpx
from lamina.plugin import hierarchy as lph

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina import plugin as lp
    from lamina.dialects.hiera.lookup import HieraNodeView
    from lamina.dialects.hiera.options import HieraOptions


_ENDINGS: Final = (".yaml", ".yml", ".json", ".eyaml")


def nodes(inputs: lp.Inputs, options: HieraOptions) -> Iterator[lpx.FleetNode]:
    """Every node that has facts; the files are listed, not read."""
    yield from (lpx.FleetNode(name=name, options={"node": name}) for name in node_names(inputs, options))


def layers(inputs: lp.Inputs, options: HieraOptions) -> Iterator[lpx.NodeLayers]:
    """Every node with the files of its levels."""

    def resolved(node: lph.NamedNode) -> tuple[list[lpx.NodeLayer], list[lp.Diagnostic]]:
        view = view_of(inputs, options, node.name)
        return list(_layers(view)), list(notes_of(view))

    return lph.layers_of_nodes((lph.NamedNode(name, None) for name in node_names(inputs, options)), resolved)


def _layers(view: HieraNodeView) -> Iterator[lpx.NodeLayer]:
    for layer in view.site.layers:
        for level in layer.config.levels:
            if not view.files.can_read(level):
                continue
            for text, path, _ in view.files.paths(level):
                source = None if path is None else view.site.tree.read(path)
                if path in view.site.tree.broken_links:
                    continue  # which is said by itself
                yield lpx.NodeLayer(level.name, text, None if source is None else source.name, level.at)


def data_stores(inputs: lp.Inputs, options: HieraOptions) -> Iterator[lpx.FileStore]:
    """The files that are data: those in the datadirs of all levels that do not depend on the node.

    Which of them are layers is known from the facts of nodes alone; what plan_hierarchy leads to is no layer. What
    functions of modules read is not known.
    """
    tree = lph.tree_of(inputs)
    site = site_of(inputs, options)
    possible = PossibleFiles(site, options.environment, mapped_folders(options), inputs.run)
    folders: set[str] = set()
    unread: set[str] = set()
    for layer in site.layers:
        for level in layer.config.levels:
            folder = lph.within(level.folder, level.datadir.text)
            if folder and "%{" not in level.datadir.text:
                is_read = possible.can_read(level) or level.kind is None
                (folders if is_read else unread).add(f"{folder}/")
    below = tuple(folders - unread)
    files = {name for name in tree.names() if name.startswith(below) and name.endswith(_ENDINGS)}
    files -= {name for layer in site.layers for name in possible.names(layer.config.plan_levels)}
    yield lpx.FileStore(frozenset(files), has_layers=bool(node_names(inputs, options)))


FLEET = lpx.Fleet(
    nodes=nodes,
    layers=layers,
    stores=data_stores,
    without_nodes="put the facts of each node into facts/NAME.yaml beside hiera.yaml: "
    "`puppet facts --render-as yaml` prints them, and a few lines by hand also work",
)
