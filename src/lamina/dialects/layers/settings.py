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

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lamina.dialects.layers.options import LayersOptions

NULLS: Final = ("keep", "ignore", "delete", "delete-defaults")
FIRST: Final = ("earlier", "later")
ITEMS: Final = ("merge", "take")
RULE_FIELDS: Final = (
    *("path", "merge", "key", "split", "part", "short", "otherwise", "member", "single"),
    *("separator", "knockout", "first", "items"),
)
FIELDS: Final = ("preset", "nulls", "lists", "references", "lock", "rules", "required", "schema")
HIERARCHY_FIELDS: Final = (*FIELDS, "layers", "inventory", "nodes")
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


class Reader:
    """Reads the fields of a file one by one and gathers what is wrong."""

    def __init__(self, node: lp.Node, code: str = "invalid-rules") -> None:
        self.node = node
        self.findings: list[lp.Diagnostic] = []
        self._code = code

    def add_error(self, path: lp.Path, message: str, hint: str) -> None:
        """Add a finding about what is at a path."""
        node = self.node.at(path)
        at = node.origin() or self._nearest(path)
        self.findings.append(lp.Diagnostic(code=self._code, message=message, at=at, hint=hint))

    def _nearest(self, path: lp.Path) -> lp.Origin | None:
        while path:
            path = path[:-1]
            if (at := self.node.at(path).origin()) is not None:
                return at
        return self.node.origin()

    def unknown_key(self, path: lp.Path, known: Sequence[str], what: str) -> None:
        """Add a finding about a key that is not known."""
        holder, key = self.node.at(path[:-1]), path[-1]
        at = holder.key_origin(key) if isinstance(holder, lp.SourceNode) else None
        message = f"{what} has no field {key!r}" if isinstance(key, str) else f"{what} has no field {lp.show((key,))}"
        hint = lp.did_you_mean(str(key), known)
        self.findings.append(lp.Diagnostic(code=self._code, message=message, at=at or holder.origin(), hint=hint))

    def check_keys(self, path: lp.Path, known: Sequence[str], what: str) -> None:
        for key in self.node.at(path).value:
            if key not in known:
                self.unknown_key((*path, key), known, what)

    def value(self, path: lp.Path, types: type | tuple[type, ...], expected: str) -> Any:
        """What is at a path, if it has the right type; None if there is nothing."""
        found = self.node.at(path).value
        if found is lp.MISSING:
            return None
        if not isinstance(found, types) or (isinstance(found, bool) and types is not bool):
            self.add_error(path, f"{lp.show(path)} must be {expected}, not {lp.word_for(found)}", f"write {expected}")
            return None
        return found

    def word(self, path: lp.Path, known: Sequence[str]) -> str | None:
        """One of some words."""
        found = self.value(path, str, f"one of {', '.join(known)}")
        if found is not None and found not in known:
            self.add_error(path, f"{lp.show(path)} cannot be {found!r}", lp.did_you_mean(found, known))
            return None
        return str(found) if found is not None else None

    def strings(self, path: lp.Path, expected: str) -> Iterator[tuple[lp.Path, str]]:
        """A string or a list of strings, each with its path."""
        found = self.value(path, (str, list), expected)
        if isinstance(found, str):
            yield path, found
            return
        for position, item in enumerate(found or ()):
            if isinstance(item, str):
                yield (*path, position), item
            else:
                self.add_error((*path, position), f"{lp.show((*path, position))} must be a string", f"write {expected}")

    def finish(self) -> None:
        """Reject the file if anything is wrong with it."""
        if self.findings:
            raise lp.Reject(*self.findings)


def settings_of(
    inputs: lp.Inputs, options: LayersOptions, hierarchy: tuple[lp.Source, lpf.Files] | None
) -> LayerSettings:
    """What holds for these inputs: the options first, then the rules file, then the file of the folder, the preset."""
    found = LayerSettings()
    if hierarchy is not None:
        found = _read(documents.read(hierarchy[0], inputs.run).root(hierarchy[0].name), hierarchy[1], HIERARCHY_FIELDS)
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
        return _read(lp.LiteralNode(rules, ()), inputs.files, FIELDS)
    source, files = documents.option_file(inputs, rules)
    return _read(documents.read(source, inputs.run).root(source.name), files, FIELDS)


def preset_settings(name: str, run: lp.Run) -> LayerSettings:
    """What a preset says."""
    path = _PRESET_FOLDER / f"{name}.toml"
    source = lp.Source(f"preset {name}", path.read_bytes())
    return _read(lp.read_toml(source, run).root(source.name), None, FIELDS)


def _read(node: lp.Node, files: lpf.Files | None, known: Sequence[str]) -> LayerSettings:
    reader = Reader(node)
    if node.value is None:
        return LayerSettings(files=files)
    if not isinstance(node.value, dict):
        reader.add_error((), f"rules must be a mapping, not {lp.word_for(node.value)}", f"known: {', '.join(known)}")
        reader.finish()
    reader.check_keys((), known, "a rules file")
    schema = reader.value(("schema",), str, "the name of a file")
    settings = LayerSettings(
        preset=reader.word(("preset",), (*PRESETS, NO_PRESET)),
        nulls=reader.word(("nulls",), NULLS),
        lists=reader.word(("lists",), LIST_WORDS),
        references=reader.value(("references",), bool, "true or false"),
        rules=(*_locks(reader), *_rules(reader)),
        required=tuple(_required(reader)),
        schema=(schema, node.at(("schema",)).origin()) if schema is not None else None,
        files=files,
        hierarchy=node if isinstance(node, lp.SourceNode) and "layers" in known else None,
    )
    reader.finish()
    return settings


def _locks(reader: Reader) -> Iterator[Rule]:
    for path, text in reader.strings(("lock",), "a path, or a list of paths"):
        yield from _for_pattern(reader, path, text, RuleMerge("lock"), reader.node.at(path).origin())


def _rules(reader: Reader) -> Iterator[Rule]:
    found = reader.value(("rules",), list, "a list of rules, such as {path: users, merge: append}")
    for position, entry in enumerate(found or ()):
        at: lp.Path = ("rules", position)
        if not isinstance(entry, dict):
            reader.add_error(at, f"a rule must be a mapping, not {lp.word_for(entry)}", "write path and merge")
            continue
        reader.check_keys(at, RULE_FIELDS, "a rule")
        patterns = list(reader.strings((*at, "path"), "a path, or a list of paths"))
        if "path" not in entry:
            reader.add_error(at, "a rule needs a path", 'add one, such as path: users, or path: "**" for all')
        merging = _merging(reader, at, entry)
        for path, text in patterns:
            if merging is not None:
                yield from _for_pattern(reader, path, text, merging, reader.node.at(at).origin())


def _for_pattern(
    reader: Reader, path: lp.Path, text: str, merging: RuleMerge, origin: lp.Origin | None
) -> Iterator[Rule]:
    try:
        yield Rule(text, parse_pattern(text), merging, origin)
    except BadPathPattern as error:
        hint = 'write keys with dots between them (a.b, a.*.c, a.**), and quote keys with odd characters (a."b.c")'
        reader.add_error(path, f"{text!r} is not a path: {error}", hint)


def _merging(reader: Reader, at: lp.Path, entry: dict[Any, Any]) -> RuleMerge | None:
    if "merge" not in entry:
        reader.add_error(at, "a rule needs merge", f"add merge: one of {', '.join(WORDS)}")
        return None
    word = reader.word((*at, "merge"), WORDS)
    if word is None:
        return None
    for name, words in WITH_WORD.items():
        if name in entry and word not in words:
            usable = " or ".join(words)
            reader.add_error((*at, name), f"{name} has no effect with merge: {word}", f"it is for {usable}")
    fields = tuple(text for _, text in reader.strings((*at, "key"), "a key, or a list of keys"))
    split = _filled(reader, (*at, "split"))
    if word == "by-key" and ("key" in entry) == ("split" in entry):
        hint = (
            "key names the keys of items that are mappings; split and part take the key out of items that are strings"
        )
        reader.add_error(at, "merge: by-key needs either key or split", hint)
    part = reader.value((*at, "part"), int, "a number from 1 on")
    if part is not None and part < 1:
        reader.add_error((*at, "part"), f"part counts from 1, it cannot be {part}", "write a number from 1 on")
    return RuleMerge(
        word,
        fields,
        split,
        part or 1,
        separator=reader.value((*at, "separator"), str, "a string") or "",
        knockout=_filled(reader, (*at, "knockout")),
        first=reader.word((*at, "first"), FIRST) or "earlier",
        items=reader.word((*at, "items"), ITEMS) or "merge",
        short=_short_form(reader, at, entry),
        otherwise=_otherwise(reader, at),
        member=entry.get("member"),
        single=reader.value((*at, "single"), bool, "true or false") or False,
    )


def _short_form(reader: Reader, at: lp.Path, entry: dict[Any, Any]) -> str | None:
    found = _filled(reader, (*at, "short"))
    if found is None:
        return None
    if "key" not in entry:
        reader.add_error((*at, "short"), "short needs key", "key names the keys that short and long items are known by")
    try:
        lpf.SafePattern(found)
    except lpf.BadPattern as error:
        reader.add_error((*at, "short"), str(error), "write a regular expression with named groups, as in Python")
        return None
    return found


def _otherwise(reader: Reader, at: lp.Path) -> tuple[tuple[str, str], ...]:
    found = reader.value((*at, "otherwise"), dict, "a table of strings")
    for name, value in (found or {}).items():
        if not isinstance(value, str):
            reader.add_error((*at, "otherwise", name), f"otherwise.{name} must be a string", "write it in quotes")
            return ()
    return tuple((found or {}).items())


def _filled(reader: Reader, path: lp.Path) -> str | None:
    """A string that must not be empty."""
    found = reader.value(path, str, "a string")
    if found == "":
        reader.add_error(path, f"{lp.show(path)} must not be empty", "write at least one character, such as --")
    return found or None


def _required(reader: Reader) -> Iterable[Required]:
    for path, text in reader.strings(("required",), "a path, or a list of paths"):
        try:
            yield Required(lp.parse_path(text), reader.node.at(path).origin())
        except lp.UsageError as error:
            reader.add_error(path, error.diagnostic.message, error.diagnostic.hint or "")
