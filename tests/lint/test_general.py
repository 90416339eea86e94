"""What the general rules leave alone, and what they find in more than one result at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lamina
from lamina.dialects import registry as dialects
from lamina.sources.inputs import Folder, Inputs, MemoryFiles
from lamina.views.lint.api import lint_with
from lamina.views.lint.selection import Selection
from support.work import calls_of

KEEP = "merge_how: dict()+list()+str()\n"
DEFINITION = r"""
ResolutionPrecedence:
  - AllNodes\$($Node.NodeName)
  - Roles\$($Node.Role)
  - Baselines\Server
lookup_options:
  Network: deep
  Users:
    merge_hash_array: DeepTuple
    merge_options: {tuple_keys: [Name], knockout_prefix: --}
"""
BASELINE = "Network: {Depth: 1}\n"
ROLE = "Configurations: [Network, Users]\n"


def parts(*texts: str, **options: Any) -> list[str]:
    """The findings on user-data parts, as code and place."""
    given = [(f"{number}.yaml", f"#cloud-config\n{text}") for number, text in enumerate(texts, start=1)]
    return shown(lamina.lint(given, dialect="cloud-init", ignore=["compat", "config", "list-replaced"], **options))


def tree(files: dict[str, str], **options: Any) -> list[str]:
    """The findings on a hierarchy, as code and place."""
    folder = Folder("data", MemoryFiles({"Datum.yml": DEFINITION, "Baselines/Server.yml": BASELINE, **files}))
    return shown(lamina.lint(Inputs((folder,)), dialect="datum", ignore=["compat", "unused-rule"], **options))


def node(name: str, data: str = "") -> str:
    return f"NodeName: {name}\nRole: Web\n{data}"


def shown(notes: list[lamina.Note]) -> list[str]:
    return [f"{note.code} {note.at.source}:{note.at.line}" if note.at else note.code for note in notes]


def test_of_two_equal_values_the_later_one_is_reported() -> None:
    assert parts("a: 1\nb: 1\n", "a: 1\nc: 1\n") == ["redundant-value 2.yaml:2"]
    assert parts("a: 1\nb: 1\n", f"{KEEP}a: 1\nc: 1\n") == ["redundant-value 2.yaml:3"]


def test_values_of_other_kinds_are_not_equal() -> None:
    assert "redundant-value 2.yaml:2" not in parts("a: 1\nb: 1\n", "a: true\nc: 1\n")
    assert parts("a: 1\nb: 1\n", "a: 1.0\nc: 1\n") == []


def test_members_of_a_mapping_that_is_replaced_as_a_whole_are_needed() -> None:
    assert parts("m: {a: 1, b: 2}\nx: 1\n", "m: {a: 1, c: 3}\ny: 1\n") == ["mapping-replaced 2.yaml:2"]


def test_a_value_that_another_result_needs_is_not_redundant() -> None:
    files = {
        "AllNodes/n1.yml": node("n1", "Network: {Mtu: 1500}\n"),
        "AllNodes/n2.yml": node("n2"),
        "Roles/Web.yml": ROLE + "Network: {Mtu: 1500}\nUsers: [{Name: a}, {Name: b}]\n",
    }
    assert tree(files) == ["redundant-value AllNodes/n1.yml:3"]


def test_fields_that_match_items_are_not_redundant() -> None:
    files = {
        "AllNodes/n1.yml": node("n1", "Users: [{Name: a, Shell: sh}, {Name: c}]\n"),
        "Roles/Web.yml": ROLE + "Network: {Mtu: 1}\nUsers: [{Name: a, Group: x}, {Name: b}]\n",
    }
    assert tree(files) == []


def test_a_single_result_may_override_anything() -> None:
    files = {
        "AllNodes/n1.yml": node("n1", "Network: {Mtu: 9000}\n"),
        "Roles/Web.yml": ROLE + "Network: {Mtu: 1500, Gateway: x}\nUsers: [{Name: a}, {Name: b}]\n",
    }
    assert tree(files) == []
    assert tree({**files, "AllNodes/n2.yml": node("n2", "Network: {Mtu: 1}\n")}) == [
        "always-overridden Roles/Web.yml:2"
    ]
    assert tree({**files, "AllNodes/n2.yml": node("n2")}) == []


def test_a_marker_that_hits_in_one_result_is_needed() -> None:
    role = ROLE + "Network: {Mtu: 1500, --Proxy: }\nUsers: [{Name: a}, {Name: b}]\n"
    files = {"AllNodes/n1.yml": node("n1"), "AllNodes/n2.yml": node("n2"), "Roles/Web.yml": role}
    assert tree(files) == ["deletes-nothing Roles/Web.yml:2"]
    # Now it matches; and what it matches is in no result, which is reported in turn.
    below = {**files, "Baselines/Server.yml": "Network: {Proxy: x, Zone: y}\n"}
    assert tree(below) == ["always-overridden Baselines/Server.yml:1"]


def test_a_marked_item_that_hits_is_needed() -> None:
    role = ROLE + "Network: {Mtu: 1}\nUsers: [{Name: a}, {Name: b}]\n"
    files = {"AllNodes/n1.yml": node("n1", "Users: [{Name: --b}, {Name: c}]\n"), "Roles/Web.yml": role}
    assert tree(files) == []
    files["AllNodes/n1.yml"] = node("n1", "Users: [{Name: --d}, {Name: c}]\n")
    assert tree(files) == ["deletes-nothing AllNodes/n1.yml:3"]


def test_a_deletion_is_a_value_under_a_rule_that_deletes() -> None:
    delete = "merge_how: dict(allow_delete)+list()+str()\n"
    assert parts("a: 1\nb: 1\n", f"{delete}a: null\nc: 1\n") == []
    assert parts("a: 1\nb: 1\n", f"{delete}d: null\nc: 1\n") == ["deletes-nothing 2.yaml:3"]
    assert parts("a: 1\nb: 1\n", f"{KEEP}d: null\nc: 1\n") == []


def test_null_and_numbers_with_a_fraction_change_no_kind() -> None:
    assert parts("a: 1\nb: x\nd: 1\n", "a: 2.5\nb: null\nc: 1\n") == []
    assert parts("a: 1\nb: x\nd: 1\n", "a: '2'\nb: [y]\nc: 1\n") == ["type-change 2.yaml:2", "type-change 2.yaml:3"]


def test_a_part_that_was_dropped_is_not_lost_too() -> None:
    assert parts("a: x\n", "merge_how: dict(recurse_list)+list()+str(append)\n- 1\n") == ["invalid-yaml 2.yaml:3"]
    assert parts("a: x\n", "merge_how: str(apend\na: y\n") == ["bad-merge-string 2.yaml:2"]


def test_a_layer_that_no_node_has_is_reported() -> None:
    files = {
        "AllNodes/n1.yml": node("n1"),
        "AllNodes/n2.yml": node("n2", "Zone: Rear\n"),
        "Roles/Web.yml": ROLE + "Network: {Mtu: 1}\nUsers: [{Name: a}, {Name: b}]\n",
        "Zones/Rear.yml": "Network: {Lane: 2}\n",
    }
    entry = "  - Zones\\$($Node.{})\n  - Baselines\\Server\n"
    zones = DEFINITION.replace("  - Baselines\\Server\n", entry)
    assert tree({**files, "Datum.yml": zones.replace("{}", "Zone")}) == []
    assert tree({**files, "Datum.yml": zones.replace("{}", "Zoen")}) == [
        "never-used Datum.yml:5",
        "never-used Zones/Rear.yml:1",
    ]


def test_files_nothing_leads_to_are_reported_once_all_is_rendered() -> None:
    files = {
        "AllNodes/n1.yml": node("n1"),
        "Roles/Web.yml": ROLE + "Network: {Mtu: 1}\nUsers: [{Name: a}, {Name: b}]\n",
        "Roles/Old.yml": "Network: {Mtu: 2}\n",
        "Roles/notes.md": "none",
        "Roles/.hidden.yml": "none: 1",
    }
    assert tree(files) == ["never-used Roles/Old.yml:1"]
    assert tree(files, node="n1") == []
    files["Roles/Old.yml"] = "# lamina: ignore-file never-used -- kept for the move\nNetwork: {Mtu: 2}\n"
    assert tree(files) == []


def test_place_holders_of_substitutions_are_not_overridden(tmp_path: Path) -> None:
    text = (Path(__file__).parent / "always-overridden/bad/global.yaml").read_text()
    child = (Path(__file__).parent / "always-overridden/bad/site.yaml").read_text()
    source = child.partition("---\n")[2].partition("---\n")[0]
    source = source.replace("name: web", "name: source").replace("    parentSelector: {kind: settings}\n", "")
    source = source.replace("    actions: [{method: merge, path: .}]\n", "")
    substitution = (
        "  substitutions:\n    - src: {schema: example/Settings/v1, name: source, path: .timeout}\n"
        "      dest: {path: .timeout}\n"
    )
    filled = child.replace("data:\n  timeout: 60\n", f"{substitution}data:\n  x: 1\n")
    filled = filled.replace("data:\n  timeout: 90\n", f"{substitution}data:\n  y: 1\n")
    found = lamina.lint([("global.yaml", text), ("site.yaml", filled), ("source.yaml", f"---\n{source}")])
    assert shown(found) == []


def test_notes_on_one_place_are_reported_once() -> None:
    files = {f"AllNodes/n{number}.yml": node(f"n{number}", f"Network: {{Id: {number}}}\n") for number in range(1, 4)}
    files["Roles/Web.yml"] = ROLE + "Network: [1, 2]\nUsers: [{Name: a}, {Name: b}]\n"
    folder = Folder("data", MemoryFiles({"Datum.yml": DEFINITION, **files}))
    (note,) = lamina.lint(Inputs((folder,)), dialect="datum", select=["different-types"])
    assert note.message.endswith("(and 2 more like it)")


def test_a_finding_of_a_system_replaces_the_general_one() -> None:
    texts = (f"{KEEP}a: 1\n", "b: 1\n")
    assert parts(*texts) == ["rule-without-effect 1.yaml:2"]
    given = [(f"{number}.yaml", f"#cloud-config\n{text}") for number, text in enumerate(texts, start=1)]
    assert shown(lamina.lint(given, select=["unused-rule"])) == ["unused-rule 1.yaml:2"]


def test_a_dialect_without_rules_of_its_own_has_the_general_ones() -> None:
    from dataclasses import replace

    chosen = replace(dialects.find("cloud-init"), extensions={})
    inputs = Inputs((lamina.Source.of_text("a.yaml", "#cloud-config\nusers: [me]\npassword: hunter22\n"),))
    linted = lint_with(chosen, inputs, dialects.make_options(chosen, {}), Selection())
    assert [note.code for note in linted.findings] == ["cleartext-secret"]


def test_many_layers_and_keys_take_a_bounded_number_of_steps() -> None:
    texts = [f"merge_how: dict()+list()+str()\nkey_{chr(97 + n % 26)}{n:04}: {{a: {n}}}\n" for n in range(400)]
    assert calls_of(lambda: parts(*texts)) < 5_000_000  # 2.6 million today


def test_a_folder_that_no_layer_leads_to_is_not_judged() -> None:
    files = {
        "AllNodes/n1.yml": node("n1"),
        "Roles/Web.yml": ROLE + "Network: {Mtu: 1}\nUsers: [{Name: a}, {Name: b}]\n",
        "References/n1.yml": "Network: {Mtu: 1}\n",
    }
    assert tree(files) == []
    del files["AllNodes/n1.yml"]
    assert [line for line in tree(files) if line.startswith("never-used")] == []


def test_an_entry_whose_key_no_resultant_set_looks_up() -> None:
    files = {
        "AllNodes/n1.yml": node("n1", "Lcm: {Mode: a}\n"),
        "Roles/Web.yml": ROLE + "Network: {Mtu: 1}\nUsers: [{Name: a}, {Name: b}]\nLcm: {Mode: b}\n",
    }
    entry = "lookup_options:\n  Lcm: {merge_hash: deep}\n"
    definition = DEFINITION.replace("lookup_options:\n", entry)
    line = definition[: definition.index("  Lcm:")].count("\n") + 1
    assert tree({**files, "Datum.yml": definition}) == [f"unreachable-option Datum.yml:{line}"]
    files["Roles/Web.yml"] = files["Roles/Web.yml"].replace("Users]", "Users, Lcm]")
    assert tree({**files, "Datum.yml": definition}) == []


def test_an_entry_for_a_table_below_one_that_merges_only_its_own_keys() -> None:
    files = {
        "AllNodes/n1.yml": node("n1", "Lcm: {Settings: {Mode: a}, Files: [a]}\n"),
        "Roles/Web.yml": ROLE.replace("Users]", "Users, Lcm]")
        + "Network: {Mtu: 1}\nUsers: [{Name: a}, {Name: b}]\nLcm: {Settings: {Days: 1}, Files: [b]}\n",
    }
    entries = "lookup_options:\n  Lcm: hash\n  Lcm\\Settings: deep\n  Lcm\\Files: {merge_basetype_array: Unique}\n"
    definition = DEFINITION.replace("lookup_options:\n", entries)
    line = definition[: definition.index("  Lcm\\Settings:")].count("\n") + 1
    assert tree({**files, "Datum.yml": definition}) == [f"unreachable-option Datum.yml:{line}"]
    assert tree({**files, "Datum.yml": definition.replace("Lcm: hash", "Lcm: deep")}) == []
