"""JSON Schema draft 4, evaluated as Deckhand's validator (Python's jsonschema) evaluates it, within limits.

Schemas and data are Python values and may both be hostile: references are looked up in the schema alone, patterns run
with a time limit, and every step is counted, so that a small schema that branches without end stops with an error of
Lamina's. No validator at hand does both this and what Deckhand's does; the tests compare the two on random schemas.

Keywords are evaluated in the order they are written in, and no further than Deckhand's validator goes: a part of the
schema that no data reaches does no harm, whatever it holds.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from lamina._support.json_schema import meta_schema
from lamina._support.json_schema.keywords import KEYWORDS
from lamina._support.json_schema.references import References, UnusableSchema, own_base
from lamina._support.json_schema.violations import Violation, shortened
from lamina._support.safe_regex import BadPattern, EndlessPattern, compiled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lamina.paths import Path

STEPS: Final = 5_000_000
"""How many steps all checks of a run may take together: schemas entered, and values compared with one."""
SECONDS: Final = 10.0
"""How long all patterns of a run may take together."""
DEPTH: Final = 250
"""Schemas evaluated inside one another."""


class LimitReached(Exception):
    """The check would take more than Lamina allows."""


class SchemaBudget:
    """What the checks of a run may still take."""

    def __init__(self, steps: int = STEPS, seconds: float = SECONDS) -> None:
        self.steps = steps
        self.seconds = seconds
        self._patterns: set[str] = set()

    def spend(self, steps: int) -> None:
        """Count steps."""
        self.steps -= steps
        if self.steps < 0:
            raise LimitReached(f"checking takes more than {STEPS:,} steps")

    def found(self, pattern: Any, text: Any) -> bool:
        """Whether a pattern is found in a text."""
        if not isinstance(pattern, str) or not isinstance(text, str):
            odd = text if isinstance(pattern, str) else pattern
            raise UnusableSchema(f"a pattern cannot be compared with {shortened(odd)}: both must be strings")
        self.spend(1 + len(text) // 100 + (0 if pattern in self._patterns else len(pattern)))
        self._patterns.add(pattern)
        began = perf_counter()
        try:
            return compiled(pattern).search(text) is not None
        except EndlessPattern as error:
            raise LimitReached(str(error)) from None
        except BadPattern as error:
            raise UnusableSchema(str(error)) from None
        finally:
            self._wait(perf_counter() - began)

    def _wait(self, seconds: float) -> None:
        self.seconds -= seconds
        if self.seconds < 0:
            raise LimitReached(f"the patterns take longer than {SECONDS:g} s")


class Here:
    """Where an evaluation is: the way to the value, how deep it is, and what references start from."""

    __slots__ = ("base", "depth", "parent", "step")

    def __init__(self, parent: Here | None, step: Any, depth: int, base: str) -> None:
        self.parent = parent
        self.step = step
        self.depth = depth
        self.base = base

    def broken(self, keyword: str, wanted: Any, found: Any, known: Iterable[Any] = ()) -> Violation:
        """The violation of a keyword by the value that is here."""
        return Violation(keyword=keyword, wanted=wanted, found=found, path=self.path, known=tuple(known))

    @property
    def path(self) -> Path:
        """The way to the value."""
        steps: list[Any] = []
        here: Here | None = self
        while here is not None:
            if here.step is not _SAME:
                steps.append(here.step)
            here = here.parent
        return tuple(reversed(steps))


_SAME: Final = object()
"""The step to a schema for the same value."""


class Schema:
    """A schema, and what its references lead to."""

    def __init__(self, root: Any, budget: SchemaBudget, *, checks_patterns: bool = False) -> None:
        self.root = root
        self.budget = budget
        self.checks_patterns = checks_patterns
        """Whether what the schema calls a regular expression must be one; Deckhand asks it of schemas alone."""
        self.references = References(root, budget.spend)
        self.current: Any = root
        """The part of the schema that is being evaluated."""

    def violations(self, value: Any) -> Iterator[Violation]:
        """What is wrong with a value."""
        try:
            yield from self.errors(self.root, value, Here(None, _SAME, 0, self.references.start()))
        except RecursionError:
            raise LimitReached(f"schemas are nested more than {DEPTH} levels deep") from None
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            # A part that is reached by a reference alone has not been checked to be a schema.
            raise UnusableSchema(f"a keyword cannot be evaluated: {shortened(str(error))}") from None

    def errors(self, schema: Any, value: Any, here: Here) -> Iterator[Violation]:
        """What is wrong with a value by a schema whose base is known."""
        schema, here = self._referenced(schema, here)
        if isinstance(schema, bool):
            if not schema:
                yield here.broken("not", {}, value)
            return
        if not isinstance(schema, dict):
            raise UnusableSchema(f"{shortened(schema)} is used as a schema")
        self.budget.spend(1 + len(schema))
        if here.depth > DEPTH:
            raise LimitReached(f"schemas are nested more than {DEPTH} levels deep")
        for word, wanted in schema.items():
            check = KEYWORDS.get(word)
            if check is not None:
                self.current = schema
                yield from check(self, wanted, value, schema, here)

    def descend(self, schema: Any, value: Any, here: Here, step: Any = _SAME) -> Iterator[Violation]:
        """What is wrong with a value, or with a part of it, by a schema inside another one."""
        base = here.base
        if isinstance(schema, dict):
            self._must_be_draft_4(schema)
            if "id" in schema:
                base = own_base(schema, base)
        return self.errors(schema, value, Here(here, step, here.depth + 1, base))

    def valid(self, schema: Any, value: Any, here: Here) -> bool:
        """Whether a schema inside another one finds nothing; it is left at the first thing found."""
        found = self.descend(schema, value, here)
        return next(found, None) is None

    def _referenced(self, schema: Any, here: Here) -> tuple[Any, Here]:
        """The schema that is meant: what is written beside a reference means nothing."""
        passed: set[int] = set()
        while isinstance(schema, dict) and schema.get("$ref") is not None:
            self.budget.spend(1)
            if id(schema) in passed:
                raise UnusableSchema("a $ref refers back to itself")
            passed.add(id(schema))
            self.current = schema
            schema, base = self.references.lookup(schema["$ref"], here.base)
            here = Here(here, _SAME, here.depth, base)
            if isinstance(schema, dict):
                self._must_be_draft_4(schema)
        return schema, here

    @staticmethod
    def _must_be_draft_4(schema: dict[Any, Any]) -> None:
        """A part of a schema that names another draft is evaluated by that one in Deckhand, and by none here."""
        draft = schema.get("$schema")
        if isinstance(draft, str) and draft.rstrip("#") in meta_schema.OTHER_DRAFTS:
            raise UnusableSchema(f"a part of it is written in another draft, {shortened(draft)}")


def check_schema(schema: Any, budget: SchemaBudget) -> Violation | None:
    """What first breaks the rules for schemas, if anything does."""
    return next(Schema(meta_schema.META, budget, checks_patterns=True).violations(schema), None)


def way_to(part: Any, root: Any, budget: SchemaBudget) -> Path:
    """The way from a schema to a part of it; the empty one if it is not a part."""
    waiting: list[tuple[Any, Here | None]] = [(root, None)]
    seen: set[int] = set()
    while waiting:
        value, here = waiting.pop()
        if value is part:
            return here.path if here is not None else ()
        if id(value) in seen or not isinstance(value, (dict, list)):
            continue
        seen.add(id(value))
        budget.spend(len(value))
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        waiting.extend((each, Here(here, step, 0, "")) for step, each in inner)
    return ()
