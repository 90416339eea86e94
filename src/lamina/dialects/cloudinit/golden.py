"""What a golden case of cloud-init compares: the value, and which parts were dropped, ignored or stored.

Cases of the mode `parse-merge` say how a merge rule is read; nothing is merged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina.dialects.cloudinit.merge_rule import BadRule, parse_body
from lamina.errors import MergeError, Severity
from lamina.protocol.extensions import Golden

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.protocol.rendered import Rendered

DROP_KINDS = (
    *("bad-merge-string", "unknown-merger", "bad-merger-entry", "merge-type-error"),
    *("invalid-yaml", "not-a-mapping", "empty-part"),
    *("bad-json-patch", "json-patch-conflict", "json-patch-test-failed"),
)
"""The kinds of findings for which the program drops a part."""


WARNED = ("unhandled-content-type", "missing-template-variable", "template-error")
"""The kinds of findings on parts that are ignored for other reasons."""


def observe(rendered: Rendered) -> Mapping[str, Any]:
    """The outcome of a render in the terms of the cases; single parts are compared for user-data alone."""
    if rendered.options.mode != "user-data":
        return {"value": rendered.plain}
    dropped = [note for note in rendered.notes if note.severity is Severity.ERROR and note.code in DROP_KINDS]
    return {
        "value": rendered.plain,
        "skipped": [{"part": note.subject, "kind": note.code, "text": str(note)} for note in dropped],
        "warned": [note.code for note in rendered.notes if note.code in WARNED],
        "scripts": [note.subject for note in rendered.notes if note.code == "script"],
    }


def read_rule(settings: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The mergers of a rule, each with its options; None for cases that merge."""
    if settings.get("mode") != "parse-merge":
        return None
    try:
        rule = parse_body(settings["merge"])
    except BadRule as bad:
        raise MergeError(bad.finding) from None
    return {"value": [[merger.name, merger.options] for merger in rule.mergers]}


GOLDEN = Golden(
    observe=observe,
    without_render=read_rule,
    options={"no_built_in": True, "instance_data": {}},
    words={"document": ("manual", {"000": "2013", "001": "current"})},
)
