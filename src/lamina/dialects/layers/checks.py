"""What the result must be: the keys that are required, and a JSON Schema (draft 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.layers import documents, messages
from lamina.plugin import extensions as lpx
from lamina.plugin import formats as lpf
from lamina.plugin import operators as lpo

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.layers.settings import LayerSettings, Required

MOST: Final = 50
"""How many violations of a schema are reported."""
_DRAFT_4 = "http://json-schema.org/draft-04/schema"


@dataclass(slots=True, kw_only=True, eq=False)
class ResultCheck(lpo.Step):
    """Fails the output if something is missing in it, or breaks the schema."""

    required: tuple[Required, ...]
    schema: CheckedSchema | None

    def apply(self, context: lpo.StepContext) -> lp.Node:
        findings = [*_missing(context.node, self.required)]
        if self.schema is not None:
            findings += self.schema.findings(context.node)
        if findings:
            raise lpo.StepFailure(*findings)
        return context.node


def check_step(settings: LayerSettings, run: lp.Run) -> ResultCheck | None:
    """The step that checks a result, if anything is asked of it."""
    if not settings.required and settings.schema is None:
        return None
    schema = _read_schema(settings, run) if settings.schema else None
    return ResultCheck(directive=lp.Directive("checks of the result"), required=settings.required, schema=schema)


def _missing(node: lp.Node, required: tuple[Required, ...]) -> Iterator[lp.Diagnostic]:
    for each in required:
        path = lpf.resolve_path(each.path, node.value)
        if lp.walk(node.value, path) is lp.MISSING:
            yield messages.MISSING_REQUIRED_KEY.at(each.origin, each.path, key=lp.show(each.path))


@dataclass(frozen=True, slots=True)
class CheckedSchema:
    """A schema that was found to be one."""

    name: str
    value: Any
    origin: lp.Origin | None

    def findings(self, node: lp.Node) -> list[lp.Diagnostic]:
        """What is wrong with a result."""
        found: list[lp.Diagnostic] = []
        try:
            for violation in lpf.Schema(self.value).violations(node.value):
                at = next(iter(lpx.origins_of(node.at(violation.path))), None)
                where = f"{lp.show(violation.path)}: " if violation.path else ""
                found.append(
                    messages.SCHEMA_VIOLATION.at(
                        at,
                        violation.path,
                        hint=violation.hint or "correct it in the layer that sets it",
                        where=where,
                        violation=violation.message(),
                        name=self.name,
                    )
                )
                if len(found) == MOST:
                    break
        except (lpf.LimitReached, lpf.UnusableSchema) as error:
            return [_unusable(self.name, str(error), self.origin)]
        return found


def _read_schema(settings: LayerSettings, run: lp.Run) -> CheckedSchema:
    assert settings.schema is not None
    name, origin = settings.schema
    source = settings.files.read(name) if settings.files is not None else None
    if source is None:
        finding = messages.MISSING_SCHEMA.at(origin, name=name)
        raise lp.Reject(finding)
    value = documents.read(source, run).value
    draft = value.get("$schema") if isinstance(value, dict) else None
    if isinstance(draft, str) and draft.rstrip("#") != _DRAFT_4:
        raise lp.Reject(_unusable(source.name, f"it is written for {draft}; only draft 4 can be evaluated", origin))
    try:
        broken = lpf.check_schema(value)
    except (lpf.LimitReached, lpf.UnusableSchema) as error:
        raise lp.Reject(_unusable(source.name, str(error), origin)) from None
    if broken is not None:
        where = f"{lp.show(broken.path)}: " if broken.path else ""
        raise lp.Reject(_unusable(source.name, f"{where}{broken.message()}", origin))
    return CheckedSchema(source.name, value, origin)


def _unusable(name: str, why: str, origin: lp.Origin | None) -> lp.Diagnostic:
    return messages.UNUSABLE_SCHEMA.at(origin, name=name, why=why)
