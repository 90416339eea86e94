"""Packing: one MIME message from parts, which cloud-init unpacks to the same parts.

Text that is not plain ASCII is encoded, since cloud-init would corrupt it. The same parts always give the same bytes.
The limits of clouds are those in their manuals.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from lamina._support import suggestions
from lamina.dialects.cloudinit import content_types, messages
from lamina.dialects.cloudinit.cloud_config import UnusablePart, read_body
from lamina.dialects.cloudinit.merge_rule import BadRule, parse_text
from lamina.errors import Diagnostic, InputError, MergeError, Severity
from lamina.run import Run
from lamina.sources.inputs import gather
from lamina.sources.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lamina.errors import Note

_LONGEST_LINE: Final = 900
_TYPED: Final = re.compile(r"(?P<file>.+):(?P<type>[A-Za-z0-9.+-]+(?:/[A-Za-z0-9.+-]+)?)")
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_.()-]")


@dataclass(frozen=True, slots=True)
class Cloud:
    """How much user-data a cloud accepts, and the page of its manual."""

    name: str
    limit: int
    encoded: bool
    """Whether the limit holds for the data in base64."""
    manual: str


CLOUDS: Final = (
    Cloud("Amazon EC2", 16_384, False, "docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-add-user-data.html"),
    Cloud("Hetzner Cloud", 32_768, False, "docs.hetzner.cloud"),
    Cloud("OpenStack Nova", 65_535, True, "docs.openstack.org/nova/latest/user/metadata.html"),
    Cloud("Microsoft Azure", 65_535, False, "learn.microsoft.com/azure/virtual-machines/custom-data"),
    Cloud("VMware vSphere", 524_288, False, "developer.broadcom.com, CustomizationCloudinitPrep"),
)


@dataclass(frozen=True, slots=True)
class Item:
    """One part to be packed."""

    name: str
    data: bytes
    content_type: str
    path: str
    """What it is called in messages."""


@dataclass(frozen=True, slots=True)
class Packed:
    """The message, and notes on it."""

    data: bytes
    notes: tuple[Note, ...]


def pack(parts: Iterable[str | Source], *, merge_type: str | None = None, zipped: bool = False) -> Packed:
    """User-data made of parts: names of files, as FILE or FILE:TYPE, or sources."""
    items = [_item(part) for part in parts]
    rule = _checked(merge_type) if merge_type else None
    plain = message(items, rule)
    data = gzip.compress(plain, mtime=0) if zipped else plain
    sizes = size_notes(len(data), len(gzip.compress(plain, mtime=0)), zipped=zipped)
    return Packed(data, (*_unhandled_types(items), *_dropped(items), *sizes))


def _dropped(items: Iterable[Item]) -> Iterable[Note]:
    """The parts of cloud-config that cloud-init will drop, as they are."""
    for item in items:
        if item.content_type == content_types.CLOUD_CONFIG:
            try:
                read_body(Source(item.path, item.data), item.path, Run())
            except UnusablePart as unusable:
                if unusable.finding.code != "empty-part":  # nothing is lost
                    yield replace(unusable.finding, severity=Severity.ERROR)


def _unhandled_types(items: Iterable[Item]) -> Iterable[Note]:
    """Types that nothing in cloud-init handles; a part handler may."""
    known = {*content_types.FIRST_WORDS.values(), *content_types.SCRIPTS, content_types.PLAIN}
    for item in items:
        if item.content_type not in known:
            yield messages.UNKNOWN_PART_TYPE.at(
                subject=item.name,
                hint=suggestions.did_you_mean(
                    item.content_type, sorted(known), f"known types: {', '.join(sorted(known))}"
                ),
                item=item.name,
                content_type=item.content_type,
            )


def _item(part: str | Source) -> Item:
    kind = None
    if isinstance(part, str):
        source, kind = _opened(part)
    else:
        source = part
    if source.data.startswith(content_types.GZIP_MAGIC) or content_types.is_message(source.data):
        raise InputError(messages.NOT_A_PART.at(source.locate(0, 0), name=source.name))
    found = kind or content_types.sniff_data(source.data)
    if found is None:
        known = ", ".join(content_types.FIRST_WORDS)
        raise InputError(messages.UNTOLD_PART_TYPE.at(source.locate(0, 0), name=source.name, known=known))
    return Item(_UNSAFE.sub("_", source.name.rpartition("/")[2]), source.data, found, source.name)


def _opened(part: str) -> tuple[Source, str | None]:
    """The file and the type of FILE or FILE:TYPE; a file whose name holds a colon is found, too."""
    match = _TYPED.fullmatch(part)
    try:
        [source] = gather([part]).sources
        return source, None
    except InputError:
        if match is None:
            raise
    except ValueError:
        raise InputError(_a_folder(part)) from None
    kind = match["type"].lower()
    sources = gather([match["file"]]).sources
    if not sources:
        raise InputError(_a_folder(match["file"]))
    return sources[0], kind if "/" in kind else f"text/{kind}"


def _a_folder(name: str) -> Diagnostic:
    return messages.NOT_A_FILE.at(name=name)


def _checked(rule: str) -> str:
    try:
        parsed = parse_text(rule)
        from lamina.dialects.cloudinit.mergers import policy_of

        policy_of(parsed)
    except BadRule as bad:
        raise MergeError(replace(bad.finding, subject="--merge-type")) from None
    return rule


def message(items: Sequence[Item], rule: str | None = None) -> bytes:
    """The MIME message of some parts."""
    boundary = _boundary(items)
    lines = [f'Content-Type: multipart/mixed; boundary="{boundary}"', "MIME-Version: 1.0", ""]
    for item in items:
        lines.extend([f"--{boundary}", *_headers(item, rule), "", _body(item)])
    return "\n".join([*lines, f"--{boundary}--", ""]).encode()


def _boundary(items: Sequence[Item]) -> str:
    """A boundary that is in none of the parts; the same for the same parts."""
    digest = hashlib.sha256(b"\0".join(item.data for item in items)).hexdigest()
    return f"==lamina-{digest[:24]}=="


def _headers(item: Item, rule: str | None) -> list[str]:
    headers = [
        "MIME-Version: 1.0",
        f'Content-Type: {item.content_type}; charset="utf-8"',
        f"Content-Transfer-Encoding: {'7bit' if _is_plain(item.data) else 'base64'}",
        f'Content-Disposition: attachment; filename="{item.name}"',
    ]
    if rule and item.content_type in (content_types.CLOUD_CONFIG, content_types.TEMPLATE):
        headers.append(f"Merge-Type: {rule}")
    return headers


def _is_plain(data: bytes) -> bool:
    """Whether the data may be in a message as it is."""
    if not data.isascii() or b"\r" in data or b"\0" in data or b"\x0b" in data or b"\x0c" in data:
        return False
    return all(len(line) < _LONGEST_LINE for line in data.split(b"\n")) and b"--==lamina-" not in data


def _body(item: Item) -> str:
    return item.data.decode("ascii") if _is_plain(item.data) else base64.encodebytes(item.data).decode().rstrip("\n")


def size_notes(size: int, smallest: int, *, zipped: bool) -> Iterable[Note]:
    """Notes on the clouds that do not accept data of that size."""
    for cloud in CLOUDS:
        if _counted(size, cloud) <= cloud.limit:
            continue
        hint = "remove parts, or fetch some of them with #include"
        if not zipped and _counted(smallest, cloud) <= cloud.limit:
            hint = f"with --gzip it is {smallest:,} bytes, which fits"
        form = " in base64" if cloud.encoded else ""
        yield messages.TOO_LARGE_FOR_CLOUD.at(
            subject=cloud.name, size=size, limit=cloud.limit, form=form, how=hint, manual=cloud.manual
        )


def _counted(size: int, cloud: Cloud) -> int:
    return (size + 2) // 3 * 4 if cloud.encoded else size
