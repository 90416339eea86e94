"""Targets of Deckhand in a repository: the sites of a Pegleg repository, or folders with a layering policy.

A Pegleg repository is a folder with `site/NAME/site-definition.yaml`. Certificates and passphrases that Pegleg
generates from catalogs are often not in it; where there is a catalog, substitutions from what is not there are skipped
with a note. Pegleg passes neither the definition of a site nor files in folders called `tools` to Deckhand, so they are
ignored. A definition may name further repositories by URL and revision. They are not fetched: a checkout of one
that lies in the same folder as the repository is used as it is; of the others there is a remark.
"""

from __future__ import annotations

import re
from posixpath import basename, dirname, join
from typing import TYPE_CHECKING, Any

from lamina.dialects.deckhand.site_definition import FILE, FurtherRepository, read_definition
from lamina.plugin import InputError
from lamina.plugin.extensions import FoundTargets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lamina.plugin.formats import Files
    from lamina.run import Run

_SITE = re.compile(rf"(?:(.*)/)?site/([^/]+)/{re.escape(FILE)}")
_LAYER = re.compile(r"(?:(.*)/)?(?:global|type)/.+")
_YAML = (".yaml", ".yml")
_CATALOG = re.compile(rb"^schema:\s*\S+/(?:PKICatalog|PassphraseCatalog)/v", re.MULTILINE)
_POLICY = re.compile(rb"^schema:\s*deckhand/LayeringPolicy/v", re.MULTILINE)
_CATALOG_NAME = re.compile(r"(?i)pki|passphrase|catalog")
_POLICY_NAME = re.compile(r"(?i)layering.?policy")


def find_targets(files: Files, names: Sequence[str], run: Run) -> Iterator[FoundTargets]:
    """The sites of each Pegleg repository, else each folder with a layering policy."""
    sites: dict[str, list[str]] = {}
    for name in names:
        if match := _SITE.fullmatch(name):
            sites.setdefault(match[1] or "", []).append(match[2])
    roots = {match[1] or "" for name in names if (match := _LAYER.fullmatch(name))}
    for root, own in sites.items():
        yield _pegleg(root, own, files, names, roots, run)
    if not sites:
        yield from _policies(files, names)


def _pegleg(root: str, sites: list[str], files: Files, names: Sequence[str], roots: set[str], run: Run) -> FoundTargets:
    further = _further(files, root, sites, run)
    used = {each: folder for each in further if (folder := _checkout(each, root, roots)) is not None}
    folders = [root, *dict.fromkeys(used.values())]
    layers = tuple(join(folder, layer) for folder in folders for layer in ("global", "type", "site"))
    inside = [name for name in names if name.startswith(tuple(f"{layer}/" for layer in layers))]
    fields: dict[str, Any] = {"nodes": root or "."}
    remarks = []
    if folders[1:]:
        fields["repositories"] = folders[1:]
    if _has_catalog(files, inside):
        remarks.append(
            "certificates or passphrases are generated from catalogs: what is not in the repository is unknown"
        )
    remarks += [_remark(each, owners, used.get(each)) for each, owners in further.items()]
    count = f"{len(sites):,} site" + ("" if len(sites) == 1 else "s")
    about = f"a Pegleg repository with {count}: {', '.join(sorted(sites)[:6])}{', …' if len(sites) > 6 else ''}"
    definitions = (join(folder, f"site/*/{FILE}") for folder in folders)
    ignore = (*definitions, *(f"{layer}/**/tools" for layer in layers))
    return FoundTargets(basename(root) or "sites", about, fields, (root,), tuple(remarks), ignore)


def _has_catalog(files: Files, names: Iterable[str]) -> bool:
    for name in names:
        if name.endswith(_YAML) and _CATALOG_NAME.search(name):
            source = files.read(name)
            if source is not None and _CATALOG.search(source.data):
                return True
    return False


def _further(files: Files, root: str, sites: Iterable[str], run: Run) -> dict[FurtherRepository, list[str]]:
    """The further repositories that sites are made from, with these sites."""
    found: dict[FurtherRepository, list[str]] = {}
    for site in sites:
        try:
            definition = read_definition(files, join(root, f"site/{site}/{FILE}"), run)
        except InputError:
            continue  # rendering the site says what is wrong with it
        for each in definition.repositories:
            found.setdefault(each, []).append(site)
    return found


def _checkout(further: FurtherRepository, root: str, roots: set[str]) -> str | None:
    """The folder beside the repository of the sites that is called as the further one is."""
    beside = (join(dirname(root), name) for name in further.folders)
    return next((folder for folder in beside if folder in roots and folder != root), None) if root else None


def _remark(further: FurtherRepository, sites: Iterable[str], folder: str | None) -> str:
    named = f"the repository {further} of {', '.join(sites)}"
    if folder is not None:
        return f"{named} is read from {folder}, whichever revision is checked out there"
    return f"{named} is not here; check it out beside this repository, and run lamina init in the folder above"


def _policies(files: Files, names: Iterable[str]) -> Iterator[FoundTargets]:
    """The folders with a layering policy, each one target."""
    seen: set[str] = set()
    for name in names:
        if not name.endswith(_YAML) or not _POLICY_NAME.search(name):
            continue
        source = files.read(name)
        folder = name.rpartition("/")[0]
        if source is None or not _POLICY.search(source.data) or folder in seen:
            continue
        seen.add(folder)
        key = folder.rpartition("/")[2] or "site"
        yield FoundTargets(
            key, f"documents with a layering policy in {folder or '.'}", {"inputs": [folder or "."]}, (folder,)
        )
