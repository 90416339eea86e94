"""Filling in `%{...}`: variables, lookups of other keys, aliases and literal text."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeAlias

from lamina import plugin as lp
from lamina.dialects.hiera.keys import segments_of
from lamina.dialects.hiera.ruby_text import NonStringRubyKey, to_s
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from lamina.dialects.hiera.variables import Variables

_EXPRESSION: Final = re.compile(r"%\{([^}]*)\}")
_METHOD: Final = re.compile(r"""(\w+)\((?:"([^"]+)"|'([^']+)')\)""")
_EMPTY: Final = frozenset(("", "::", '""', "''", '"::"', "'::'"))
_METHODS: Final = ("lookup", "hiera", "alias", "scope", "literal")
_DEEPEST: Final = 40
"""How many lookups and texts may wait for each other."""
_HIDDEN: Final = "Sensitive [value redacted]"


class HieraFound(NamedTuple):
    """What a lookup gives; `sensitive` says that convert_to made it Sensitive."""

    node: lp.Node
    sensitive: bool = False


class HieraLookup(Protocol):
    """Looks a whole key up in all layers."""

    def __call__(self, key: str, /) -> HieraFound | None: ...


OriginOf: TypeAlias = "Callable[[str], lp.Origin | None]"
"""Says where a string was written; asked only where something is to be said of it."""


class NameStack:
    """The names being looked up: a name that needs itself is rejected."""

    def __init__(self) -> None:
        self._names: list[str] = []

    @contextmanager
    def under(self, name: str) -> Iterator[None]:
        """Work on a name; it may not be asked for meanwhile."""
        if name in self._names:
            cycle = " → ".join([*self._names[self._names.index(name) :], name])
            raise _reject("recursive-lookup", f"{name} depends on itself: {cycle}", "remove one of these references")
        if len(self._names) >= _DEEPEST:
            message = f"lookups are nested more than {_DEEPEST} levels deep, which is Lamina's limit"
            raise _reject("lookup-too-deep", message, "shorten the chain of lookups")
        self._names.append(name)
        try:
            yield
        finally:
            self._names.pop()


def _reject(code: str, message: str, hint: str) -> lp.Reject:
    return lp.Reject(lp.Diagnostic(code=code, message=message, hint=hint))


class Interpolator:
    """Fills texts in for one node."""

    def __init__(self, variables: Variables, lookup: HieraLookup, stack: NameStack, run: lp.Run) -> None:
        self._variables = variables
        self._lookup = lookup
        self._stack = stack
        self._run = run
        self.unset: dict[str, lp.Origin | None] = {}
        """Keys that texts ask for and no level has: where each was first asked for."""

    def filled(self, node: lp.SourceNode) -> tuple[lp.Node, bool]:
        """A node with all its texts and keys filled in, and whether it became Sensitive by an alias."""
        sensitive: list[bool] = []

        def origin_of(text: str) -> lp.Origin | None:
            return _string_origin(node, text)

        if isinstance(node.value, str):
            with lp.blamed_on(node):
                new_text = self.text(node.value, origin_of, sensitive)
            new_text = new_text if isinstance(new_text, lpf.MadeFrom) else lpf.MadeFrom(new_text)
            return new_text.node(node), bool(sensitive)
        filled = lp.rewrite(
            node, string=lambda text: self.text(text, origin_of), key=lambda text: self._key(text, origin_of)
        )
        return filled, False

    def _key(self, text: str, origin_of: OriginOf) -> Any:
        new_text = self.text(text, origin_of)
        return _hashable(new_text.value if isinstance(new_text, lpf.MadeFrom) else new_text)

    def text(self, text: str, origin_of: OriginOf, sensitive: list[bool] | None = None) -> str | lpf.MadeFrom:
        """A string filled in; an alias gives a value of any type, and adds to `sensitive` if that is Sensitive."""
        if "%{" not in text:
            return text
        reads: list[lp.Node] = []
        out: list[str] = []
        last = 0
        for match in _EXPRESSION.finditer(text):
            out.append(text[last : match.start()])
            last = match.end()
            expression = match[1].strip()
            if expression in _EMPTY:
                continue
            method, name = method_of(expression)
            if method == "alias":
                if match[0] != text:
                    hint = "use lookup() inside a string, or make the alias the entire string"
                    raise _reject("alias-in-text", f"alias('{name}') must be the entire string", hint)
                return self._alias(name, sensitive, lambda: origin_of(text))
            out.append(self._value(method, name, reads, lambda: origin_of(text)))
        out.append(text[last:])
        joined = "".join(out)
        self._run.charge(len(joined))
        return lpf.MadeFrom(joined, tuple(reads), "interpolated")

    def _lookup_value(self, name: str, origin_of: Callable[[], lp.Origin | None]) -> HieraFound | None:
        found = self._lookup(name)
        if found is None and name not in self.unset:
            self.unset[name] = origin_of()
        return found

    def _alias(
        self, name: str, sensitive: list[bool] | None, origin_of: Callable[[], lp.Origin | None]
    ) -> str | lpf.MadeFrom:
        found = self._lookup_value(name, origin_of)
        if found is None:
            return ""
        if found.sensitive and sensitive is not None:
            sensitive.append(True)
        return lpf.MadeFrom(found.node.value, (found.node,), "alias", same=True)

    def _value(self, method: str, name: str, reads: list[lp.Node], origin_of: Callable[[], lp.Origin | None]) -> str:
        """What an expression gives, filled in again, as text."""
        value: Any = None
        if method == "scope":
            variable = self._variables.value(segments_of(name), name, origin_of)
            if variable is not None:
                reads.append(variable)
                value = variable.value
            name = f"scope:{name}"
        elif method == "literal":
            value = name
        else:
            found = self._lookup_value(name, origin_of)
            if found is not None:
                reads.append(found.node)
                value = _HIDDEN if found.sensitive else found.node.value
        with self._stack.under(name):
            return to_s(self._again(value))

    def _again(self, value: Any) -> Any:
        """A plain value with its texts filled in."""
        if isinstance(value, str):
            new_text = self.text(value, _no_origin)
            return new_text.value if isinstance(new_text, lpf.MadeFrom) else new_text
        if isinstance(value, dict):
            return {_hashable(self._again(key)): self._again(item) for key, item in value.items()}
        return [self._again(item) for item in value] if isinstance(value, list) else value

    def path(self, text: str, at: lp.Origin | None, local: Mapping[str, lp.Node] | None = None) -> str:
        """A string of hiera.yaml filled in: it knows variables only."""

        def value_of(match: re.Match[str]) -> str:
            expression = match[1].strip()
            if expression in _EMPTY:
                return ""
            if _METHOD.fullmatch(expression):
                message = f"{match[0]}: only variables can be interpolated in hiera.yaml"
                raise lp.Reject(
                    lp.Diagnostic(
                        code="method-in-config", message=message, at=at, hint="use a variable, such as %{facts.role}"
                    )
                )
            try:
                variable = self._variables.value(segments_of(expression), expression, lambda: at, local)
            except lp.Reject:
                with lp.blamed_on(at):
                    raise
            return "" if variable is None else to_s(variable.value)

        return _EXPRESSION.sub(value_of, text) if "%{" in text else text


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
        near = f"known: {', '.join(_METHODS)}"
        raise _reject("unknown-method", f"unknown interpolation method {match[1]}", near)
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
