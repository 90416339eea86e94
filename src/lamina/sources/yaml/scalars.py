"""Scalars: the meaning of plain (unquoted, untagged) text, for each of the programs we follow.

- `PYYAML`: YAML 1.1 as PyYAML's safe loaders read it (cloud-init, Deckhand).
- `PYYAML_ANCHORS_AGAIN`: the same, but an anchor may be defined again, as YAML allows (plain layers).
- `PYYAML_KEEPING_TAGS`: the same, but values with tags of other programs are kept with them; `PYYAML_ANCHORS_AND_TAGS`
  does both.
- `PYYAML_TEXT_DATES`: the same, but timestamps stay text (Heat).
- `YAMLDOTNET`: the values that PowerShell gets from YamlDotNet (Datum). A number is an optional sign, digits, a point
  and an exponent; whole numbers are integers of any size (`1.0` and `1e3` too), others are decimals that keep their
  digits. `yes`, `0x1F`, `1,000`, dates and `<<` are strings. Keys are always strings, and a repeated key is an error;
  an anchor may be defined again, and what follows `...` is ignored.

A reader uses `table.cache[text]`, which caches short strings. Words and common integers are decided here; PyYAML's own
resolver and constructor decide each of the others once, so that the result is always PyYAML's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from lamina._support.derived import expression
from lamina.sources.limits import LIMITS, check_digits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from yaml import ScalarNode

_MAX_CACHED = 1 << 14
_LONGEST = 63
LONGEST_WORD = 8
"""Scalars that start with a letter and are longer are strings in every table; the longest word is `infinity`."""
_SHORT_NUMBER = 16
"""Whole numbers of fewer digits are the same in every table: they fit 64 bits, and a float has them exactly."""
_PYYAML_STARTS = "yYnNtTfFoO+-.0123456789~<=!&*"
_DOTNET_STARTS = "tTfFnNiI+-.0123456789~"

YAML = "tag:yaml.org,2002:"

_WORD_VALUES: Mapping[str, Any] = {"yes": True, "no": False, "true": True, "false": False, "on": True, "off": False}
WORDS: Mapping[str, Any] = {
    spelling: value
    for word, value in {**_WORD_VALUES, "null": None}.items()
    for spelling in (word, word.title(), word.upper())
}
"""For PyYAML, the plain scalars that start with a letter and are not strings."""


class MergeKeyError(Exception):
    """The text is the merge key, which is not a value."""


class OddScalarError(Exception):
    """The text is not a value by itself; its meaning depends on its position."""


class ScalarCache(dict[str, Any]):
    """A bounded cache of the values of plain scalars."""

    __slots__ = ("_resolve", "_starts")

    def __init__(self, resolve: Callable[[str], Any], starts: frozenset[str]) -> None:
        self._resolve = resolve
        self._starts = starts

    def __missing__(self, text: str) -> Any:
        if text and (text[0] not in self._starts or (len(text) > LONGEST_WORD and text[0].isalpha())):
            value: Any = text
        elif len(text) < _SHORT_NUMBER and text.isdecimal() and text.isascii() and text[0] != "0":
            value = int(text)  # in every table
        else:
            value = self._resolve(text)
        if len(text) <= _LONGEST:
            if len(self) >= _MAX_CACHED:
                self.clear()
            self[text] = value
        return value


TagMeaning: TypeAlias = Literal["any", "string"]
"""What a value with a tag may be."""


@dataclass(frozen=True, slots=True, eq=False)
class ScalarTable:
    """The meaning of scalars for one program."""

    name: str
    resolve: Callable[[str], Any]
    is_number: Callable[[str], bool]
    starts: str
    """The first characters of all plain scalars that are not strings."""
    text_keys: bool = False
    """Keys are strings as written, whatever they would be as values."""
    unique_keys: bool = False
    """A repeated key in a mapping is an error."""
    anchors_again: bool = False
    """An anchor may be defined again; an alias then means the last one before it."""
    keeps_tags: bool = False
    """A value with a tag of another program's (`!vault`) is kept with its tag, and no error."""
    tags: Mapping[str, TagMeaning] = field(default_factory=dict)
    """Tags that only mark a value, which is read as if it had none; a document says which values have which."""
    merged_repeats: bool = False
    """A key that a merge key brings too counts as repeated."""
    cache: ScalarCache = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cache", ScalarCache(self.plain, frozenset(self.starts)))

    def __repr__(self) -> str:
        return f"ScalarTable({self.name!r})"

    def plain(self, text: str, digits: int = LIMITS.digits) -> Any:
        """The value of a plain scalar; raises MergeKeyError or OddScalarError if it has none."""
        if len(text) > digits and self.is_number(text):
            check_digits(text, 0, digits)
        value = self.resolve(text)
        check_digits(text, value, digits)
        return value


@cache
def _pyyaml() -> tuple[Any, type[ScalarNode]]:
    import yaml

    return yaml.SafeLoader(""), yaml.ScalarNode


def _kind(text: str) -> str:
    loader, node = _pyyaml()
    return str(loader.resolve(node, text, (True, False))).removeprefix(YAML)


def _is_pyyaml_number(text: str) -> bool:
    return _kind(text) in ("int", "float")


def _plain_pyyaml(text: str) -> Any:
    if text[:1].isalpha():
        return WORDS.get(text, text)
    if text in ("", "~"):
        return None
    if text.isdecimal() and text.isascii() and text[0] != "0":
        return int(text)
    kind = _kind(text)
    if kind == "str":
        return text
    if kind == "merge":
        raise MergeKeyError
    if kind not in ("null", "bool", "int", "float", "timestamp"):
        raise OddScalarError(text)
    loader, node = _pyyaml()
    tag = YAML + kind
    return loader.yaml_constructors[tag](loader, node(tag, text))


def _plain_text_dates(text: str) -> Any:
    return text if _kind(text) == "timestamp" else _plain_pyyaml(text)


_DOTNET_NUMBER = expression(r"[+-]?(?P<whole>[0-9]*)(?:\.(?P<part>[0-9]*))?(?:[eE](?P<power>[+-]?[0-9]+))?")
_DOTNET_WORDS = {
    "true": True,
    "false": False,
    "": None,
    "~": None,
    "null": None,
    "infinity": float("inf"),
    "+infinity": float("inf"),
    "-infinity": float("-inf"),
    "nan": float("nan"),
    "+nan": float("nan"),
    "-nan": float("nan"),
}
_WIDEST = 400
"""Numbers with more digits than this, written out, are floats: how the program treats them is not known."""


def _is_dotnet_number(text: str) -> bool:
    match = _DOTNET_NUMBER.fullmatch(text)
    return match is not None and bool(match["whole"] or match["part"])


def _plain_dotnet(text: str) -> Any:
    word = text.lower()
    if word in _DOTNET_WORDS:
        return _DOTNET_WORDS[word]
    match = _DOTNET_NUMBER.fullmatch(text)
    if match is None or not (match["whole"] or match["part"]):
        return text
    if match["part"] is None and match["power"] is None:
        return int(text)
    power = int((match["power"] or "0")[:8])
    if not -_WIDEST < power < _WIDEST:
        return float(text)
    return _dotnet_decimal(text)


def _dotnet_decimal(text: str) -> Any:
    """A number with a point or an exponent: an integer if it is whole."""
    from decimal import Decimal

    from lamina.sources.decimals import WrittenDecimal

    number = Decimal(text)
    return int(number) if number == number.to_integral_value() else WrittenDecimal(number)


PYYAML = ScalarTable("pyyaml", _plain_pyyaml, _is_pyyaml_number, _PYYAML_STARTS)
PYYAML_KEEPING_TAGS = ScalarTable(
    "pyyaml keeping tags", _plain_pyyaml, _is_pyyaml_number, _PYYAML_STARTS, keeps_tags=True
)
PYYAML_ANCHORS_AGAIN = ScalarTable(
    "pyyaml with anchors again", _plain_pyyaml, _is_pyyaml_number, _PYYAML_STARTS, anchors_again=True
)
PYYAML_ANCHORS_AND_TAGS = ScalarTable(
    "pyyaml with anchors again, keeping tags",
    _plain_pyyaml,
    _is_pyyaml_number,
    _PYYAML_STARTS,
    anchors_again=True,
    keeps_tags=True,
)
PYYAML_TEXT_DATES = ScalarTable("pyyaml-text-dates", _plain_text_dates, _is_pyyaml_number, _PYYAML_STARTS)
YAMLDOTNET = ScalarTable(
    "yamldotnet",
    _plain_dotnet,
    _is_dotnet_number,
    _DOTNET_STARTS,
    text_keys=True,
    unique_keys=True,
    anchors_again=True,
)
