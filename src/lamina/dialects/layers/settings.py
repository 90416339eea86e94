"""What a rules file says: rules by path, nulls, lists, required keys, a schema; in a folder also its layers and nodes.

Presets are such files too. All that is wrong with a file is reported at once, each with its line.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.layers import documents
from lamina.dialects.layers.detect import preset_by_name
from lamina.dialects.layers.options import NO_PRESET, PRESETS
from lamina.dialects.layers.path_patterns import BadPathPattern, PathPattern, parse_pattern
from lamina.dialects.layers.rule_tables import LIST_WORDS, WORDS, RuleMerge
from lamina.plugin import formats as lpf
from lamina.plugin import settings as lps

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lamina.dialects.layers.options import LayersOptions

NULLS: Final = ("keep", "ignore", "delete", "delete-defaults")
FIRST: Final = ("earlier", "later")
ITEMS: Final = ("merge", "take")
WITH_WORD: Final[Mapping[str, tuple[str, ...]]] = {
    "key": ("by-key",),
    "split": ("by-key",),
    "part": ("by-key",),
    "short": ("by-key",),
    "otherwise": ("by-key",),
    "member": ("by-key",),
    "single": ("append", "prepend", "unique", "by-key"),
    "separator": ("join",),
    "knockout": ("deep", "append", "prepend", "unique", "by-key"),
    "first": ("unique", "by-key"),
    "items": ("by-key",),
}
"""The words that a field of a rule can be used with."""
_PRESET_FOLDER = FilePath(__file__).parent / "presets"

_PATHS: Final = "a path, or a list of paths"
_RULE: Final = lps.Form(
    "a rule",
    lps.strings("path", _PATHS, needed='add path: users, or path: "**" for all'),
    lps.word("merge", WORDS, needed=f"add merge: one of {', '.join(WORDS)}"),
    lps.strings("key", "a key, or a list of keys"),
    lps.text("split", "a string that is not empty", filled=True),
    lps.number("part", 1, default=1),
    lps.text("short", "a string that is not empty", filled=True),
    lps.named_strings("otherwise"),
    lps.anything("member"),
    lps.flag("single", default=False),
    lps.text("separator", default=""),
    lps.text("knockout", "a string that is not empty, such as --", filled=True),
    lps.word("first", FIRST, default="earlier"),
    lps.word("items", ITEMS, default="merge"),
    hint="write path and merge",
)
_FIELDS: Final = (
    lps.word("preset", (*PRESETS, NO_PRESET)),
    lps.word("nulls", NULLS),
    lps.word("lists", LIST_WORDS),
    lps.flag("references"),
    lps.strings("lock", _PATHS),
    lps.tables("rules", _RULE, "a list of rules, such as {path: users, merge: append}"),
    lps.strings("required", _PATHS),
    lps.text("schema", "the name of a file"),
)
_RULES_FILE: Final = lps.Form("a rules file", *_FIELDS)
_HIERARCHY_FILE: Final = lps.Form(
    "a rules file", *_FIELDS, *(lps.anything(name) for name in ("layers", "inventory", "nodes"))
)


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One rule for one pattern of paths."""

    text: str
    pattern: PathPattern
    merging: RuleMerge
    origin: lp.Origin | None = None

    @property
    def label(self) -> str:
        return f"rule {self.text}: {self.merging.word}"


@dataclass(frozen=True, slots=True)
class Required:
    """A path that the result must have."""

    path: lp.Path
    origin: lp.Origin | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerSettings:
    """What a rules file, its preset and the options say together."""

    nulls: str | None = None
    lists: str | None = None
    references: bool | None = None
    rules: tuple[Rule, ...] = ()
    required: tuple[Required, ...] = ()
    schema: tuple[str, lp.Origin | None] | None = None
    preset: str | None = None
    by_name: str | None = None
    """The preset, if the names of the files are all that speaks for it."""
    files: lpf.Files | None = None
    """The files that the rules file may name."""
    hierarchy: lp.SourceNode | None = field(default=None, repr=False)
    """The whole file, where it is the one of a folder."""

    def with_base(self, base: LayerSettings) -> LayerSettings:
        """These settings, with those of a preset where they say nothing."""
        return replace(
            self,
            nulls=self.nulls or base.nulls,
            lists=self.lists or base.lists,
            references=base.references if self.references is None else self.references,
            rules=(*self.rules, *base.rules),
        )


def settings_of(
    inputs: lp.Inputs, options: LayersOptions, hierarchy: tuple[lp.Source, lpf.Files] | None
) -> LayerSettings:
    """What holds for these inputs: the options first, then the rules file, then the file of the folder, the preset."""
    found = LayerSettings()
    if hierarchy is not None:
        found = _read(documents.read(hierarchy[0], inputs.run).root(hierarchy[0].name), hierarchy[1], _HIERARCHY_FILE)
    if options.rules is not None:
        given = _given_rules(inputs, options.rules)
        found = replace(
            given.with_base(found),
            required=(*given.required, *found.required),
            schema=given.schema or found.schema,
            files=given.files if given.schema else found.files,
            preset=given.preset or found.preset,
            hierarchy=found.hierarchy,
        )
    preset, by_name = options.preset or found.preset, None
    if preset is None and options.rules is None and hierarchy is None:
        preset = by_name = preset_by_name(inputs)
    if preset and preset != NO_PRESET:
        found = found.with_base(preset_settings(preset, inputs.run))
    off = False if options.no_references else found.references
    return replace(found, preset=preset, by_name=by_name, nulls=options.null or found.nulls, references=off)


def _given_rules(inputs: lp.Inputs, rules: Any) -> LayerSettings:
    """Rules that an option names or holds."""
    if not isinstance(rules, str):
        return _read(lp.LiteralNode(rules, ()), inputs.files, _RULES_FILE)
    source, files = documents.option_file(inputs, rules)
    return _read(documents.read(source, inputs.run).root(source.name), files, _RULES_FILE)


def preset_settings(name: str, run: lp.Run) -> LayerSettings:
    """What a preset says."""
    path = _PRESET_FOLDER / f"{name}.toml"
    source = lp.Source(f"preset {name}", path.read_bytes())
    return _read(lpf.read_toml(source, run).root(source.name), None, _RULES_FILE)


def _read(node: lp.Node, files: lpf.Files | None, form: lps.Form) -> LayerSettings:
    if node.value is None:
        return LayerSettings(files=files)
    settings = lps.Settings(node, form, "invalid-rules")
    found = LayerSettings(
        preset=settings["preset"],
        nulls=settings["nulls"],
        lists=settings["lists"],
        references=settings["references"],
        rules=(*_locks(settings), *_rules(settings)),
        required=tuple(_required(settings)),
        schema=None if settings["schema"] is None else (settings["schema"], settings.node.child("schema").origin()),
        files=files,
        hierarchy=node if isinstance(node, lp.SourceNode) and form is _HIERARCHY_FILE else None,
    )
    settings.finish()
    return found


def _locks(settings: lps.Settings) -> Iterator[Rule]:
    for path in settings["lock"]:
        yield from _for_pattern(settings, path, RuleMerge("lock"), path.at)


def _rules(settings: lps.Settings) -> Iterator[Rule]:
    for rule in settings["rules"] or ():
        if (merging := _merging(rule)) is not None:
            for path in rule["path"]:
                yield from _for_pattern(settings, path, merging, rule.place())


def _for_pattern(
    settings: lps.Settings, path: lps.Written, merging: RuleMerge, origin: lp.Origin | None
) -> Iterator[Rule]:
    try:
        yield Rule(path.text, parse_pattern(path.text), merging, origin)
    except BadPathPattern as error:
        hint = 'write keys with dots between them (a.b, a.*.c, a.**), and quote keys with odd characters (a."b.c")'
        settings.add_error(path.at, f"{path.text!r} is not a path: {error}", hint)


def _merging(rule: lps.Settings) -> RuleMerge | None:
    word = rule["merge"]
    if word is None:
        return None
    for name, words in WITH_WORD.items():
        if name in rule and word not in words:
            rule.add_error(name, f"{name} has no effect with merge: {word}", f"it is for {' or '.join(words)}")
    if word == "by-key" and ("key" in rule) == ("split" in rule):
        hint = (
            "key names the keys of items that are mappings; split and part take the key out of items that are strings"
        )
        rule.add_error(None, "merge: by-key needs either key or split", hint)
    return RuleMerge(
        word,
        tuple(key.text for key in rule["key"]),
        rule["split"],
        rule["part"],
        separator=rule["separator"],
        knockout=rule["knockout"],
        first=rule["first"],
        items=rule["items"],
        short=_short_form(rule),
        otherwise=tuple(rule["otherwise"].items()),
        member=rule["member"],
        single=rule["single"],
    )


def _short_form(rule: lps.Settings) -> str | None:
    pattern: str | None = rule["short"]
    if pattern is None:
        return None
    if "key" not in rule:
        rule.add_error("short", "short needs key", "key names the keys that short and long items are known by")
    try:
        lpf.SafePattern(pattern)
    except lpf.BadPattern as error:
        rule.add_error("short", str(error), "write a regular expression with named groups, as in Python")
    return pattern


def _required(settings: lps.Settings) -> Iterator[Required]:
    for path in settings["required"]:
        try:
            yield Required(lp.parse_path(path.text), path.at)
        except lp.UsageError as error:
            settings.add_error(path.at, error.diagnostic.message, error.diagnostic.hint or "")
