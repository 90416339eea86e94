"""JSON Schema draft 4, evaluated as Deckhand's validator (Python's jsonschema) evaluates it, within limits.

Schemas and data are Python values and may both be hostile: references are resolved in the schema only, patterns run
with a time limit, and every step is counted, so that a small schema with endless branches stops with an error. No
existing validator has these limits and Deckhand's behaviour; the tests compare both on random schemas.

Keywords are evaluated in the order they are written, and only as far as Deckhand's validator goes: a part of the
schema that no data reaches has no effect, even if it is invalid.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from lamina._support.json_schema import meta_schema
from lamina._support.json_schema.keywords import KEYWORDS, Check
from lamina._support.json_schema.references import SchemaReferences, UnusableSchema, own_base
from lamina._support.json_schema.violations import Violation, abbreviated
from lamina._support.safe_regex import BadPattern, Compiled, SlowPattern
from lamina.budget import Budget
from lamina.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lamina.paths import Path

STEPS: Final = 5_000_000
"""How many steps all checks of a run may take: schemas entered and values compared."""
SECONDS: Final = 10.0
"""How long all patterns of a run may take together."""
_ADDRESS: Final = 10
"""How many steps it takes to join an address; and of how many characters one takes a step."""
DEPTH: Final = 250
"""How deep schemas may be nested during evaluation."""


class LimitReached(Exception):
    """The check would take more than Lamina allows."""


def to_check(steps: int = STEPS, seconds: float = SECONDS) -> Budget:
    """How much the checks of a run may take."""
    return Budget(steps, exceeded=_too_much, unit="steps", seconds=seconds)


def _too_much(what: str) -> LimitReached:
    return LimitReached(f"checking takes more than {what}")


class SchemaContext:
    """The state of an evaluation: the path of the value, the depth, and the base address of references."""

    __slots__ = ("base", "depth", "parent", "step")

    def __init__(self, parent: SchemaContext | None, step: Any, depth: int, base: str) -> None:
        self.parent = parent
        self.step = step
        self.depth = depth
        self.base = base

    def broken(self, keyword: str, wanted: Any, found: Any, known: Iterable[Any] = ()) -> Violation:
        """The violation of a keyword by the current value."""
        return Violation(keyword=keyword, wanted=wanted, found=found, path=self.path, known=tuple(known))

    @property
    def path(self) -> Path:
        """The path of the value."""
        steps: list[Any] = []
        context: SchemaContext | None = self
        while context is not None:
            if context.step is not _SAME:
                steps.append(context.step)
            context = context.parent
        return tuple(reversed(steps))


_SAME: Final = object()
"""The step to a schema for the same value."""


class Schema:
    """A schema with its references."""

    def __init__(
        self,
        root: Any,
        budget: Budget | None = None,
        *,
        checks_patterns: bool = False,
        keywords: Mapping[Any, Check] = KEYWORDS,
    ) -> None:
        """`budget` counts it together with other checks; `keywords` are those of draft 4, or of later drafts too."""
        self.root = root
        self.budget = budget or to_check()
        self.checks_patterns = checks_patterns
        """Whether the format `regex` is checked; Deckhand checks it in schemas only."""
        self.references = SchemaReferences(root, self.budget.spend)
        self._patterns: dict[str, Compiled] = {}
        self._keywords = keywords
        self.current: Any = root
        """The part of the schema that is being evaluated."""

    def violations(self, value: Any, form: Any = None) -> Iterator[Violation]:
        """What is wrong with a value, by the whole schema or by one form in it."""
        schema = self.root if form is None else form
        try:
            yield from self.errors(schema, value, SchemaContext(None, _SAME, 0, self.references.start()))
        except RecursionError:
            raise LimitReached(f"schemas are nested more than {DEPTH} levels deep") from None
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            # A part that is only reached by a reference was not checked to be a schema.
            raise UnusableSchema(f"a keyword cannot be evaluated: {abbreviated(str(error))}") from None

    def errors(self, schema: Any, value: Any, context: SchemaContext) -> Iterator[Violation]:
        """The violations of a schema whose base address is known; a value that is not known has none."""
        if type(value) is Unknown:
            return
        schema, context = self._referenced(schema, context)
        if isinstance(schema, bool):
            if not schema:
                yield context.broken("not", {}, value)
            return
        if not isinstance(schema, dict):
            raise UnusableSchema(f"{abbreviated(schema)} is not a schema")
        self.budget.spend(1 + len(schema))
        if context.depth > DEPTH:
            raise LimitReached(f"schemas are nested more than {DEPTH} levels deep")
        for keyword, wanted in schema.items():
            check = self._keywords.get(keyword)
            if check is not None:
                self.current = schema
                for violation in check(self, wanted, value, schema, context):
                    yield violation if violation.within is not None else replace(violation, within=schema)

    def descend(self, schema: Any, value: Any, context: SchemaContext, step: Any = _SAME) -> Iterator[Violation]:
        """The violations of a subschema by the value or by a part of it."""
        base = context.base
        if isinstance(schema, dict):
            self._must_be_draft_4(schema)
            if "id" in schema:
                base = own_base(schema, base)
                self.budget.spend(_ADDRESS + len(base) // _ADDRESS)
        return self.errors(schema, value, SchemaContext(context, step, context.depth + 1, base))

    def found(self, pattern: Any, text: Any) -> bool:
        """Whether a pattern is found in a text."""
        if not isinstance(pattern, str) or not isinstance(text, str):
            invalid = text if isinstance(pattern, str) else pattern
            raise UnusableSchema(f"a pattern cannot be compared with {abbreviated(invalid)}: both must be strings")
        known = self._patterns.get(pattern)
        self.budget.spend(1 + len(text) // 100 + (0 if known else len(pattern)))
        began = perf_counter()
        try:
            if known is None:
                known = self._patterns[pattern] = Compiled(pattern)
            return known.search(text) is not None
        except SlowPattern as error:
            raise LimitReached(str(error)) from None
        except BadPattern as error:
            raise UnusableSchema(str(error)) from None
        finally:
            self.budget.wait(perf_counter() - began)

    def valid(self, schema: Any, value: Any, context: SchemaContext) -> bool:
        """Whether a subschema has no violations; stops at the first one."""
        found = self.descend(schema, value, context)
        return next(found, None) is None

    def _referenced(self, schema: Any, context: SchemaContext) -> tuple[Any, SchemaContext]:
        """The schema that a reference leads to; keywords next to `$ref` are ignored."""
        passed: set[int] = set()
        while isinstance(schema, dict) and schema.get("$ref") is not None:
            self.budget.spend(1)
            if id(schema) in passed:
                raise UnusableSchema("a $ref refers back to itself")
            passed.add(id(schema))
            self.current = schema
            schema, base = self.references.lookup(schema["$ref"], context.base)
            context = SchemaContext(context, _SAME, context.depth, base)
            if isinstance(schema, dict):
                self._must_be_draft_4(schema)
        return schema, context

    def _must_be_draft_4(self, schema: dict[Any, Any]) -> None:
        """Reject a part of a schema that names another draft, by which Deckhand would evaluate it."""
        if self._keywords is not KEYWORDS:
            return
        draft = schema.get("$schema")
        if isinstance(draft, str) and draft.rstrip("#") in meta_schema.OTHER_DRAFTS:
            raise UnusableSchema(f"part of it uses a different draft, {abbreviated(draft)}")


def check_schema(schema: Any, budget: Budget | None = None) -> Violation | None:
    """The first violation of the meta-schema, if any."""
    return next(Schema(meta_schema.META, budget, checks_patterns=True).violations(schema), None)


def path_to(part: Any, root: Any, budget: Budget) -> Path:
    """The path from a schema to a part of it; empty if it is not a part."""
    waiting: list[tuple[Any, SchemaContext | None]] = [(root, None)]
    seen: set[int] = set()
    while waiting:
        value, context = waiting.pop()
        if value is part:
            return context.path if context is not None else ()
        if id(value) in seen or not isinstance(value, (dict, list)):
            continue
        seen.add(id(value))
        budget.spend(len(value))
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        waiting.extend((each, SchemaContext(context, step, 0, "")) for step, each in inner)
    return ()
