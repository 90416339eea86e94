"""Violations of the cloud-config schema: unknown keys, wrong types, values that are not accepted.

User-data and vendor-data are checked as merged, since that is what the modules get, and each part by itself, since a
later part may hide the mistake of an earlier one; each finding has the line its value came from. cloud-init itself only
warns about most of this and goes on without the key, which is why it is found here.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lamina._support import suggestions
from lamina._support.json_schema.draft4 import LimitReached, Schema
from lamina._support.json_schema.references import UnusableSchema
from lamina._support.misspelling import is_similar
from lamina.dialects.cloudinit import messages
from lamina.dialects.cloudinit.config_schema.alternatives import closest, words_for
from lamina.dialects.cloudinit.config_schema.deprecations import deprecations
from lamina.dialects.cloudinit.config_schema.schema_choice import chosen_schema
from lamina.dialects.cloudinit.user_data import OUTPUT
from lamina.engine.node import SourceNode
from lamina.engine.plan import Merge
from lamina.engine.provenance import first_origin, key_origin, source_nodes_of
from lamina.errors import Diagnostic, Effect, Fix, InputError, Severity
from lamina.paths import MISSING, mapping_paths, show, walk
from lamina.values import word_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lamina._support.json_schema.violations import Violation
    from lamina.engine.node import Node
    from lamina.engine.step_context import Folded
    from lamina.errors import Note
    from lamina.origins import Origin
    from lamina.paths import Path
    from lamina.protocol.rendered import Checked, Rendered

_ABOUT_KEYS: Final = frozenset({"config-unknown-key", "config-deprecated"})
_LISTED: Final = 1_000
"""How many findings are listed."""
_SHOWN: Final = 60
"""Characters of a value that are shown."""
_SIZES: Final = {
    "minItems": "must have at least {0} item(s)",
    "maxItems": "must have at most {0} item(s)",
    "minProperties": "must have at least {0} key(s)",
    "maxProperties": "must have at most {0} key(s)",
    "minimum": "must be at least {0}",
    "maximum": "must be at most {0}",
    "uniqueItems": "must not have the same item twice",
    "format": "must be a {0}",
}


class _Finding(NamedTuple):
    code: str
    path: Path
    message: str
    hint: str
    correction: str | None = None
    """The key that this one is a misspelling of."""


INSTALLED: Final = ("autoinstall", "user-data")
"""Where a configuration of Ubuntu's installer has the user-data of the system that it installs."""


def config_notes(checked: Checked) -> Iterable[Note]:
    """The violations of the users' configuration, and its deprecated keys."""
    schema = Schema(chosen_schema(checked.rendered.options.schema, checked.inputs.run))
    keys = _KeyOrigins(checked)
    reported: set[tuple[str, Origin | None]] = set()
    try:
        for merged, parts in _configurations(checked):
            notes = [_note(each, merged, keys) for each in _listed(schema, merged)]
            yield from notes
            reported.update((note.code, note.at) for note in notes)
            for part in parts:
                found = [each for each in _listed(schema, part) if not _is_merged(each, part, merged)]
                alone = [replace(_note(each, part, keys), fix=None) for each in found]
                yield from (note for note in alone if (note.code, note.at) not in reported)
    except LimitReached as error:
        raise InputError(messages.CONFIG_TOO_COMPLEX.at(error=error)) from None


def part_outputs(rendered: Rendered) -> Iterator[Folded]:
    """User-data and vendor-data, which are merged from parts, as far as they did not fail."""
    outputs = rendered.record.results
    layered = "user-data" in outputs
    if not layered and (rendered.options.mode != "user-data" or "system" in outputs):
        return
    names = ("user-data", "vendor-data", "vendor-data2") if layered else (OUTPUT,)
    found = (outputs[name] for name in names if name in outputs)
    yield from (folded for folded in found if not folded.failed)


def has_configuration(rendered: Rendered) -> bool:
    """Whether there is something that the schema is about."""
    return any(isinstance(folded.value, dict) for folded in part_outputs(rendered))


def _configurations(checked: Checked) -> Iterator[tuple[Node, Sequence[SourceNode]]]:
    """What is checked, as merged and part by part; the system configuration has other keys, which no schema lists."""
    for folded in part_outputs(checked.rendered):
        if isinstance(folded.value, dict):
            _, *steps = folded.output.steps
            parts = [step.take.source for step in steps if isinstance(step, Merge)] if len(steps) > 1 else []
            yield folded.node, [each for each in parts if isinstance(each, SourceNode) and isinstance(each.value, dict)]


def _is_merged(finding: _Finding, part: SourceNode, merged: Node) -> bool:
    """Whether a mapping of a part that lacks a key is a part of a merged one, which others may have completed."""
    if finding.code != "config-missing-key" or walk(merged.value, finding.path) is MISSING:
        return False
    own = first_origin(part.at(finding.path))
    return any(node.origin() == own for node in source_nodes_of(merged.at(finding.path)))


def _listed(schema: Schema, node: Node) -> Iterator[_Finding]:
    """What is wrong in a configuration, and in that of the system that Ubuntu's installer is to install."""
    inside = walk(node.value, INSTALLED)
    installed = _findings(schema, _binary_as_text(inside)) if isinstance(inside, dict) else ()
    found = (each._replace(path=(*INSTALLED, *each.path)) for each in installed)
    return islice(chain(_findings(schema, _binary_as_text(node.value)), found), _LISTED)


def _binary_as_text(value: Any) -> Any:
    """A value with strings for `!!binary` values, which cloud-init accepts wherever it accepts strings."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, dict):
        return {key: _binary_as_text(inner) for key, inner in value.items()}
    return [_binary_as_text(inner) for inner in value] if isinstance(value, list) else value


def _findings(schema: Schema, config: Any) -> Iterator[_Finding]:
    try:
        for violation in schema.violations(config):
            yield from _described(violation, schema)
        for path, since, instead in deprecations(schema, config):
            yield _Finding("config-deprecated", path, f"deprecated{since and f' since cloud-init {since}'}", instead)
    except UnusableSchema as error:
        message = f"the configuration cannot be checked any further: {error}"
        yield _Finding("config-invalid-value", (), message, "keys must be strings; put them in quotes")


def _described(violation: Violation, schema: Schema) -> Iterator[_Finding]:
    """The finding for a violation; for a value with several allowed forms, by the closest one."""
    path, wanted, found, root = violation.path, violation.wanted, violation.found, schema.root
    match violation.keyword:
        case "additionalProperties" | "patternProperties":
            names = wanted[0] if violation.keyword == "patternProperties" else wanted
            yield from (_unknown(path, name, violation.known, root) for name in names)
        case "required":
            hint = f"add {wanted}"
            yield _Finding("config-missing-key", path, f"the key {wanted!r} is missing", hint)
        case "oneOf" | "anyOf":
            closest_form = closest(wanted, found, schema)
            if closest_form is None:
                yield _wrong_type(path, words_for(wanted, root), found)
            for inner in closest_form or ():
                yield from _described(inner.below(path), schema)
        case "type" | "enum" | "pattern":
            yield _wrong_value(violation, root)
        case word if word in _SIZES:
            message = _SIZES[word].format(wanted)
            yield _Finding("config-invalid-value", path, message, "see cloud-init's manual for the values of this key")
        case _:
            message = "is not a combination that cloud-init accepts"
            yield _Finding(
                "config-invalid-value", path, message, "see cloud-init's manual for the keys that can be combined"
            )


def _wrong_value(violation: Violation, root: dict[str, Any]) -> _Finding:
    path, wanted, found = violation.path, violation.wanted, violation.found
    words = words_for([{violation.keyword: wanted}], root)
    scalar = isinstance(found, str) and len(found) <= _SHOWN
    if violation.keyword == "type" or not scalar:
        return _wrong_type(path, words, found)
    if violation.keyword == "pattern":
        # A value in the wrong form may be a password, so it is not shown.
        return _Finding("config-invalid-value", path, f"must be {words}", "write it in that form")
    hint = suggestions.did_you_mean(found, wanted, f"write {words}")
    return _Finding("config-invalid-value", path, f"{found!r} is not accepted; it must be {words}", hint)


def _wrong_type(path: Path, words: str, found: Any) -> _Finding:
    text = "a string" in words and not isinstance(found, (dict, list, str, type(None)))
    hint = "put it in quotes" if text else f"write {words}"
    return _Finding("config-wrong-type", path, f"must be {words}, but is {word_for(found)}", hint)


def _unknown(path: Path, name: Any, known: Sequence[Any], root: dict[str, Any]) -> _Finding:
    where = f" in {show(path)}" if path else ""
    otherwise = "cloud-init ignores it; remove it or correct its name"
    if path and name in (root.get("properties") or ()):
        otherwise = f"{name} is a key of the top level; check the indentation"
    hint = suggestions.did_you_mean(name, known, otherwise)
    close = [key for key in known if isinstance(key, str) and isinstance(name, str) and is_similar(name, key)]
    correction = close[0] if len(close) == 1 else None
    return _Finding("config-unknown-key", (*path, name), f"unknown key {name!r}{where}", hint, correction)


class _KeyOrigins:
    """Where keys are written; a finding about a key is there, and not at its value."""

    def __init__(self, checked: Checked) -> None:
        self._checked = checked

    @cached_property
    def _written(self) -> dict[Path, list[Origin]]:
        found: dict[Path, list[Origin]] = {}
        for layer in self._checked.layers:
            for path in mapping_paths(layer.node.value):
                mapping = layer.node.at(path)
                if not isinstance(mapping, SourceNode):
                    continue
                for key in mapping.value:
                    if (origin := mapping.key_origin(key)) is not None:
                        found.setdefault((*layer.path, *path, key), []).append(origin)
        return found

    def of(self, path: Path, node: Node, value: Origin | None) -> Origin | None:
        """Where the key of a value is; the one in the file of the value, where several files set it."""
        origins = self._written.get(path, [])
        same_file = [each for each in origins if value is not None and each.source == value.source]
        found = same_file or origins
        return found[-1] if found else _key_of(node) or value


def _key_of(node: Node) -> Origin | None:
    """Where the key of a value in an item of a list is, if it was written once."""
    written = list(islice(source_nodes_of(node), 2))
    return key_origin(written[0]) if len(written) == 1 else None


def _note(finding: _Finding, node: Node, keys: _KeyOrigins) -> Note:
    code, path, message, hint, correction = finding
    named = message if code == "config-unknown-key" or not path else f"{show(path)}: {message}"
    severity = Severity.INFO if code == "config-deprecated" else Severity.WARNING
    at = first_origin(node.at(path))
    if code in _ABOUT_KEYS:
        at = keys.of(path, node.at(path), at)
    fix = _renaming(path, correction, node, at) if correction and at else None
    return Diagnostic(code=code, message=named, at=at, path=path, hint=hint, severity=severity, fix=fix)


def _renaming(path: Path, correction: str, node: Node, at: Origin) -> Fix | None:
    """The fix that renames a key, unless the right one is set as well."""
    right = (*path[:-1], correction)
    if walk(node.value, right) is not MISSING:
        return None
    value = walk(node.value, path)
    effects = (Effect(OUTPUT, path, value, MISSING), Effect(OUTPUT, right, MISSING, value))
    return Fix(title=f"write {correction}", action="rename", at=at, old=str(path[-1]), new=correction, effects=effects)
