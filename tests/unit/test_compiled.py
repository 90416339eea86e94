"""Which C extensions there are, and doing without them."""

from __future__ import annotations

import importlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lamina.engine.operators.member_protocols import BY_TABLE, by_table

import lamina
from lamina._support.native import EXTENSIONS, missing
from lamina.budget import Budget, BudgetExceeded
from lamina.engine.delta import NEW, OLD, Delta, MapDelta, value_of
from lamina.engine.merge_context import MergeContext
from lamina.engine.operators.mapping import Union, count_keys_copied, keys_copied
from lamina.engine.operators.whole import TAKE
from lamina.engine.policy import Cases, Policy
from lamina.sources.powershell.case_insensitive import caseless, with_case
from lamina.values import ABSENT, ALL, MAPS
from support.c_extensions import extension

ROOT = Path(lamina.__file__).parent


def test_every_c_file_is_an_extension() -> None:
    files = {path.relative_to(ROOT.parent).with_suffix("") for path in ROOT.rglob("_*.c")}
    assert {".".join(path.parts) for path in files} == set(EXTENSIONS)


@pytest.mark.parametrize("pure", ["", "1"])
def test_the_version_shows_whether_they_are_there(pure: str) -> None:
    environment = {**os.environ, "LAMINA_PURE": pure}
    command = [sys.executable, "-m", "lamina", "--version"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    built = "from lamina._support.native import missing; print('pure Python' if missing() else 'compiled')"
    found = subprocess.run([sys.executable, "-c", built], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith(f"({found.stdout.strip()})")
    assert pure == "" or "pure Python" in done.stdout


@pytest.mark.parametrize("name", [pytest.param(name, marks=extension(name)[1]) for name in EXTENSIONS])
def test_an_extension_keeps_its_state_in_the_module(name: str) -> None:
    """Loaded a second time it is a module of its own: nothing is static, so that other interpreters can load it."""
    loaded = importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(name, loaded.__file__)
    assert spec is not None
    assert spec.loader is not None
    other = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(other)
    assert other is not loaded
    if hasattr(other, "merge_mappings"):
        with pytest.raises(TypeError, match="merge_mappings takes"):  # it is not configured yet
            other.merge_mappings([], {}, {}, None, None, None)
    if hasattr(other, "with_case"):
        key = caseless("Name")
        other.configure(int)
        assert type(next(iter(other.with_case({key: 1})))) is type(key)
        assert type(next(iter(with_case({key: 1})))) is str


def test_the_merge_extension_knows_no_dialect() -> None:
    """For an unknown class its own method is called, and for one that promises a table it is not."""

    class Asking(Union):
        asked = 0

        def apply(self, *arguments: Any) -> Delta:
            Asking.asked += 1
            return super().apply(*arguments)

    cells = Cases(((ABSENT,), ALL, TAKE), (MAPS, MAPS, Asking(Cases.everywhere(TAKE))), (ALL, ALL, TAKE))
    policy = Policy(Cases((MAPS, MAPS, Union(cells)), (ALL, ALL, TAKE)))
    for promised, asked in ((False, 1), (True, 1)):
        if promised:
            by_table(Asking)
        try:
            delta = policy.combine({"a": {"b": 1}}, {"a": {"c": 2}}, None, MergeContext())
        finally:
            BY_TABLE.discard(Asking)
        assert value_of(delta, None, None) == {"a": {"b": 1, "c": 2}}
        assert Asking.asked == asked + (promised and EXTENSIONS[1] in missing())


def test_keys_that_were_made_are_counted_alike() -> None:
    inner = MapDelta({"a": 1, "b": 2}, {"a": NEW})
    delta = MapDelta({"c": {}, "d": 1, "e": []}, {"c": inner, "d": OLD, "e": MapDelta({}, {"f": inner})})
    assert keys_copied(delta) == count_keys_copied(delta) == 7


MERGE, needs_merge = extension("lamina.engine.operators._mapping_merge")


@needs_merge
def test_only_deltas_of_mappings_are_counted() -> None:
    for wrong in (None, OLD, MapDelta({}, None), MapDelta(1, {})):  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            MERGE.keys_copied(wrong)


class Context(MergeContext):
    """One whose own method has to be asked."""

    __slots__ = ()


@needs_merge
@pytest.mark.parametrize("kind", [MergeContext, Context])
def test_a_merge_ends_where_its_steps_are_spent(kind: type[MergeContext]) -> None:
    spending = Union(Cases.everywhere(TAKE))
    spending.spends = True
    table = Cases((MAPS, MAPS, spending), (ALL, ALL, TAKE))
    old, new = {"a": {"b": 1}}, {"a": {"b": 2, "c": 3}}
    for left in range(4):
        run = kind(effort=Budget(left, unit="steps"))
        if left < 2:
            with pytest.raises(BudgetExceeded, match=f"{left} steps"):
                MERGE.merge_mappings(table.cells, old, new, Policy(table), None, run)
        else:
            made = MERGE.merge_mappings(table.cells, old, new, Policy(table), None, run)
            assert (made.value, run.effort.nodes) == (new, left - 2)
