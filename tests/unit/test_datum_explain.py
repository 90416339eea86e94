"""Explaining Datum lookups: layers, entries in force, knock-outs, and entries that are never asked."""

from __future__ import annotations

from typing import Any

import lamina
from lamina.dialects.datum import lint
from lamina.dialects.datum.lookup_report import explain_lookup
from lamina.dialects.datum.options import DatumOptions
from lamina.engine.history import Event
from lamina.sources.inputs import Folder, Inputs, MemoryFiles
from lamina.views.result import Result

DEFINITION = """ResolutionPrecedence:
  - AllNodes\\$($Node.NodeName)
  - Roles\\$($Node.Role)
  - Baselines\\Server
lookup_options:
  SoftwareBaseline\\Packages:
    merge_hash_array: DeepTuple
    merge_options:
      knockout_prefix: --
      tuple_keys:
        - Name
"""
FILES = {
    "Datum.yml": DEFINITION,
    "AllNodes/n1.yml": "NodeName: n1\nRole: Web\nSoftwareBaseline:\n  Packages:\n    - Name: Git\n      Version: 2\n"
    "    - Name: --Vim\n",
    "Baselines/Server.yml": "SoftwareBaseline:\n  Repo: main\n  Packages:\n    - Name: Git\n      Ensure: Present\n"
    "    - Name: Vim\n",
}
MERGED = DEFINITION.replace("lookup_options:\n", "lookup_options:\n  SoftwareBaseline: hash\n")


def tree(changes: dict[str, str] | None = None) -> Inputs:
    return Inputs((Folder("data", MemoryFiles({**FILES, **(changes or {})})),))


def render(lookup: str, changes: dict[str, str] | None = None) -> Result:
    return lamina.render(tree(changes), dialect="datum", node="n1", lookup=lookup)


def events(result: Result, path: str) -> list[Event]:
    return list(result.explain(path).events)


def test_an_entry_that_is_never_asked_is_pointed_out() -> None:
    result = render("SoftwareBaseline")
    assert result.value == {"Packages": [{"Name": "Git", "Version": 2}, {"Name": "--Vim"}]}
    note = next(note for note in result.notes if note.code == "unreachable-option")
    assert note.at is not None
    assert (note.at.source, note.at.line) == ("Datum.yml", 6)
    assert "SoftwareBaseline: hash" in (note.hint or "")
    assert not [note for note in render("SoftwareBaseline\\Packages").notes if note.code == "unreachable-option"]
    merged = render("SoftwareBaseline", {"Datum.yml": MERGED})
    assert not [note for note in merged.notes if note.code == "unreachable-option"]
    found = [note.code for note in lint.lint_hierarchy(tree(), DatumOptions())]
    assert found == ["unreachable-option"]


def test_events_name_the_entry_in_force_at_their_path() -> None:
    result = render("SoftwareBaseline", {"Datum.yml": MERGED})
    assert result.value == {"Packages": [{"Name": "Git", "Version": 2, "Ensure": "Present"}], "Repo": "main"}
    (own,) = events(result, "Packages[0].Version")[:1]
    assert own.origin is not None
    assert (own.origin.source, own.origin.line) == ("AllNodes/n1.yml", 6)
    lower = events(result, "Packages[0].Ensure")[-1]
    assert lower.origin is not None
    assert lower.directive is not None
    assert lower.directive.origin is not None
    assert (lower.origin.source, lower.origin.line) == ("Baselines/Server.yml", 5)
    assert (lower.directive.origin.source, lower.directive.origin.line) == ("Datum.yml", 7)
    assert lower.directive.text.startswith("lookup_options SoftwareBaseline\\Packages: {merge_hash_array: DeepTuple")
    repo = events(result, "Repo")[-1]
    assert repo.directive is not None
    assert repo.directive.origin is not None
    assert (repo.directive.text, repo.directive.origin.line) == ("lookup_options SoftwareBaseline: hash", 6)


def test_a_path_below_an_unmerged_parent_names_the_parent_s_entry() -> None:
    found = events(render("SoftwareBaseline"), "Packages")
    assert found[-1].verdict == "ignored"
    assert found[-1].directive is not None
    assert found[-1].directive.text == "no entry, so MostSpecific"


def test_what_was_knocked_out_and_by_which_line() -> None:
    result = render("SoftwareBaseline\\Packages")
    losses = {loss.verdict: loss for event in events(result, ".") for loss in event.lost}
    knocked_out = losses["knocked out"]
    assert knocked_out.value == {"Name": "Vim"}
    assert knocked_out.origin is not None
    assert knocked_out.by is not None
    assert (knocked_out.origin.source, knocked_out.origin.line) == ("Baselines/Server.yml", 6)
    assert (knocked_out.by.source, knocked_out.by.line) == ("AllNodes/n1.yml", 7)
    assert losses["cleaned up"].value == {"Name": "--Vim"}


def test_a_key_knocked_out_has_a_history() -> None:
    changes = {"Datum.yml": MERGED, "AllNodes/n1.yml": "NodeName: n1\nSoftwareBaseline:\n  --Repo:\n"}
    result = render("SoftwareBaseline", changes)
    found = events(result, "Repo")
    assert [event.verdict for event in found] == ["knocked out"]
    assert found[0].value == "main"
    assert found[0].by is not None
    assert (found[0].by.source, found[0].by.line) == ("AllNodes/n1.yml", 3)


def test_the_history_of_a_lookup_has_every_layer() -> None:
    options = DatumOptions(node="n1", lookup="SoftwareBaseline\\Packages")
    found = explain_lookup(tree(), options)
    assert found.value == [{"Name": "Git", "Version": 2, "Ensure": "Present"}]
    assert found.strategy_origin is not None
    assert found.strategy_origin.line == 6
    shown: list[tuple[str, bool, str | None]] = [(layer.path, layer.exists, layer.verdict) for layer in found.layers]
    assert shown == [
        ("AllNodes\\n1", True, "set"),
        ("Roles\\Web", False, None),
        ("Baselines\\Server", True, "merged"),
    ]
    assert found.layers[2].value == [{"Name": "Git", "Ensure": "Present"}, {"Name": "Vim"}]
    assert [event.verdict for event in found.clean_up] == ["cleaned up"]
    inside = explain_lookup(tree(), options, (0, "Ensure"))
    assert [layer.verdict for layer in inside.layers] == [None, None, "set"]


def test_lint_finds_tuple_keys_no_item_has_and_unknown_words() -> None:
    wrong: dict[str, Any] = {
        "Datum.yml": MERGED.replace("- Name", "- name") + "  Other: Deepest\n  More: {merge_hsh: deep}\n"
        "  Most: {merge_options: {knockout_prefx: --}}\n"
    }
    found = [note.code for note in lint.lint_hierarchy(tree(wrong), DatumOptions())]
    assert found.count("unknown-strategy") == 3
    assert "missing-tuple-key" in found


def test_results_and_histories_have_plain_keys() -> None:
    result = render("SoftwareBaseline", {"Datum.yml": MERGED})
    assert {type(key) for key in result.value} == {str}
    assert result.value["Repo"] == "main"
    assert {type(key) for key in result.explain("packages[0]").value} == {str}
    assert "Repo: main" in result.to_yaml()
    assert '"Repo": "main"' in result.to_json()
