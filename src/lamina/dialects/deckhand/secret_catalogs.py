"""Catalogs of secrets: documents from which a tool generates others, which are kept apart from the inputs.

`PKICatalog`          lists authorities, certificates and key pairs (Promenade and Pegleg generate them)
`PassphraseCatalog`   lists passphrases (Pegleg)

A substitution from a document that such a catalog lists is not misspelt: the document is yet to be generated. Where
there are catalogs, secrets are not among the documents, and one that no catalog lists may be kept elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.paths import child
from lamina.plugin import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.dialects.deckhand.document import SiteDocument
    from lamina.plugin import Path

    Key = tuple[str, str]

_AUTHORITY: Final = ("CertificateAuthority", "CertificateAuthorityKey")
_CERTIFICATE: Final = ("Certificate", "CertificateKey")
_KEY_PAIR: Final = ("PublicKey", "PrivateKey")
_PASSPHRASE: Final = ("Passphrase",)
SECRETS: Final = frozenset(f"deckhand/{kind}/v1" for kind in (*_AUTHORITY, *_CERTIFICATE, *_KEY_PAIR, *_PASSPHRASE))
"""The schemas of secrets."""


def listed_in_catalogs(documents: Iterable[SiteDocument]) -> dict[Key, tuple[SiteDocument, Path]]:
    """The documents that catalogs list, by schema and name: the catalog, and the place in it."""
    found: dict[Key, tuple[SiteDocument, Path]] = {}
    for document in documents:
        for kinds, name, path in _listed(document):
            for kind in kinds if isinstance(name, str) else ():
                found.setdefault((f"deckhand/{kind}/v1", name), (document, path))
    return found


def _listed(document: SiteDocument) -> Iterator[tuple[tuple[str, ...], Any, Path]]:
    """What a catalog lists: the kinds of documents, their name, and the place."""
    kind = document.schema.split("/")[1] if document.schema.count("/") > 1 else ""
    if kind == "PassphraseCatalog":
        yield from _named(document, ("data", "passphrases"), "document_name", _PASSPHRASE)
    elif kind == "PKICatalog":
        authorities: Path = ("data", "certificate_authorities")
        names = walk(document.value, authorities)
        for name in names if isinstance(names, dict) else ():
            yield _AUTHORITY, name, (*authorities, name)
            yield from _named(document, (*authorities, name, "certificates"), "document_name", _CERTIFICATE)
        yield from _named(document, ("data", "keypairs"), "name", _KEY_PAIR)


def _named(
    document: SiteDocument, path: Path, key: str, kinds: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Any, Path]]:
    """The entries of a list, by what they are called."""
    entries = walk(document.value, path)
    for number in range(len(entries) if isinstance(entries, list) else 0):
        yield kinds, child(entries[number], key), (*path, number, key)
