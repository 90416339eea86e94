"""Content types: the type of a file of user-data, by its first line or its header; and whether inputs have any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lamina.sources.inputs import Folder, Inputs

CLOUD_CONFIG: Final = "text/cloud-config"
ARCHIVE: Final = "text/cloud-config-archive"
JSON_PATCH: Final = "text/cloud-config-jsonp"
INCLUDE: Final = "text/x-include-url"
INCLUDE_ONCE: Final = "text/x-include-once-url"
SCRIPT: Final = "text/x-shellscript"
BOOTHOOK: Final = "text/cloud-boothook"
PART_HANDLER: Final = "text/part-handler"
TEMPLATE: Final = "text/jinja2"
PLAIN: Final = "text/plain"
NOT_MULTIPART: Final = "text/x-not-multipart"
"""The type of a file that is not a MIME message until its first line has been read."""

SCRIPTS: Final = {
    SCRIPT: "once per instance",
    "text/x-shellscript-per-boot": "at every boot",
    "text/x-shellscript-per-instance": "once per instance",
    "text/x-shellscript-per-once": "once",
}
"""The types of scripts, and when cloud-init runs them."""

INCLUDES: Final = (INCLUDE, INCLUDE_ONCE)
SNIFFED: Final = (PLAIN, NOT_MULTIPART, SCRIPT)
"""Declared types that are not trusted: the first line decides."""

GZIP: Final = frozenset(
    f"application/{name}"
    for name in (
        *("gzip", "gzip-compressed", "gzipped", "x-compress", "x-compressed"),
        *("x-gunzip", "x-gzip", "x-gzip-compressed"),
    )
)
"""Declared types that are unpacked before anything else."""

GZIP_MAGIC: Final = b"\x1f\x8b"
"""What a file that is unpacked starts with."""

FIRST_WORDS: Final = {
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
"""First words and their types; the longest match is used."""

_LONGEST_FIRST: Final = sorted(FIRST_WORDS, key=len, reverse=True)
_HEAD: Final = 4096
_LAYERS: Final = ("cloud.cfg", "user-data", "vendor-data", "vendor-data2")
"""What the files of other layers are called, which need not say what they are."""


_MIME_MARK: Final = b"mime-version:"


def is_message(data: bytes) -> bool:
    """Whether data counts as a MIME message."""
    return _MIME_MARK in data[:_HEAD].lower()


def sniff(text: str) -> str | None:
    """The content type by the first line of a string, if any; leading blanks and case are ignored."""
    head = text.lstrip()[:64].lower()
    return next((FIRST_WORDS[start] for start in _LONGEST_FIRST if head.startswith(start)), None)


def sniff_data(data: bytes) -> str | None:
    """The content type by the first bytes, if any."""
    head = data[:_HEAD].decode("utf-8", "surrogateescape")
    if len(data) > _HEAD and not head.strip():
        head = data.decode("utf-8", "surrogateescape")
    return sniff(head)


def detect(inputs: Inputs) -> bool:
    """Whether any input starts like user-data, or a folder is laid out as on an instance."""
    return (
        any(_looks_like_user_data(source.data) for source in inputs.sources)
        or any(map(_is_instance, inputs.folders))
        or any(_is_layer(source.name) for source in inputs.sources)
    )


def _is_layer(name: str) -> bool:
    folder, _, own = name.rpartition("/")
    return own in _LAYERS or folder.endswith("cloud.cfg.d")


def _is_instance(folder: Folder) -> bool:
    from lamina.dialects.cloudinit.layer_files import has_layers

    return has_layers(folder)


def _looks_like_user_data(data: bytes) -> bool:
    head = data[:_HEAD]
    return head.startswith(GZIP_MAGIC) or is_message(head) or sniff(head.decode("utf-8", "replace")) is not None
