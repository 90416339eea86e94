"""`lamina explain KEY --all`: the values of one key over all targets, and who sets each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lamina._support.escapes import text_of
from lamina.cli.explain import history_at
from lamina.cli.output import echo, echo_json, status_of
from lamina.cli.selected_targets import TargetMessages
from lamina.cli.terminal import fits_width
from lamina.errors import LaminaError, UsageError
from lamina.origins import origin_data
from lamina.project.shared_entries import in_targets, shared
from lamina.sources.json.brief import in_brief
from lamina.views.diff.phrases import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.cli.selected_targets import RenderRequest, SelectedTargets
    from lamina.origins import Origin
    from lamina.project.shared_entries import SharedEntry
    from lamina.views.schemas.explanations import ExplainKeyData

_WIDTHS = (16, 8, 24, 24)
_SHOWN = 5
"""How many of the places that set a value are shown, where different ones do so in different targets."""


class KeyValue(NamedTuple):
    """A value and the origins that set it."""

    value: Any
    origins: tuple[Origin, ...]


class CountedValue(NamedTuple):
    """A value, the targets that have it, and the places that set it, each with the targets in which they do."""

    value: Any
    targets: list[str]
    setters: list[SharedEntry[KeyValue]]


def explain_key(selected: SelectedTargets, path: str, form: str, *, quiet: bool) -> int:
    """A row for each value that the key has in any target."""
    total = len(selected.targets())
    messages = TargetMessages(total)
    found: list[tuple[str, KeyValue]] = []
    absent: list[str] = []
    missing: LaminaError | None = None
    for target, outcome in selected.each("explaining", lambda _, each: _set_value(each, path)):
        if not isinstance(outcome, LaminaError):
            found.append((target.name, outcome))
        elif isinstance(outcome, UsageError) and outcome.diagnostic.code == "no-such-path":
            absent.append(target.name)
            missing = outcome
        else:
            messages.fail(target.name, outcome)
    if not found and missing is not None:
        return messages.print_missing(missing)
    values = _counted(found)
    if form == "json":
        from lamina.sources.json.writer import dump

        echo_json(dump(_as_data(path, values, absent)))
    else:
        echo(_as_table(values, total) if fits_width(_WIDTHS) else text_of(_lines(values, total)))
        echo(text_of([f"no layer sets it in {in_targets(absent, total)}"]) if absent else "")
    return messages.print_all(quiet=quiet, status_of=status_of)


def _set_value(each: RenderRequest, path: str) -> KeyValue:
    history = history_at(each.result(), path)
    return KeyValue(history.value, history.origins)


def _counted(found: list[tuple[str, KeyValue]]) -> list[CountedValue]:
    """The values, the most frequent first."""
    of_value: dict[str, list[tuple[str, KeyValue]]] = {}
    for name, each in found:
        of_value.setdefault(repr(each.value), []).append((name, each))
    values = [
        CountedValue(
            entries[0][1].value,
            [name for name, _ in entries],
            sorted(shared(entries, lambda each: each.origins), key=lambda setter: -len(setter.targets)),
        )
        for entries in of_value.values()
    ]
    return sorted(values, key=lambda value: -len(value.targets))


def _set_by(found: KeyValue) -> str:
    return ", ".join(f"{origin.source}:{origin.line}" for origin in found.origins) or "the program"


def _lines(values: list[CountedValue], total: int) -> Iterator[str]:
    for value, targets, setters in values:
        head = f"{in_brief(value)} in {count(len(targets), 'target')}"
        if len(setters) == 1:
            yield f"{head}, set by {_set_by(setters[0].entry)}: {in_targets(targets, total)}"
            continue
        yield f"{head}: {in_targets(targets, total)}"
        yield from (f"  set by {_set_by(each.entry)} in {in_targets(each.targets, total)}" for each in setters[:_SHOWN])
        if len(setters) > _SHOWN:
            yield f"  and by {count(len(setters) - _SHOWN, 'other place')}"


def _as_table(values: list[CountedValue], total: int) -> str:
    from lamina.cli.tables import Column, table, text, written

    titles = ("value", "targets", "set by", "which")
    columns = [Column(title, least) for title, least in zip(titles, _WIDTHS, strict=True)]
    rows = [
        [
            (
                text(in_brief(value), "bold"),
                f"{len(targets):,}",
                _setters_in_brief(setters),
                in_targets(targets, total),
            )
        ]
        for value, targets, setters in values
    ]
    return written(table(columns, rows), "", count(len(values), "value"))


def _setters_in_brief(setters: list[SharedEntry[KeyValue]]) -> str:
    more = f", and {count(len(setters) - _SHOWN, 'other place')}" if len(setters) > _SHOWN else ""
    return ", ".join(_set_by(each.entry) for each in setters[:_SHOWN]) + more


def _as_data(path: str, values: list[CountedValue], absent: list[str]) -> ExplainKeyData:
    return {
        "version": 1,
        "path": path,
        "values": [
            {
                "value": value,
                "targets": targets,
                "set_by": [
                    {"places": [origin_data(origin) for origin in each.entry.origins], "targets": each.targets}
                    for each in setters
                ],
            }
            for value, targets, setters in values
        ],
        "absent": absent,
    }
