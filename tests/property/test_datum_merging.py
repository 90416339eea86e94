"""The engine's Datum against a plain port of the rules: same values, same errors, same warnings."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given, settings

from lamina.dialects import registry as dialects
from lamina.errors import LaminaError
from lamina.sources.inputs import Inputs, MemoryFiles
from lamina.values import same
from lamina.views.render import render_with
from support import naive_datum as naive
from support import naive_powershell as powershell
from support.datum_layers import layers, option_entries, strategies


def engine(values: list[Any], entries: dict[str, Any], default: Any) -> tuple[Any, bool]:
    """The outcome of a lookup of A: the value or the code of the error, and whether the program would warn."""
    files = {f"l{at}.yml": json.dumps({"A": value}) for at, value in enumerate(values)}
    chosen = dialects.find("datum")
    options = dialects.make_options(
        chosen,
        {"lookup": "A", "layers": list(files), "lookup_options": entries, "default_lookup_options": default},
    )
    try:
        rendered = render_with(chosen, Inputs((), MemoryFiles(files)), options)
    except LaminaError as error:
        return error.diagnostic.code, False
    return [rendered.plain], any(note.code == "different-types" for note in rendered.notes)


def port(values: list[Any], entries: dict[str, Any], default: Any) -> tuple[Any, bool]:
    """The same by the port."""
    lookup = None
    try:
        lookup = naive.Lookup(entries, default)
        return [powershell.unwrap(lookup.run("A", [powershell.wrap(value) for value in values]))], lookup.warned
    except powershell.Fault as fault:
        return fault.args[0], False


_TUPLES = {"merge_hash": "MostSpecific", "strategy": "deep", "merge_options": {}, "merge_hash_array": "DeepTuple"}


@settings(max_examples=500, deadline=None)
@given(layers(), option_entries(), strategies())
# A null under a tuple key fails, in whatever case the item spells the key.
@example([{"a": [{"N": "n1"}, {"N": "x", "n": None}]}, {}], {"A": "hash"}, _TUPLES)
@example([[{"N": "n1"}], [{"n": None}]], {"A": _TUPLES}, None)
@example([[{"N": "n1"}], [{"n": "n1"}]], {"A": _TUPLES}, None)
def test_engine_and_port_agree(values: list[Any], entries: dict[str, Any], default: Any) -> None:
    mine, theirs = engine(values, entries, default), port(values, entries, default)
    assert same(mine, theirs), (values, entries, default)
