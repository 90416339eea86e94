"""The schema of cloud-config, the findings it leads to, and what a boot does with a result."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import lamina
from lamina._support.json_schema.draft4 import check_schema
from lamina.dialects.cloudinit.boot.boot_plan import boot_actions
from lamina.dialects.cloudinit.config_schema.schema_choice import own_schema


def test_it_is_a_schema_and_every_name_in_it_is_defined() -> None:
    schema = own_schema()
    assert check_schema(schema) is None
    named = {part.split('"')[0] for part in json.dumps(schema).split("#/definitions/")[1:]}
    assert named <= schema["definitions"].keys()
    assert {"packages", "runcmd", "users", "write_files", "merge_how"} <= schema["properties"].keys()


def found(*texts: str) -> list[str]:
    whole = [text if text.startswith("#") else f"#cloud-config\n{text}\n" for text in texts]
    parts = [(f"p{number}", text) for number, text in enumerate(whole, start=1)]
    notes = lamina.lint(parts, dialect="cloud-init", select=["config"])
    return [f"{note.at}: {note.message} ({note.hint})" for note in notes]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pakages: [git]", "p1:2:1: unknown key 'pakages' (did you mean packages?)"),
        ("users: [{name: a, shel: b}]", "p1:2:19: unknown key 'shel' in users[0] (did you mean shell?)"),
        (
            "write_files: [{path: /a, packages: [git]}]",
            "p1:2:26: unknown key 'packages' in write_files[0] (packages is a key of the top level; check the indent",
        ),
        ("power_state: {delay: now}", "p1:2:14: power_state: the key 'mode' is missing (add mode)"),
        (
            "power_state: {mode: rebot}",
            "p1:2:21: power_state.mode: 'rebot' is not accepted; it must be 'poweroff', 'reboot' or 'halt'"
            " (did you mean reboot?)",
        ),
        ("swap: {size: 5X}", r"p1:2:14: swap.size: must be a string that matches ^([0-9]+)?\.?[0-9]+[BKMGT]$"),
        ("mounts: []", "p1:2:9: mounts: must have at least 1 item(s)"),
        ("apt: {disable_suites: [a, a]}", "p1:2:23: apt.disable_suites: must not have the same item twice"),
        ("ansible: {galaxy: {actions: 5}}", "p1:2:29: ansible.galaxy.actions: must be a list, but is a number"),
        ("apt_update: true", "p1:2:1: apt_update: deprecated since cloud-init 22.2 (use package_update)"),
        ("apt_pipelining: none", "p1:2:1: apt_pipelining: deprecated since cloud-init 22.4 (use os)"),
        ("users: [{name: a, lock-passwd: true}]", "p1:2:19: users[0].lock-passwd: deprecated since cloud-init 22.3"),
        ("ssh_pwauth: 'no'", "p1:2:1: ssh_pwauth: deprecated since cloud-init 22.3 (use a boolean)"),
        ("users: [{name: a, sudo: false}]", "p1:2:19: users[0].sudo: deprecated since cloud-init 22.2 (use null"),
        ("users: [{name: a, uid: '5'}]", "p1:2:19: users[0].uid: deprecated since cloud-init 22.3 (use an integer)"),
        ("growpart: {mode: off}", 'p1:2:12: growpart.mode: deprecated since cloud-init 22.3 (write "off", in quotes)'),
        ("manage_etc_hosts: template", "p1:2:1: manage_etc_hosts: deprecated since cloud-init 22.3 (use true)"),
        (
            "power_state: {mode: halt, delay: '+5'}",
            "p1:2:27: power_state.delay: deprecated since cloud-init 22.3 (use an integer, or now)",
        ),
        ("rh_subscription: {add_pool: [], add-pool: []}", "p1:2:18: rh_subscription: is not a combination"),
    ],
)
def test_findings(text: str, message: str) -> None:
    first, *_ = found(text)
    assert first.startswith(message)


def test_accepted() -> None:
    assert found("packages: [git, [vim, '1.0']]\nntp:\nusers: [default, {name: a}]\nlocale: C\nmerge_how: dict()") == []


def test_a_value_is_found_in_the_part_it_came_from() -> None:
    assert found("packages: [git]", "packages: git")[0].startswith("p2:2:11: packages: must be a list")


WRONG = "packages: 3\n"
DEEP = "merge_how: dict(recurse_dict,recurse_list)+list(append)+str()\n"


@pytest.mark.parametrize(
    "later",
    [
        "packages: [git]\n",
        f"{DEEP}packages: [git]\n",
        '#cloud-config-jsonp\n[{"op": "replace", "path": "/packages", "value": ["git"]}]\n',
    ],
)
def test_a_later_part_does_not_hide_the_mistake_of_an_earlier_one(later: str) -> None:
    assert found(WRONG, later) == found(WRONG)


@pytest.mark.parametrize("rule", ["", DEEP])
def test_what_is_in_a_part_and_in_the_result_is_found_once(rule: str) -> None:
    first = "users: [{nam: a}]\nntp: {enabled: 3}\n"
    second = f"{rule}hostnam: x\nwrite_files: [{{content: a}}]\n"
    assert len(found(first)) == 3
    assert sorted(found(first, second)) == sorted([*found(first), *found("{}", second)])


def test_a_mapping_that_another_part_completes_lacks_nothing() -> None:
    first = "phone_home: {tries: 3}\n"
    url = 'phone_home: {url: "http://a"}\n'
    assert [each for each in found(first) if "'url' is missing" in each]
    assert found(first, f"{DEEP}{url}") == []
    replaced = f"merge_how: dict(replace)+list()+str()\n{url}"
    assert found(first, replaced) == found(first), "a mapping that is replaced is not completed"


def test_layers_are_checked_but_for_the_system_configuration() -> None:
    given = [
        ("cloud.cfg", "datasource_list: [None]\nvendor_data: {enabled: true}\n"),
        ("vendor-data", "#cloud-config\npakages: [a]\n"),
    ]
    notes = lamina.lint(given, dialect="cloud-init", mode="layers", select=["config"])
    assert [(note.code, str(note.at)) for note in notes] == [("config-unknown-key", "vendor-data:2:1")]


def test_another_schema(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text('{"properties": {"a": {"type": "string"}}, "additionalProperties": false}')
    given = [("p", "#cloud-config\na: 5\nb: 1\n")]
    notes = lamina.lint(given, dialect="cloud-init", select=["config"], schema=str(schema))
    assert [note.code for note in notes] == ["config-wrong-type", "config-unknown-key"]


def test_nothing_that_is_installed_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cloud-init whose schema accepts anything; `check` is the same with it and without."""
    schema = tmp_path / "cloudinit/config/schemas/schema-cloud-config-v1.json"
    schema.parent.mkdir(parents=True)
    schema.write_text("{}")
    (tmp_path / "cloudinit/__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    assert found("pakages: [git]") == ["p1:2:1: unknown key 'pakages' (did you mean packages?)"]


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        ({"deprecated": True}, "p:2:1: a: deprecated (see cloud-init's manual)"),
        (
            {"changed": True, "changed_version": "22.3", "changed_description": "Use **b** instead."},
            "p:2:1: a: deprecated since cloud-init 22.3 (use b)",
        ),
    ],
)
def test_deprecations_of_another_schema(mark: dict[str, object], message: str, tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps({"properties": {"a": {"type": "string", **mark}}}))
    [note] = lamina.lint([("p", "#cloud-config\na: b\n")], dialect="cloud-init", select=["config"], schema=str(schema))
    assert f"{note.at}: {note.message} ({note.hint})" == message


BOOT = """Content-Type: multipart/mixed; boundary=x
MIME-Version: 1.0

--x
Content-Type: text/cloud-config; name=base

#cloud-config
runcmd: [[ls, -l], date]
bootcmd: [early]
write_files: [{path: /a, content: x}, {path: /b, content: yy, defer: true, owner: bob}]
users: [default]
password: hunter2
--x
Content-Type: text/x-shellscript; name=zz.sh

#!/bin/sh
--x
Content-Type: text/x-shellscript; name=aa.sh

#!/bin/sh
--x
Content-Type: text/x-shellscript-per-boot; name=each.sh

#!/bin/sh
--x
Content-Type: text/cloud-boothook; name=hook

#cloud-boothook
--x--
"""


def test_what_a_boot_does() -> None:
    actions = list(boot_actions(lamina.render([("user-data", BOOT)], dialect="cloud-init")))
    assert [(action.stage, action.module, action.what) for action in actions] == [
        ("boot hooks", "boothook", "hook"),
        ("init", "bootcmd", "early"),
        ("init", "write_files", "/a (before users exist)"),
        ("init", "users_groups", "users: 1 item"),
        ("init", "set_passwords", "password"),
        ("config", "runcmd", "ls -l"),
        ("config", "runcmd", "date"),
        ("final", "write_files_deferred", "/b (after users exist, owner bob)"),
        ("final", "scripts_per_boot", "each.sh"),
        ("final", "scripts_user", "aa.sh"),
        ("final", "scripts_user", "the script written by runcmd"),
        ("final", "scripts_user", "zz.sh"),
    ]
    assert [action.size for action in actions if action.module.startswith("write")] == [1, 2]
    assert all(action.origin for action in actions)


def test_the_modules_of_the_configuration_are_followed() -> None:
    text = "#cloud-config\ncloud_init_modules: [[bootcmd, always], own]\nown: 1\nbootcmd: [a]\nusers: [b]\n"
    actions = boot_actions(lamina.render([("u", text)], dialect="cloud-init"))
    assert [action.module for action in actions if action.stage == "init"] == ["bootcmd", "own"]
