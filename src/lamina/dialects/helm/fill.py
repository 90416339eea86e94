"""How Helm fills default values in below what stands above them.

The value so far is the higher side: what the user gave, or what a parent says for its subchart. The defaults of a
chart come from below. Key by key:

- a key that is not there gets its default, also a default of null;
- where a null is there, the key is deleted, whatever the default is. So a null deletes only what has a default, and
  stays a null elsewhere;
- two mappings are filled in the same way, at every depth;
- anything else stays as it is. If only one of the two is a mapping, Helm says so, and so does Lamina.

Under the name of a subchart a null is kept: it goes on to the subchart, whose default it deletes. Where defaults are
only gathered (`keep_nulls`), every null is kept.

Globals go the other way, from a parent to its subcharts, before the subchart's defaults are filled in: the parent's
value wins, but a scalar or list does not replace a mapping, nor a mapping a scalar or list. From the second level below
`global` on Helm does not copy: what a subchart adds there shows up in the parent and in all its subcharts.

All of it is Helm 3.17. 3.20 and 4 treat nulls otherwise: what they change is the rows with NULL below. The cases
`nulls-*` pin them down.
"""

from __future__ import annotations

from typing import Any, Final

from lamina import plugin as lp
from lamina.plugin import operators as lpo

FAULTS: Final = {
    "mapping-kept": lp.Message(
        "default-not-used",
        "{path}: the default, {new_kind}, is not used, since a mapping is there already",
        "remove the mapping, or write the default as a mapping",
    ),
    "value-kept": lp.Message(
        "default-not-used",
        "{path}: the default, a mapping, is not used, since {old_kind} is there already",
        "remove the value, or write it as a mapping",
    ),
    "no-such-place": lp.Message(
        "default-not-used",
        "nothing is imported to {path}, since {old_kind} is there already",
        "correct parent: of import-values",
    ),
    "global-not-passed": lp.Message(
        "global-not-passed",
        "the globals are not passed on to a subchart{within}, since one of the two is no mapping",
        "write global: as a mapping, in the chart and under the name of the subchart",
    ),
    "global-kept": lp.Message(
        "global-not-passed",
        "{path}: the subchart keeps {old_kind}, and the parent's global, {new_kind}, is not passed on",
        "write both as mappings, or neither",
    ),
    "global-replaced": lp.Message(
        "default-not-used",
        "{path}: the subchart's {old_kind} is not used, since the parent's global is {new_kind}",
        "write both as mappings, or neither",
    ),
    "subchart-not-a-mapping": lp.Message(
        "type-mismatch",
        "{path} is {old_kind}, but it holds the values of a subchart of that name",
        "write a mapping, or remove it",
    ),
}


class _Empty:
    """An empty mapping where nothing was."""

    name = "empty mapping"

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, run: lpo.MergeContext) -> lpo.Delta:
        return lpo.computed({}, "empty mapping")


_NO_MAPS: Final = tuple(kind for kind in lp.PRESENT if kind not in lp.MAPS)
_NOT_NULL: Final = tuple(kind for kind in _NO_MAPS if kind != lp.NULL)


def _kept(remark: str) -> lpo.Operator:
    return lpo.WarnOf(lp.KEEP, remark)


def _filled(*rows: tuple[Any, Any, lpo.Operator]) -> lp.Union:
    """Two mappings key by key: missing keys get their default, mappings are filled; the rows come first."""
    common = (
        ((lp.ABSENT,), lp.ALL, lp.TAKE),
        (lp.MAPS, lp.MAPS, lp.DESCEND),
        (lp.MAPS, _NOT_NULL, _kept("mapping-kept")),
    )
    return lp.Union(lp.Cases(*rows, *common, (lp.ALL, lp.ALL, lp.KEEP)))


_NULL_DELETES: Final = ((lp.NULL,), lp.ALL, lp.DELETE)
_MAPPING_MEETS_VALUE: Final = (_NO_MAPS, lp.MAPS, _kept("value-kept"))


def _policy(union: lpo.Operator, label: str) -> lp.Policy:
    return lp.Policy(lp.Cases((lp.MAPS, lp.MAPS, union), (lp.ALL, lp.ALL, lp.KEEP)), label)


DEFAULTS: Final = "defaults fill in below"
KEEPING: Final = _policy(_filled(_MAPPING_MEETS_VALUE), DEFAULTS)
"""Below a subchart's name, and where defaults are gathered: nulls are kept."""
IMPORTS: Final = lp.Policy(
    lp.Cases(
        (lp.MAPS, lp.MAPS, _filled(_MAPPING_MEETS_VALUE)),
        ((lp.ABSENT,), lp.ALL, lp.TAKE),
        (lp.ALL, lp.ALL, _kept("value-kept")),
    ),
    "imported",
)
"""What is imported, below what was imported before it."""
_DELETING: Final = _policy(_filled(_NULL_DELETES, _MAPPING_MEETS_VALUE), DEFAULTS)
"""Below the first level of a chart's values."""
_TOP_KEEPING: Final = lp.Cases((lp.MAPS, lp.MAPS, _filled()), (lp.ALL, lp.ALL, lp.KEEP))
_TOP_DELETING: Final = lp.Cases((lp.MAPS, lp.MAPS, _filled(_NULL_DELETES)), (lp.ALL, lp.ALL, lp.KEEP))


class ChartDefaults(lp.Policy):
    """How the defaults of one chart are filled in: nulls are kept below the names of its subcharts."""

    __slots__ = ("_inner",)

    def __init__(self, subcharts: frozenset[str], *, keep_nulls: bool) -> None:
        table = _TOP_KEEPING if keep_nulls else _TOP_DELETING
        super().__init__(table, DEFAULTS, members=dict.fromkeys(subcharts, KEEPING))
        self._inner = KEEPING if keep_nulls else _DELETING

    def of_member(self, name: Any) -> lp.Policy:
        return self._inner

    def entered(self, name: Any) -> lp.Policy:
        return self.enter(name)


SUBCHART: Final = lp.Policy(
    lp.Cases(
        ((lp.ABSENT,), lp.ALL, _Empty()),
        (lp.MAPS, lp.ALL, lp.KEEP),
        (lp.ALL, lp.ALL, lpo.RejectPair("subchart-not-a-mapping")),
    ),
    "every subchart has a mapping",
)
"""What stands under a subchart's name: a mapping, which is made if nothing is there."""

_PARENT_WINS: Final = lp.Policy(
    lp.Cases(
        (
            lp.MAPS,
            lp.MAPS,
            lp.Union(
                lp.Cases(
                    (lp.MAPS, lp.MAPS, lp.DESCEND),
                    (lp.MAPS, _NO_MAPS, lpo.WarnOf(lp.TAKE, "global-replaced")),
                    (_NOT_NULL, lp.MAPS, lpo.WarnOf(lp.TAKE, "global-replaced")),
                    (lp.ALL, lp.ALL, lp.TAKE),
                )
            ),
        ),
        (lp.ALL, lp.ALL, lp.KEEP),
    ),
    "globals of the parent",
)
"""From the second level below `global` on, of the subchart's and the parent's."""


class _Globals(lp.Policy):
    """The parent's globals over those that are said for the subchart."""

    __slots__ = ()

    def of_member(self, name: Any) -> lp.Policy:
        return _PARENT_WINS

    def entered(self, name: Any) -> lp.Policy:
        return _PARENT_WINS


GLOBALS: Final = _Globals(
    lp.Cases(
        ((lp.ABSENT,), (lp.ABSENT,), _Empty()),
        ((lp.ABSENT,), lp.MAPS, lp.TAKE),
        (lp.MAPS, (lp.ABSENT,), lp.KEEP),
        (
            lp.MAPS,
            lp.MAPS,
            lp.Union(
                lp.Cases(
                    ((lp.ABSENT,), lp.ALL, lp.TAKE),
                    (lp.MAPS, lp.MAPS, lp.DESCEND),
                    (lp.MAPS, _NO_MAPS, _kept("global-kept")),
                    (_NO_MAPS, lp.MAPS, _kept("global-kept")),
                    (lp.ALL, lp.ALL, lp.TAKE),
                )
            ),
        ),
        (lp.ALL, lp.ALL, _kept("global-not-passed")),
    ),
    "globals of the parent",
    members={},
)
"""What stands under `global` in a subchart's values, and what its parent has there."""


class _SameMapping:
    """Mappings two levels below `global` are one and the same in a chart and its subcharts."""

    name = "one mapping"

    def apply(self, old: Any, new: Any, policy: lp.Policy, trail: lpo.Trail, run: lpo.MergeContext) -> lpo.Delta:
        value, entries = dict(old), dict[Any, lpo.Delta]()
        for key in old.keys() & new.keys():
            if isinstance(old[key], dict) and isinstance(new[key], dict):
                one, others = self._taken(old[key], new[key])
                if others:
                    value[key], entries[key] = one, lpo.MapDelta(one, others)
        run.build(len(old), 0)
        return lpo.MapDelta(value, entries) if entries else lpo.MapDelta(old, {})

    @staticmethod
    def _taken(old: dict[Any, Any], new: dict[Any, Any]) -> tuple[dict[Any, Any], dict[Any, lpo.Delta]]:
        """The old mapping with the inner mappings of the new one that are others."""
        both = (key for key in old if isinstance(old[key], dict) and isinstance(new.get(key), dict))
        other = {key: new[key] for key in both if old[key] != new[key]}
        return {**old, **other}, dict.fromkeys(other, lpo.NEW)


SHARED: Final = lp.Policy(
    lp.Cases((lp.MAPS, lp.MAPS, _SameMapping()), (lp.ALL, lp.ALL, lp.KEEP)), "globals that Helm does not copy"
)
"""What a chart's globals take over from those of a subchart, or the other way."""
