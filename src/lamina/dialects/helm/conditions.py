"""Which subcharts are on: tags, then conditions, from the chart itself down.

Both look at the values with all subcharts still on. Of the tags that are booleans one that is true switches on, else
one that is false off. A condition is a list of paths; the first whose value is a boolean decides, and beats tags. In a
subchart paths start at its name, while tags are always those of the chart itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lamina import plugin as lp
from lamina.dialects.helm import messages
from lamina.dialects.helm.coalesce import Coalescing, stop_if_failed
from lamina.dialects.helm.given import NAME as GIVEN
from lamina.dialects.helm.uses import DependencyEntry, shown

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from lamina.dialects.helm.uses import ChartUse

    Deciding = Generator[lp.Stage, Any, None]


def decide(use: ChartUse, above: str = GIVEN, path: tuple[str, ...] = ()) -> Deciding:
    """Let go of the subcharts that are off, in a use and all below it."""
    if use.entries is None:
        return
    use.resolve()
    for entry in use.entries:
        entry.is_on = True
    values = Coalescing(lp.From(source=lp.OutputRef(above)))
    values.add_chart(use)
    name = f"conditions of {shown(path)}"
    results = yield lp.Stage(title=name, outputs=(lp.Output(name=name, steps=tuple(values.steps), hidden=True),))
    stop_if_failed(results, name)
    value = results[name].value
    notes = [note for entry in use.entries for note in (*_by_tags(entry, value), *_by_condition(entry, value, path))]
    if notes:
        yield lp.Stage(title=f"subcharts of {shown(path)}", outputs=(), notes=tuple(notes))
    use.drop_those_off()
    for each in use.subcharts:
        yield from decide(each, name, (*path, each.name))
    use.keep_entries_on()


def _by_tags(entry: DependencyEntry, values: dict[str, Any]) -> Iterator[lp.Diagnostic]:
    """Switch a dependency by the tags, if there are any."""
    tags = values.get("tags")
    if not isinstance(tags, dict):
        return
    found = [(tag, tags[tag]) for tag in entry.dependency.tags if tag in tags]
    said = [value for _, value in found if isinstance(value, bool)]
    entry.is_on = True in said or False not in said
    for tag, value in found:
        if not isinstance(value, bool):
            at, kind = entry.dependency.origin, lp.word_for(value)
            yield messages.TAG_NOT_BOOLEAN.at(at, tag=tag, chart=entry.name, kind=kind)


def _by_condition(entry: DependencyEntry, values: dict[str, Any], path: tuple[str, ...]) -> Iterator[lp.Diagnostic]:
    """Switch a dependency by its condition; the first path with a boolean decides."""
    entry.has_value = not entry.dependency.condition.strip()
    for text in entry.dependency.condition.strip().split(","):
        value = value_at(values, [*path, *text.split(".")]) if text else lp.MISSING
        entry.has_value = entry.has_value or value is not lp.MISSING
        if isinstance(value, bool):
            entry.is_on = value
            return
        if value is not lp.MISSING:
            at, condition = entry.dependency.origin, ".".join((*path, text))
            yield messages.CONDITION_NOT_BOOLEAN.at(at, condition=condition, chart=entry.name, kind=lp.word_for(value))


def value_at(values: Any, keys: list[str]) -> Any:
    """The scalar, list or null at a path; a mapping there counts as nothing."""
    for key in keys:
        values = values.get(key, lp.MISSING) if isinstance(values, dict) else lp.MISSING
    return lp.MISSING if isinstance(values, dict) else values
