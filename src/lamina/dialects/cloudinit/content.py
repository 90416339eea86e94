"""Content types: what a blob of user-data is, told by how it begins."""

from __future__ import annotations

from typing import Final

CLOUD_CONFIG: Final = "text/cloud-config"
ARCHIVE: Final = "text/cloud-config-archive"
JSON_PATCH: Final = "text/cloud-config-jsonp"
INCLUDE: Final = "text/x-include-url"
INCLUDE_ONCE: Final = "text/x-include-once-url"
SCRIPT: Final = "text/x-shellscript"
BOOTHOOK: Final = "text/cloud-boothook"
PART_HANDLER: Final = "text/part-handler"
TEMPLATE: Final = "text/jinja2"

BEGINNINGS: Final = {
    "#cloud-config": CLOUD_CONFIG,
    "#cloud-config-archive": ARCHIVE,
    "#cloud-config-jsonp": JSON_PATCH,
    "#include": INCLUDE,
    "#include-once": INCLUDE_ONCE,
    "#!": SCRIPT,
    "#cloud-boothook": BOOTHOOK,
    "#part-handler": PART_HANDLER,
    "## template: jinja": TEMPLATE,
}
"""First words and the types they stand for; the longest that fits counts."""

_LONGEST_FIRST: Final = sorted(BEGINNINGS, key=len, reverse=True)


def sniff(text: str) -> str | None:
    """The content type a text announces by its beginning, if any; leading blanks and case do not matter."""
    head = text.lstrip()[:64].lower()
    return next((BEGINNINGS[start] for start in _LONGEST_FIRST if head.startswith(start)), None)
