"""lookup_options as rules by path, for the values that the files of a tree have."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from lamina import plugin as lp
from lamina.dialects.hiera.strategies import Deep

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lamina.dialects.hiera.deep_merge import DeepOptions
    from lamina.dialects.hiera.lookup import HieraNodeView
    from lamina.dialects.hiera.strategies import LookupRule

Rule = dict[str, Any]


def rules_of_keys(
    kinds: lp.PathKinds, views: Mapping[str, HieraNodeView]
) -> tuple[list[Rule], list[lp.ConversionRemark]]:
    """The rules for all keys that files have, and what they cannot say."""
    conversion = _KeyConversion()
    for key, member in kinds.members.items():
        conversion.visit(member, _rule_for(key, views, conversion))
    return [*conversion.rules, {"path": "*", "merge": "take"}], conversion.remarks


def _rule_for(key: str, views: Mapping[str, HieraNodeView], conversion: _KeyConversion) -> LookupRule | None:
    """The rule for a key; where it depends on the node, the one that most nodes have."""
    found: Counter[str] = Counter()
    rules: dict[str, LookupRule] = {}
    for view in views.values():
        entry = view.options_for(key).find(key)
        rule = view.options_for(key).rule(key)
        rules.setdefault(rule.label, rule)
        found[rule.label] += 1
        if entry is not None and entry.convert_to == "Sensitive":
            conversion.note(key, entry.at, "it is Sensitive; its value is shown in results there")
        elif entry is not None and entry.convert_to is not None:
            conversion.remark(key, entry.at, "convert_to changes the type of the value")
    if len(found) > 1:
        at = next((rule.at for rule in rules.values() if rule.at), None)
        conversion.remark(key, at, "nodes have different lookup_options for it")
    return rules[found.most_common(1)[0][0]] if found else None


class _KeyConversion:
    def __init__(self) -> None:
        self.rules: list[Rule] = []
        self.remarks: list[lp.ConversionRemark] = []

    def remark(self, key: Any, at: lp.Origin | None, why: str, path: lp.Path | None = None) -> None:
        remark = lp.ConversionRemark(what=lp.show(path or (key,)), why=why, at=at, path=path or (key,))
        if remark not in self.remarks:
            self.remarks.append(remark)

    def note(self, key: Any, at: lp.Origin | None, why: str) -> None:
        """Remark on something that makes no value differ."""
        remark = lp.ConversionRemark(what=lp.show((key,)), why=why, at=at)
        if remark not in self.remarks:
            self.remarks.append(remark)

    def visit(self, kinds_here: lp.PathKinds, rule: LookupRule | None) -> None:
        """Add the rules for a key."""
        if rule is None or rule.first or rule.strategy == "default":
            return  # the rule for all keys takes the highest value
        key = kinds_here.path[0]
        match rule.strategy:
            case "unique":
                self._unique(kinds_here, rule)
            case "hash":
                if kinds_here.kinds == {"mapping"}:
                    pattern = lp.pattern_of(kinds_here.path)
                    self.rules += [{"path": pattern, "merge": "deep"}, {"path": f"{pattern}.*", "merge": "take"}]
                else:
                    self.remark(key, rule.at, "hash merges mappings, and a file has something else")
            case _:
                self._deep(kinds_here, rule)

    def _unique(self, kinds_here: lp.PathKinds, rule: LookupRule) -> None:
        if kinds_here.kinds <= {"list", "records"} and not any(isinstance(item, list) for item in kinds_here.items):
            self.rules.append({"path": lp.pattern_of(kinds_here.path), "merge": "unique", "first": "later"})
        else:
            self.remark(
                kinds_here.path[0], rule.at, "unique makes a list of values that are not lists, or lists in lists"
            )

    def _deep(self, kinds_here: lp.PathKinds, rule: LookupRule) -> None:
        options: DeepOptions | None = rule.operator.options if isinstance(rule.operator, Deep) else None
        if options is not None:
            for is_set, name in (
                (options.sort, "sort_merged_arrays"),
                (options.merge_hashes, "merge_hash_arrays"),
                (options.overwrite_arrays, "overwrite_arrays"),
            ):
                if is_set:
                    self.remark(kinds_here.path[0], rule.at, f"{name} has no counterpart")
        self._merged(kinds_here, rule, options.prefix if options else None)

    def _merged(self, kinds_here: lp.PathKinds, rule: LookupRule, prefix: str | None) -> None:
        """A path that is merged deep: mappings by key, lists joined with each item once."""
        key = kinds_here.path[0]
        knockout = {"knockout": prefix} if prefix else {}
        pattern = lp.pattern_of(kinds_here.path)
        found = kinds_here.kinds - {"null"}
        if found == {"mapping"}:
            if prefix and any(isinstance(each, str) and each.startswith(prefix) for each in kinds_here.members):
                self.remark(key, rule.at, "knockout_prefix removes keys by rules of its own", kinds_here.path)
            if len(kinds_here.path) == 1 or prefix:
                self.rules.append({"path": pattern, "merge": "deep", **knockout})
            for member in kinds_here.members.values():
                self._merged(member, rule, prefix)
        elif found and found <= {"list", "records"}:
            self.rules.append({"path": pattern, "merge": "unique", **knockout})
            if prefix and any(isinstance(item, str) and item.startswith(prefix) for item in kinds_here.items):
                self.remark(key, rule.at, "knockout_prefix removes items by rules of its own", kinds_here.path)
        elif prefix and any(isinstance(node.value, str) and node.value.startswith(prefix) for node in kinds_here.nodes):
            self.remark(key, rule.at, "knockout_prefix removes values by rules of its own", kinds_here.path)
        elif len(found) > 1:
            self.remark(key, rule.at, "files have values of different types here", kinds_here.path)
