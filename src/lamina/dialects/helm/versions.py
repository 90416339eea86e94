"""Semantic versions and ranges of them, as the Go library Masterminds/semver reads them.

A part of a range that is missing or `x` is a wildcard: `1.2` fits 1.2.7, `>1.2` does not fit 1.2.7. A pre-release fits
only a range that has one. Build metadata is ignored.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_WORDS: Final = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_VERSION: Final = re.compile(rf"v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?(?:-({_WORDS}))?(?:\+{_WORDS})?", re.ASCII)
_LOOSE: Final = rf"v?([0-9|x|X|\*]+)(?:\.([0-9|x|X|\*]+))?(?:\.([0-9|x|X|\*]+))?(?:-({_WORDS}))?(?:\+{_WORDS})?"
_BARE: Final = re.sub(r"\((?!\?)", "(?:", _LOOSE)
_OPERATORS: Final = "|".join(sorted(("", "=", "!=", ">", "<", ">=", "=>", "<=", "=<", "~", "~>", r"\^"), key=len)[::-1])
_LONGEST: Final = 256
"""Longer ranges are none."""


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Of a span of two versions, of one comparison, and of a list of them; made when a range is read."""
    span = re.compile(rf"\s*({_BARE})\s+-\s+({_BARE})\s*", re.ASCII)
    one = re.compile(rf"({_OPERATORS})\s*({_BARE})", re.ASCII)
    comparison = rf"(?:{_OPERATORS})\s*(?:{_BARE})\s*"
    return span, one, re.compile(rf"\s*{comparison}(?:(?:\s+|,\s*){comparison})*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Version:
    """A version, without build metadata."""

    major: int
    minor: int
    patch: int
    before: str = ""
    """What is behind the hyphen of a pre-release."""

    @property
    def order(self) -> tuple[object, ...]:
        """What versions are compared by: a pre-release comes before its version, numbers before words."""
        words = [(0, int(word), "") if word.isdecimal() else (1, 0, word) for word in self.before.split(".")]
        return self.major, self.minor, self.patch, not self.before, words if self.before else []

    def __lt__(self, other: Version) -> bool:
        return self.order < other.order


def version_of(text: str) -> Version | None:
    """A version; None for what is none. Missing parts are zero."""
    match = _VERSION.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        return None
    major, minor, patch, before = match.groups()
    words = (before or "").split(".")
    if any(word.isdecimal() and word[0] == "0" and word != "0" for word in words):
        return None
    return Version(int(major), int(minor or 0), int(patch or 0), before or "")


@dataclass(frozen=True, slots=True)
class _Constraint:
    """One comparison of a range, and how many of its parts were written."""

    operator: str
    version: Version
    parts: int

    def fits(self, other: Version) -> bool:
        if other.before and not self.version.before:
            return False
        return _CHECKS[self.operator](self, other)


def _is_tilde(wanted: _Constraint, found: Version) -> bool:
    version = wanted.version
    if found < version:
        return False
    if version == Version(0, 0, 0, version.before) and wanted.parts in (0, 3):
        return True
    return found.major == version.major and (wanted.parts == 1 or found.minor == version.minor)


def _is_equal(wanted: _Constraint, found: Version) -> bool:
    return _is_tilde(wanted, found) if wanted.parts < 3 else found == wanted.version


def _is_other(wanted: _Constraint, found: Version) -> bool:
    version = wanted.version
    if wanted.parts == 3:
        return found != version
    if found.major != version.major or wanted.parts == 1:
        return found.major != version.major
    return found.minor != version.minor


def _is_greater(wanted: _Constraint, found: Version) -> bool:
    version = wanted.version
    if wanted.parts == 3 or found.major != version.major:
        return version < found if wanted.parts == 3 else found.major > version.major
    return found.minor > version.minor if wanted.parts == 2 else wanted.parts == 0 and version < found


def _is_at_most(wanted: _Constraint, found: Version) -> bool:
    version = wanted.version
    if wanted.parts == 3:
        return not version < found
    if found.major > version.major:
        return False
    return not (found.major == version.major and found.minor > version.minor and wanted.parts != 1)


def _is_caret(wanted: _Constraint, found: Version) -> bool:
    version = wanted.version
    if found < version or found.major != version.major:
        return False
    if version.major > 0 or wanted.parts == 1:
        return True
    if version.minor > 0 or wanted.parts == 2:
        return found.minor == version.minor
    return found.minor == 0 and found.patch == version.patch


_CHECKS: Final[dict[str, Callable[[_Constraint, Version], bool]]] = {
    "": _is_equal,
    "=": _is_equal,
    "!=": _is_other,
    ">": _is_greater,
    "<": lambda wanted, found: found < wanted.version,
    ">=": lambda wanted, found: not found < wanted.version,
    "=>": lambda wanted, found: not found < wanted.version,
    "<=": _is_at_most,
    "=<": _is_at_most,
    "~": _is_tilde,
    "~>": _is_tilde,
    "^": _is_caret,
}


def fits(wanted: str, version: str) -> bool:
    """Whether a version is in a range; nothing is in a range that is none."""
    found = version_of(version)
    if found is None or len(wanted) > _LONGEST:
        return False
    wanted = " ".join(wanted.split())  # so that no pattern can try many ways to divide spaces
    choices: list[list[_Constraint]] = []
    span, one, several = _patterns()
    for each in span.sub(r">=\1 <=\2 ", wanted).split("||"):
        if several.fullmatch(each) is None:
            return False
        constraints = [_constraint(*match.groups()) for match in one.finditer(each)]
        choices.append([one for one in constraints if one is not None])
        if None in constraints:
            return False
    return any(all(constraint.fits(found) for constraint in each) for each in choices)


def _constraint(operator: str, text: str) -> _Constraint | None:
    match = re.fullmatch(_LOOSE, text, re.ASCII)
    assert match is not None
    written = match.groups()[:3]
    parts = next((number for number, part in enumerate(written) if part in (None, "x", "X", "*")), 3)
    shown = ".".join([*(part or "0" for part in written[:parts]), *"000"[parts:]])
    version = version_of(f"{shown}-{match[4]}" if match[4] else shown)
    return None if version is None else _Constraint(operator, version, parts)
