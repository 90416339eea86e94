"""Templates: parts that are rendered with instance data before they are read.

The first line must be `## template: jinja` and nothing more; the rest is rendered. A missing variable prints as
`CI_MISSING_JINJA_VAR/name`; one that something is looked up in, or an error in the template, loses the part.

Every line of the result knows which line of the template it came from: the template is rendered a second time with a
mark before each piece of its own text, and the marks are read from the result. If the marks change the output (a filter
that counts characters, for example), all lines have the first line of the template as their origin.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lamina.dialects.cloudinit import messages
from lamina.sources.source import Shift

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from lamina.dialects.cloudinit.part_walker import Part
    from lamina.dialects.cloudinit.template_holes import HoleySandbox, Variant
    from lamina.dialects.cloudinit.template_sandbox import Sandbox
    from lamina.errors import Note
    from lamina.run import Run
    from lamina.sources.source import Source, Within

_FIRST_LINE: Final = re.compile(r"##\s*template:(.*)", re.IGNORECASE)
_OPEN, _CLOSE = "\ue0f0", "\ue0f1"
_MARK: Final = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")
_MISSING: Final = re.compile(r"CI_MISSING_JINJA_VAR/\S+")


class Unrendered(Exception):
    """A template that cannot be rendered, with the reason and the line of the part (from zero)."""

    def __init__(self, why: str, line: int = 0, *, syntax: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.line = line
        self.syntax = syntax
        """Whether it cannot be parsed."""


@dataclass(frozen=True, slots=True, eq=False)
class TemplateLines:
    """Maps positions of a rendered text to its template: runs of characters, each from one line of it."""

    rows: tuple[tuple[tuple[int, int], ...], ...]
    widths: tuple[int, ...]

    def outer_position(self, line: int, column: int) -> tuple[int, int]:
        if not self.rows:
            return 0, 0
        row = self.rows[min(line, len(self.rows) - 1)]
        found = row[0][1]
        for start, origin in row:
            if start > column:
                break
            found = origin
        return found, min(column, max(0, self.widths[found] - 1) if found < len(self.widths) else column)


def rendered(part: Part, variables: Mapping[str, Any], run: Run) -> tuple[Source, list[Note]]:
    """The rendered text of a part, as an inner source whose origins are in the template."""
    source = _rendered_in(_new_sandbox, part, variables, run)
    return source, list(_missing(source.data.decode("utf-8", "surrogateescape"), source, part.name))


def _rendered_in(make: Callable[[], Sandbox], part: Part, variables: Mapping[str, Any], run: Run) -> Source:
    text = part.source.data.decode("utf-8", "surrogateescape")
    template = _template(text)
    result = _render(make, template, variables, run)
    within = _within(make, text, template, result, variables, run)
    return part.source.inner_source(None, result.encode("utf-8", "surrogateescape"), within)


def rendered_without_data(part: Part, run: Run) -> TextWithHoles | None:
    """The text of a part whatever the instance data is; None if that makes no difference."""
    from lamina.dialects.cloudinit.template_holes import ALL_TRUE, HolesTooMany, HoleySandbox, variants

    made: list[HoleySandbox] = []

    def text_of(variant: Variant) -> Source:
        def make() -> HoleySandbox:
            made.append(HoleySandbox(variant))
            return made[-1]

        return _rendered_in(make, part, {}, run)

    source = text_of(ALL_TRUE)
    sandbox = made[0]
    if not sandbox.holes and not sandbox.open_conditions:
        return None
    try:
        others = [(variant, text_of(variant)) for variant in variants(sandbox.open_conditions)]
    except HolesTooMany:
        count = len(sandbox.open_conditions)
        raise Unrendered(f"it has {count} conditions on data that was not given") from None
    return TextWithHoles(source, sandbox, others)


class TextWithHoles(NamedTuple):
    """A template that was rendered without data: with all conditions true, and the other ways to look at."""

    source: Source
    sandbox: HoleySandbox
    others: list[tuple[Variant, Source]]


def engine_of(data: bytes) -> str | None:
    """The template engine that the first line names, if any."""
    match = _FIRST_LINE.match(data.partition(b"\n")[0].decode("utf-8", "replace"))
    return match[1].strip().lower() if match else None


def _template(text: str) -> str:
    first, _, rest = text.partition("\n")
    engine = engine_of(first.encode("utf-8", "surrogateescape"))
    if engine is None:
        raise Unrendered("the very first line must be `## template: jinja`")
    if engine != "jinja":
        raise Unrendered(f"unknown template language {engine!r}; the first line must end with `jinja`")
    return rest


def _new_sandbox() -> Sandbox:
    from lamina.dialects.cloudinit.template_sandbox import Sandbox

    return Sandbox()


def _render(
    make: Callable[[], Sandbox], template: str, variables: Mapping[str, Any], run: Run, *, marked: bool = False
) -> str:
    from jinja2 import TemplateError, TemplateSyntaxError

    from lamina.budget import BudgetExceeded
    from lamina.dialects.cloudinit.template_limits import Exceeded

    sandbox = make()
    try:
        if marked:
            sandbox.add_extension(_marking())
        pieces: list[str] = []
        for chunk in sandbox.from_string(template).generate(**variables):
            sandbox.print(len(chunk))
            pieces.append(chunk)
        run.spend(sandbox.budget.used)
    except TemplateSyntaxError as error:
        raise Unrendered(error.message or "it cannot be parsed", error.lineno, syntax=True) from None
    except Exceeded as error:
        raise Unrendered(str(error), _line_of(error)) from None
    except BudgetExceeded as spent:
        raise Unrendered(f"all templates together take more than {spent.what}, which is Lamina's limit") from None
    except (TemplateError, ArithmeticError, ValueError, TypeError, LookupError, AttributeError) as error:
        raise Unrendered(str(error) or type(error).__name__, _line_of(error)) from None
    except (RecursionError, MemoryError):
        raise Unrendered("it recurses without end, or uses too much memory") from None
    return "".join(pieces) + ("\n" if template.endswith("\n") else "")


def _line_of(error: BaseException) -> int:
    """The line of the template an error came from."""
    line = 0
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _marking() -> type[Any]:
    from jinja2.ext import Extension
    from jinja2.lexer import Token

    class Marking(Extension):
        """Adds a mark before every line of the template's own text."""

        def filter_stream(self, stream: Any) -> Iterable[Any]:
            for token in stream:
                if token.type != "data":
                    yield token
                    continue
                lines = token.value.split("\n")
                text = "\n".join(f"{_OPEN}{token.lineno + i}{_CLOSE}{line}" for i, line in enumerate(lines))
                yield Token(token.lineno, "data", text)

    return Marking


def _within(
    make: Callable[[], Sandbox], text: str, template: str, result: str, variables: Mapping[str, Any], run: Run
) -> Within:
    """The mapping from the lines of the result to those of the part."""
    widths = tuple(map(len, text.split("\n")))
    if "{" not in template:
        return Shift(1)
    try:
        marked = _render(make, template, variables, run, marked=True)
    except Unrendered:
        marked = ""
    if _OPEN in template or _MARK.sub("", marked) != result:
        return TemplateLines((((0, 0),),), widths)
    return TemplateLines(tuple(_rows(marked)), widths)


def _rows(marked: str) -> Iterable[tuple[tuple[int, int], ...]]:
    """For each line of the result, the columns at which text from another line of the part starts."""
    current = 1
    for line in marked.split("\n"):
        runs: dict[int, int] = {0: current}
        column = at = 0
        for mark in _MARK.finditer(line):
            column += mark.start() - at
            at = mark.end()
            current = int(mark[1])
            runs[column] = current
        yield tuple(runs.items())


def _missing(result: str, source: Source, name: str) -> Iterable[Note]:
    found: dict[str, int] = {}
    for match in _MISSING.finditer(result):
        found.setdefault(match[0], match.start())
    if not found:
        return
    first = min(found.values())
    line = result.count("\n", 0, first)
    names = ", ".join(text.partition("/")[2].strip("'\"()[]{},;") for text in found)
    yield messages.MISSING_TEMPLATE_VARIABLE.at(
        source.locate(line, first - (result.rfind("\n", 0, first) + 1)), subject=name, name=name, names=names
    )
