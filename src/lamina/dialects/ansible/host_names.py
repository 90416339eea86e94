"""Names of hosts as inventories write them: ranges such as `web[01:20]`, and a port."""

from __future__ import annotations

import re
from itertools import product
from string import ascii_letters
from typing import TYPE_CHECKING, Final

from lamina.dialects.ansible.faults import fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lamina import plugin as lp

_MOST_HOSTS: Final = 100_000
"""How many names one pattern may stand for."""
_IN_BRACKETS: Final = re.compile(r"\[(?P<name>.+)\]:(?P<port>[0-9]+)")
_BEFORE_COLON: Final = re.compile(r"(?P<name>(?:[^:\[\]]|\[[^\]]*\])*):(?P<port>[0-9]+)")
_RANGE: Final = r"\[(?:[a-zA-Z]:[a-zA-Z]|[0-9]+:[0-9]+)(?::[0-9]+)?\]"
_LABEL: Final = rf"(?:\w|{_RANGE})(?:[\w-]|{_RANGE})*(?<![_-])"
_HOST: Final = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_HEX_RANGE: Final = re.compile(r"\[[0-9a-fA-F]+:[0-9a-fA-F]+(?::[0-9]+)?\]")
_RANGES: Final = re.compile(r"\[([^\[\]|]*)\]")


def without_port(text: str) -> tuple[str, int | None]:
    """A pattern and its port; if what is before the port is no address or host name, all of the text and no port."""
    name, port = text, None
    for form in (_IN_BRACKETS, _BEFORE_COLON):
        match = form.fullmatch(name)
        if match is not None and len(match["port"]) < 20:
            name, port = match["name"], int(match["port"])
    return (name, port) if is_address(name) else (text, None)


def is_address(name: str) -> bool:
    """Whether a text is an address or the name of a host, with ranges or without."""
    return _HOST.fullmatch(name) is not None or _is_version_6(name)


def _is_version_6(name: str) -> bool:
    if ":" not in name:
        return False
    from ipaddress import IPv6Address

    try:
        IPv6Address(_HEX_RANGE.sub("1", name))
    except ValueError:
        return False
    return "%" not in name


def expanded(pattern: str, at: lp.Origin | None) -> Sequence[str]:
    """The names that a pattern stands for; in the first range they vary slowest."""
    if "[" not in pattern:
        return (pattern,)
    parts = _RANGES.split(pattern)
    if any(set("[]|") & set(part) for part in parts[::2]) or len(parts) < 2:
        fault("unparsed-inventory", f"{pattern!r} has a bracket that is no range", at, "write a range as web[1:9]")
    ranges = [_values(bounds.split(":"), pattern, at) for bounds in parts[1::2]]
    count = 1
    for values in ranges:
        count *= len(values)
    if count > _MOST_HOSTS:
        fault("unparsed-inventory", f"{pattern!r} stands for {count} hosts", at, f"at most {_MOST_HOSTS} are read")
    texts = parts[::2]
    return [
        texts[0] + "".join(value + text for value, text in zip(chosen, texts[1:], strict=True))
        for chosen in product(*ranges)
    ]


def _values(bounds: Sequence[str], pattern: str, at: lp.Origin | None) -> Sequence[str]:
    """What a range stands for: numbers, filled with zeros as its first one, or letters."""
    why = "a range has a first and a last value and may have a step, as in web[01:20:2]"
    if len(bounds) not in (2, 3) or not bounds[1]:
        fault("unparsed-inventory", f"{pattern!r} has a range that is not complete", at, why)
    first, last = bounds[0] or "0", bounds[1]
    is_filled = first[0] == "0" and len(first) > 1
    if is_filled and len(first) != len(last):
        fault("unparsed-inventory", f"{pattern!r} has a range with zeros in front of only one end", at, why)
    try:
        step = int(bounds[2]) if len(bounds) == 3 else 1
        if len(first) == len(last) == 1 and first in ascii_letters and last in ascii_letters:
            start, end = ascii_letters.index(first), ascii_letters.index(last)
            if start > end:
                fault(
                    "unparsed-inventory",
                    f"{pattern!r} has a range that ends before it begins",
                    at,
                    "letters are a..z, A..Z",
                )
            return ascii_letters[start : end + 1 : step]
        numbers = range(int(first), int(last) + 1, step)
        if len(numbers) > _MOST_HOSTS:
            fault(
                "unparsed-inventory",
                f"{pattern!r} stands for {len(numbers)} hosts",
                at,
                f"at most {_MOST_HOSTS} are read",
            )
        return [str(number).zfill(len(first) if is_filled else 0) for number in numbers]
    except (ValueError, OverflowError):
        fault("unparsed-inventory", f"{pattern!r} has a range that is neither of numbers nor of letters", at, why)
