"""The template sandbox: no access outside the template, and limits on work, memory and output.

Every loop iteration, call, filter, test, operator and comparison, every value created and every character printed is
counted against the template's budget; operations with large results are counted before they run. Missing variables are
printed as in cloud-init, and so are the names that the sandbox hides.
"""

from __future__ import annotations

from functools import wraps
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from jinja2 import DebugUndefined, nodes, pass_context
from jinja2.runtime import Macro
from jinja2.sandbox import SandboxedEnvironment
from jinja2.utils import generate_lorem_ipsum
from jinja2.visitor import NodeTransformer

from lamina.dialects.cloudinit import template_costs as costs
from lamina.dialects.cloudinit import template_limits as limits
from lamina.dialects.cloudinit.template_limits import BITS, ITEMS, NODE, Exceeded, too_large

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jinja2.lexer import TokenStream

MISSING: Final = "CI_MISSING_JINJA_VAR/"
SOURCE: Final = 1024 * 1024
"""How long a template may be."""
TOKENS: Final = 20_000
"""How many words and signs its code may have; text between them is free."""
WORDS: Final = 20_000
"""How many words of filler text it may ask for at once."""
_CALL: Final = 20
_FILTER: Final = 5

_NO_CODE: Final = ("data", "whitespace")
_IN: Final = ("in", "notin")
_TEXTS: Final = (str, bytes)
_CONTAINERS: Final = (list, tuple, dict, set, frozenset)
_ACCESSORS: Final = frozenset(["get", "pop", "popitem", "setdefault", "items", "keys", "values"])
"""Methods that return existing values."""


class Undefined(DebugUndefined):
    """A missing variable."""

    __slots__ = ()

    def __str__(self) -> str:
        return f"{MISSING}{self._undefined_name}"

    def __sub__(self, other: Any) -> Any:
        rest = str(other).replace(MISSING, "")
        name = f"{self._undefined_name}-{rest}"
        raise TypeError(f"unknown variable {name!r}; a hyphen means subtraction: write {name.replace('-', '_')!r}")


class _Bounded(NodeTransformer):
    """Rewrites loops, concatenations, comparisons, slices and literals to use the counting filters."""

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - the visitor's names
        text = sum(len(data.data) for data in node.find_all(nodes.TemplateData))
        self.generic_visit(node)
        node.iter = _through("lamina_counted_items", node.iter, nodes.Const(text, lineno=node.lineno))
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - the visitor's names
        self.generic_visit(node)
        return _through("lamina_joined", nodes.List(node.nodes, lineno=node.lineno))

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:  # noqa: N802 - the visitor's names
        self.generic_visit(node)
        node.expr = _through("lamina_compared", node.expr)
        for operand in node.ops:
            operand.expr = _through(f"lamina_{'searched' if operand.op in _IN else 'compared'}", operand.expr)
        return node

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:  # noqa: N802 - the visitor's names
        self.generic_visit(node)
        if isinstance(node.arg, nodes.Slice):
            return _through("lamina_counted_value", node)
        if not isinstance(node.arg, nodes.Const):
            node.arg = _through("lamina_compared", node.arg)
        return node

    def visit_List(self, node: nodes.List) -> nodes.Node:  # noqa: N802 - the visitor's names
        self.generic_visit(node)
        return _through("lamina_counted_value", node)

    def visit_Dict(self, node: nodes.Dict) -> nodes.Node:  # noqa: N802 - the visitor's names
        self.generic_visit(node)
        for pair in node.items:
            if not isinstance(pair.key, nodes.Const):
                pair.key = _through("lamina_compared", pair.key)
        return _through("lamina_counted_value", node)

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Node:  # noqa: N802 - the visitor's names
        self.generic_visit(node)
        return _through("lamina_counted_value", node) if node.ctx == "load" else node


def _through(name: str, node: nodes.Node, *arguments: nodes.Expr) -> nodes.Filter:
    return nodes.Filter(node, name, list(arguments), [], None, None, lineno=node.lineno)


class _CountedItems:
    """The items of a loop, each iteration counted; the length stays known."""

    def __init__(self, items: Any, count_item: Callable[[Any], None]) -> None:
        self._items = items
        self._count = count_item

    def __iter__(self) -> Iterator[Any]:
        for item in self._items:
            self._count(item)
            yield item

    def __len__(self) -> int:
        return len(self._items)


class Sandbox(SandboxedEnvironment):
    """The environment that one template is rendered in, with its budget."""

    intercepted_binops = frozenset(["*", "**", "+", "-", "/", "//", "%"])

    def __init__(self, **options: Any) -> None:
        super().__init__(
            undefined=Undefined, trim_blocks=True, extensions=["jinja2.ext.do"], finalize=self._printed, **options
        )
        self.budget, self._printing = limits.to_render(), limits.to_print()
        self._last = monotonic()
        self.globals["lipsum"] = self._lorem_ipsum
        for table, slow in ((self.filters, True), (self.tests, False)):
            for name, function in table.items():
                table[name] = self._counted(name if slow else "", function)
        own = (self._counted_items, self._joined, self._compared, self._searched, self._counted_value)
        # Functions that take the context are never evaluated at compile time.
        self.filters.update({f"lamina{function.__name__}": _at_run_time(function) for function in own})

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree: nodes.Template = _Bounded().visit(super()._parse(source, name, filename))
        return tree

    def _tokenize(
        self, source: str, name: str | None, filename: str | None = None, state: str | None = None
    ) -> TokenStream:
        if len(source) > SOURCE:
            raise Exceeded(f"it is longer than {SOURCE:,} characters, which is Lamina's limit")
        code = (kind for _, kind, _ in self.lexer.tokeniter(source, name, filename, state) if kind not in _NO_CODE)
        if next(islice(code, TOKENS, None), None) is not None:
            raise Exceeded(f"its code has more than {TOKENS:,} tokens, which is Lamina's limit")
        return super()._tokenize(source, name, filename, state)

    def print(self, size: int) -> None:
        """Count bytes that are printed."""
        self._printing.spend(size=size)

    def _step(self, steps: int) -> None:
        """Count steps, and the time since the last ones: some may be slow."""
        last, self._last = self._last, monotonic()
        self.budget.spend(steps)
        self.budget.wait(self._last - last)

    def _make(self, size: int) -> None:
        limits.make(self.budget, size)

    def _counted_items(self, context: Any, items: Any, text: int) -> Any:
        del context
        if isinstance(items, Undefined):
            return items

        def count_item(item: Any) -> None:
            self._step(1)
            self.print(text)
            if not hasattr(items, "__len__"):
                self._make(_shallow(item))

        return _CountedItems(items, count_item) if hasattr(items, "__len__") else iter(_CountedItems(items, count_item))

    def _joined(self, context: Any, pieces: list[Any]) -> str:
        del context
        size = limits.size_of(self.budget, pieces)
        self._make(size.taken)
        return "".join([str(part) for part in pieces])

    def _compared(self, context: Any, value: Any) -> Any:
        del context
        if isinstance(value, _TEXTS):
            limits.traverse(self.budget, len(value))
        elif isinstance(value, _CONTAINERS):
            limits.traverse(self.budget, limits.size_of(self.budget, value).taken)
        return value

    def _searched(self, context: Any, value: Any) -> Any:
        return value if isinstance(value, (dict, set, frozenset)) else self._compared(context, value)

    def _counted_value(self, context: Any, value: Any) -> Any:
        del context
        self._make(_shallow(value))
        return value

    def _printed(self, value: Any) -> Any:
        if isinstance(value, Undefined):
            self.print(len(str(value)))
        elif isinstance(value, _CONTAINERS):
            self.print(6 * limits.size_of(self.budget, value).taken)
        else:
            self.print(_shallow(value))
        return value

    def _lorem_ipsum(self, n: int = 5, html: bool = True, min: int = 20, max: int = 100) -> str:  # noqa: A002 - as Jinja's
        if n * max > WORDS:
            raise Exceeded(f"it asks for more than {WORDS:,} words of filler text, which is Lamina's limit")
        self._step(5 * n * max)
        return generate_lorem_ipsum(n, html, min, max)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        self._step(1)
        if isinstance(left, int) and isinstance(right, int):
            if _bits(operator, left, right) > BITS:
                raise too_large()
        elif operator == "*":
            self._make(_times(left, right))
        elif operator == "+" and hasattr(left, "__len__") and hasattr(right, "__len__"):
            self._make(_shallow(left) + _shallow(right))
        elif operator == "%" and isinstance(left, str):
            self._make(costs.formatted(left, "%", limits.size_of(self.budget, right).taken + _largest(right)))
        return super().call_binop(context, operator, left, right)

    def call(self, context: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
        self._step(_CALL)
        owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
        known = isinstance(owner, (*_TEXTS, *_CONTAINERS, int))
        arguments = tuple(map(self._listed, args))
        if known:
            costs.called(owner, name, (*arguments, *kwargs.values()), self.budget)
        else:
            limits.size_of(self.budget, *arguments, *kwargs.values())
        before = _shallow(owner)
        result = super().call(context, function, *arguments, **kwargs)
        self._make(max(0, _shallow(owner) - before))
        if (known and name not in _ACCESSORS) or isinstance(function, Macro):
            self._make(limits.size_of(self.budget, result).taken)
        return result

    def wrap_str_format(self, value: Any) -> Any:
        wrapper = super().wrap_str_format(value)
        if wrapper is None:
            return None

        @wraps(wrapper)
        def counted(*args: Any, **kwargs: Any) -> Any:
            costs.called(value.__self__, "format", (*args, *kwargs.values()), self.budget)
            return self._counted_value(None, wrapper(*args, **kwargs))

        return counted

    def _listed(self, value: Any) -> Any:
        """An iterator as a list, so that it can be measured first."""
        if not hasattr(value, "__next__"):
            return value
        items: list[Any] = []
        for item in value:
            self._make(_shallow(item))
            self._step(1)
            items.append(item)
            if len(items) > ITEMS:
                raise too_large()
        return items

    def _counted(self, name: str, function: Any) -> Any:
        """A filter or test that counts its cost first, and that of its result afterwards."""
        skipped = 1 if hasattr(function, "jinja_pass_arg") else 0

        @wraps(function)
        def counted(*args: Any, **kwargs: Any) -> Any:
            self._step(_FILTER)
            given = tuple(map(self._listed, args[skipped:]))
            arguments = (*given, *kwargs.values())
            size = limits.size_of(self.budget, *arguments)
            limits.traverse(self.budget, size.taken * costs.cost_factor(name, size, arguments))
            self._make(costs.growth(name, size, arguments) if arguments else 0)
            result = function(*args[:skipped], *given, **kwargs)
            if isinstance(result, (*_TEXTS, *_CONTAINERS)) and name not in costs.PASS_THROUGH:
                self._make(limits.size_of(self.budget, result).taken)
            return result

        return counted


def _at_run_time(function: Any) -> Any:
    @wraps(function)
    def at_run_time(context: Any, *args: Any) -> Any:
        return function(context, *args)

    return pass_context(at_run_time)


def _shallow(value: Any) -> int:
    """The memory of a value, without that of its content."""
    if isinstance(value, _TEXTS):
        return NODE + (len(value) if value.isascii() else 4 * len(value))
    return NODE + 16 * len(value) if isinstance(value, _CONTAINERS) else NODE


def _times(left: Any, right: Any) -> int:
    """The memory of a repeated value."""
    for many, count in ((left, right), (right, left)):
        if isinstance(many, (*_TEXTS, list, tuple)) and isinstance(count, int):
            return _shallow(many) * max(1, count)
    return 0


def _bits(operator: str, left: int, right: int) -> int:
    """The approximate length in bits of the result of an operation, or of its operands."""
    longest = max(left.bit_length(), right.bit_length())
    if operator == "**":
        return max(longest, left.bit_length() * abs(right))
    return left.bit_length() + right.bit_length() if operator == "*" else longest


def _largest(value: Any) -> int:
    """The largest number that a format may use as a width."""
    given = value if isinstance(value, tuple) else value.values() if isinstance(value, dict) else (value,)
    return max((abs(number) for number in given if isinstance(number, int)), default=0)
