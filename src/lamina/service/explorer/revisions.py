"""A store, explored: each revision is a target, and its rendered documents are the outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from lamina._support.escapes import visible
from lamina.service.explorer.change_data import changes_data, new_errors
from lamina.service.explorer.listed_output import listed_output
from lamina.service.explorer.scalar_edit import with_value
from lamina.service.faults import ApiFault, bad_request
from lamina.service.inspection import decided_by, source_name, stored_sources
from lamina.service.rendition import StoredDocument
from lamina.service.service import number_of
from lamina.service.submission import one_value
from lamina.sources.source import Source
from lamina.views.diff.api import diff
from lamina.views.report.views import views_aside, views_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.service.records import Placed, Revision
    from lamina.service.service import Service
    from lamina.views.result import Result
    from lamina.views.schemas.explorer import ExploreChangesData, ExploredTargetData, ListedOutputData
    from lamina.views.schemas.places import WhereData

MOST = 1_000
"""How many revisions are listed, the newest ones."""


class ExploredStore:
    """A store; its secrets are left out for everybody."""

    kind: Literal["files", "store"] = "store"
    title = "Configuration store"
    noun = "revision"

    def __init__(self, service: Service) -> None:
        self._service = service

    @property
    def generation(self) -> int:
        return self._service.store.state().generation

    def targets(self) -> list[ExploredTargetData]:
        newest = self._service.store.revisions(newest=MOST)[::-1]
        return [{"name": str(each.number), "about": _about(each), "error": None} for each in newest]

    def result(self, target: str) -> Result:
        """A revision, as far as it can be rendered: often one bucket is written after the other."""
        return self._service.inspector.rendered_as_far_as_possible(self._service, self._placed(target))

    def outputs(self, target: str) -> list[ListedOutputData]:
        """The rendered documents, then those that are not rendered themselves, with the buckets they are in."""
        buckets = {StoredDocument(each.content).title: each.bucket for each in self._placed(target)}
        result = self.result(target)
        return [
            listed_output(view, visible(f"bucket {buckets.get(view.name, '')}"))
            for view in (*views_of(result), *views_aside(result))
        ]

    def searched(self, target: str | None) -> Iterator[tuple[str, Result]]:
        revision = _named(target)
        yield revision, self.result(revision)

    def where(self, target: str | None, source: str, line: int, column: int | None) -> WhereData:
        revision = _named(target)
        placed, result = self._placed(revision), self.result(revision)
        return decided_by(self._service, placed, result, int(revision), (source, line, column))

    def what_if(self, target: str | None, place: tuple[str, int, int], value: str) -> ExploreChangesData:
        """What another value would change in the rendered documents; rejected where a PUT would be."""
        service, (source, line, column), revision = self._service, place, _named(target)
        placed = self._placed(revision)
        sources = stored_sources(service, placed)
        at = next((at for at, each in enumerate(placed) if source_name(each) == source), None)
        if at is None:
            raise ApiFault(404, "DocumentNotFound", f"There is no document {visible(source)!r}.")
        text = with_value(sources[at], line, column, one_value(value.encode(), service.session))
        service.submitted(text.encode())
        sources[at] = Source.of_text(source, text)
        before, after = self.result(revision), service.inspector.of_sources(sources)
        found = diff(before, after)
        reached = dict.fromkeys(visible(name) for group in found.groups for name in group.outputs)
        return {
            "version": 1,
            "targets": list(reached),
            **changes_data(found.groups),
            "findings": new_errors(before, after),
            "resolved": new_errors(after, before),
        }

    def _placed(self, target: str) -> list[Placed]:
        return self._service.to_render(number_of(target))


def _named(target: str | None) -> str:
    """The revision that is asked about; there is no default, since a new one may come at any time."""
    if target is None:
        raise bad_request('The "target" parameter is needed: the number of a revision.', "HTTPInvalidParam")
    return target


def _about(revision: Revision) -> str:
    tags = f"; tagged {', '.join(sorted(revision.tags))}" if revision.tags else ""
    said = ": ".join(text for text in (revision.author, revision.message) if text)
    when = f"{revision.created[:19].replace('T', ' ')} {', '.join(revision.buckets)}{tags}"
    return visible(f"{when} – {said}" if said else when)
