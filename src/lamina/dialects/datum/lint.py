"""Lint rules for Datum hierarchies: what is written and has no effect, or another than it seems to have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.datum.compile import is_tree
from lamina.dialects.datum.hierarchy import Hierarchy
from lamina.dialects.datum.lookup_options import split, unreachable
from lamina.dialects.datum.operators.unwrap import holds_mappings
from lamina.dialects.datum.strategy import Records
from lamina.dialects.datum.strategy_tables import spelt
from lamina.errors import Diagnostic, LaminaError, Severity
from lamina.paths import MISSING, walk
from lamina.sources.powershell.case_insensitive import caseless, folded
from lamina.views.lint.rule import LintRule, on_result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.datum.lookup_options import OptionEntry
    from lamina.dialects.datum.options import DatumOptions
    from lamina.errors import Note
    from lamina.sources.inputs import Inputs
    from lamina.views.lint.context import Survey
    from lamina.views.result import Result


def leftover_markers(rendered: Result) -> Iterator[Note]:
    """Knock-out markers that are left in a result."""
    for output in rendered.outputs:
        stack: list[tuple[Any, tuple[Any, ...]]] = [(output.value, ())]
        while stack:
            value, path = stack.pop()
            if isinstance(value, dict):
                for key, inner in value.items():
                    if str(key).startswith("--"):
                        yield _leftover(rendered, (*path, key))
                    stack.append((inner, (*path, key)))
            elif isinstance(value, list):
                stack.extend((inner, (*path, at)) for at, inner in enumerate(value))


def _leftover(rendered: Result, path: tuple[Any, ...]) -> Note:
    from lamina.engine.provenance import first_origin
    from lamina.paths import show

    return Diagnostic(
        code="leftover-marker",
        message=f"{show(path)}: the knock-out marker is left in the result",
        at=first_origin(rendered.outputs[0].node.at(path)),
        path=path,
        hint="give the path an entry in lookup_options with a knockout_prefix, or hash or deep",
        severity=Severity.WARNING,
    )


def lint_hierarchy(inputs: Inputs, options: DatumOptions) -> Iterator[Note]:
    """What can be said of a whole hierarchy without rendering it: options that are never asked, tuple keys that no item
    has, files that cannot be read."""
    hierarchy = Hierarchy(inputs, options)
    yield from hierarchy.definition.notes
    yield from hierarchy.entries.notes
    for entry in hierarchy.entries.exact:
        yield from _unreachable_from_top(hierarchy, entry)
    values = [node.value for file in hierarchy.definition.root.files() if (node := file.node()) is not None]
    for entry in hierarchy.entries.exact:
        yield from _tuple_keys_never_there(entry, values)
    for file in hierarchy.definition.root.files():
        if file.problem is not None:
            yield file.problem


def _unreachable_from_top(hierarchy: Hierarchy, entry: OptionEntry) -> Iterator[Note]:
    path = split(entry.key)
    if len(path) < 2:
        return
    for found, barrier in unreachable(hierarchy.entries, path[:1]):
        if found is entry:
            yield Diagnostic(
                code="unreachable-option",
                message=f"the entry {entry.key} is never asked in a lookup of {path[0]} ({barrier.label})",
                at=entry.origin,
                related=(("this entry decides", barrier.origin),) if barrier.origin else (),
                hint=f"add {path[0]}: hash to lookup_options; a lookup of {entry.key} itself does ask it",
                severity=Severity.WARNING,
                subject=entry.key,
            )


def _tuple_keys_never_there(entry: OptionEntry, values: list[Any]) -> Iterator[Note]:
    """Tuple keys that are in no item of any list at the entry's path."""
    strategy = entry.strategy
    if strategy.records not in (Records.DEEP, Records.UNIQUE) or not strategy.written.startswith("{"):
        return
    path = tuple(caseless(name) for name in split(entry.key))
    lists = [found for value in values if isinstance(found := walk(value, path), list) and holds_mappings(found)]
    items = [item for found in lists for item in found if item is not None]
    for name in strategy.tuple_keys:
        if items and all(spelt(item, name) is MISSING for item in items):
            known = sorted({str(key) for item in items for key in item})
            near = next((key for key in known if folded(key) == folded(name)), None)
            yield Diagnostic(
                code="tuple-key-never-present",
                message=f"no item at {entry.key} has the tuple key {name}, so items never match",
                at=entry.origin,
                hint=f"write {near}: case counts here" if near else f"items have {', '.join(known[:8])}",
                severity=Severity.WARNING,
                subject=entry.key,
            )


def _never_looked_up(survey: Survey) -> Iterator[Note]:
    """Entries for keys that layers of a node share but that no resultant set asks for: only a script would."""
    hierarchy = Hierarchy(survey.inputs, survey.rendered.options)
    asked = {folded(name.rpartition(": ")[2]) for name in survey.outputs}
    entries = [entry for entry in hierarchy.entries.exact if folded(split(entry.key)[0]) not in asked]
    shared = _shared(hierarchy, {split(entry.key)[0] for entry in entries})
    for entry in entries:
        name = split(entry.key)[0]
        if name in shared:
            yield Diagnostic(
                code="unreachable-option",
                message=f"the entry {entry.key} is never asked: no resultant set looks up {name}",
                at=entry.origin,
                hint=f"list {name} in Configurations; nothing to do if a script of yours looks it up",
                severity=Severity.INFO,
                subject=entry.key,
            )


def _shared(hierarchy: Hierarchy, names: set[str]) -> set[str]:
    """Those of the names that several layers of some node have."""
    shared: set[str] = set()
    for node in hierarchy.nodes():
        view = hierarchy.view(node.own)
        try:
            shared.update(name for name in names - shared if len(view.lookup(name).hits) > 1)
        except LaminaError:
            continue  # a node whose layers cannot be found has an error of its own
    return shared


def _of_hierarchy(survey: Survey) -> Iterator[Note]:
    options: DatumOptions = survey.rendered.options
    return lint_hierarchy(survey.inputs, options) if is_tree(survey.inputs, options) else iter(())


def _never_asked(survey: Survey) -> Iterator[Note]:
    yield from _of_hierarchy(survey)
    if survey.rendered.spec.shape == "table":
        yield from _never_looked_up(survey)


RULES: Final = (
    LintRule(
        code="unreachable-option",
        title="Datum: an option entry that is never asked",
        about="A nested entry counts only where the lookup above it merges, and any entry only where its key is looked "
        "up; elsewhere it changes nothing.",
        check=_never_asked,
        covers=("idle-rule",),
    ),
    LintRule(
        code="unknown-strategy",
        title="Datum: a strategy or option with an unknown name",
        about="Datum does not know the name and takes another strategy in its place, without a word.",
        check=_of_hierarchy,
    ),
    LintRule(
        code="tuple-key-never-present",
        title="Datum: a tuple key that no item has",
        about="No item has the field, so items never match and nothing is merged; upper and lower case count.",
        check=_of_hierarchy,
    ),
    LintRule(
        code="unreadable-file",
        title="Datum: a file that cannot be read",
        about="Datum goes on as if the file were not there, without a word.",
        check=_of_hierarchy,
    ),
    LintRule(
        code="missing-layer",
        title="Datum: a property of a node that leads to no layer",
        about="A role, location or the like is misspelt, or its file is missing; Datum skips the layer without a word.",
    ),
    LintRule(
        code="same-node-name",
        title="Datum: two nodes of one name",
        about="A build keeps the resultant set of one of them only, and writes it for both.",
    ),
    LintRule(
        code="definition-key-case",
        title="Datum: a key of Datum.yml in another case",
        about="Datum looks the keys of its definition up with case and does not see this one.",
    ),
    LintRule(
        code="handler-not-run",
        title="Datum: a value that is not computed",
        about="The script is outside the subset that is evaluated, or the handler is not known; its text stays.",
    ),
    LintRule(
        code="handler-error",
        title="Datum: a script that fails",
        about="PowerShell fails on it, too, and the text stays as it is written.",
    ),
    LintRule(
        code="leftover-marker",
        title="Datum: a knock-out marker that is left in the result",
        about="Markers are cleaned up only where the strategy of their path has a knock-out prefix.",
        check=on_result(leftover_markers),
    ),
)
