"""The layer and line that caused a change."""

from __future__ import annotations

import pytest

import lamina

Inputs = list[tuple[str, str]]

BASE = ("base.yaml", "#cloud-config\nport: 1\nruncmd:\n- a\n- b\nuser: {name: al, shell: sh}\n")
TOP = ("top.yaml", "#cloud-config\nport: 5\nruncmd: [z]\n")
JOIN = "merge_how: list(append)+dict(no_replace,recurse_list)+str()\n"
JOINING = ("top.yaml", f"#cloud-config\n{JOIN}port: 5\nruncmd: [z]\n")
DELETING = ("drop.yaml", '#cloud-config-jsonp\n[{"op": "remove", "path": "/user"}]\n')


def edited(part: tuple[str, str], old: str, new: str) -> tuple[str, str]:
    assert old in part[1]
    return part[0], part[1].replace(old, new)


def shown(before: Inputs, after: Inputs) -> dict[str, str]:
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
def test_the_cause_of_a_change(before: Inputs, after: Inputs, expected: dict[str, str]) -> None:
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
