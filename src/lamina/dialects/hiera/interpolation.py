"""Filling in `%{...}`: variables, lookups of other keys, aliases and literal text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from lamina import plugin as lp
from lamina.dialects.hiera import messages
from lamina.dialects.hiera.keys import segments_of
from lamina.dialects.hiera.ruby_text import NonStringRubyKey, to_s
from lamina.plugin import formats as lpf
from lamina.plugin import hierarchy as lph
from lamina.plugin import operators as lpo
from lamina.plugin import references as lpr

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

    from lamina.dialects.hiera.variables import Variables

REFERENCES: Final = lpr.References("%{", "}", unclosed="plain")
_METHOD: Final = re.compile(r"""(\w+)\((?:"([^"]+)"|'([^']+)')\)""")
_EMPTY: Final = frozenset(("", "::", '""', "''", '"::"', "'::'"))
_METHODS: Final = ("lookup", "hiera", "alias", "scope", "literal")
ANY: Final = "\0"
"""What stands for a part of a path that is not known; no name of a file has it."""
_DEEPEST: Final = 40
"""How many lookups and texts may wait for each other."""
_HIDDEN: Final = "Sensitive [value redacted]"


class HieraFound(lph.Hit):
    """What a lookup gives; `sensitive` says that convert_to made it Sensitive."""

    __slots__ = ("may_be_secret", "sensitive")

    def __init__(
        self,
        value: Any,
        node: lp.Node | Callable[[], lp.Node],
        layer: str = "",
        outputs: Callable[[], Iterable[lp.Output]] = tuple,
        *,
        sensitive: bool = False,
        may_be_secret: bool = False,
    ) -> None:
        super().__init__(value, node, layer, outputs)
        self.sensitive = sensitive
        self.may_be_secret = sensitive or may_be_secret
        """Whether anything in it may be hidden: what was made from a secret is one."""


class HieraLookup(Protocol):
    """Looks a whole key up in all layers."""

    def __call__(self, key: str, /) -> HieraFound | None: ...


OriginOf: TypeAlias = "Callable[[str], lp.Origin | None]"
"""Says where a string was written; asked only where something is to be said of it."""
Expressions: TypeAlias = "tuple[tuple[str, str], ...]"
"""Expressions, each once, with the first string that has it."""


def expressions_in(value: Any) -> Expressions:
    """What is filled in in a value, in the order in which that is done."""
    found: dict[str, str] = {}
    _add_expressions(value, found, set())
    return tuple(found.items())


def _add_expressions(value: Any, found: dict[str, str], seen: set[int]) -> None:
    if isinstance(value, str):
        if "%{" in value:
            for part in REFERENCES.parts(value):
                if not isinstance(part, str) and (expression := expression_of(part)) is not None:
                    found.setdefault(expression, value)
    elif isinstance(value, (dict, list)) and id(value) not in seen:
        seen.add(id(value))
        for item in value:
            _add_expressions(item, found, seen)
            if isinstance(value, dict):
                _add_expressions(value[item], found, seen)


def expression_of(reference: lpr.Reference) -> str | None:
    """What is asked for; None if that is nothing, which gives an empty text."""
    expression = reference.content.strip()
    return None if expression in _EMPTY else expression


class Reading:
    """What an expression gives for one node: a text, or with `same` a value as it is; and what that was read from."""

    __slots__ = ("found", "same", "value", "variable")

    def __init__(
        self, value: Any, *, variable: lp.Node | None = None, found: HieraFound | None = None, same: bool = False
    ) -> None:
        self.value = value
        self.variable = variable
        self.found = found
        self.same = same

    @property
    def identity(self) -> Hashable:
        """What is equal for readings that give the same."""
        if not self.same:
            text: Hashable = self.value
            return text
        return id(self.value), self.found is not None and self.found.sensitive

    @property
    def nodes(self) -> tuple[lp.Node, ...]:
        """What it was read from."""
        node = self.variable if self.found is None else self.found.node
        return () if node is None else (node,)


class _ReadFrom:
    """The nodes of readings, made when somebody asks."""

    __slots__ = ("_readings",)

    def __init__(self, readings: list[Reading]) -> None:
        self._readings = readings

    def __iter__(self) -> Iterator[lp.Node]:
        return (node for reading in self._readings for node in reading.nodes)


def name_chain() -> lpr.Chain[str]:
    """The names that are being looked up: one that needs itself is rejected."""

    def cycle(names: Sequence[str]) -> lp.Reject:
        return lp.Reject(messages.RECURSIVE_LOOKUP.at(name=names[-1], names=" → ".join(names)))

    def too_long(name: str) -> lp.Reject:  # noqa: ARG001 - what is said of it names no key
        return lp.Reject(messages.LOOKUP_TOO_DEEP.at(most=_DEEPEST))

    return lpr.Chain(_DEEPEST, cycle, too_long)


class Interpolator:
    """Fills texts in for one node."""

    def __init__(self, variables: Variables, lookup: HieraLookup, stack: lpr.Chain[str], run: lp.Run) -> None:
        self._variables = variables
        self._lookup = lookup
        self._stack = stack
        self._run = run
        self._readings: dict[str, Reading] = {}
        self.unset: dict[str, lp.Origin | None] = {}
        """Keys that texts ask for and no level has: where each was first asked for."""

    def readings(self, node: lp.SourceNode, expressions: Expressions) -> list[Reading]:
        """What the expressions in a node give."""
        return [self._readings.get(name) or self._first_reading(name, text, node) for name, text in expressions]

    def _first_reading(self, expression: str, text: str, node: lp.SourceNode) -> Reading:
        try:
            return self._reading(expression, lambda: _string_origin(node, text))
        except lp.Reject:
            with lp.blamed_on(_string_origin(node, text)):
                raise

    def value_of(self, node: lp.SourceNode) -> tuple[Any, bool]:
        """The value of a node with all its strings and keys filled in, and whether it became Sensitive by an alias."""
        if not isinstance(node.value, str):
            return self._inside(node).value, False
        made, sensitive = self._whole(node, node.value)
        return made.value, sensitive

    def filled(self, node: lp.SourceNode) -> lp.Node:
        """The node with all its strings and keys filled in."""
        return self._whole(node, node.value)[0].node(node) if isinstance(node.value, str) else self._inside(node)

    def _whole(self, node: lp.SourceNode, text: str) -> tuple[lpf.MadeFrom, bool]:
        sensitive: list[bool] = []
        with lp.blamed_on(node):
            made = self.text(text, lambda text: _string_origin(node, text), sensitive)
        return made if isinstance(made, lpf.MadeFrom) else lpf.MadeFrom(made), bool(sensitive)

    def _inside(self, node: lp.SourceNode) -> lp.Node:
        def origin_of(text: str) -> lp.Origin | None:
            return _string_origin(node, text)

        return lp.rewrite(
            node, string=lambda text: self.text(text, origin_of), key=lambda text: self._key(text, origin_of)
        )

    def _key(self, text: str, origin_of: OriginOf) -> Any:
        new_text = self.text(text, origin_of)
        return _hashable(new_text.value if isinstance(new_text, lpf.MadeFrom) else new_text)

    def text(self, text: str, origin_of: OriginOf, sensitive: list[bool] | None = None) -> str | lpf.MadeFrom:
        """A string filled in; an alias gives a value of any type, and adds to `sensitive` if that is Sensitive."""
        if "%{" not in text:
            return text
        readings: list[Reading] = []
        out: list[Any] = []
        for part in REFERENCES.parts(text):
            if isinstance(part, str):
                out.append(part)
                continue
            expression = expression_of(part)
            if expression is None:
                continue
            method, name = method_of(expression)
            if method == "alias" and part.written != text:
                raise lp.Reject(messages.ALIAS_IN_TEXT.at(name=name))
            reading = self._reading(expression, lambda: origin_of(text))
            if reading.same:
                return _alias(reading, sensitive)
            readings.append(reading)
            out.append(reading.value)
        hole = next((part for part in out if isinstance(part, lp.Unknown)), None)
        if hole is not None:
            unknown = lp.Unknown(hole.reason, origin_of(text), text, hole.hint)
            return lpf.MadeFrom(unknown, _ReadFrom(readings), "unknown")
        joined = "".join(out)
        self._run.charge(len(joined))
        return lpf.MadeFrom(joined, _ReadFrom(readings), "interpolated")

    def _reading(self, expression: str, origin_of: Callable[[], lp.Origin | None]) -> Reading:
        """What an expression gives, the same wherever it is written."""
        known = self._readings.get(expression)
        if known is None:
            known = self._readings[expression] = self._read(expression, origin_of)
        return known

    def _read(self, expression: str, origin_of: Callable[[], lp.Origin | None]) -> Reading:
        method, name = method_of(expression)
        if method == "scope":
            variable = self._variables.value(segments_of(name), name, origin_of)
            value = None if variable is None else variable.value
            return Reading(self._as_text(f"scope:{name}", value), variable=variable)
        if method == "literal":
            return Reading(self._as_text(name, name))
        found = self._lookup(name)
        if found is None and name not in self.unset:
            self.unset[name] = origin_of()
        if method == "alias":
            return Reading("" if found is None else found.value, found=found, same=True)
        value = None if found is None else _HIDDEN if found.sensitive else found.value
        return Reading(self._as_text(name, value), found=found)

    def _as_text(self, name: str, value: Any) -> Any:
        """A value, filled in again, as text; or what in it is not known."""
        with self._stack.under(name):
            again = self._again(value)
        unknown = next(lpo.unknown_values(again), None)
        return to_s(again) if unknown is None else unknown[1]

    def _again(self, value: Any) -> Any:
        """A plain value with its texts filled in."""
        if isinstance(value, str):
            new_text = self.text(value, _no_origin)
            return new_text.value if isinstance(new_text, lpf.MadeFrom) else new_text
        if isinstance(value, dict):
            return {_hashable(self._again(key)): self._again(item) for key, item in value.items()}
        return [self._again(item) for item in value] if isinstance(value, list) else value

    def open_variables(self, texts: Iterable[str]) -> Iterator[str]:
        """The variables in strings of hiera.yaml whose values are not known."""
        for text in texts:
            for part in REFERENCES.parts(text):
                name = None if isinstance(part, str) else expression_of(part)
                if name is None or _METHOD.fullmatch(name):
                    continue
                variable = self._variables.value(segments_of(name), name)
                if variable is not None and isinstance(variable.value, lp.Unknown):
                    yield name.removeprefix("::")

    def path(self, text: str, at: lp.Origin | None, local: Mapping[str, lp.Node] | None = None) -> str:
        """A string of hiera.yaml filled in: it knows variables only; one that is not known is `ANY`."""

        def value_of(part: str | lpr.Reference) -> str:
            expression = part if isinstance(part, str) else expression_of(part)
            if isinstance(part, str) or expression is None:
                return expression or ""
            if _METHOD.fullmatch(expression):
                raise lp.Reject(messages.METHOD_IN_CONFIG.at(at, written=part.written))
            try:
                variable = self._variables.value(segments_of(expression), expression, lambda: at, local)
            except lp.Reject:
                with lp.blamed_on(at):
                    raise
            if variable is not None and isinstance(variable.value, lp.Unknown):
                return ANY
            return "" if variable is None else to_s(variable.value)

        return "".join(map(value_of, REFERENCES.parts(text))) if "%{" in text else text


def _alias(reading: Reading, sensitive: list[bool] | None) -> str | lpf.MadeFrom:
    found = reading.found
    if found is None:
        return ""
    if found.sensitive and sensitive is not None:
        sensitive.append(True)
    return lpf.MadeFrom(found.value, _ReadFrom([reading]), "alias", same=True)


def _no_origin(text: str) -> None:  # noqa: ARG001 - what was filled in already is written nowhere
    return None


def _hashable(key: Any) -> Any:
    return NonStringRubyKey(key) if isinstance(key, (dict, list)) else key


def method_of(expression: str) -> tuple[str, str]:
    """The method and the name of an expression; a plain name is one of a variable."""
    match = _METHOD.fullmatch(expression)
    if match is None:
        return "scope", expression
    method = "lookup" if match[1] == "hiera" else match[1]
    if method not in _METHODS:
        raise lp.Reject(messages.UNKNOWN_METHOD.at(method=match[1], known=", ".join(_METHODS)))
    return method, match[2] or match[3]


def _string_origin(node: lp.SourceNode, text: str) -> lp.Origin | None:
    """Where a string inside a node was written: the first place that has it, as a value or a key."""
    pending: list[tuple[Any, lp.Path]] = [(node.value, ())]
    while pending:
        current, path = pending.pop()
        if current == text:
            return node.at(path).origin()
        if isinstance(current, dict):
            if text in current:
                holder = node.at(path)
                return holder.key_origin(text) if isinstance(holder, lp.SourceNode) else None
            pending.extend((item, (*path, key)) for key, item in reversed(current.items()))
        elif isinstance(current, list):
            pending.extend((current[at], (*path, at)) for at in range(len(current) - 1, -1, -1))
    return node.origin()
