"""Values: how Heat combines two values of a parameter, by the parameter's declared type.

`overwrite` takes the later value, whatever it is. `merge` and `deep_merge` first look at the later value: for every
type but json it must be a string or a list, else it is rejected, even where nothing is there to merge with. Then:

comma_delimited_list   If the earlier value is empty in any way, the later one as it is. Two lists: the items of both.
                       Two texts: with a comma between them, also when the later one is empty. A list and a string do
                       not mix.
string                 Two texts, one behind the other; nothing there counts as an empty text, null does not.
number                 Plain numbers are always rejected: they are neither texts nor lists. What is left works by
                       accident: two strings are joined as texts, two lists as lists.
boolean                Nothing can be merged.
json                   The later value goes through JSON text (a string is read as JSON, keys become texts); the earlier
                       one does not, so an earlier text cannot be merged into. If the earlier value is empty in any way,
                       the later one. `merge`: the later keys replace. `deep_merge`: mappings are merged, lists extended
                       (items are never matched), texts joined one behind the other, everything else replaced; a kind
                       that does not fit is rejected, unless what is there is empty. Null keys of the later value are
                       skipped by both. A later mapping that is empty, or holds nothing but nulls, changes nothing.

Heat changes in place what is there: lists grow, mappings get their keys set. The registry and the two lists of an
environment are merged as `merge` merges json, without the way through JSON.

See Surface shipped in docs/reference/heat.md; golden cases in shipped-basics.json and random.json.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lamina import values as c
from lamina.dialects.heat.conditional_operator import When
from lamina.dialects.heat.member_policies import each
from lamina.dialects.heat.merge_in_place import Grow
from lamina.dialects.heat.parameter_schema import BOOLEAN, JSON, LIST, NUMBER, STRING
from lamina.plugin import (
    ALL,
    DESCEND,
    KEEP,
    LISTS,
    MAPS,
    NUMBERS,
    TAKE,
    Cases,
    Policy,
    Union,
)
from lamina.plugin.operators import BOOLS, JoinLists, JoinStrings, RejectPair
from lamina.values import TEXTS

if TYPE_CHECKING:
    from collections.abc import Mapping

OVERWRITE: Final = "overwrite"
MERGE: Final = "merge"
DEEP_MERGE: Final = "deep_merge"
WORDS: Final = (OVERWRITE, MERGE, DEEP_MERGE)

FALSY: Final = (c.ABSENT, c.NULL, c.FALSE, c.ZERO, c.EMPTY_TEXT, c.EMPTY_LIST, c.EMPTY_MAP)
UNORDERED: Final = (c.NULL, *BOOLS, *NUMBERS, *MAPS, c.OTHER)
"""What is neither a string nor a list."""

_GROW: Final = Grow()


def _has_content(old: Any, new: Any) -> bool:
    del old
    return any(value is not None for value in new.values())


def _unless_empty(fault: str) -> When:
    return When(_has_content, RejectPair(fault), KEEP)


_LIST: Final = Cases(
    (ALL, UNORDERED, RejectPair("not-a-list")),
    (FALSY, ALL, TAKE),
    ((c.LIST,), (c.EMPTY_LIST,), KEEP),
    ((c.LIST,), (c.LIST,), _GROW),
    ((c.TEXT,), TEXTS, JoinStrings(",")),
    (ALL, LISTS, RejectPair("list-into-other")),
    (ALL, ALL, RejectPair("text-into-list")),
)

_STRING: Final = Cases(
    (ALL, UNORDERED, RejectPair("not-a-text")),
    ((c.ABSENT, c.EMPTY_TEXT), TEXTS, TAKE),
    ((c.TEXT,), (c.EMPTY_TEXT,), KEEP),
    ((c.TEXT,), (c.TEXT,), JoinStrings()),
    (ALL, ALL, RejectPair("no-two-texts")),
)

_NUMBER: Final = Cases(
    (ALL, UNORDERED, RejectPair("number-under-merge")),
    ((c.EMPTY_TEXT,), TEXTS, TAKE),
    ((c.TEXT,), (c.EMPTY_TEXT,), KEEP),
    ((c.TEXT,), (c.TEXT,), JoinStrings()),
    (LISTS, LISTS, JoinLists("old")),
    (ALL, ALL, RejectPair("number-and-other")),
)

_BOOLEAN: Final = Cases(
    (ALL, UNORDERED, RejectPair("boolean-under-merge")),
    (ALL, ALL, RejectPair("boolean-has-no-strategy")),
)

_SHALLOW_KEYS: Final = Cases((ALL, (c.NULL,), KEEP), (ALL, ALL, TAKE))

_DEEP_KEYS: Final = Cases(
    (ALL, (c.NULL,), KEEP),
    (ALL, (*NUMBERS, *BOOLS, c.OTHER), TAKE),
    (FALSY, (*MAPS, *LISTS), TAKE),
    ((c.MAP,), (c.MAP,), DESCEND),
    (ALL, (c.EMPTY_MAP,), KEEP),
    (ALL, (c.MAP,), _unless_empty("mapping-into-other")),
    ((c.LIST,), (c.EMPTY_LIST,), KEEP),
    ((c.LIST,), (c.LIST,), _GROW),
    (ALL, LISTS, RejectPair("list-into-other")),
    ((c.ABSENT, c.EMPTY_TEXT), TEXTS, TAKE),
    ((c.TEXT,), (c.EMPTY_TEXT,), KEEP),
    ((c.TEXT,), (c.TEXT,), JoinStrings()),
    (ALL, ALL, RejectPair("text-into-other")),
)


def _mapping_table(keys: Cases) -> Cases:
    return Cases(
        (FALSY, ALL, TAKE),
        ((c.MAP,), (c.MAP,), Union(keys)),
        (ALL, (c.EMPTY_MAP,), KEEP),
        ((c.TEXT,), (c.MAP,), _unless_empty("mapping-into-text")),
        (ALL, (c.MAP,), _unless_empty("mapping-into-other")),
        (ALL, ALL, RejectPair("not-a-mapping")),
    )


SECTION: Final = Policy(_mapping_table(_SHALLOW_KEYS), "later keys replace, nulls are ignored")
"""How the sections without strategies are merged."""
IGNORED: Final = Policy(Cases.everywhere(KEEP), "ignored")
TAKEN: Final = Policy(Cases.everywhere(TAKE), OVERWRITE)
NOT_JSON: Final = Policy(Cases.everywhere(RejectPair("not-json")), MERGE)
MEMBERS: Final = Cases.everywhere(each())
"""Each parameter by its own policy."""

_BY_TYPE: Final[Mapping[str, Policy]] = {
    LIST: Policy(_LIST, MERGE),
    STRING: Policy(_STRING, MERGE),
    NUMBER: Policy(_NUMBER, MERGE),
    BOOLEAN: Policy(_BOOLEAN, MERGE),
}
_JSON: Final[Mapping[str, Policy]] = {
    MERGE: Policy(_mapping_table(_SHALLOW_KEYS), MERGE),
    DEEP_MERGE: Policy(_mapping_table(_DEEP_KEYS), DEEP_MERGE),
}


def policy_for(kind: str, strategy: Any) -> Policy:
    """How two values of a declared type are combined by a strategy; a word Heat does not know overwrites."""
    if strategy not in (MERGE, DEEP_MERGE):
        return TAKEN
    return _JSON[strategy] if kind == JSON else _BY_TYPE[kind]
