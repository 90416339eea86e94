"""Targets of Deckhand in a repository: the sites of a Pegleg repository, or folders with a layering policy.

A Pegleg repository is a folder with `site/NAME/site-definition.yaml`. Certificates and passphrases that Pegleg
generates from catalogs are often not in it; where there is a catalog, substitutions from what is not there are skipped
with a note. Pegleg passes neither the definition of a site nor files in folders called `tools` to Deckhand, so they are
ignored. A definition may name further repositories by URL and revision: they are not fetched, with a remark.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lamina.dialects.deckhand.fleet import DEFINITION
from lamina.dialects.extensions import FoundTargets
from lamina.errors import InputError
from lamina.sources import document_cache

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lamina.sources.inputs import Files

_SITE = re.compile(rf"(?:(.*)/)?site/([^/]+)/{re.escape(DEFINITION)}")
_YAML = (".yaml", ".yml")
_CATALOG = re.compile(rb"^schema:\s*\S+/(?:PKICatalog|PassphraseCatalog)/v", re.MULTILINE)
_POLICY = re.compile(rb"^schema:\s*deckhand/LayeringPolicy/v", re.MULTILINE)
_CATALOG_NAME = re.compile(r"(?i)pki|passphrase|catalog")
_POLICY_NAME = re.compile(r"(?i)layering.?policy")


def find_targets(files: Files, names: Sequence[str]) -> Iterator[FoundTargets]:
    """The sites of each Pegleg repository, else each folder with a layering policy."""
    sites: dict[str, list[str]] = {}
    for name in names:
        if match := _SITE.fullmatch(name):
            sites.setdefault(match[1] or "", []).append(match[2])
    for root, own in sites.items():
        yield _pegleg(root, own, files, names)
    if not sites:
        yield from _policies(files, names)


def _pegleg(root: str, sites: list[str], files: Files, names: Sequence[str]) -> FoundTargets:
    start = f"{root}/" if root else ""
    layers = tuple(f"{start}{layer}" for layer in ("global", "type", "site"))
    inside = [name for name in names if name.startswith(tuple(f"{layer}/" for layer in layers))]
    fields: dict[str, Any] = {"nodes": root or "."}
    remarks = []
    if _has_catalog(files, inside):
        fields["options"] = {"allow_missing_sources": True}
        remarks.append("certificates or passphrases are generated from catalogs and are not in the repository")
    remarks += _repositories(files, start, sites)
    count = f"{len(sites):,} site" + ("" if len(sites) == 1 else "s")
    about = f"a Pegleg repository with {count}: {', '.join(sorted(sites)[:6])}{', …' if len(sites) > 6 else ''}"
    ignore = (f"{start}site/*/{DEFINITION}", *(f"{layer}/**/tools" for layer in layers))
    return FoundTargets("sites", about, fields, (root,), tuple(remarks), ignore)


def _has_catalog(files: Files, names: Iterable[str]) -> bool:
    for name in names:
        if name.endswith(_YAML) and _CATALOG_NAME.search(name):
            source = files.read(name)
            if source is not None and _CATALOG.search(source.data):
                return True
    return False


def _repositories(files: Files, start: str, sites: Iterable[str]) -> list[str]:
    """A remark for each further repository that sites are made from."""
    named: dict[str, list[str]] = {}
    for site in sites:
        source = files.read(f"{start}site/{site}/{DEFINITION}")
        try:
            documents = document_cache.yaml_documents(source) if source else []
        except InputError:
            continue  # rendering the site says what is wrong with it
        for document in documents:
            data = document.value.get("data") if isinstance(document.value, dict) else None
            more = data.get("repositories") if isinstance(data, dict) else None
            for name, about in more.items() if isinstance(more, dict) else ():
                where = about if isinstance(about, dict) else {}
                text = f"{name} ({where.get('url', 'no URL')}, revision {where.get('revision', 'not given')})"
                named.setdefault(text, []).append(site)
    return [
        f"the repository {text} of {', '.join(owners)} is not part of this one; documents in it are not read"
        for text, owners in named.items()
    ]


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
