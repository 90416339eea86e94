"""Writing layers that were converted from another system as a Hiera tree: hiera.yaml, data, and facts of nodes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from lamina import plugin as lp
from lamina.dialects.hiera import psych_reader
from lamina.dialects.hiera.lookup import OPTIONS_KEY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_FACT: Final = re.compile(r"\{([^{}]*)\}")
_REFERENCE: Final = re.compile(r"\$\$\{|\$\{([^{}]*)\}")
_OPTIONS_FILE: Final = "lookup_options.yaml"


def convert_to(layers: lp.LayeredSet, folder: str) -> lp.WrittenSet:
    """The tree of a hierarchy, below a folder."""
    if not layers.entries:
        raise lp.UsageError(
            lp.Diagnostic(
                code="cannot-convert",
                message="only a hierarchy with nodes can be converted to Hiera, not files that are merged in a row",
                hint="convert them to layers",
            )
        )
    options, remarks = _options_of(layers)
    has_references = layers.settings.get("references") is not False
    files = {f"data/{name}": _text(file, has_references=has_references) for name, file in layers.files.items()}
    if options:
        files[f"data/{_OPTIONS_FILE}"] = lp.write_yaml({OPTIONS_KEY: options}).encode()
    files["hiera.yaml"] = lp.write_yaml(_config(layers, with_options=bool(options))).encode()
    for target in layers.targets:
        if target.left_out is None:
            files[f"facts/{target.name}.yaml"] = lp.write_yaml(dict(target.facts)).encode()
    about = f"converted from {layers.about}"
    found = lp.FoundTargets(folder.strip("/") or "nodes", about, {"nodes": folder.rstrip("/") or "."})
    return lp.WrittenSet({folder + name: data for name, data in files.items()}, [found], remarks)


def _config(layers: lp.LayeredSet, *, with_options: bool) -> dict[str, Any]:
    levels = [{"name": entry, "path": _FACT.sub(_variable, entry)} for entry in reversed(layers.entries or ())]
    if with_options:
        levels.append({"name": "how keys are merged", "path": _OPTIONS_FILE})
    return {"version": 5, "defaults": {"datadir": "data", "data_hash": "yaml_data"}, "hierarchy": levels}


def _variable(match: re.Match[str]) -> str:
    return "%{trusted.certname}" if match[1] == "name" else f"%{{facts.{match[1]}}}"


def _text(file: lp.ConvertedFile, *, has_references: bool) -> bytes:
    def expression(text: str) -> str:
        return _with_expressions(text, has_references=has_references)

    before = file.rewritten
    rewritten: Callable[[str], str] = expression if before is None else lambda text: expression(before(text))
    value = _mapped(file.value, expression)
    kept = lp.ConvertedFile(file.name, value, file.source, rewritten).kept(_read)
    return lp.write_yaml(value).encode() if kept is None else kept


def _with_expressions(text: str, *, has_references: bool) -> str:
    """A string with lookups instead of references; what would be an expression of Hiera is escaped."""
    escaped = text.replace("%{", "%{literal('%')}{")
    if not has_references:
        return escaped

    def lookup(match: re.Match[str]) -> str:
        if match[1] is None:
            return "${"
        return f"%{{alias('{match[1]}')}}" if match[0] == text else f"%{{lookup('{match[1]}')}}"

    return _REFERENCE.sub(lookup, escaped)


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, dict):
        return {key: _mapped(each, change) for key, each in value.items()}
    if isinstance(value, list):
        return [_mapped(each, change) for each in value]
    return change(value) if isinstance(value, str) else value


def _read(name: str, data: bytes) -> Any:
    try:
        return psych_reader.read(lp.Source(name, data)).value
    except lp.InputError:
        return lp.MISSING


def _options_of(layers: lp.LayeredSet) -> tuple[dict[str, Any], list[lp.ConversionRemark]]:
    """The strategy of each key, and what none of them does."""
    rules = lp.RuleLookup(layers.settings.get("rules", ()))
    values = lp.values_by_path(layers)
    options: dict[str, Any] = {}
    remarks: list[lp.ConversionRemark] = []
    for key in [path[0] for path in values if len(path) == 1]:
        strategy = _strategy(key, rules, values)
        if strategy is not None:
            options[str(key)] = {"merge": strategy}
        for path, why in _not_expressible(key, strategy, rules, values):
            remarks.append(lp.ConversionRemark(what=lp.show(path), why=why, path=path))
    return options, remarks


def _strategy(key: Any, rules: lp.RuleLookup, values: dict[lp.Path, list[Any]]) -> Any:
    rule = rules.at((key,))
    rule_word = rule["merge"]
    if rule_word == "unique":
        return "unique" if rule.get("first") == "later" else "deep"
    if rule_word != "deep" or not any(isinstance(value, dict) for value in values[(key,)]):
        return None
    inside = [path for path, found in values.items() if len(path) == 2 and path[0] == key and _has(found, dict)]
    if inside and all(rules.at(path)["merge"] == "take" for path in inside):
        return "hash"
    prefix = rule.get("knockout")
    return {"strategy": "deep", "knockout_prefix": prefix} if prefix else "deep"


def _not_expressible(
    key: Any, strategy: Any, rules: lp.RuleLookup, values: dict[lp.Path, list[Any]]
) -> Iterator[tuple[lp.Path, str]]:
    """The paths of a key where no strategy does what its rules say."""
    rule_word = rules.at((key,))["merge"]
    if rule_word not in ("take", "deep", "unique"):
        yield (key,), f"merge: {rule_word} has no counterpart"
        return
    if strategy in (None, "unique"):
        return
    for path, found in values.items():
        if path[0] != key or len(path) == 1:
            continue
        rule = rules.at(path)
        if strategy == "hash":
            if rule["merge"] != "take" and _has(found, list):
                yield path, f"merge: {rule['merge']} below a key that is merged by hash"
        elif _has(found, list) and (rule["merge"] != "unique" or rule.get("first") == "later"):
            yield path, "deep joins lists, the lower level's items first, each once"
        elif _has(found, dict) and rule["merge"] == "take":
            yield path, "deep merges mappings at every depth"


def _has(values: list[Any], kind: type) -> bool:
    return any(isinstance(value, kind) for value in values)
