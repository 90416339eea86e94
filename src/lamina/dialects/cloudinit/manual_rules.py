"""What cloud-init's manuals promise, if that differs from what the program does.

Both manuals (000 of 2013, 001 of today) describe a stack: a part's rule governs the parts after it, until another part
brings one. Both claim that two lists are joined when no rule is given.

000   The default is list[extend], dict[], str[append]. Of two mappings, keys both have are merged by the rule whatever
      their kind, or with `overwrite` the new value is taken. `extend` joins lists; without it the old list stays.
      `append` joins texts; without it the other text is discarded.
001   The default is list[append], dict[no_replace, recurse_list], str[append]. `dict` is as shipped. `append` and
      `prepend` join lists, `replace` takes the new list, and `no_replace`, the stated default, keeps the old one.
      User-data takes the place of what system configuration says, key by key, without merging.

See Shipped against documented in docs/explanation; golden cases in documented-examples.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lamina.dialects.cloudinit.merge_rule import Merger, MergeRule, parse_text
from lamina.dialects.cloudinit.mergers import REJECT, dict_rows, str_rows
from lamina.engine.operators.mapping import Union
from lamina.engine.operators.sequence import JoinLists
from lamina.engine.operators.text import JoinStrings
from lamina.engine.operators.whole import DESCEND, KEEP, TAKE
from lamina.engine.policy import Cases, Policy
from lamina.values import ABSENT, ALL, LISTS, MAPS, TEXTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lamina.dialects.cloudinit.mergers import Row


def _dict_2013(merger: Merger) -> list[Row]:
    cases: list[Row] = [((ABSENT,), ALL, TAKE), (ALL, ALL, TAKE if merger.has("overwrite") else DESCEND)]
    return [(MAPS, MAPS, Union(Cases(*cases))), (MAPS, ALL, KEEP)]


def _list_2013(merger: Merger) -> list[Row]:
    return [(LISTS, LISTS, JoinLists("old") if merger.has("extend") else KEEP), (LISTS, ALL, KEEP)]


def _str_2013(merger: Merger) -> list[Row]:
    return [(TEXTS, TEXTS, JoinStrings() if merger.has("append") else KEEP), (TEXTS, ALL, KEEP)]


def _list_current(merger: Merger) -> list[Row]:
    if merger.has("append") or merger.has("prepend"):
        return [(LISTS, LISTS, JoinLists("old" if merger.has("append") else "new")), (LISTS, ALL, REJECT)]
    return [(LISTS, ALL, TAKE if merger.has("replace") and not merger.has("no_replace") else KEEP)]


MERGERS: Final[Mapping[str, Mapping[str, Callable[[Merger], list[Row]]]]] = {
    "2013": {"dict": _dict_2013, "list": _list_2013, "str": _str_2013},
    "current": {"dict": dict_rows, "list": _list_current, "str": str_rows},
}
"""The mergers by name, for each manual."""

DEFAULTS: Final[Mapping[str, MergeRule]] = {
    "2013": parse_text("list(extend)+dict()+str(append)"),
    "current": parse_text("list(append)+dict(no_replace,recurse_list)+str(append)"),
}
"""The rule when none is given, by manual."""

OVERWRITING: Final = Policy(
    Cases((MAPS, MAPS, Union(Cases(((ABSENT,), ALL, TAKE), (ALL, ALL, KEEP)))), (ALL, ALL, KEEP)),
    "user-data overrides the lower layers key by key",
)
"""The policy for layers, by the current manual."""
