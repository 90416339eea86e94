"""The wire: answers as YAML text, as Deckhand writes it: keys sorted, block style, characters beyond ASCII escaped.

The text of a document is assembled from the text of its content, which is written once, and its id and status.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse

from lamina.service.rendition import redacted, redacted_metadata
from lamina.service.submission import VALIDATION_POLICY
from lamina.sources.yaml.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lamina.service.records import Content, Placed
    from lamina.service.rendition import RenderedDocument

MEDIA_TYPE = "application/x-yaml"


class YamlResponse(JSONResponse):
    """A value as YAML, or text that is YAML already. FastAPI describes only what is JSON to it by its type."""

    media_type = MEDIA_TYPE

    def render(self, content: Any) -> bytes:
        return content if isinstance(content, bytes) else written(content).encode()


def written(value: Any) -> str:
    """A value as YAML."""
    return Writer(sort_keys=True).dump(value)


def documents(found: Sequence[tuple[Placed, str]], revision: int | None = None) -> YamlResponse:
    """Documents with their texts; where none may be shown, the status of the first alone."""
    shown = [text for placed, text in found if not placed.content.schema.startswith(VALIDATION_POLICY)]
    if found and not shown:
        first = found[0][0]
        return status_only(first.bucket, first.revision if revision is None else revision)
    return YamlResponse("---\n".join(shown).encode())


def status_only(bucket: str, revision: int) -> YamlResponse:
    """A listing that has something in it of which nothing is shown."""
    return YamlResponse({"status": {"bucket": bucket, "revision": revision}})


class DocumentTexts:
    """Writes documents for one request."""

    def __init__(self, revision: int | None = None) -> None:
        self._writer = Writer(sort_keys=True)
        self._revision = revision
        """The revision to show for all of them, in the answer to the request that made it."""
        self._statuses: dict[tuple[str, int], str] = {}

    def raw(self, placed: Iterable[Placed], *, redact: bool) -> list[tuple[Placed, str]]:
        """Documents as they are stored."""
        return [(each, self._text(each, self._raw(each.content, redact))) for each in placed]

    def _raw(self, content: Content, redact: bool) -> tuple[str, str]:
        if redact and content.secret is not None:
            return self._parts(content.schema, redacted_metadata(content.metadata), redacted(content.data))
        if content.text is None:
            content.text = self._parts(content.schema, content.metadata, content.data)
        return content.text

    def rendered(self, found: Iterable[tuple[Placed, RenderedDocument]], *, redact: bool) -> list[tuple[Placed, str]]:
        """Documents as they were rendered."""
        return [(placed, self._text(placed, self._rendered(each, redact))) for placed, each in found]

    def _rendered(self, rendered: RenderedDocument, redact: bool) -> tuple[str, str]:
        schema = rendered.content.schema
        if redact and rendered.encrypted:
            metadata = redacted_metadata(rendered.metadata, rendered.from_secrets)
            return self._parts(schema, metadata, redacted(rendered.data))
        if rendered.text is None:
            rendered.text = self._rendered_parts(rendered)
        return rendered.text

    def _rendered_parts(self, rendered: RenderedDocument) -> tuple[str, str]:
        """The text of a rendered document; what rendering left as it was is not written again."""
        content = rendered.content
        raw = content.text
        if raw is None or rendered.metadata is not content.metadata:
            return self._parts(content.schema, rendered.metadata, rendered.data)
        return (raw[0] if rendered.data is content.data else self._writer.dump({"data": rendered.data})), raw[1]

    def _parts(self, schema: str, metadata: dict[str, Any], data: Any) -> tuple[str, str]:
        return self._writer.dump({"data": data}), self._writer.dump({"metadata": metadata, "schema": schema})

    def _text(self, placed: Placed, parts: tuple[str, str]) -> str:
        revision = placed.revision if self._revision is None else self._revision
        status = self._statuses.get((placed.bucket, revision))
        if status is None:
            status = self._writer.dump({"status": {"bucket": placed.bucket, "revision": revision}})
            self._statuses[placed.bucket, revision] = status
        return f"{parts[0]}id: {placed.number}\n{parts[1]}{status}"
