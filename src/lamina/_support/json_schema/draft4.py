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
from lamina._support.json_schema.keywords import KEYWORDS
from lamina._support.json_schema.references import References, UnusableSchema, own_base
from lamina._support.json_schema.violations import Violation, abbreviated
from lamina._support.safe_regex import BadPattern, Compiled, SlowPattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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


class SchemaBudget:
    """The remaining steps and seconds for the checks of a run."""

    def __init__(self, steps: int = STEPS, seconds: float = SECONDS) -> None:
        self.steps = steps
        self.seconds = seconds
        self._patterns: dict[str, Compiled] = {}

    def spend(self, steps: int) -> None:
        """Count steps."""
        self.steps -= steps
        if self.steps < 0:
            raise LimitReached(f"checking takes more than {STEPS:,} steps")

    def found(self, pattern: Any, text: Any) -> bool:
        """Whether a pattern is found in a text."""
        if not isinstance(pattern, str) or not isinstance(text, str):
            invalid = text if isinstance(pattern, str) else pattern
            raise UnusableSchema(f"a pattern cannot be compared with {abbreviated(invalid)}: both must be strings")
        known = self._patterns.get(pattern)
        self.spend(1 + len(text) // 100 + (0 if known else len(pattern)))
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
            self._wait(perf_counter() - began)

    def _wait(self, seconds: float) -> None:
        self.seconds -= seconds
        if self.seconds < 0:
            raise LimitReached(f"the patterns take longer than {SECONDS:g} s")


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

    def __init__(self, root: Any, budget: SchemaBudget, *, checks_patterns: bool = False) -> None:
        self.root = root
        self.budget = budget
        self.checks_patterns = checks_patterns
        """Whether the format `regex` is checked; Deckhand checks it in schemas only."""
        self.references = References(root, budget.spend)
        self.current: Any = root
        """The part of the schema that is being evaluated."""

    def violations(self, value: Any) -> Iterator[Violation]:
        """What is wrong with a value."""
        try:
            yield from self.errors(self.root, value, SchemaContext(None, _SAME, 0, self.references.start()))
        except RecursionError:
            raise LimitReached(f"schemas are nested more than {DEPTH} levels deep") from None
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            # A part that is only reached by a reference was not checked to be a schema.
            raise UnusableSchema(f"a keyword cannot be evaluated: {abbreviated(str(error))}") from None

    def errors(self, schema: Any, value: Any, context: SchemaContext) -> Iterator[Violation]:
        """The violations of a schema whose base address is known."""
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
            check = KEYWORDS.get(keyword)
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

    @staticmethod
    def _must_be_draft_4(schema: dict[Any, Any]) -> None:
        """Reject a part of a schema that names another draft, by which Deckhand would evaluate it."""
        draft = schema.get("$schema")
        if isinstance(draft, str) and draft.rstrip("#") in meta_schema.OTHER_DRAFTS:
            raise UnusableSchema(f"part of it uses a different draft, {abbreviated(draft)}")


def check_schema(schema: Any, budget: SchemaBudget) -> Violation | None:
    """The first violation of the meta-schema, if any."""
    return next(Schema(meta_schema.META, budget, checks_patterns=True).violations(schema), None)


def path_to(part: Any, root: Any, budget: SchemaBudget) -> Path:
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
