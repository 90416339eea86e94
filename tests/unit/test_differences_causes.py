"""The layer and line that caused a change."""

from __future__ import annotations

from typing import Any

import pytest

import lamina
from lamina.paths import walk
from lamina.sources.inputs import Folder, Inputs, MemoryFiles
from lamina.sources.source import Source

Parts = list[tuple[str, str]]

BASE = ("base.yaml", "#cloud-config\nport: 1\nruncmd:\n- a\n- b\nuser: {name: al, shell: sh}\n")
TOP = ("top.yaml", "#cloud-config\nport: 5\nruncmd: [z]\n")
JOIN = "merge_how: list(append)+dict(no_replace,recurse_list)+str()\n"
JOINING = ("top.yaml", f"#cloud-config\n{JOIN}port: 5\nruncmd: [z]\n")
DELETING = ("drop.yaml", '#cloud-config-jsonp\n[{"op": "remove", "path": "/user"}]\n')


def edited(part: tuple[str, str], old: str, new: str) -> tuple[str, str]:
    assert old in part[1]
    return part[0], part[1].replace(old, new)


def shown(before: Parts, after: Parts) -> dict[str, str]:
    return {change.where: " and ".join(map(str, change.causes)) for change in lamina.diff(before, after).changes}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param([BASE], [edited(BASE, "port: 1", "port: 2")], {"port": "base.yaml:2"}, id="an edited line"),
        pytest.param(
            [BASE],
            [BASE, TOP],
            {"port": "top.yaml:2", "runcmd[0]": "top.yaml:3", "runcmd[1]": "top.yaml:3"},
            id="a new layer",
        ),
        pytest.param(
            [BASE, TOP],
            [BASE],
            {
                "port": "top.yaml:2 no longer sets it",
                "runcmd[0]": "top.yaml:3 no longer sets it",
                "runcmd[1]": "top.yaml:3 no longer sets it",
            },
            id="a layer that is gone",
        ),
        pytest.param(
            [BASE], [edited(BASE, "- b\n", "")], {"runcmd[1]": "base.yaml:5 no longer sets it"}, id="a removed item"
        ),
        pytest.param([BASE], [edited(BASE, "- b\n", "- b\n- c\n")], {"runcmd[2]": "base.yaml:6"}, id="an added item"),
        pytest.param(
            [BASE],
            [edited(BASE, "{name: al, shell: sh}", "{name: al}")],
            {"user.shell": "base.yaml:6 no longer sets it"},
            id="a removed key",
        ),
        pytest.param([BASE], [BASE, DELETING], {"user": "drop.yaml:2"}, id="a removal"),
        pytest.param([BASE], [edited(BASE, "- a\n- b", "- b\n- a")], {"runcmd[1]": "base.yaml:5"}, id="a move"),
    ],
)
def test_the_cause_of_a_change(before: Parts, after: Parts, expected: dict[str, str]) -> None:
    assert shown(before, after) == expected


def test_a_rule_is_the_cause_where_all_values_were_there_before() -> None:
    causes = shown([BASE, TOP], [BASE, JOINING])
    rule = f"of {JOIN.removeprefix('merge_how: ').strip()} at top.yaml:2"
    assert causes == {"port": rule, "runcmd[0]": rule, "runcmd[1]": rule}


def test_an_item_is_distinguished_by_its_key() -> None:
    """That another item of the list has the new value already does not make it known."""
    before = ("users.yaml", "#cloud-config\nusers:\n- name: al\n  shell: sh\n- name: bo\n  shell: zsh\n")
    after = edited(before, "shell: sh", "shell: zsh")
    assert shown([before], [after]) == {"users[name=al].shell": "users.yaml:4"}


def test_a_line_that_only_shifts_is_no_change() -> None:
    assert not lamina.diff([BASE, TOP], [edited(BASE, "port", "# a comment\nport"), TOP])


def test_files_of_other_names_correspond_by_their_place() -> None:
    moved = ("other.yaml", BASE[1])
    assert shown([BASE, TOP], [moved, edited(TOP, "port: 5", "port: 6")]) == {"port": "top.yaml:2"}
    assert not lamina.diff([BASE], [moved], provenance=True)


def test_the_same_value_from_another_layer_counts_only_when_asked_for() -> None:
    again = ("again.yaml", "#cloud-config\nport: 1\n")
    assert not lamina.diff([BASE], [BASE, again])
    (change,) = lamina.diff([BASE], [BASE, again], provenance=True).changes
    assert (change.kind.value, change.where) == ("provenance", "port")
    assert [str(cause.origin) for cause in change.causes] == ["base.yaml:2:7", "again.yaml:2:7"]


def test_two_results_are_compared_as_they_are() -> None:
    before, after = lamina.render([BASE]), lamina.render([BASE, TOP])
    assert len(lamina.diff(before, after)) == len(lamina.diff([BASE], [BASE, TOP])) == 3


def test_a_result_and_inputs_cannot_be_mixed() -> None:
    with pytest.raises(lamina.UsageError, match="mixed-sides"):
        lamina.diff(lamina.render([BASE]), [BASE])


def test_two_dialects_cannot_be_compared() -> None:
    heat = ("env.yaml", "parameters: {a: 1}\nparameter_defaults: {b: 1}\n")
    with pytest.raises(lamina.UsageError, match="two-dialects"):
        lamina.diff([BASE], [heat])


HIERA = {
    "hiera.yaml": "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\nhierarchy:\n"
    "- {name: high, path: high.yaml}\n- {name: low, path: low.yaml}\n",
    "facts/n.yaml": "id: n\n",
    "data/high.yaml": "x: 1\n",
    "data/low.yaml": "x: 2\nz: 5\n",
}
DATUM = {
    "Datum.yml": "ResolutionPrecedence:\n- AllNodes\\$($Node.NodeName)\n- Low\n",
    "AllNodes/n.yml": "NodeName: n\nConfigurations: [A]\nA: 1\n",
    "Low.yml": "A: 2\nB: 3\n",
}
DECKHAND = {
    "policy.yaml": "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: p}\n"
    "data: {layerOrder: [global, site]}\n",
    **{
        f"{name}.yaml": f"schema: x/Y/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: {name}\n"
        f"  storagePolicy: cleartext\n  labels: {{is: {name}}}\n"
        f"  layeringDefinition: {{abstract: true, layer: global}}\ndata: {{from: {name}}}\n"
        for name in ("one", "two")
    },
    "child.yaml": "schema: x/Y/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: child\n"
    "  storagePolicy: cleartext\n  layeringDefinition:\n    abstract: false\n    layer: site\n"
    "    parentSelector:\n      is: one\n    actions: [{method: merge, path: .}]\ndata: {}\n",
}
MERGED = {"a.yaml": "#cloud-config\npackages: [a]\n", "b.yaml": f"#cloud-config\n{JOIN}packages: [b]\n"}
JOINED = JOIN.removeprefix("merge_how: ").strip()
REFERRING = {"a.yaml": "name: al\n", "b.yaml": "greeting: hi ${name}\n"}
BLOCK = {"a.yaml": "#cloud-config\nwrite_files:\n- path: /x\n  content: |\n    one\n    two\n    three\n"}


@pytest.mark.parametrize(
    ("dialect", "files", "name", "old", "new", "expected"),
    [
        pytest.param(
            "hiera",
            {**HIERA, "data/high.yaml": "y: '%{lookup(\"z\")}'\n"},
            "data/low.yaml", "z: 5", "z: 6",
            {"y": "data/low.yaml:2", "z": "data/low.yaml:2"},
            id="what a value refers to",
        ),
        pytest.param(
            "hiera", HIERA, "data/high.yaml", "x: 1\n", "",
            {"x": "data/high.yaml:1 no longer sets it"},
            id="a key that a higher file lost",
        ),
        pytest.param(
            "hiera", HIERA, "hiera.yaml", "- {name: high, path: high.yaml}\n", "",
            {"x": "hiera.yaml:4 is gone"},
            id="a level of a hierarchy",
        ),
        pytest.param(
            "datum", DATUM, "AllNodes/n.yml", "A: 1\n", "",
            {"A": "AllNodes/n.yml:3 no longer sets it"},
            id="the most specific value",
        ),
        pytest.param(
            "deckhand", DECKHAND, "child.yaml", "is: one", "is: two",
            {
                "metadata.layeringDefinition.parentSelector.is": "child.yaml:10",
                "data.from": "of parent x/Y/v1/two (global) at child.yaml:10",
            },
            id="another parent",
        ),
        pytest.param(
            "cloud-init", MERGED, "b.yaml", JOIN, "",
            {"packages[0]": f"of {JOINED} at b.yaml:2, which is gone"},
            id="a rule that is gone",
        ),
        pytest.param(
            "layers", REFERRING, "a.yaml", "al", "bo",
            {"name": "a.yaml:1", "greeting": "a.yaml:1"},
            id="what a reference leads to",
        ),
        pytest.param(
            "cloud-init", BLOCK, "a.yaml", "two", "2",
            {'write_files[path="/x"].content': "a.yaml:6"},
            id="a line of a block",
        ),
        pytest.param(
            "cloud-init", MERGED, "b.yaml", "[b]", "[b",
            {"packages[1]": "b.yaml:4 cannot be used (invalid-yaml)"},
            id="a part that is dropped",
        ),
    ],
)  # fmt: skip
def test_the_cause_is_the_line_that_was_edited(
    dialect: str, files: dict[str, str], name: str, old: str, new: str, expected: dict[str, str]
) -> None:
    assert old in files[name]
    is_tree = dialect in ("hiera", "datum")
    before, after = (
        Inputs((Folder(".", MemoryFiles(side)),) if is_tree else sources(side))
        for side in (files, {**files, name: files[name].replace(old, new, 1)})
    )
    options: dict[str, Any] = {"node": "n"} if is_tree else {}
    found = lamina.diff(before, after, dialect, **options)
    assert {change.where: " and ".join(map(str, change.causes)) for change in found.changes} == expected


def sources(files: dict[str, str]) -> tuple[Source, ...]:
    return tuple(Source(name, text.encode()) for name, text in files.items())


def test_the_paths_of_a_change_lead_to_its_values_whatever_the_case_of_the_keys() -> None:
    after = {**DATUM, "AllNodes/n.yml": "NodeName: n\nConfigurations: [A]\na: {X: 2}\n"}
    before = {**DATUM, "AllNodes/n.yml": "NodeName: n\nConfigurations: [A]\nA: {x: 1}\n"}
    old, new = (Inputs((Folder(".", MemoryFiles(side)),)) for side in (before, after))
    found = lamina.diff(old, new, "datum", node="n")
    (change,) = found.changes
    assert (walk(found.before.value, change.at_before), walk(found.after.value, change.at_after)) == (1, 2)
    assert {type(step) for step in (*change.path, *change.at_before, *change.at_after)} == {str}
