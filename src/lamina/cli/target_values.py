"""`lamina explain KEY --all` in a project: the values of one key over all targets, and who sets each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lamina._support.escapes import text_of
from lamina.cli.output import echo, echo_json
from lamina.cli.render_request import status_of
from lamina.cli.selected_targets import TargetMessages
from lamina.cli.terminal import fits_width
from lamina.errors import LaminaError
from lamina.project.shared_entries import in_targets, shared
from lamina.views.diff.phrases import count
from lamina.views.explain import in_brief

if TYPE_CHECKING:
    from lamina.cli.render_request import RenderRequest
    from lamina.cli.selected_targets import SelectedTargets
    from lamina.origins import Origin
    from lamina.project.shared_entries import SharedEntry

_WIDTHS = (16, 8, 24, 24)


class KeyValue(NamedTuple):
    """A value and the origins that set it."""

    value: Any
    origins: tuple[Origin, ...]


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
        elif outcome.diagnostic.code == "no-such-path":
            absent.append(target.name)
            missing = outcome
        else:
            messages.fail(target.name, outcome)
    if not found and missing is not None:
        raise missing
    groups = sorted(shared(found, _group_key), key=lambda group: -len(group.targets))
    if form == "json":
        from lamina.sources.json.writer import dump

        echo_json(dump(_as_data(path, groups, absent)))
    else:
        echo(_as_table(groups, total) if fits_width(_WIDTHS) else _as_text(groups, total))
        echo(text_of([f"no layer sets it in {in_targets(absent, total)}"]) if absent else "")
    return messages.print_all(quiet=quiet, status_of=status_of)


def _set_value(each: RenderRequest, path: str) -> KeyValue:
    history = each.result().explain(path)
    return KeyValue(history.value, history.origins)


def _group_key(found: KeyValue) -> tuple[Any, ...]:
    return repr(found.value), found.origins


def _set_by(found: KeyValue) -> str:
    return ", ".join(f"{origin.source}:{origin.line}" for origin in found.origins) or "the program"


def _as_text(groups: list[SharedEntry[KeyValue]], total: int) -> str:
    return text_of(
        f"{in_brief(group.entry.value)} in {count(len(group.targets), 'target')}, "
        f"set by {_set_by(group.entry)}: {in_targets(group.targets, total)}"
        for group in groups
    )


def _as_table(groups: list[SharedEntry[KeyValue]], total: int) -> str:
    from lamina.cli.tables import Column, table, text, written

    titles = ("value", "targets", "set by", "which")
    columns = [Column(title, least) for title, least in zip(titles, _WIDTHS, strict=True)]
    rows = [
        [
            (
                text(in_brief(group.entry.value), "bold"),
                f"{len(group.targets):,}",
                _set_by(group.entry),
                in_targets(group.targets, total),
            )
        ]
        for group in groups
    ]
    return written(table(columns, rows), "", count(len(groups), "value"))


def _as_data(path: str, groups: list[SharedEntry[KeyValue]], absent: list[str]) -> dict[str, Any]:
    return {
        "version": 1,
        "path": path,
        "values": [
            {
                "value": group.entry.value,
                "set_by": [
                    {"source": origin.source, "line": origin.line, "column": origin.column}
                    for origin in group.entry.origins
                ],
                "targets": group.targets,
            }
            for group in groups
        ],
        "absent": absent,
    }
