"""The context of a document: why it has its parent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lamina.dialects.deckhand.document import DocumentOutput
from lamina.dialects.deckhand.parent_report import as_data, as_text, parent_reports
from lamina.plugin.extensions import Context, Explain

if TYPE_CHECKING:
    from lamina.plugin import Inputs, Output, Path
    from lamina.plugin.extensions import Rendered


def context(rendered: Rendered, inputs: Inputs, path: Path) -> Context | None:  # noqa: ARG001 - the plan has it all
    """The choice of the parent of the document a path is in."""
    if not rendered.outputs:
        return None
    document = rendered.outputs[path[0] if rendered.many else 0].value
    reasons = [
        reason
        for reason in parent_reports(rendered.plan, document["metadata"]["name"])
        if reason.document.schema == document["schema"]
    ]
    return Context(as_text(reasons), as_data(reasons)) if reasons else None


def aside(output: Output) -> str:
    """What people call a document that is not rendered itself."""
    return output.aside if isinstance(output, DocumentOutput) else ""


EXPLAIN = Explain(context=context, aside=aside, opens_at="data")
