"""The usual rules by name, for dialects that need no table of their own.

RULES = Rules("later files win", maps="merge", lists="append", null="delete", marks={"~": "replace"})
steps = [start(), *RULES.merges([("base.yaml", base_node), ("site.yaml", site_node)])]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from lamina.engine.delta import ListDelta, Slice
from lamina.engine.node import SourceNode
from lamina.engine.operators.mapping import Union
from lamina.engine.operators.sequence import JoinLists
from lamina.engine.operators.whole import DELETE, DESCEND, KEEP, TAKE, RejectPair
from lamina.engine.policy import Cases, PathPolicy, PathRule, Policy
from lamina.errors import Message
from lamina.plugin.toolkit import merge, rewrite
from lamina.values import ABSENT, ALL, LISTS, MAPS, NULL, PRESENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from lamina.engine.delta import Delta
    from lamina.engine.merge_context import MergeContext
    from lamina.engine.node import Node
    from lamina.engine.plan import Merge
    from lamina.engine.policy import Operator, Trail
    from lamina.paths import Path

Maps: TypeAlias = Literal["merge", "replace"]
Lists: TypeAlias = Literal["replace", "append", "prepend", "unique"]
Null: TypeAlias = Literal["value", "replaced", "delete", "ignored"]
OtherTypes: TypeAlias = Literal["replace", "keep", "reject", "reject unless replaced"]
Mark: TypeAlias = Literal["replace", "constant"]

_FAULTS: Final = {
    "different-types": Message(
        "different-types", "{path} is {old_kind}, and {layer} has {new_kind}", "use one type for it in all layers"
    ),
    "constant": Message("changed-constant", "{path} must not change, and {layer} changes it", "remove it there"),
}


class UniqueItems:
    """The items of both lists, each once, where it stands first; `removes` before an item takes that one away."""

    name = "unique"

    def __init__(self, removes: str = "") -> None:
        self._removes = removes

    def apply(self, old: Any, new: Any, policy: Policy, trail: Trail, run: MergeContext) -> Delta:
        taken: list[tuple[Any, int]] = []
        gone: list[Any] = []
        for at, item in enumerate(new):
            is_mark = self._removes and isinstance(item, str) and item.startswith(self._removes)
            meant = item[len(self._removes) :] if is_mark else item
            if is_mark:
                gone.append(meant)
                taken = [each for each in taken if each[0] != meant]
            elif meant not in [each for each, _ in taken]:
                taken.append((meant, at))
        kept = [at for at, item in enumerate(old) if item not in gone and item not in old[:at]]
        there = [old[at] for at in kept]
        added = [at for item, at in taken if item not in there]
        run.build(len(kept) + len(added), 8 * (len(kept) + len(added)))
        slices = [Slice("old", at, at + 1) for at in kept] + [Slice("new", at, at + 1) for at in added]
        return ListDelta([*there, *(new[at] for at in added)], tuple(slices))


class Rules:
    """How layers are merged, in words.

    `maps` and `lists` say what two mappings or two lists come to. `null` is a new null: a value like any other, one
    that any later value may replace whatever its type, a deletion, or nothing at all. `other_types` is for a value that
    meets one of another type; "reject unless replaced" does not mind where a later layer has a mark that replaces the
    mapping that both are in. `marks` are characters before a key of a layer: one whose value replaces what is there as
    a whole, or is not to be changed by any later layer. `removes` takes an item away from a list of unique ones.
    """

    def __init__(
        self,
        label: str,
        *,
        maps: Maps = "merge",
        lists: Lists = "replace",
        null: Null = "value",
        other_types: OtherTypes = "replace",
        marks: Mapping[str, Mark] | None = None,
        removes: str = "",
    ) -> None:
        self._marks = dict(marks or {})
        of_lists: dict[str, Operator] = {
            "replace": TAKE,
            "append": JoinLists(),
            "prepend": JoinLists("new"),
            "unique": UniqueItems(removes),
        }
        of_null: dict[str, Operator] = {"value": TAKE, "replaced": TAKE, "delete": DELETE, "ignored": KEEP}
        rejected = RejectPair("different-types")
        of_others: dict[str, Operator] = {"replace": TAKE, "keep": KEEP, "reject": rejected}
        single = tuple(each for each in PRESENT if each not in (*MAPS, *LISTS, NULL))
        rows: list[Any] = [
            ((ABSENT,), (NULL,), KEEP if null in ("delete", "ignored") else TAKE),
            ((ABSENT,), ALL, TAKE),
        ]
        of_maps: Operator = TAKE if maps == "replace" else Union(Cases(*rows, (ALL, ALL, DESCEND)))
        if null != "value":
            rows.append(((NULL,), ALL, TAKE))
        if null in ("delete", "ignored"):
            rows.append((ALL, (NULL,), of_null[null]))
        singles = (*single, NULL)
        rows += [(MAPS, MAPS, of_maps), (LISTS, LISTS, of_lists[lists]), (singles, singles, TAKE)]
        self.policy = Policy(Cases(*rows, (ALL, ALL, of_others.get(other_types, rejected))), label)
        self._replaced_later = Cases(*rows, (ALL, ALL, KEEP)) if other_types == "reject unless replaced" else None

    def merges(
        self,
        layers: Iterable[tuple[str, Node]],
        path: Path = (),
        string: Callable[[str], Any] | None = None,
    ) -> Iterator[Merge]:
        """The steps that merge layers, given with what `explain` says of each; `string` is as for `rewrite`."""
        constants: dict[Path, PathRule] = {}
        read = [(by, node, list(self._marked(node.value, ())) if self._marks else []) for by, node in layers]
        for number, (by, node, marked) in enumerate(read):
            replaced = [at for at, mark in marked if mark == "replace"]
            rules = [*constants.values(), *(_rule(at, TAKE, by) for at in replaced)]
            if self._replaced_later is not None:
                later = [at for _, _, marks in read[number + 1 :] for at, mark in marks if mark == "replace"]
                rules[:0] = [_rule_below(at, self._replaced_later, self.policy.label) for at in dict.fromkeys(later)]
            constants = {
                at: rule for at, rule in constants.items() if not any(_is_below(at, each) for each in replaced)
            }
            constants |= {at: _rule(at, RejectPair("constant"), by) for at, mark in marked if mark == "constant"}
            policy = PathPolicy(rules, self.policy) if rules else self.policy
            yield merge(self._read(node, string, bool(marked)), policy, by, path=path, faults=_FAULTS)

    def _read(self, node: Node, string: Callable[[str], Any] | None, has_marks: bool) -> Node:
        """A layer without its marks, and with its strings as the dialect reads them."""
        if not isinstance(node, SourceNode) or not (string or has_marks):
            return node
        return rewrite(node, string=string, key_at=self._key if has_marks else None)

    def _marked(self, value: Any, path: Path) -> Iterator[tuple[Path, Mark]]:
        """The paths of the keys with a mark, outside of lists."""
        for key, each in value.items() if isinstance(value, dict) else ():
            inside = (*path, self._key(key, path))
            if isinstance(key, str) and key[:1] in self._marks:
                yield inside, self._marks[key[:1]]
            yield from self._marked(each, inside)

    def _key(self, key: Any, path: Path) -> Any:
        in_list = any(isinstance(step, int) and not isinstance(step, bool) for step in path)
        return key[1:] if not in_list and isinstance(key, str) and key[:1] in self._marks else key


def _rule_below(path: Path, table: Cases, label: str) -> PathRule:
    return PathRule(lambda names: _is_below(names, path), table, label)


def _is_below(path: Path, holder: Path) -> bool:
    return len(path) > len(holder) and path[: len(holder)] == holder


def _rule(path: Path, operator: Operator, label: str) -> PathRule:
    return PathRule(lambda names: names == path, Cases.everywhere(operator), label)
