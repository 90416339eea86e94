"""Lint rules for Helm: values that no template sees, and values that are not what they look like."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.helm import messages
from lamina.dialects.helm.coalesce import GLOBAL
from lamina.dialects.helm.compile import Release, release_of
from lamina.dialects.helm.uses import shown
from lamina.plugin import extensions as lpx
from lamina.plugin import formats as lpf

if TYPE_CHECKING:
    from collections.abc import Iterator

_LARGE: Final = 1_000_000
_ANY_VALUE: Final = re.compile(r"(?:\b(?!(?:hasKey|index|get|with)\b)\w+|[({|=)\"])\s*\$?\.Values(?![\w.])")
"""A template that uses the values as a whole, so that any key may matter."""
_BOOLEAN_KEYS: Final = ("true", "false")


def unknown_values(checked: lpx.Checked) -> Iterator[lp.Diagnostic]:
    """Keys of value files that neither the defaults nor the templates of the chart have."""
    release = release_of(checked.rendered)
    templates = _templates(release)
    if not templates or _ANY_VALUE.search(templates):
        return
    templates += "".join(_templates_in_values(checked, release))
    off = {entry.name for entry in release.use.listed if not entry.is_on}
    for file in release.files:
        members = {key: each for key, each in file.value.items() if key not in (GLOBAL, "tags", *off)}
        yield from _unknown(file, members, release.defaults.value, templates, release.use.names)


def _unknown(
    node: lp.SourceNode, members: dict[Any, Any], known: dict[Any, Any], templates: str, subcharts: frozenset[str]
) -> Iterator[lp.Diagnostic]:
    for key in members:
        child = node.child(key)
        if key in known:
            inside, default = child.value, known[key]
            if isinstance(child, lp.SourceNode) and isinstance(inside, dict) and isinstance(default, dict) and default:
                yield from _unknown(child, inside, default, templates, frozenset())
            continue
        near = lp.did_you_mean(str(key), map(str, known), otherwise="")
        is_named = re.search(rf"(?<![\w-]){re.escape(str(key))}(?![\w-])", templates) is not None
        # Below the top a template may print a mapping as a whole: there only what is nearly another key is reported.
        if is_named or _holds_anchor(child) or (not near and (node.path or key in subcharts)):
            continue
        hint = near or "remove it, or correct its name"
        yield messages.UNKNOWN_CHART_VALUE.at(node.key_origin(key), child.path, value=lp.show(child.path), hint=hint)


def _templates_in_values(checked: lpx.Checked, release: Release) -> Iterator[str]:
    """The lines of values that are templates themselves, which a chart may run."""
    for file in _all_files(release):
        source = checked.record.source(file.layer)
        lines = source.data.decode("utf-8", "replace").splitlines() if source is not None else ()
        yield from (f"\n{line}" for line in lines if "{{" in line)


def _holds_anchor(node: lp.Node) -> bool:
    """Whether an alias leads to something in a value: it is there for what the alias is in."""
    if not isinstance(node, lp.SourceNode):
        return False
    positions, first = node.positions, node.index
    end = first + positions.sizes.get(first, 1)
    return any(first <= anchor < end for anchor in positions.aliases.values())


def _templates(release: Release) -> str:
    """The text of all templates of the chart and its subcharts."""
    names = (name for name in release.folder.names() if "templates/" in name)
    sources = (release.folder.read(name) for name in names)
    return "\n".join(source.data.decode("utf-8", "replace") for source in sources if source is not None)


def large_numbers(checked: lpx.Checked) -> Iterator[lp.Diagnostic]:
    """Integers from a file that a template prints as a float."""
    release = release_of(checked.rendered)
    templates = None
    for path, node in _scalars(_values(checked), ()):
        if isinstance(node.value, bool) or not isinstance(node.value, int) or abs(node.value) < _LARGE:
            continue
        origin = next(iter(lpx.origins_of(node)), None)
        if origin is None or origin.source.startswith(("--set ", "--set-string")):
            continue
        templates = _templates(release) if templates is None else templates
        name = ".".join(str(step) for step in _inside_chart(release, path))
        printed_as_it_is = rf"\{{\{{-?\s*(?:s?quote\s+)?\$?\.Values\.{re.escape(name)}\s*(?:\|\s*s?quote\s*)?-?\}}\}}"
        if re.search(printed_as_it_is, templates):
            printed = lpf.go_float(float(node.value))
            yield messages.LARGE_NUMBER.at(origin, path, shown=lp.show(path), number=node.value, printed=printed)


def _inside_chart(release: Release, path: lp.Path) -> lp.Path:
    """The path as the templates of the innermost chart write it."""
    longest = max((use for use, _ in release.use.walk() if path[: len(use)] == use), key=len)
    return path[len(longest) :]


def boolean_keys(checked: lpx.Checked) -> Iterator[lp.Diagnostic]:
    """Keys such as `on` and `y`, which YAML reads as booleans."""
    for file in _all_files(release_of(checked.rendered)):
        source = checked.record.source(file.layer)
        lines = source.data.decode("utf-8", "replace").split("\n") if source is not None else []
        for mapping in _mappings(file):
            for key in _BOOLEAN_KEYS:
                at = mapping.key_origin(key)
                if at is None or at.line > len(lines):
                    continue
                word = re.match(r"[\w]*", lines[at.line - 1][at.column - 1 :])
                if word is not None and word[0] and word[0].lower() != key:
                    yield messages.BOOLEAN_KEY.at(at, (*mapping.path, key), word=word[0], key=key)


def kept_nulls(checked: lpx.Checked) -> Iterator[lp.Diagnostic]:
    """Nulls of the user that delete nothing, since no default is there."""
    given = release_of(checked.rendered).given
    for path, node in _scalars(_values(checked), ()):
        if node.value is None and lp.walk(given, path) is None and not any(isinstance(step, int) for step in path):
            yield messages.NULL_KEPT.at(next(iter(lpx.origins_of(node)), None), path, shown=lp.show(path))


def values_of_subcharts_off(checked: lpx.Checked) -> Iterator[lp.Diagnostic]:
    """What value files say for a subchart that is off."""
    release = release_of(checked.rendered)
    for entry in release.use.listed:
        for file in release.files if not entry.is_on else ():
            part = file.value.get(entry.name)
            switches = {path.removeprefix(f"{entry.name}.") for path in entry.dependency.condition.split(",")}
            if isinstance(part, dict) and part.keys() - switches:
                switch = entry.dependency.condition or "by a tag"
                yield messages.SUBCHART_OFF.at(
                    file.key_origin(entry.name), (entry.name,), chart=entry.name, switch=switch
                )


def unmet_conditions(checked: lpx.Checked) -> Iterator[lp.Diagnostic]:
    """Conditions of which no path leads to a value."""
    for path, use in release_of(checked.rendered).use.walk():
        for entry in use.listed:
            if not entry.has_value:
                condition = entry.dependency.condition
                yield messages.CONDITION_WITHOUT_VALUE.at(
                    entry.dependency.origin,
                    condition=condition,
                    entry=entry.name,
                    chart=shown(path),
                    hint=_condition_hint(condition),
                )


def _condition_hint(condition: str) -> str:
    if " " in condition.strip():
        return "remove the spaces: they belong to the path"
    return f"set {condition.split(',', maxsplit=1)[0]} in values.yaml, or correct the path"


def idle_files(checked: lpx.Checked) -> Iterator[lp.Diagnostic]:
    """Value files all of whose values are those of other files or defaults."""
    release = release_of(checked.rendered)
    values = _values(checked)
    for file in release.files:
        leaves = [*_scalars(file, ())]
        if leaves and all(_is_idle(file, path, node, values, release.defaults.value) for path, node in leaves):
            defaults = (_key_origin(release.defaults.at(path)) for path, _ in leaves)
            related = [("the same value is here", place) for place in defaults]
            yield messages.FILE_WITHOUT_EFFECT.at(file.origin(), file=file.layer, related=related)


def _key_origin(node: lp.Node) -> lp.Origin | None:
    """Where a value is written, by its key if it has one."""
    written = next(iter(lpf.written_for(node)), None)
    if written is None or not written.path or not isinstance(written.path[-1], str):
        return None if written is None else written.origin()
    return written.positions.origin(written.index - 1)


def _is_idle(file: lp.SourceNode, path: lp.Path, node: lp.Node, values: lp.Node, defaults: Any) -> bool:
    """Whether a value of a file makes no difference."""
    if any(origin.source == file.layer for origin in lpx.origins_of(values.at(path))):
        default = lp.walk(defaults, path)
        return bool(type(default) is type(node.value) and default == node.value)
    return node.value is not None or lp.walk(defaults, path) is lp.MISSING


def _values(checked: lpx.Checked) -> lp.Node:
    return checked.outputs["values"].node


def _all_files(release: Release) -> Iterator[lp.SourceNode]:
    for _, use in release.use.walk():
        if use.chart.values is not None:
            yield use.chart.values
    yield from release.files


def _scalars(node: lp.Node, path: lp.Path) -> Iterator[tuple[lp.Path, lp.Node]]:
    """All scalars and empty collections of a value, with their paths."""
    value = node.value
    if isinstance(value, (dict, list)) and value:
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from _scalars(node.child(key), (*path, key))
    else:
        yield path, node


def _mappings(node: lp.Node) -> Iterator[lp.SourceNode]:
    """All mappings in a value of a file."""
    if isinstance(node, lp.SourceNode) and isinstance(node.value, dict):
        yield node
    if isinstance(node.value, (dict, list)):
        for key in node.value if isinstance(node.value, dict) else range(len(node.value)):
            yield from _mappings(node.child(key))


RULES: Final = (
    lpx.LintRule(
        code="unknown-chart-value",
        title="Helm: value that the chart does not have",
        about="The key is misspelled, or for another version of the chart; Helm takes it, and nothing happens.",
        check=unknown_values,
    ),
    lpx.LintRule(
        code="large-number",
        title="Helm: integer that is printed as a float",
        about="Numbers of value files are floats, which a template prints like 1e+06.",
        check=large_numbers,
    ),
    lpx.LintRule(
        code="boolean-key",
        title="Helm: key that becomes true or false",
        about="The keys y, n, yes, no, on and off are booleans in YAML 1.1, and no template finds them by their name.",
        check=boolean_keys,
    ),
    lpx.LintRule(
        code="null-kept",
        title="Helm: null that deletes nothing",
        about="A null deletes a default; where none is, templates see the null.",
        severity=lp.Severity.INFO,
        check=kept_nulls,
    ),
    lpx.LintRule(
        code="subchart-off",
        title="Helm: values for a subchart that is off",
        about="A value file sets values of a subchart that its condition or tags switch off.",
        check=values_of_subcharts_off,
    ),
    lpx.LintRule(
        code="condition-without-value",
        title="Helm: condition that nothing meets",
        about="No path of the condition leads to a value, so the subchart cannot be switched off as it says.",
        check=unmet_conditions,
    ),
    lpx.LintRule(
        code="value-file-without-effect",
        title="Helm: value file that changes nothing",
        about="Every value of the file is the default, or is replaced by a later file.",
        covers=("redundant-value",),
        check=idle_files,
    ),
)
