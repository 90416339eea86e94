"""The fleet of a folder of documents: one node per site.

A repository of sites has common documents in `global`, those of a type of sites in `type/NAME`, and one folder per site
in `site`. A site is rendered from all three; its type is `site_type` in the data of its definition,
`site-definition.yaml`. Older repositories have several revisions of `global` and `type/NAME` in folders of their names;
of these a site has `common` and the `revision` of its definition. Further repositories have the same folders, and what
they hold for a site is added, as Pegleg does. A folder without `site` is one site, as it is, and so are files.
"""

from __future__ import annotations

from posixpath import basename, join, relpath
from typing import TYPE_CHECKING, NamedTuple

from lamina.dialects.deckhand import messages
from lamina.dialects.deckhand.load_documents import ENDINGS, readers
from lamina.dialects.deckhand.site_definition import FILE, SiteDefinition, read_definition
from lamina.plugin import Diagnostic, InputError
from lamina.plugin.extensions import Fleet, FleetNode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lamina.dialects.deckhand.options import DeckhandOptions
    from lamina.plugin import Inputs, Run
    from lamina.plugin.formats import Files, Folder


def fleet(inputs: Inputs, options: DeckhandOptions) -> Iterator[FleetNode]:  # noqa: ARG001 - the hook's signature
    """The sites of a folder, made from its documents and those of further folders."""
    if not inputs.folders:
        yield FleetNode(name="site", inputs=tuple(source.name for source in inputs.sources))
        return
    own, *further = inputs.folders
    here = _SiteRepository.of(own, own)
    sites = sorted(folder for folder in here.folders if folder.startswith("site/"))
    if not sites:
        if next(readers(inputs), None) is None:
            raise InputError(messages.NOTHING_FOUND.at(folder=own.name, listed=" or ".join(ENDINGS)))
        yield FleetNode(name=own.name.rstrip("/").rpartition("/")[2] or "site")
        return
    repositories = [here, *(_SiteRepository.of(folder, own) for folder in further)]
    for site in sites:
        yield _site(site, own.files, repositories, inputs.run)


class _SiteRepository(NamedTuple):
    """A folder with documents: its path from the repository of the sites, and the folders of layers in it."""

    path: str
    folders: frozenset[str]

    @classmethod
    def of(cls, folder: Folder, own: Folder) -> _SiteRepository:
        parts = [name.split("/") for name in folder.files.names()]
        layers = {"global" for steps in parts if steps[0] == "global" and len(steps) > 1}
        layers |= {"/".join(steps[:2]) for steps in parts if len(steps) > 2}
        layers |= {"/".join(steps[:3]) for steps in parts if steps[0] == "type" and len(steps) > 3}
        return cls("" if folder is own else relpath(folder.name, own.name), frozenset(layers))


def _site(site: str, files: Files, repositories: Sequence[_SiteRepository], run: Run) -> FleetNode:
    """A site, with the folders of all repositories that hold documents of its layers."""
    problem: Diagnostic | None = None
    definition = SiteDefinition()
    try:
        definition = read_definition(files, f"{site}/{FILE}", run)
    except InputError as error:
        problem = error.diagnostic
    present = {basename(each.path) for each in repositories}
    missing = [str(each) for each in definition.repositories if present.isdisjoint(each.folders)]
    kind = definition.kind
    if missing:
        problem = messages.REPOSITORY_MISSING.at(subject=site, repositories=" and ".join(missing))
    elif kind is not None and not any(f"type/{kind}" in each.folders for each in repositories):
        problem = messages.NO_SUCH_TYPE.at(subject=site, kind=kind)
    layers = _layers(definition, repositories)
    shared = tuple(join(each.path, layer) for layer in layers for each in repositories if layer in each.folders)
    own = tuple(join(each.path, site) for each in repositories if site in each.folders)
    return FleetNode(name=site.partition("/")[2], inputs=(*shared, *own), prefix=shared, problem=problem)


def _layers(definition: SiteDefinition, repositories: Sequence[_SiteRepository]) -> Iterator[str]:
    """The folders of the layers that a site shares with others."""
    for layer in ("global", *((f"type/{definition.kind}",) if definition.kind is not None else ())):
        revision = f"{layer}/{definition.revision}"
        if definition.revision is not None and any(revision in each.folders for each in repositories):
            yield from (f"{layer}/common", revision)
        else:
            yield layer


FLEET = Fleet(nodes=fleet, repositories=True)
