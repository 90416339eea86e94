"""What Deckhand's API does not have: where a rendered value came from, what a line of a document decides, and what a
change to a bucket would change.

All render with positions: those of each document in its YAML as the store shows it, named BUCKET/SCHEMA/NAME. Secrets
are omitted for everybody; the rendered documents show them to those who may see them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from lamina.dialects.deckhand.select_documents import names_of
from lamina.errors import LaminaError, Severity
from lamina.paths import parse
from lamina.run import Run
from lamina.service.errors import CannotRender, DocumentExists
from lamina.service.faults import ApiFault, bad_request
from lamina.service.submission import LAYERING_POLICY
from lamina.session import WeighedCache
from lamina.sources.json.writer import dump
from lamina.sources.source import Source
from lamina.sources.yaml.writer import Writer
from lamina.views.diff.api import diff
from lamina.views.explain import as_data
from lamina.views.render import render
from lamina.workspace.line_use_data import as_data as where_data
from lamina.workspace.line_uses import uses_in_results

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lamina.service.records import Placed
    from lamina.service.service import Service
    from lamina.service.submission import Submitted
    from lamina.session import Session
    from lamina.views.result import Result
    from lamina.views.schemas.explanations import ExplainData
    from lamina.views.schemas.places import WhereData

_MEMORY = 64 * 1024 * 1024
_JSON = "application/json"
_CONTROL = "deckhand/"
"""What the schemas of documents begin with that choose how others are rendered."""


class Inspector:
    """Renders documents with their positions, and keeps what was rendered."""

    def __init__(self, session: Session, *, memory: int = _MEMORY) -> None:
        self._session = session
        self._known = WeighedCache(memory)

    def rendered(self, service: Service, placed: Sequence[Placed]) -> Result:
        """The documents of a revision, rendered; all of them."""
        return whole(self.rendered_as_far_as_possible(service, placed))

    def rendered_as_far_as_possible(self, service: Service, placed: Sequence[Placed]) -> Result:
        """The documents of a revision that can be rendered; what is wrong with the others is noted."""
        key = tuple((each.content.epoch, each.content.number) for each in placed)
        found: Result | None = self._known.find(key)
        if found is None:
            found = self.of_sources(stored_sources(service, placed))
            self._known.keep(key, found, 4 * sum(each.content.weight for each in placed))
        return found

    def of_sources(self, sources: Iterable[Source]) -> Result:
        """Documents rendered from their text, as far as possible."""
        try:
            return render(list(sources), "deckhand", validate="off", keep_going=True, session=self._session)
        except LaminaError as error:
            raise CannotRender(error.diagnostic) from None


def whole(result: Result) -> Result:
    """A result of which every document was rendered."""
    for note in result.notes:
        if note.severity >= Severity.ERROR:
            raise CannotRender(note)
    return result


def stored_sources(service: Service, placed: Iterable[Placed]) -> list[Source]:
    """Stored documents as text."""
    placed = list(placed)
    opened = service.store.secrets_of(each.content for each in placed)
    writer = Writer(sort_keys=False)
    return [
        _source(
            writer,
            each.bucket,
            each.content.schema,
            each.content.metadata,
            opened.get(each.content.number, each.content.data),
        )
        for each in placed
    ]


def _source(writer: Writer, bucket: str, schema: str, metadata: dict[str, Any], data: Any) -> Source:
    text = writer.dump({"schema": schema, "metadata": metadata, "data": data})
    return Source.of_text(_name(bucket, schema, metadata["name"]), text)


def source_name(placed: Placed) -> str:
    """What a stored document is called where values are said to come from it."""
    return _name(placed.bucket, placed.content.schema, placed.content.name)


def _name(bucket: str, schema: str, name: str) -> str:
    return f"{bucket}/{schema}/{name}"


def explain(service: Service, revision: int, document: str, path: str) -> Response:
    """Where a value of a rendered document came from, and what it displaced."""
    result = service.inspector.rendered(service, service.to_render(revision))
    at = _position(result, document)
    try:
        history = result.history_at((at, *parse(path)))
    except LaminaError as error:
        raise bad_request(error.diagnostic.message) from None
    data: ExplainData = {  # the revision is the target
        "version": 1,
        "targets": [{"name": str(revision), "dialect": result.dialect.name, "explained": [as_data(history, result)]}],
    }
    return Response(dump(data), media_type=_JSON)


def _position(result: Result, document: str) -> int:
    """Which output a document is, named as NAME or SCHEMA/NAME, with (LAYER) behind it if need be."""
    found = [at for at, output in enumerate(result.outputs) if document in _names(output.value)]
    if len(found) == 1:
        return found[0]
    why = "There is no rendered document" if not found else f"There are {len(found)} rendered documents"
    raise ApiFault(404, "DocumentNotFound", f"{why} {document!r}.")


def _names(value: dict[str, Any]) -> tuple[str, ...]:
    layering = value["metadata"].get("layeringDefinition") or {}
    return names_of(value["schema"], value["metadata"]["name"], layering.get("layer") or "")


def where(service: Service, revision: int, source: str, line: int, column: int | None) -> Response:
    """What a line of a stored document decides in the rendered documents."""
    placed = service.to_render(revision)
    result = service.inspector.rendered(service, placed)
    data = decided_by(service, placed, result, revision, (source, line, column))
    return Response(dump(data), media_type=_JSON)


def decided_by(
    service: Service, placed: Sequence[Placed], result: Result, revision: int, place: tuple[str, int, int | None]
) -> WhereData:
    """What a line of a stored document decides, in the form of `lamina where`; the revision is the target."""
    source, line, column = place
    own = [each for each in placed if source_name(each) == source]
    if not own:
        raise ApiFault(404, "DocumentNotFound", f"There is no document {source!r}; write BUCKET/SCHEMA/NAME.")
    text = stored_sources(service, own)[0]
    uses = uses_in_results([(str(revision), result)], source, line, column, text=text, run=Run(service.session))
    is_control = own[0].content.schema.startswith(_CONTROL)
    return where_data(source, line, column, uses, [str(revision)] if is_control else [])


def impact(service: Service, revision: int, bucket: str, body: bytes) -> Response:
    """What a bucket would change in the rendered documents if it had the documents in the body; nothing is written."""
    submitted = service.submitted(body)
    stored = service.store.documents(revision)
    others = [each for each in stored if each.bucket != bucket]
    _check_owners(submitted, others, bucket)
    if not any(document.schema.startswith(LAYERING_POLICY) for document in submitted):
        others = service.with_policy(others)
    before = service.inspector.rendered(service, service.with_policy(stored))
    writer = Writer(sort_keys=False)
    new = [_source(writer, bucket, each.schema, each.metadata, each.data) for each in submitted]
    after = whole(service.inspector.of_sources([*stored_sources(service, others), *new]))
    return Response(diff(before, after).to_json(), media_type=_JSON)


def _check_owners(submitted: Iterable[Submitted], others: Iterable[Placed], bucket: str) -> None:
    """Reject what a PUT would reject."""
    buckets = {(each.content.schema, each.content.layer, each.content.name): each.bucket for each in others}
    for document in submitted:
        identity = (document.schema, document.layer, document.name)
        if identity in buckets:
            raise DocumentExists(*identity, buckets[identity])
        buckets[identity] = bucket
