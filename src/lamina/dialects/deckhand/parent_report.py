"""Parent reports: all candidates for the parent of a document, and why each was chosen or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.dialects.deckhand.select_documents import documents_called
from lamina.plugin.formats import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.deckhand.compile import Site
    from lamina.dialects.deckhand.document import SiteDocument
    from lamina.plugin import Plan

MAX_NEAR_MISSES = 5
"""How many near misses are reported."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ParentCandidate:
    """A document that has some or all of the labels of a selector, and why it was chosen or not."""

    document: SiteDocument
    verdict: str
    matched: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ParentReport:
    """The choice of a document's parent."""

    document: SiteDocument
    outcome: str
    candidates: tuple[ParentCandidate, ...] = ()
    near_misses: tuple[ParentCandidate, ...] = ()


def site_of(plan: Plan) -> Site:
    """The site that a plan was compiled from."""
    found: Site = next(stage.facts for stage in plan.stages if stage.facts is not None)
    return found


def parent_reports(plan: Plan, name: str) -> list[ParentReport]:
    """The parent reports of all documents with a name."""
    site = site_of(plan)
    return [_report(site, document) for document in documents_called(name, site.documents)]


def _report(site: Site, document: SiteDocument) -> ParentReport:
    if document.control:
        return ParentReport(document=document, outcome="a control document, which is never layered")
    if not document.selector:
        return ParentReport(document=document, outcome="no parentSelector, so it is never layered")
    choice = site.choices[id(document)]
    parent = choice.parent
    if choice.fault is not None:
        outcome = f"rejected: {choice.fault.message}"
    elif parent is not None:
        outcome = f"parent {parent.title}"
    else:
        outcome = "no document has all the labels, so there is no parent and the actions are ignored"
    candidates = tuple(_candidate(site, document, one, parent) for one in choice.candidates)
    near_misses = () if choice.candidates else tuple(_near_misses(site, document))
    return ParentReport(document=document, outcome=outcome, candidates=candidates, near_misses=near_misses)


def _candidate(site: Site, document: SiteDocument, one: SiteDocument, parent: SiteDocument | None) -> ParentCandidate:
    rank = site.layers.rank
    if one is parent:
        replaced_by = site.replacements.replacement_of(one)
        verdict = "chosen: the nearest layer with a candidate"
        if replaced_by is not one and replaced_by is not document:
            verdict += f"; its data is that of {replaced_by.title}, which replaces it"
    elif one.schema != document.schema:
        verdict = "has a different schema"
    elif rank(one.layer) >= rank(document.layer):
        verdict = f"is not in a higher layer than {document.layer}"
    elif parent is not None and rank(one.layer) < rank(parent.layer):
        verdict = f"is in a more distant layer than {parent.title}"
    else:
        verdict = "is in the same layer as another candidate"
    return ParentCandidate(document=one, verdict=verdict, **_labels(document, one))


def _labels(document: SiteDocument, one: SiteDocument) -> dict[str, Any]:
    pairs = document.selector.items()
    return {
        "matched": tuple(f"{key}: {value}" for key, value in pairs if one.labels.get(key) == value),
        "missing": tuple(_difference(key, value, one) for key, value in pairs if one.labels.get(key) != value),
    }


def _difference(key: Any, value: Any, one: SiteDocument) -> str:
    return f"{key}: {value} (it has {one.labels[key]!r})" if key in one.labels else f"{key}: {value} (not set)"


def _near_misses(site: Site, document: SiteDocument) -> Iterator[ParentCandidate]:
    """Documents of the same schema in a higher layer that have most of the labels."""
    rank = site.layers.rank
    higher = [
        one
        for one in site.documents
        if one.schema == document.schema and 0 <= rank(one.layer) < rank(document.layer) and one.labels
    ]
    found = [
        ParentCandidate(document=one, verdict="does not have all the labels", **_labels(document, one))
        for one in higher
    ]
    found.sort(key=lambda candidate: (-len(candidate.matched), -rank(candidate.document.layer)))
    yield from found[:MAX_NEAR_MISSES]


def as_text(reasons: list[ParentReport]) -> str:
    """The reports as text."""
    lines: list[str] = []
    for reason in reasons:
        lines.append(f"{reason.document.title}: {reason.outcome}")
        if reason.document.selector:
            wanted = ", ".join(f"{key}: {value}" for key, value in reason.document.selector.items())
            origin = reason.document.origin("metadata", "layeringDefinition", "parentSelector")
            lines.append(f"  selects {wanted} ({origin})")
        lines.extend(line for one in reason.candidates for line in _lines("candidate", one))
        lines.extend(line for one in reason.near_misses for line in _lines("near miss", one))
    return text_of(lines)


def _lines(what: str, candidate: ParentCandidate) -> Iterator[str]:
    one = candidate.document
    yield f"  {what} {one.title} ({one.origin('metadata', 'labels')}): {candidate.verdict}"
    for word, pairs in (("has", candidate.matched), ("lacks", candidate.missing)):
        if pairs:
            yield f"    {word} {', '.join(pairs)}"


def as_data(reasons: list[ParentReport]) -> list[dict[str, Any]]:
    """The reports as plain data."""
    return [
        {
            "document": reason.document.title,
            "outcome": reason.outcome,
            "selector": dict(reason.document.selector),
            "candidates": [_data(one) for one in reason.candidates],
            "near": [_data(one) for one in reason.near_misses],
        }
        for reason in reasons
    ]


def _data(candidate: ParentCandidate) -> dict[str, Any]:
    return {
        "document": candidate.document.title,
        "layer": candidate.document.layer,
        "verdict": candidate.verdict,
        "matched": list(candidate.matched),
        "missing": list(candidate.missing),
    }
