"""Merge rules: how a part says it is to be merged.

A rule is an ordered list of mergers with options. It is written as a string, `list(append)+dict(recurse_list)+str()`,
or inside a YAML body as a list of `{name: N, settings: [...]}` or `[N, option, ...]`.

The string form is cut at every `+`, also inside parentheses. Each piece is lower-cased and trimmed, and every `-`
becomes `_`; a piece must be a name, at once an opening parenthesis, and at the very end a closing one. Options are cut
at commas. The list forms keep case; only the mapping form turns `-` into `_`, and only in names.

`settings` may be any container: the program only asks whether an option is in it. A string is searched for the option
as a part of it (so `no_replace` is also `replace`), and of a mapping the keys count whatever their values.

The key is `merge_how`, else `merge_type`; a null counts as absent. The key that was read is not part of the data.
See Merging in docs/reference/cloud-init.md; golden cases in formats.json.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lamina.dialects.cloudinit import messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from lamina.engine.node import SourceNode
    from lamina.errors import Diagnostic
    from lamina.origins import Origin

BODY_KEYS = ("merge_how", "merge_type")
GRAMMAR = "name(option,option)+name(option)"

_MERGER = re.compile(r"([a-z_][a-z0-9_]*)\((.*)\)")
_BUILT_IN = ("dict", "list", "str")


@dataclass(frozen=True, slots=True)
class Merger:
    """One entry of a rule: the name of a merger and the container of its options."""

    name: Any
    options: Any

    def has(self, option: str) -> bool:
        """Whether an option is given, by the program's test."""
        return option in self.options

    def __str__(self) -> str:
        listed = self.options if isinstance(self.options, str) else ",".join(str(option) for option in self.options)
        return f"{self.name}({listed})"


@dataclass(frozen=True, slots=True)
class MergeRule:
    """Mergers in order, and where they were written."""

    mergers: tuple[Merger, ...] = ()
    origin: Origin | None = None

    def __str__(self) -> str:
        return "+".join(str(merger) for merger in self.mergers)

    def __add__(self, other: MergeRule) -> MergeRule:
        """This rule first, then the other one's mergers."""
        return MergeRule(self.mergers + other.mergers, self.origin or other.origin)

    def __bool__(self) -> bool:
        return bool(self.mergers)


class BadRule(Exception):
    """A rule that cannot be read, with the kind of error that cloud-init has."""

    def __init__(self, finding: Diagnostic) -> None:
        super().__init__(finding)
        self.finding = finding


def parse_text(text: str, origin: Origin | None = None) -> MergeRule:
    """A rule from its string form."""
    mergers = _mergers_in(text)
    if isinstance(mergers, str):
        raise BadRule(_bad_string(text, mergers, origin))
    return MergeRule(mergers, origin)


def _mergers_in(text: str) -> tuple[Merger, ...] | str:
    """The mergers a string names, or the first piece of it that is not a merger."""
    mergers = []
    for raw in text.split("+"):
        part = raw.lower().strip().replace("-", "_")
        if not part:
            continue
        match = _MERGER.fullmatch(part)
        if match is None:
            return raw.strip()
        options = [option.strip() for option in match[2].split(",")]
        mergers.append(Merger(match[1], tuple(option for option in options if option)))
    return tuple(mergers)


def _bad_string(text: str, part: str, origin: Origin | None) -> Diagnostic:
    name = re.match(r"[A-Za-z_]*", part)
    from lamina._support import suggestions

    near = suggestions.nearest(name[0].lower() if name else "", _BUILT_IN)
    example = f"{near}()" if near else "list(append)"
    within = f" in {text!r}" if part != text.strip() else ""
    return messages.BAD_MERGE_STRING.at(origin, part=part, within=within, grammar=GRAMMAR, example=example)


def parse_body(value: Any, origin: Origin | None = None) -> MergeRule:
    """A rule from what is under `merge_how` or `merge_type` in a body."""
    if isinstance(value, str):
        return parse_text(value, origin)
    if not isinstance(value, (list, tuple, dict)):
        raise BadRule(messages.NOT_A_RULE.at(origin, value=value, grammar=GRAMMAR))
    mergers = [_entry(entry, origin) for entry in value]
    return MergeRule(tuple(merger for merger in mergers if merger.name), origin)


def _entry(entry: Any, origin: Origin | None) -> Merger:
    if isinstance(entry, dict):
        for key in ("name", "settings"):
            if key not in entry:
                raise BadRule(_missing_key(entry, key, origin))
        if not isinstance(entry["name"], str):
            raise BadRule(messages.NOT_A_NAME.at(origin, value=entry["name"], grammar=GRAMMAR))
        settings = entry["settings"]
        return Merger(entry["name"].replace("-", "_").strip(), tuple(settings) if type(settings) is list else settings)
    if not isinstance(entry, (list, tuple, str)) or not entry:
        raise BadRule(messages.NOT_A_MERGER.at(origin, value=entry, grammar=GRAMMAR))
    # A string here is read character by character, as the program does (case merge-how-list-of-strings).
    rest = entry[1:]
    return Merger(entry[0], rest if isinstance(entry, str) else tuple(rest))


def _missing_key(entry: Any, key: str, origin: Origin | None) -> Diagnostic:
    return messages.BAD_MERGER_ENTRY.at(origin, entry=entry, key=key)


def rule_in(value: dict[Any, Any], origin_of: Callable[[str], Origin | None]) -> tuple[MergeRule, list[str]]:
    """The rule in a mapping, and the keys that were read for it: a null counts as absent, but is removed."""
    read: list[str] = []
    for key in BODY_KEYS:
        if key not in value:
            continue
        read.append(key)
        if value[key] is not None:
            return parse_body(value[key], origin_of(key)), read
    return MergeRule(), read


def body_rule(node: SourceNode) -> tuple[MergeRule, SourceNode]:
    """The rule in a body and the body without it."""
    rule, read = rule_in(node.value, node.key_origin)
    return rule, node.without(read)
