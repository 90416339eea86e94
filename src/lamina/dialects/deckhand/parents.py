"""Parent selection: which document a document is layered on.

Candidates are all documents in a layer whose labels have every pair of the selector; values are compared with Python's
equality, so that 1 is not "1" but is true. A pair whose value is null also matches a document without that label, if
another pair matches.

none                               no parent, and no error: the document is rendered as written
one in a higher layer              the parent
one in each of several layers      the one in the nearest
two in one layer                   rejected, even if a nearer layer has exactly one
one in a layer listed twice        counts twice, and is rejected
one of another schema or version   rejected, even if there is a good one
one in the same or a lower layer   rejected, even if there is a good one
the document itself                does not count

Deckhand looks labels up in a hash table and hashes every possible child with its keys sorted. So a label whose value is
a list or a mapping, and a possible child whose keys cannot be sorted, are errors, whichever parent would be selected.

Documented: candidates of another schema are not candidates, and two in a farther layer do no harm when a nearer layer
has one. See Layers and parents in docs/reference/deckhand.md; golden cases in parent-selection.json.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from lamina.dialects.deckhand import messages
from lamina.dialects.deckhand.document import SELECTOR
from lamina.plugin import show, walk, word_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lamina.dialects.deckhand.document import SiteDocument
    from lamina.dialects.deckhand.layering_policy import LayerOrder
    from lamina.plugin import Diagnostic, Message, Path

_TEXTS = frozenset({str})
_NUMBERS = frozenset({int, float, bool})
_CONTAINERS = frozenset({dict, list})


@dataclass(slots=True, eq=False)
class ParentChoice:
    """The candidates for the parent of a document, the chosen one, and the error if none can be chosen."""

    document: SiteDocument
    candidates: list[SiteDocument] = field(default_factory=list)
    parent: SiteDocument | None = None
    fault: Diagnostic | None = None


class _Unsortable(NamedTuple):
    """The path of keys that cannot be sorted, if there are any."""

    path: Path | None


class Labels:
    """The documents by the pairs of their labels; they are looked through when somebody asks."""

    def __init__(self, documents: Sequence[SiteDocument]) -> None:
        self._documents = documents
        self._known: dict[tuple[tuple[Any, Any], ...], list[SiteDocument]] = {}

    @cached_property
    def _by_pair(self) -> dict[tuple[Any, Any], list[SiteDocument]]:
        by_pair: dict[tuple[Any, Any], list[SiteDocument]] = {}
        for document in self._documents:
            for key, value in document.labels.items():
                if isinstance(value, Hashable):
                    by_pair.setdefault((key, value), []).append(document)
        return by_pair

    def matching_all(self, selector: dict[Any, Any]) -> list[SiteDocument]:
        """The documents whose labels have every pair of a selector."""
        pairs = tuple(selector.items())
        known = self._known.get(pairs)
        if known is None:
            found = [self._by_pair.get(pair, []) for pair in pairs]
            tried = min(found, key=len) if None not in selector.values() else _in_order(found)
            known = [document for document in tried if fits(document, selector)]
            self._known[pairs] = known
        return known

    def matches_any(self, selector: dict[Any, Any], layers: LayerOrder) -> bool:
        """Whether any document in a layer has some pair of a selector."""
        return any(layers.rank(one.layer) >= 0 for pair in selector.items() for one in self._by_pair.get(pair, ()))


def _in_order(lists: list[list[SiteDocument]]) -> list[SiteDocument]:
    return list(dict.fromkeys(document for documents in lists for document in documents))


def fits(document: SiteDocument, selector: dict[Any, Any]) -> bool:
    """Whether a document's labels have every pair of a selector."""
    return all(document.labels.get(key) == value for key, value in selector.items())


def choose(
    documents: Sequence[SiteDocument], layers: LayerOrder, labels: Labels, *, documented: bool
) -> dict[int, ParentChoice]:
    """The parent of every document that has a selector, by the document's identity."""
    choices: dict[int, ParentChoice] = {}
    for document in documents:
        if document.selector:
            choice = _Choosing(document, layers, documented)
            choices[id(document)] = choice.choose_from(labels)
    return choices


class _Choosing:
    """The choice of one document's parent."""

    def __init__(self, document: SiteDocument, layers: LayerOrder, documented: bool) -> None:
        self.document = document
        self.layers = layers
        self.documented = documented
        self.choice = ParentChoice(document)

    def choose_from(self, labels: Labels) -> ParentChoice:
        document, choice = self.document, self.choice
        unhashable = next((key for key, value in document.selector.items() if not isinstance(value, Hashable)), None)
        if unhashable is not None:
            choice.fault = messages.UNHASHABLE_SELECTOR.at(
                self.document.origin(*SELECTOR, unhashable), subject=self.document.title, key=unhashable
            )
            return choice
        if not document.plain_keys and labels.matches_any(document.selector, self.layers):
            unsorted = _unsortable(document)
            if unsorted is not None:
                choice.fault = _unsortable_keys(document, unsorted)
                return choice
        matching_all = [one for one in labels.matching_all(document.selector) if one is not document]
        choice.candidates = [one for one in matching_all if self.layers.rank(one.layer) >= 0]
        usable = self._usable()
        if choice.fault is None and usable:
            self._nearest(usable)
        return choice

    def _usable(self) -> list[SiteDocument]:
        document, rank = self.document, self.layers.rank(self.document.layer)
        usable: list[SiteDocument] = []
        for one in self.choice.candidates:
            if one.schema != document.schema:
                if not self.documented:
                    self._reject(self._other_schema(one))
            elif self.layers.rank(one.layer) >= rank:
                self._reject(self._not_higher(one))
            else:
                usable.append(one)
        return usable

    def _reject(self, finding: Diagnostic) -> None:
        self.choice.fault = self.choice.fault or finding

    def _nearest(self, usable: list[SiteDocument]) -> None:
        by_layer: dict[str, list[SiteDocument]] = {}
        for one in usable:
            by_layer.setdefault(one.layer, []).append(one)
        nearest = max(by_layer, key=self.layers.rank)
        checked_layers = [nearest] if self.documented else by_layer
        order = self.layers.order
        ambiguous = next(
            (layer for layer in checked_layers if len(by_layer[layer]) > 1 or order.count(layer) > 1), None
        )
        if ambiguous is not None:
            self._reject(
                self._ambiguous(by_layer[ambiguous])
                if len(by_layer[ambiguous]) > 1
                else self._counted_twice(by_layer[ambiguous][0])
            )
        else:
            self.choice.parent = by_layer[nearest][0]

    def _finding(self, message: Message, others: list[SiteDocument], **words: Any) -> Diagnostic:
        return message.at(
            self.document.origin(*SELECTOR),
            subject=self.document.title,
            related=[(f"{one.title} has these labels", one.origin("metadata", "labels")) for one in others],
            **words,
        )

    def _other_schema(self, one: SiteDocument) -> Diagnostic:
        return self._finding(messages.PARENT_OF_OTHER_SCHEMA, [one], one=one.title)

    def _not_higher(self, one: SiteDocument) -> Diagnostic:
        where = "the same layer" if one.layer == self.document.layer else f"the lower layer {one.layer}"
        return self._finding(
            messages.PARENT_NOT_HIGHER, [one], one=one.title, where=where, listed=", ".join(self.layers.order)
        )

    def _ambiguous(self, ambiguous: list[SiteDocument]) -> Diagnostic:
        return self._finding(messages.SEVERAL_PARENTS, ambiguous, count=len(ambiguous), layer=ambiguous[0].layer)

    def _counted_twice(self, one: SiteDocument) -> Diagnostic:
        return self._finding(
            messages.PARENT_COUNTED_TWICE, [one], one=one.title, layer=one.layer, listed=", ".join(self.layers.order)
        )


def unhashable_labels(documents: Sequence[SiteDocument]) -> Iterator[tuple[SiteDocument, Diagnostic]]:
    """The labels of documents in a layer whose values cannot be hashed."""
    for document in documents:
        for key, value in document.labels.items() if document.layer else ():
            if not isinstance(value, Hashable):
                finding = messages.UNHASHABLE_LABEL.at(
                    document.origin("metadata", "labels", key), subject=document.title, key=key, found=word_for(value)
                )
                yield document, finding


def is_sortable(document: SiteDocument) -> bool:
    """Whether the keys of all mappings of a document can be sorted."""
    return document.plain_keys or _unsortable(document) is None


def _unsortable(document: SiteDocument) -> Path | None:
    known: _Unsortable | None = document.derived.find(_Unsortable)
    if known is None:
        known = document.derived.keep(_Unsortable, _Unsortable(_find_unsortable(document)))
    return known.path


def _find_unsortable(document: SiteDocument) -> Path | None:
    plain = not document.positions.aliases and _has_text_keys(document.value)
    return None if plain else unsortable(document.value)


def _has_text_keys(value: Any) -> bool:
    """Whether all keys are strings, as in nearly every document; without aliases each container is visited once."""
    pending = [value]
    add = pending.append
    try:
        for current in pending:
            if type(current) is dict:
                "".join(current)  # the quickest way to look at the types of all keys
            for inner in current.values() if type(current) is dict else current:
                if type(inner) in _CONTAINERS:
                    add(inner)
    except TypeError:
        return False
    return True


def unsortable(value: Any) -> Path | None:
    """The path of a mapping whose keys cannot be sorted, or are not allowed in JSON; None if there is none."""
    return None if _is_sortable(value) else _path_of_unsortable(value)


def _is_sortable(value: Any) -> bool:
    pending: list[Any] = [value]
    seen: set[int] = set()
    for current in pending:
        if id(current) in seen:
            continue
        seen.add(id(current))
        items: Iterable[Any] = current
        if isinstance(current, dict):
            if not _TEXTS.issuperset(kinds := set(map(type, current))) and not _ordered(kinds):
                return False
            items = current.values()
        pending += [inner for inner in items if isinstance(inner, (dict, list))]
    return True


def _path_of_unsortable(value: Any) -> Path | None:
    pending: list[tuple[Path, Any]] = [((), value)]
    seen: set[int] = set()
    while pending:
        path, current = pending.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        if isinstance(current, dict):
            if not _TEXTS.issuperset(kinds := set(map(type, current))) and not _ordered(kinds):
                return path
            pending.extend(((*path, key), inner) for key, inner in current.items() if isinstance(inner, (dict, list)))
        else:
            pending.extend(((*path, at), inner) for at, inner in enumerate(current) if isinstance(inner, (dict, list)))
    return None


def _ordered(kinds: set[type]) -> bool:
    return kinds <= _NUMBERS or kinds == {type(None)}


def _unsortable_keys(document: SiteDocument, path: Path) -> Diagnostic:
    keys = ", ".join(repr(key) for key in list(walk(document.value, path))[:4])
    return messages.UNSORTABLE_KEYS.at(document.origin(*path), path, subject=document.title, path=show(path), keys=keys)
