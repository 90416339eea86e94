"""Lint rules for Datum hierarchies: entries without effect, or with another one than it seems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.datum import messages
from lamina.dialects.datum.compile import is_tree
from lamina.dialects.datum.hierarchy import Hierarchy
from lamina.dialects.datum.lookup_options import split, unreachable
from lamina.dialects.datum.operators.unwrap import holds_mappings
from lamina.dialects.datum.strategy import Records
from lamina.dialects.datum.strategy_tables import exact_case
from lamina.errors import LaminaError, Severity
from lamina.paths import MISSING, walk
from lamina.protocol.lint import LintRule, on_result
from lamina.sources.caseless_keys import caseless, folded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.datum.lookup_options import Barrier, OptionEntry
    from lamina.dialects.datum.options import DatumOptions
    from lamina.errors import Note
    from lamina.protocol.rendered import Checked, Rendered
    from lamina.sources.inputs import Inputs


def leftover_markers(rendered: Rendered) -> Iterator[Note]:
    """Knockout markers that are left in a result."""
    for output in rendered.outputs:
        stack: list[tuple[Any, tuple[Any, ...]]] = [(output.value, ())]
        while stack:
            value, path = stack.pop()
            if isinstance(value, dict):
                for key, inner in value.items():
                    if str(key).startswith("--"):
                        yield _leftover_marker(rendered, (*path, key))
                    stack.append((inner, (*path, key)))
            elif isinstance(value, list):
                stack.extend((inner, (*path, at)) for at, inner in enumerate(value))


def _leftover_marker(rendered: Rendered, path: tuple[Any, ...]) -> Note:
    from lamina.engine.provenance import first_origin
    from lamina.paths import show

    at = first_origin(rendered.outputs[0].node.at(path))
    return messages.LEFTOVER_MARKER.at(at, path, where=show(path))


def lint_hierarchy(inputs: Inputs, options: DatumOptions) -> Iterator[Note]:
    """Findings in a hierarchy without rendering it: options that are never used, tuple keys that no item has, files
    that cannot be read."""
    hierarchy = Hierarchy(inputs, options)
    yield from hierarchy.definition.notes
    yield from hierarchy.entries.notes
    values = [node.value for file in hierarchy.definition.root.files() if (node := file.node(inputs.run)) is not None]
    for entry in hierarchy.entries.exact:
        yield from _unreachable_from_top(hierarchy, entry, values)
    for entry in hierarchy.entries.exact:
        yield from _tuple_keys_never_there(entry, values)
    for file in hierarchy.definition.root.files():
        if file.problem is not None:
            yield file.problem


def _unreachable_from_top(hierarchy: Hierarchy, entry: OptionEntry, values: list[Any]) -> Iterator[Note]:
    path = split(entry.key)
    if len(path) < 2:
        return
    for found, barrier in unreachable(hierarchy.entries, path[:1]):
        if found is entry and _stops(barrier, entry, values):
            reason, how = barrier.reason(path[0]), barrier.fix(path[0])
            related = (("this entry applies instead", barrier.entry.origin),)
            yield messages.UNREACHABLE_FROM_TOP.at(
                entry.origin, subject=entry.key, related=related, reason=reason, how=how
            )


def _stops(barrier: Barrier, entry: OptionEntry, values: list[Any]) -> bool:
    """Whether an entry is not used for any value at its path; if it depends on the values, there must be some."""
    at_path = _values_at(entry, values) if barrier.for_tables else []
    return barrier.stops(at_path) and (not barrier.for_tables or len(at_path) > 1)


def _values_at(entry: OptionEntry, values: list[Any]) -> list[Any]:
    path = tuple(caseless(name) for name in split(entry.key))
    return [found for value in values if (found := walk(value, path)) is not MISSING]


def _tuple_keys_never_there(entry: OptionEntry, values: list[Any]) -> Iterator[Note]:
    """Tuple keys that are in no item of any list at the entry's path."""
    strategy = entry.strategy
    if strategy.records not in (Records.DEEP, Records.UNIQUE) or not strategy.written.startswith("{"):
        return
    lists = [found for found in _values_at(entry, values) if isinstance(found, list) and holds_mappings(found)]
    items = [item for found in lists for item in found if item is not None]
    for name in strategy.tuple_keys:
        if items and all(exact_case(item, name) is MISSING for item in items):
            known = sorted({str(key) for item in items for key in item})
            match = next((key for key in known if folded(key) == folded(name)), None)
            hint = (
                f"write {match}; tuple keys are case-sensitive"
                if match
                else f"keys of the items: {', '.join(known[:8])}"
            )
            yield messages.MISSING_TUPLE_KEY.at(entry.origin, subject=entry.key, hint=hint, name=name)


def _never_looked_up(checked: Checked) -> Iterator[Note]:
    """Entries for keys that layers of a node share but that no resultant set looks up; only a script would."""
    hierarchy = Hierarchy(checked.inputs, checked.rendered.options)
    looked_up = {folded(name.rpartition(": ")[2]) for name in checked.outputs}
    entries = [entry for entry in hierarchy.entries.exact if folded(split(entry.key)[0]) not in looked_up]
    shared = _shared(hierarchy, {split(entry.key)[0] for entry in entries})
    for entry in entries:
        name = split(entry.key)[0]
        if name in shared:
            yield messages.NEVER_LOOKED_UP.at(entry.origin, subject=entry.key, name=name)


def _shared(hierarchy: Hierarchy, names: set[str]) -> set[str]:
    """Those of the names that several layers of some node have."""
    shared: set[str] = set()
    for node in hierarchy.nodes():
        view = hierarchy.view(node.own)
        try:
            shared.update(name for name in names - shared if len(view.lookup(name).hits) > 1)
        except LaminaError:
            continue  # a node whose layers cannot be resolved has its own error
    return shared


def _of_hierarchy(checked: Checked) -> Iterator[Note]:
    options: DatumOptions = checked.rendered.options
    return lint_hierarchy(checked.inputs, options) if is_tree(checked.inputs, options) else iter(())


def _unused_nested_entries(checked: Checked) -> Iterator[Note]:
    yield from _of_hierarchy(checked)
    if checked.rendered.spec.shape == "table":
        yield from _never_looked_up(checked)


RULES: Final = (
    LintRule(
        code="unreachable-option",
        title="Datum: lookup_options entry is never used",
        about="A nested entry is used only if the lookup above it merges, and any entry only if its key is looked up.",
        check=_unused_nested_entries,
        covers=("unused-rule",),
    ),
    LintRule(
        code="unknown-strategy",
        title="Datum: unknown strategy or option",
        about="Datum silently uses a different strategy in its place.",
        check=_of_hierarchy,
    ),
    LintRule(
        code="missing-tuple-key",
        title="Datum: tuple key that no item has",
        about="No item has this key, so items never match and nothing is merged. Tuple keys are case-sensitive.",
        check=_of_hierarchy,
    ),
    LintRule(
        code="unreadable-file",
        title="Datum: file cannot be read",
        about="Datum silently treats the file as missing.",
        severity=Severity.ERROR,
        check=_of_hierarchy,
    ),
    LintRule(
        code="missing-layer",
        title="Datum: node property selects a layer that does not exist",
        about="A role, location or similar is misspelled, or its file is missing. Datum silently skips the layer.",
    ),
    LintRule(
        code="duplicate-node-name",
        title="Datum: two nodes with the same name",
        about="A build keeps the result of only one of them and uses it for both.",
    ),
    LintRule(
        code="definition-key-case",
        title="Datum: key of Datum.yml in the wrong case",
        about="Keys in Datum.yml are case-sensitive, so Datum ignores this one.",
    ),
    LintRule(
        code="unknown-definition-key",
        title="Datum: misspelled key of Datum.yml",
        about="Datum ignores the key, so what it says has no effect.",
    ),
    LintRule(
        code="handler-not-run",
        title="Datum: handler that is not evaluated",
        about="Lamina does not have the handler. The values assume that it changes none.",
    ),
    LintRule(
        code="handler-error",
        title="Datum: script fails",
        about="The script also fails in PowerShell. The value stays as written.",
    ),
    LintRule(
        code="leftover-marker",
        title="Datum: knockout marker in the result",
        about="Markers are removed only if the strategy for their path has a knockout prefix.",
        check=on_result(leftover_markers),
    ),
)
