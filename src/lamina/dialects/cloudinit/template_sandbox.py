"""The template language within bounds: no way out of the template, and no work or text without end.

Every turn of a loop, every call and every letter printed is counted; what grows text or lists at a stroke is looked at
before it is done. Missing variables print as cloud-init prints them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from jinja2 import DebugUndefined, nodes
from jinja2.exceptions import SecurityError
from jinja2.sandbox import SandboxedEnvironment
from jinja2.visitor import NodeTransformer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MISSING: Final = "CI_MISSING_JINJA_VAR/"
WORK: Final = 1_000_000
"""How many turns of loops a template may take; a call counts as many."""
_CALL: Final = 20
LETTERS: Final = 16 * 1024 * 1024
"""How much text a template may print, at all places together."""
LARGEST: Final = 4 * 1024 * 1024
"""How long one text or list may be."""

_WIDTH: Final = re.compile(r"\d{6,}|\*")
_GROWING: Final = ("center", "indent", "batch", "slice", "wordwrap", "format", "replace", "round")


class Exceeded(Exception):
    """The template works or prints beyond what is allowed."""


class Undefined(DebugUndefined):
    """A variable that is not there."""

    __slots__ = ()

    def __str__(self) -> str:
        return f"{MISSING}{self._undefined_name}"

    def __sub__(self, other: Any) -> Any:
        rest = str(other).replace(MISSING, "")
        name = f"{self._undefined_name}-{rest}"
        raise TypeError(f"there is no variable {name!r}; a hyphen subtracts: write {name.replace('-', '_')!r}")


class _Bounded(NodeTransformer):
    """Has loops and joined texts go through the counting filters."""

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - the visitor's names
        self.generic_visit(node)
        node.iter = _through("lamina_turns", node.iter)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - the visitor's names
        self.generic_visit(node)
        return _through("lamina_joined", nodes.List(node.nodes, lineno=node.lineno))


def _through(name: str, node: nodes.Node) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


class _Turns:
    """What a loop goes through, each turn counted; its length stays known."""

    def __init__(self, items: Any, spend: Callable[[int], None]) -> None:
        self._items = items
        self._spend = spend

    def __iter__(self) -> Iterator[Any]:
        for item in self._items:
            self._spend(1)
            yield item

    def __len__(self) -> int:
        return len(self._items)


class Sandbox(SandboxedEnvironment):
    """The environment one template is rendered in, with what it may still do."""

    intercepted_binops = frozenset(["*", "**", "+", "%"])

    def __init__(self, **options: Any) -> None:
        super().__init__(
            undefined=Undefined, trim_blocks=True, extensions=["jinja2.ext.do"], finalize=self._printed, **options
        )
        self._work = WORK
        self._letters = LETTERS
        self.globals.pop("lipsum", None)
        self.filters["lamina_turns"] = self._turns
        self.filters["lamina_joined"] = self._joined
        for name in _GROWING:
            self.filters[name] = self._guarded(self.filters[name])

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree: nodes.Template = _Bounded().visit(super()._parse(source, name, filename))
        return tree

    def spend(self, amount: int) -> None:
        """Count work done."""
        self._work -= amount
        if self._work < 0:
            raise Exceeded(f"the template takes more than {WORK:,} steps")

    def _turns(self, items: Any) -> Any:
        if isinstance(items, Undefined) or not hasattr(items, "__len__"):
            return items if isinstance(items, Undefined) else iter(_Turns(items, self.spend))
        return _Turns(items, self.spend)

    def _joined(self, pieces: list[Any]) -> str:
        texts = [str(piece) for piece in pieces]
        self._fits(sum(map(len, texts)))
        return "".join(texts)

    def _printed(self, value: Any) -> Any:
        self._letters -= len(value) if isinstance(value, (str, list, dict, tuple)) else 32
        if self._letters < 0:
            raise Exceeded(f"the template prints more than {LETTERS // (1024 * 1024)} MiB")
        return value

    def _fits(self, size: int) -> None:
        if size > LARGEST:
            raise Exceeded(f"the template makes a text or list of more than {LARGEST // (1024 * 1024)} million pieces")

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        self.spend(1)
        if operator == "*":
            self._fits(_times(left, right))
        elif operator == "+" and hasattr(left, "__len__") and hasattr(right, "__len__"):
            self._fits(len(left) + len(right))
        elif operator == "**" and isinstance(left, int) and isinstance(right, int):
            self._fits(left.bit_length() * abs(right) // 4)
        elif operator == "%" and isinstance(left, str):
            self._check_format(left)
        return super().call_binop(context, operator, left, right)

    def unsafe_undefined(self, obj: Any, attribute: str) -> Any:
        raise SecurityError(f"the attribute {attribute!r} of {type(obj).__name__} is unsafe")

    def wrap_str_format(self, value: Any) -> Any:
        owner = getattr(value, "__self__", None)
        if isinstance(owner, str) and getattr(value, "__name__", "") in ("format", "format_map"):
            self._check_format(owner)
        return super().wrap_str_format(value)

    def call(self, context: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
        self.spend(_CALL)
        self._check(getattr(function, "__self__", None), function, args, kwargs)
        result = super().call(context, function, *args, **kwargs)
        for grown in (result, getattr(function, "__self__", None)):
            if isinstance(grown, (str, list, dict, set, bytes)):
                self._fits(len(grown))
        return result

    def _check(self, owner: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Refuse calls whose result would be too large, before they are made."""
        for value in (*args, *kwargs.values()):
            if isinstance(value, int):
                self._fits(abs(value))
        name = getattr(function, "__name__", "")
        if isinstance(owner, (str, bytes)) and name in ("replace", "join", "translate", "expandtabs"):
            sizes = [len(value) for value in args if hasattr(value, "__len__")]
            self._fits((len(owner) + 1) * (max(sizes, default=0) + 1))

    def _check_format(self, text: str) -> None:
        if _WIDTH.search(text):
            raise SecurityError("a format with a width this large is not allowed")

    def _guarded(self, function: Any) -> Any:
        from functools import wraps

        @wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            self.spend(1)
            texts = [value for value in (*args, *kwargs.values()) if isinstance(value, str)]
            self._check(texts[0] if texts else None, function, args, kwargs)
            if function.__name__ == "do_format" and texts:
                self._check_format(texts[0])
            if function.__name__ == "do_replace" and len(texts) > 2:
                self._fits((len(texts[0]) + 1) * (len(texts[2]) + 1))
            return function(*args, **kwargs)

        return guarded


def _times(left: Any, right: Any) -> int:
    for many, count in ((left, right), (right, left)):
        if isinstance(many, (str, list, tuple, bytes)) and isinstance(count, int):
            return len(many) * max(0, count)
    if isinstance(left, int) and isinstance(right, int):
        return (left.bit_length() + right.bit_length()) // 4
    return 0
