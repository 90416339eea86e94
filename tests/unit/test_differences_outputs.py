"""Differences of many outputs, and how they are written."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonpatch
import pytest
import yaml

import lamina
from lamina.sources.inputs import Folder, MemoryFiles

POLICY = {
    "schema": "deckhand/LayeringPolicy/v1",
    "metadata": {"schema": "metadata/Control/v1", "name": "layering-policy"},
    "data": {"layerOrder": ["global", "site"]},
}


def document(name: str, data: Any, *, parent: bool = False, storage: str = "cleartext") -> dict[str, Any]:
    layering: dict[str, Any] = {"layer": "global", "abstract": True}
    if not parent:
        actions = [{"method": "merge", "path": "."}]
        layering = {"layer": "site", "parentSelector": {"of": "all"}, "actions": actions}
    metadata = {"schema": "metadata/Document/v1", "name": name, "storagePolicy": storage}
    labels = {"labels": {"of": "all"}} if parent else {}
    return {
        "schema": "example/Kind/v1",
        "metadata": {**metadata, **labels, "layeringDefinition": layering},
        "data": data,
    }


def site(version: str, names: list[str], **extra: Any) -> list[tuple[str, str]]:
    packages = [{"name": "curl", "version": "8"}, {"name": "git", "version": version}]
    parent = document("parent", {"packages": packages}, parent=True)
    children = [
        document(name, {"zone": name, **extra.get(name, {})}, storage=extra.get("storage", "cleartext"))
        for name in names
    ]
    return [
        ("policy.yaml", yaml.dump(POLICY)),
        ("global.yaml", yaml.dump(parent)),
        ("site.yaml", yaml.dump_all(children)),
    ]


NAMES = [f"n{number:02}" for number in range(40)]


def test_the_same_change_in_many_outputs_is_reported_once() -> None:
    own: dict[str, Any] = {name: {"packages": []} for name in NAMES[17:]}
    found = lamina.diff(site("2.40", NAMES, **own), site("2.45", NAMES, **own))
    assert len(found) == 17
    (group,) = found.groups
    assert len(group.outputs) == 17
    first, names, last = found.to_text().splitlines()
    assert re.fullmatch(
        r'~ 17 of 41 documents: data.packages\[name=git\].version "2.40" → "2.45", because global.yaml:\d+', first
    )
    assert names.endswith("and 9 more")
    assert last == "17 changes in 17 of 41 documents: 17 changed"


def test_outputs_that_came_and_went() -> None:
    found = lamina.diff(site("1", ["a", "b"]), site("1", ["b", "c"]))
    assert [(change.kind.value, change.output) for change in found.changes] == [
        ("removed", "example/Kind/v1/a (site)"),
        ("added", "example/Kind/v1/c (site)"),
    ]
    assert "- document example/Kind/v1/a (site), because site.yaml:" in found.to_text()
    assert found.touched == 0


@pytest.mark.parametrize(("before", "after"), [(["a", "b"], ["b", "c"]), (["a", "b", "c"], ["c", "a"]), (["a"], ["a"])])
def test_the_patch_leads_from_one_list_of_documents_to_the_other(before: list[str], after: list[str]) -> None:
    found = lamina.diff(site("1", before), site("2", after))
    assert jsonpatch.apply_patch(found.before.value, found.to_json_patch()) == found.after.value


def test_secrets_are_not_shown() -> None:
    before, after = (site("1", ["a"], a={"password": text}, storage="encrypted") for text in ("hunter2", "swordfish"))
    found = lamina.diff(before, after)
    assert [change.where for change in found.changes] == ["data.password"]
    for text in (found.to_text(), found.to_markdown(), found.to_json()):
        assert "password" in text
        assert "hunter2" not in text
        assert "swordfish" not in text
    shown = lamina.diff(before, after, cleartext_secrets=True)
    assert '"hunter2" → "swordfish"' in shown.to_text()


def part(body: dict[str, Any]) -> list[tuple[str, str]]:
    return [("part.yaml", "#cloud-config\n" + yaml.dump(body))]


def test_json_has_a_version_and_says_where_things_are_on_both_sides() -> None:
    users = [{"name": "al", "shell": "sh"}, {"name": "bo", "shell": "sh"}]
    after = [{"name": "cy", "shell": "sh", "x": 1}, users[1], {**users[0], "shell": "zsh"}]
    data = json.loads(lamina.diff(part({"users": users}), part({"users": after})).to_json())
    assert data["version"] == 1
    changed = next(change for change in data["changes"] if change["kind"] == "changed")
    assert changed["path"] == "users[name=al].shell"
    assert (changed["before_path"], changed["after_path"]) == ("users[0].shell", "users[2].shell")
    assert (changed["before"], changed["after"]) == ("sh", "zsh")
    assert changed["causes"][0]["origin"]["source"] == "part.yaml"


def test_of_long_texts_the_place_where_they_differ_is_shown() -> None:
    long = "word " * 100
    line = lamina.diff(part({"a": long + "1" + long}), part({"a": long + "2" + long})).to_text().splitlines()[0]
    assert re.search(r"…[word ]+1[word ]+… → …[word ]+2[word ]+…", line)


def test_nothing_in_a_value_or_key_steers_the_terminal_or_breaks_a_line() -> None:
    text = lamina.diff(part({}), part({"\x1b[2Jkey\nnext": "\x1b[31m\x9b\u202ered"})).to_text()
    assert text.count("\n") == 2
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)


def test_colour_is_only_there_when_asked_for() -> None:
    found = lamina.diff(part({"a": 1}), part({"a": 2}))
    assert "\x1b[" not in found.to_text()
    assert "\x1b[33m~ a 1 → 2\x1b[0m" in found.to_text(colour=True)


@pytest.mark.parametrize("value", ["a|b", "`tick`", "``", "<b>", "a\nb", "\\|"])
def test_a_row_of_the_table_has_as_many_cells_whatever_it_holds(value: str) -> None:
    row = lamina.diff(part({value: value}), part({value: "x"})).to_markdown().splitlines()[4]
    assert len(re.split(r"(?<!\\)\|", row)) == 7


def test_markdown_stays_within_what_a_comment_takes() -> None:
    before = part({f"key{at}": "x" * 200 for at in range(2_000)})
    after = part({f"key{at}": "y" * 200 for at in range(2_000)})
    text = lamina.diff(before, after).to_markdown()
    assert len(text) < 65_000
    assert re.search(r"… and [\d,]+ more changes", text)


def test_no_differences_are_reported_as_none() -> None:
    found = lamina.diff(part({"a": 1}), part({"a": 1}))
    assert not found
    assert found.to_text() == "no differences\n"
    assert found.to_markdown() == "### No differences\n"
    assert found.to_json_patch() == []
    assert json.loads(found.to_json())["changes"] == []


def hierarchy(version: str) -> dict[str, str]:
    """A Datum tree of 40 nodes, of which 17 have the role Web."""
    files = {
        "Datum.yml": "ResolutionPrecedence:\n- AllNodes\\$($Node.NodeName)\n- Roles\\$($Node.Role)\n"
        "default_lookup_options: MostSpecific\n",
        "Roles/Web.yml": "Configurations: [Packages]\nPackages:\n- Name: Curl\n  Version: '8.1'\n- Name: Git\n"
        f"  Version: '{version}'\n",
        "Roles/Db.yml": "Configurations: [Packages]\nPackages:\n- Name: Git\n  Version: '2.30'\n",
    }
    for number in range(40):
        name, role = f"N{number:02}", "Web" if number < 17 else "Db"
        files[f"AllNodes/{name}.yml"] = f"NodeName: {name}\nRole: {role}\n"
    return files


def folder(name: str, texts: dict[str, str]) -> Folder:
    return Folder(name, MemoryFiles(texts))


def test_the_nodes_of_a_table_are_grouped_like_outputs() -> None:
    before, after = (folder("tree", hierarchy(version)) for version in ("2.40", "2.45"))
    found = lamina.diff([before], [after], dialect="datum", all_nodes=True)
    assert found.to_text().splitlines()[0] == (
        '~ 17 of 40 nodes: Packages[Name=Git].Version "2.40" → "2.45", because Roles/Web.yml:6'
    )
    assert jsonpatch.apply_patch(found.before.value, found.to_json_patch()) == found.after.value


def test_all_nodes_are_compared_unless_one_is_named() -> None:
    before, after = (folder("tree", hierarchy(version)) for version in ("2.40", "2.45"))
    whole = lamina.diff([before], [after], dialect="datum")
    assert (whole.outputs, whole.touched) == (40, 17)
    assert len(lamina.diff([before], [after], dialect="datum", node=whole.groups[0].outputs[0])) == 1


def test_a_node_that_is_new_is_one_change() -> None:
    fewer = hierarchy("1")
    gone = fewer.pop("AllNodes/N39.yml")
    found = lamina.diff([folder("tree", fewer)], [folder("tree", hierarchy("1"))], dialect="datum", all_nodes=True)
    assert gone
    assert found.to_text().splitlines()[0].startswith("+ node N39")


def test_keys_that_differ_only_in_case_are_the_same_where_the_system_says_so() -> None:
    other = {path: text.replace("Version:", "VERSION:") for path, text in hierarchy("1").items()}
    found = lamina.diff([folder("t", hierarchy("1"))], [folder("t", other)], dialect="datum", all_nodes=True)
    assert not found
