"""Writing layers that were converted from another system as a Datum tree: Datum.yml, data, and files of nodes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lamina.dialects.conversion import ConversionRemark, ConvertedDifference, WrittenSet
from lamina.dialects.datum.tree import YAML_ENDINGS, base_name, read_document
from lamina.dialects.extensions import FoundTargets
from lamina.dialects.rule_lookup import RuleLookup, values_by_path
from lamina.errors import Diagnostic, InputError, UsageError
from lamina.paths import MISSING, show
from lamina.sources.powershell.case_insensitive import folded, with_case
from lamina.sources.source import Source
from lamina.sources.yaml.writer import dump

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lamina.dialects.conversion import ConvertedFile, LayeredSet
    from lamina.paths import Path

_FACT: Final = re.compile(r"\{([^{}]*)\}")
_DATA: Final = "Data"
_NODES: Final = "AllNodes"
_PER_LIST: Final = {("unique", "later"): "Unique", ("prepend", None): "Sum"}


def convert_to(layers: LayeredSet, folder: str) -> WrittenSet:
    """The tree of a hierarchy, below a folder."""
    if not layers.entries:
        raise UsageError(
            Diagnostic(
                code="cannot-convert",
                message="only a hierarchy with nodes can be converted to Datum, not files that are merged in a row",
                hint="convert them to layers",
            )
        )
    conversion = _DatumEntries(layers)
    files = {f"{_DATA}/{_with_ending(name)}": _text(file) for name, file in layers.files.items()}
    files["Datum.yml"] = dump(_definition(layers, conversion.options())).encode()
    for target in layers.targets:
        if target.left_out is None:
            files[f"{_NODES}/{target.name}.yml"] = dump({"NodeName": target.name, **target.facts}).encode()
    about = f"converted from {layers.about}"
    found = FoundTargets(folder.strip("/") or "nodes", about, {"nodes": folder.rstrip("/") or "."})
    written = {folder + name: data for name, data in files.items()}
    own = {folded(key) for target in layers.targets for key in ("NodeName", "Name", *target.facts)}
    return WrittenSet(written, [found], conversion.remarks, [lambda difference: _reason(difference, own)])


def _with_ending(name: str) -> str:
    """A file name with an extension that Datum reads as YAML."""
    return name if name.endswith(YAML_ENDINGS) else f"{base_name(name)}.yaml"


def _definition(layers: LayeredSet, options: dict[str, Any]) -> dict[str, Any]:
    precedence = [_FACT.sub(_property, base_name(f"{_DATA}/{entry}")) for entry in reversed(layers.entries or ())]
    stores = [
        {"StoreName": name, "StoreProvider": "Datum::File", "StoreOptions": {"Path": f"./{name}"}}
        for name in (_NODES, _DATA)
    ]
    definition = {"ResolutionPrecedence": [path.replace("/", "\\") for path in precedence], "DatumStructure": stores}
    return {**definition, "default_lookup_options": "MostSpecific", **({"lookup_options": options} if options else {})}


def _property(match: re.Match[str]) -> str:
    return "$($Node.NodeName)" if match[1] == "name" else f"$($Node.{match[1]})"


def _text(file: ConvertedFile) -> bytes:
    kept = replace(file, name=_with_ending(file.name)).kept(_read)
    return dump(file.value).encode() if kept is None else kept


def _read(name: str, data: bytes) -> Any:
    try:
        return with_case(read_document(Source(name, data)).value)
    except InputError:
        return MISSING


class _DatumEntries:
    """lookup_options for the rules of a set."""

    def __init__(self, layers: LayeredSet) -> None:
        self._rules = RuleLookup(layers.settings.get("rules", ()))
        self._values = values_by_path(layers)
        self.remarks: list[ConversionRemark] = []

    def options(self) -> dict[str, Any]:
        """An option entry for each path that is not merged by the default."""
        self._check_keys()
        found: dict[str, Any] = {}
        for key in [path[0] for path in self._values if len(path) == 1]:
            found.update(self._of_path((key,)))
        return found

    def _check_keys(self) -> None:
        spellings: dict[tuple[str, ...], Path] = {}
        for path in self._values:
            plain = tuple(folded(str(step)) for step in path)
            if spellings.setdefault(plain, path) != path:
                self._remark(path, f"Datum does not tell it from {show(spellings[plain])}: keys count without case")
            elif any(sign in str(path[-1]) for sign in "\\/"):
                self._remark(path, "a key with a slash cannot be looked up in Datum")

    def _of_path(self, path: Path) -> Iterator[tuple[str, Any]]:
        rule, found = self._rules.at(path), self._values[path]
        if rule["merge"] == "take":
            return
        entry = self._entry(path, rule, found)
        if entry is not None:
            yield "\\".join(map(str, path)), entry
        if not any(isinstance(value, dict) for value in found):
            return
        for inner in [each for each in self._values if len(each) == len(path) + 1 and each[: len(path)] == path]:
            is_table = any(isinstance(value, dict) for value in self._values[inner])
            if is_table and self._rules.at(inner)["merge"] == "take":
                yield "\\".join(map(str, inner)), "MostSpecific"
            else:
                yield from self._of_path(inner)

    def _entry(self, path: Path, rule: dict[str, Any], found: list[Any]) -> dict[str, Any] | None:
        knockout = {"knockout_prefix": rule["knockout"]} if rule.get("knockout") else {}
        if any(isinstance(value, dict) for value in found):
            return {"merge_hash": "deep", **({"merge_options": knockout} if knockout else {})}
        if not any(isinstance(value, list) for value in found):
            return None
        rule_word, first = rule["merge"], rule.get("first")
        if rule_word == "by-key" and rule.get("key") and first == "later":
            how = "UniqueKeyValTuples" if rule.get("items") == "take" else "DeepTuple"
            return {"merge_hash_array": how, "merge_options": {"tuple_keys": rule["key"], **knockout}}
        if (rule_word, first) not in _PER_LIST:
            if rule_word != "deep":
                self._remark(
                    path, f"merge: {rule_word}{'' if first else ', the earlier items first,'} has no counterpart"
                )
            return None
        how = _PER_LIST[rule_word, first]
        return {
            "merge_baseType_array": how,
            "merge_hash_array": "Sum" if how == "Sum" else "MostSpecific",
            **({"merge_options": knockout} if knockout else {}),
        }

    def _remark(self, path: Path, why: str) -> None:
        self.remarks.append(ConversionRemark(what=show(path), why=why, path=path))


def _reason(difference: ConvertedDifference, own: set[str]) -> str | None:
    """The reason for a difference that no rule by path can reproduce."""
    path, before, after, _ = difference
    if before is MISSING and len(path) == 1 and folded(str(path[0])) in own:
        return "Datum's result of a node has its own data, too"
    if isinstance(before, list) and len(before) == 1 and after == before[0]:
        return "Datum returns a list of one item as that item"
    if before == [] and after is None:
        return "Datum returns an empty list as null"
    if isinstance(after, str) and "${" in after:
        return "references between values have no counterpart"
    return None
