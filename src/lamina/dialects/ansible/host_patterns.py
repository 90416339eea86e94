"""Patterns of hosts, as behind `--limit`: names of groups and hosts, `web:&dc1`, `all:!db`, `~regex`, `web[0:2]`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lamina import plugin as lp
from lamina.dialects.ansible.faults import warning
from lamina.dialects.ansible.host_names import is_address, without_port
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lamina.dialects.ansible.inventory import Inventory

_PART: Final = re.compile(r"(?:[^\s:\[\]]|\[[^\]]*\])+")
_INDEXED: Final = re.compile(r"(.+)\[(?:(-?[0-9]+)|([0-9]+)[:-]([0-9]*))\]")


def matching(inventory: Inventory, pattern: str, notes: list[lp.Diagnostic]) -> dict[str, None]:
    """The names of the hosts that a pattern meets; a part of it that meets none is noted."""
    plain: list[str] = []
    both: list[str] = []
    without: list[str] = []
    for part in _parts(pattern):
        {"&": both, "!": without}.get(part[0], plain).append(part)
    found: dict[str, None] = {}
    for part in plain or ["all"]:
        found.update(dict.fromkeys(_hosts_of(inventory, part, notes)))
    for part in both:
        kept = set(_hosts_of(inventory, part[1:], notes))
        found = {name: None for name in found if name in kept}
    for part in without:
        dropped = set(_hosts_of(inventory, part[1:], notes))
        found = {name: None for name in found if name not in dropped}
    return found


def _parts(pattern: str) -> Sequence[str]:
    if "," in pattern:
        parts = pattern.split(",")
    elif is_address(without_port(pattern)[0]):
        parts = [pattern]
    else:
        parts = _PART.findall(pattern)
    return [part.strip() for part in parts if part.strip()]


def _hosts_of(inventory: Inventory, part: str, notes: list[lp.Diagnostic]) -> Sequence[str]:
    if part in inventory.hosts:
        return [part]
    match = None if part.startswith("~") else _INDEXED.fullmatch(part)
    names = _named(inventory, part if match is None else match[1], notes)
    if match is None or not names:
        return names
    try:
        if match[2] is not None:
            return [names[int(match[2])]]
    except IndexError:
        _reject(f"{part} has no host at that place", f"it meets {len(names)} hosts, of which the first is [0]")
    return names[int(match[3]) : int(match[4]) + 1 if match[4] else None]


def _named(inventory: Inventory, text: str, notes: list[lp.Diagnostic]) -> Sequence[str]:
    """The hosts of all groups whose names are met, and hosts whose names are."""
    groups = _met(inventory.groups, text)
    found: dict[str, None] = {}
    for name in groups:
        found.update(dict.fromkeys(inventory.hosts_of(inventory.groups[name])))
    if not groups or text.startswith("~") or set(".?*[") & set(text):
        found.update(dict.fromkeys(_met(inventory.hosts, text)))
    if not found and not groups and text != "all":
        hint = lp.did_you_mean(text, [*inventory.groups, *inventory.hosts])
        notes.append(warning("no-match", f"the pattern {text} meets no host", None, hint))
    return list(found)


def _met(names: Iterable[str], text: str) -> Sequence[str]:
    import fnmatch

    try:
        pattern = lpf.SafePattern(text[1:] if text.startswith("~") else fnmatch.translate(text))
        return [name for name in names if (match := pattern.search(name)) is not None and match.start() == 0]
    except (lpf.BadPattern, re.error) as error:
        return _reject(f"{text} is no pattern of hosts: {error}", "behind ~ is a regular expression, else * and ?")


def _reject(message: str, hint: str) -> Sequence[str]:
    raise lp.UsageError(lp.Diagnostic(code="host-pattern", message=message, hint=hint))
