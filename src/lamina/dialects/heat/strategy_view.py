"""The strategies of a run, for display: what is in force for each parameter, what set it, and who else set one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lamina.dialects.heat.plan_facts import facts_of
from lamina.dialects.heat.strategies import FixedStrategy, StrategyRow, table_rows
from lamina.plugin.extensions import PlanView, Table
from lamina.plugin.formats import text_of

if TYPE_CHECKING:
    from lamina.dialects.heat.plan_facts import Facts
    from lamina.plugin import Origin, Plan


def strategy_rows(plan: Plan) -> list[StrategyRow]:
    """The table of a plan: by parameter for Heat's own rules, by slot for the specification; the client has none."""
    return rows_of(facts_of(plan))


def rows_of(facts: Facts) -> list[StrategyRow]:
    """The table, from the facts of a run."""
    if facts.slots is not None:
        slots = [*facts.slots.types.values(), *facts.slots.parameters.values()]
        return [
            StrategyRow(FixedStrategy(slot.name, slot.word, slot.file, "named", partial(getattr, slot, "origin")))
            for slot in slots
        ]
    return table_rows(facts.environments, facts.fixed)


def strategy_data(plan: Plan) -> list[dict[str, Any]]:
    """The table as plain data."""
    return [
        {
            "parameter": row.fixed.parameter,
            "strategy": row.fixed.word,
            "fixed_by": {"file": row.fixed.file, "how": row.fixed.how, **_origin_data(row.fixed.origin)},
            "attempts": [
                {"file": each.file, "strategy": each.word, "outcome": each.outcome, **_origin_data(each.origin)}
                for each in row.attempts
            ],
        }
        for row in strategy_rows(plan)
    ]


def strategy_text(plan: Plan) -> str:
    """The table as text: a line for each parameter, and below it who else set one."""
    rows = strategy_rows(plan)
    if not rows:
        return ""
    names = max(len(str(row.fixed.parameter)) for row in rows)
    words = max(len(str(row.fixed.word)) for row in rows)
    lines = ["strategies"]
    for row in rows:
        known = row.fixed
        lines.append(
            f"  {known.parameter!s:<{names}}  {known.word!s:<{words}}  {known.origin or known.file} ({known.how})"
        )
        lines.extend(
            f"  {'':<{names}}  {each.word!s:<{words}}  {each.origin or each.file}: {each.outcome}"
            for each in row.attempts
        )
    return text_of(lines)


def strategy_table(plan: Plan) -> Table:
    """The table with a section for each parameter: what is in force, then who else set one."""
    sections = []
    for row in strategy_rows(plan):
        known = row.fixed
        section = [(str(known.parameter), str(known.word), str(known.origin or known.file), f"in force: {known.how}")]
        section += [("", str(each.word), str(each.origin or each.file), each.outcome) for each in row.attempts]
        sections.append(section)
    return Table(("parameter", "strategy", "set at", "outcome"), sections)


def _origin_data(origin: Origin | None) -> dict[str, Any]:
    return {"line": origin.line if origin else None, "column": origin.column if origin else None}


PLAN = PlanView("strategies", strategy_text, strategy_data, table=strategy_table)
