"""Type expressions: the short notation of `config_keys.yaml`, read into JSON Schema."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

Schema = dict[str, Any]

_TYPES: Final = frozenset({"string", "integer", "number", "boolean", "null"})
_FORMS: Final = frozenset({"date", "uri", "hostname"})
_TOKEN: Final = re.compile(
    r"""\s*(?:
      (?P<deprecated>\(deprecated\ since\ (?P<since>[\d.]+):\ (?P<instead>[^)]+)\))
    | (?P<value>"[^"]*"|-?\d+|true|false)
    | /(?P<pattern>.*?)/(?=\s|$|[|\]}])
    | @(?P<name>\w+)
    | (?P<word>[a-z]+)
    | (?P<sign>>=|[][|(){}+,])
    )""",
    re.VERBOSE,
)


class _TypeTokens:
    """The tokens of an expression, the next one first."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.next: re.Match[str] | None = None
        self.advance()

    def advance(self) -> re.Match[str] | None:
        """Return the next token and move to the one after it."""
        token = self.next
        self.next = _TOKEN.match(self.text, self.at)
        if self.next is None and self.text[self.at :].strip():
            raise ValueError(f"{self.text!r}: {self.text[self.at :]!r} cannot be read")
        self.at = self.next.end() if self.next else len(self.text)
        return token

    def take(self, group: str, *texts: str) -> str | None:
        """The next token, if it is of a group, and one of the texts if any are given."""
        found = self.next[group] if self.next else None
        if found is None or (texts and found not in texts):
            return None
        self.advance()
        return found

    def number(self) -> int:
        """The next token, which is a number."""
        return int(self.take("value") or "")


def read_expression(text: str) -> Schema:
    """The JSON Schema of an expression."""
    tokens = _TypeTokens(text)
    schema = _alternatives(tokens)
    if tokens.next:
        raise ValueError(f"{text!r}: {tokens.next[0].strip()!r} was not expected")
    return schema


def _alternatives(tokens: _TypeTokens) -> Schema:
    found = [_with_age(tokens)]
    while tokens.take("sign", "|"):
        found.append(_with_age(tokens))
    if len(found) == 1:
        return found[0]
    values = [value for each in found if each.keys() == {"enum"} for value in each["enum"]]
    others = [each for each in found if each.keys() != {"enum"}]
    listed: list[Schema] = [{"enum": values}] if values else []
    return listed[0] if not others else {"oneOf": [*others, *listed]}


def _with_age(tokens: _TypeTokens) -> Schema:
    """A type, and since when it is deprecated."""
    schema = _bounded(tokens)
    token = tokens.next
    if token is None or not tokens.take("deprecated"):
        return schema
    age = {"deprecated": True, "deprecated_version": token["since"], "deprecated_description": token["instead"]}
    # Keywords next to a reference are ignored.
    return {"allOf": [schema, age]} if "$ref" in schema else {**schema, **age}


def _bounded(tokens: _TypeTokens) -> Schema:
    schema = _one(tokens)
    if tokens.take("sign", ">="):
        schema["minimum"] = tokens.number()
    return schema


def _one(tokens: _TypeTokens) -> Schema:
    for group, read in _READERS.items():
        if (found := tokens.take(group)) is not None:
            return read(found)
    match tokens.take("sign", "[", "{", "("):
        case "[":
            return _list(tokens)
        case "{":
            return _mapping(tokens)
        case "(":
            inner = _alternatives(tokens)
            _close(tokens, ")")
            return inner
    raise ValueError(f"{tokens.text!r}: a type was expected")


def _word(word: str) -> Schema:
    if word == "any":
        return {}
    if word in _FORMS:
        return {"type": "string", "format": word}
    if word not in _TYPES:
        raise ValueError(f"{word!r} is not a type")
    return {"type": word}


_READERS: Final[dict[str, Callable[[str], Schema]]] = {
    "value": lambda text: {"enum": [json.loads(text)]},
    "pattern": lambda pattern: {"type": "string", "pattern": pattern},
    "name": lambda name: {"$ref": f"#/definitions/{name}"},
    "word": _word,
}


def _list(tokens: _TypeTokens) -> Schema:
    schema: Schema = {"type": "array"}
    items = _alternatives(tokens)
    if items:
        schema["items"] = items
    _close(tokens, "]")
    if tokens.take("sign", "+"):
        schema["minItems"] = 1
    elif tokens.take("sign", "{"):
        schema["minItems"] = tokens.number()
        _close(tokens, ",")
        schema["maxItems"] = tokens.number()
        _close(tokens, "}")
    if tokens.take("word", "unique"):
        schema["uniqueItems"] = True
    return schema


def _mapping(tokens: _TypeTokens) -> Schema:
    schema: Schema = {"type": "object"}
    inner = _alternatives(tokens)
    if inner:
        schema["additionalProperties"] = inner
    _close(tokens, "}")
    if tokens.take("sign", "+"):
        schema["minProperties"] = 1
    return schema


def _close(tokens: _TypeTokens, sign: str) -> None:
    if not tokens.take("sign", sign):
        raise ValueError(f"{tokens.text!r}: {sign!r} was expected")
