"""Whether values fit the `values.schema.json` of their chart; words of drafts 4, 6 and 7 count, others are ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina import plugin as lp
from lamina.dialects.helm import messages
from lamina.plugin import extensions as lpx
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.helm.uses import ChartUse

_MOST: Final = 50
"""How many violations are reported."""


def check_schemas(use: ChartUse, values: lp.Node, run: lp.Run) -> None:
    """Reject values that do not fit the schema of the chart or of a subchart that is on."""
    findings: list[lp.Diagnostic] = []
    for path, each in use.walk():
        if each.chart.schema is not None:
            findings += _findings(each.chart.schema, values.at(path), run)
    if findings:
        raise lp.Reject(*findings[:_MOST])


def _findings(source: lp.Source, values: lp.Node, run: lp.Run) -> Iterator[lp.Diagnostic]:
    try:
        schema = lpf.Schema(lp.read_json(source, run).value, keywords=lpf.KEYWORDS_TO_7)
        for violation in schema.violations(values.value):
            at = next(iter(lpx.origins_of(values.at(violation.path))), None)
            path = (*values.path, *violation.path)
            where = f"{lp.show(path)}: " if path else ""
            hint = violation.hint or "correct it where it is set"
            yield messages.SCHEMA_VIOLATION.at(
                at, path, where=where, violation=violation.message(), name=source.name, hint=hint
            )
    except (lpf.LimitReached, lpf.UnusableSchema, lp.InputError) as error:
        yield messages.UNUSABLE_SCHEMA.at(source.locate(0, 0), name=source.name, why=error)
