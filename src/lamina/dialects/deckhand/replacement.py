"""Replacement: a document that replaces its parent.

A document with `replacement: true` must have a parent, of the same schema and name. Without the flag a document must
not have the schema and name of its parent, nor may two documents of one schema and name be in the set, control
documents aside. A document that replaces another cannot itself be replaced, which is noticed only if it is concrete.

What is replaced is not given; its other children, and substitutions from it, use the document that replaces it. When
two documents replace one parent, the last in the set counts for those. See Replacement in docs/reference/deckhand.md;
golden cases in replacement.json.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lamina.dialects.deckhand import messages

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lamina.dialects.deckhand.document import SiteDocument
    from lamina.plugin import Diagnostic, Message

FLAG = ("metadata", "replacement")


@dataclass(slots=True, eq=False)
class Replacements:
    """The replacement of each replaced document, by id; and violations of the rules."""

    by: dict[int, SiteDocument] = field(default_factory=dict)
    faults: list[tuple[SiteDocument, Diagnostic]] = field(default_factory=list)

    def replaced(self, document: SiteDocument) -> bool:
        return id(document) in self.by

    def replacement_of(self, document: SiteDocument) -> SiteDocument:
        """The document that is used for a document: its replacement, or itself."""
        return self.by.get(id(document), document)


def replacements(documents: Sequence[SiteDocument], parents: Mapping[int, SiteDocument]) -> Replacements:
    """The replacements in a set of documents."""
    found = Replacements()
    for document in documents:
        parent = parents.get(id(document))
        finding = _broken(document, parent)
        if finding is not None:
            found.faults.append((document, finding))
        elif document.replacement and parent is not None:
            found.by[id(parent)] = document
    found.faults.extend(_repeated(documents))
    found.faults.extend(
        (document, _replaced_replacement(document, found.by[id(document)]))
        for document in documents
        if document.replacement and not document.abstract and found.replaced(document)
    )
    return found


def _broken(document: SiteDocument, parent: SiteDocument | None) -> Diagnostic | None:
    if document.replacement:
        if parent is None:
            return _finding(document, messages.REPLACEMENT_WITHOUT_PARENT, None)
        if parent.key != document.key:
            return _finding(document, messages.REPLACEMENT_OF_OTHER_NAME, parent, parent=parent.title)
    elif parent is not None and parent.key == document.key:
        return _finding(document, messages.PARENT_NOT_REPLACED, parent, parent=parent.title)
    return None


def _repeated(documents: Sequence[SiteDocument]) -> Iterator[tuple[SiteDocument, Diagnostic]]:
    seen: dict[tuple[str, str], SiteDocument] = {}
    for document in documents:
        if document.replacement or document.control:
            continue
        first = seen.setdefault(document.key, document)
        if first is not document:
            yield document, _finding(document, messages.NEITHER_REPLACES, first, first=first.title)


def _replaced_replacement(document: SiteDocument, by: SiteDocument) -> Diagnostic:
    return _finding(document, messages.REPLACED_REPLACEMENT, by, by=by.title)


def _finding(document: SiteDocument, message: Message, other: SiteDocument | None, **words: Any) -> Diagnostic:
    return message.at(
        document.origin(*FLAG) if document.replacement else document.origin("metadata", "name"),
        subject=document.title,
        related=[(f"{other.title} is here", other.origin())] if other else (),
        **words,
    )
