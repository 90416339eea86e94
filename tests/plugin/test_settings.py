"""`lamina.plugin.settings`: fields are read as declared, and all that is wrong is said at once, with its place."""

from __future__ import annotations

import pytest

from lamina import plugin as lp
from lamina.plugin import settings as lps

PORT = lps.Form("a port", lps.number("from", 1, default=80), lps.word("kind", ("tcp", "udp"), needed="add kind"))
SERVER = lps.Form(
    "a server",
    lps.text("name", "a name", filled=True),
    lps.flag("live", default=True),
    lps.strings("users", "a user, or a list of users"),
    lps.strings("groups", "a list of groups", alone=False, filled=True),
    lps.named_strings("labels"),
    lps.table("limits", lps.Form("limits", others=True), null=True),
    lps.tables("ports", PORT, "a list of ports", null=True),
    lps.named_tables("disks", lps.Form("a disk", lps.text("path"))),
    lps.anything("size", int, str, expected="a size"),
)


def read(text: str) -> lps.Settings:
    root = lp.read_yaml(lp.Source.of_text("s.yaml", text), lp.Run()).root("s.yaml")
    return lps.Settings(root, SERVER, "bad-server")


def findings(text: str) -> list[str]:
    try:
        read(text).finish()
    except lp.Reject as error:
        return [f"{each.at and each.at[1:3]} {each.message} -- {each.hint}" for each in error.diagnostics]
    return []


def test_fields_have_their_values_or_defaults() -> None:
    settings = read("name: a\nusers: [b, c]\nlabels: {x: y}\nports: [{kind: tcp}, {kind: udp, from: 7}]\nsize: 5\n")
    settings.finish()
    assert (settings["name"], settings["live"], settings["groups"], settings["limits"]) == ("a", True, (), None)
    assert [(user.text, user.at and user.at[1:3]) for user in settings["users"]] == [("b", (2, 9)), ("c", (2, 12))]
    assert [(port["from"], port["kind"]) for port in settings["ports"]] == [(80, "tcp"), (7, "udp")]
    assert (settings["labels"], settings["size"], "live" in settings, "size" in settings) == (
        {"x": "y"},
        5,
        False,
        True,
    )


def test_a_string_may_stand_for_a_list_of_one() -> None:
    assert [user.text for user in read("users: b\n")["users"]] == ["b"]


def test_tables_are_found_by_their_names() -> None:
    assert {name: disk["path"] for name, disk in read("disks: {a: {path: x}, b: {}}\n")["disks"].items()} == {
        "a": "x",
        "b": None,
    }


def test_null_is_as_good_as_absent_where_it_is_allowed() -> None:
    settings = read("limits: null\nports: null\n")
    settings.finish()
    assert settings["limits"] is None
    assert settings["ports"] is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[1]", ["(1, 1) a server must be a mapping, not a list -- known: name, live, users, groups, labels, "]),
        ("nam: a\n1: b", ["(1, 1) a server has no field 'nam' -- did you mean name?", "(2, 1) a server has no field "]),
        ("live: 1", ["(1, 7) live must be true or false, not a number -- write true or false"]),
        ("name: ''", ["(1, 7) name cannot be '' -- write a name"]),
        ("name: null", ["(1, 7) name must be a name, not null -- write a name"]),
        ("users: [a, 1]", ["(1, 12) users[1] must be a string, not a number -- write a string"]),
        ("groups: a", ["(1, 9) groups must be a list of groups, not a string -- write a list of groups"]),
        ("groups: []", ["(1, 9) groups cannot be [] -- write a list of groups"]),
        (
            "groups: [a, '']",
            ["(1, 13) groups[1] must be a non-empty string, not an empty string -- "],
        ),
        ("labels: {a: 1}", ["(1, 13) labels.a must be a string, not a number -- write a string"]),
        ("ports: [{}, 1]", ["(1, 9) a port needs kind -- add kind", "(1, 13) a port must be a mapping, not a number"]),
        ("ports: [{kind: tpc}]", ["(1, 16) ports[0].kind cannot be 'tpc' -- did you mean tcp?"]),
        ("ports: [{kind: tcp, from: 0}]", ["(1, 27) ports[0].from cannot be 0 -- write a number from 1 on"]),
        ("ports: [{kind: tcp, from: true}]", ["(1, 27) ports[0].from must be a number from 1 on, not a boolean"]),
        ("disks: {a: {pth: x}}", ["(1, 13) a disk has no field 'pth' -- did you mean path?"]),
        ("size: [1]", ["(1, 7) size must be a size, not a list -- write a size"]),
        ("size: true", ["(1, 7) size must be a size, not a boolean -- write a size"]),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, expected: list[str]) -> None:
    found = findings(text)
    assert [shown[: len(start)] for shown, start in zip(found, expected, strict=True)] == expected


def test_all_findings_come_at_once_in_the_order_of_their_lines() -> None:
    found = findings("name: 1\nports: [{kind: x}]\nlive: maybe\nuser: a\n")
    assert [text[:6] for text in found] == ["(1, 7)", "(2, 16", "(3, 7)", "(4, 1)"]


def test_a_table_from_the_program_has_no_places() -> None:
    settings = lps.Settings(lp.LiteralNode({"live": "x"}, ()), SERVER, "bad-server")
    with pytest.raises(lp.Reject) as caught:
        settings.finish()
    assert caught.value.diagnostic.at is None
