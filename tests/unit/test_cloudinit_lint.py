"""Lint of cloud-init results: each rule finds what it is for, at its line, and nothing else."""

from __future__ import annotations

import pytest

import lamina
from lamina.dialects.cloudinit.lint import RULES
from lamina.views.explain import hints_for

JOIN = "merge_how: 'list(append)+dict(no_replace,recurse_list)+str()'\n"


def found(parts: list[tuple[str, str]], mode: str = "user-data") -> list[tuple[str, str]]:
    # Which keys there are is looked at in test_config_schema; here they are what is short.
    select = [rule.code for rule in RULES if not rule.code.startswith("config-")]
    notes = lamina.lint(parts, dialect="cloud-init", mode=mode, select=select)
    return [(note.code, f"{note.at.source}:{note.at.line}" if note.at else "") for note in notes]


def parts(*texts: str) -> list[tuple[str, str]]:
    return [(f"p{number}", f"#cloud-config\n{text}") for number, text in enumerate(texts, start=1)]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (parts(f"{JOIN}a: 1\n", "b: 1\n"), [("rule-without-effect", "p1:2")]),
        (parts(f"{JOIN}a: 1\n"), []),
        (parts("a: 1\n", f"{JOIN}b: 1\n"), []),
        (parts("a: 1\nb: {c: x}\n", f"{JOIN}a: 2\nb: {{c: y}}\n"), [("scalar-ignored", f"p2:{n}") for n in (3, 4)]),
        (parts("a: 1\n", f"{JOIN}a: 1\n"), []),
        (parts("a: 1\n", "merge_how: list()+dict()+str(append)\na: x\n"), [("scalar-ignored", "p2:3")]),
        (parts("a: x\n", "merge_how: list()+dict()+str(append)\na: y\n"), []),
        (parts("runcmd: [a]\n", "runcmd: [a]\n"), []),
        (parts("runcmd: [a]\n", "x: 1\nruncmd: [b]\n"), [("list-replaced", "p2:3")]),
        (parts("runcmd: [a]\n", f"{JOIN}runcmd: [b]\n"), []),
        (parts("a: 1\n", "merge_how: dict()\nmerge_type: list()\n"), [("leftover-rule", "p2:3")]),
        (parts("users: [me]\n"), [("no-default-user", "p1:2")]),
        (parts("users: [default, me]\n"), []),
        (parts("packages: [vim]\n", f"{JOIN}packages: [git,\n vim]\n"), [("duplicate-entry", "p2:4")]),
        (parts("runcmd: [apt-get update]\n", f"{JOIN}runcmd: [apt-get update]\n"), []),
        (parts("write_files:\n- path: /a\n  permissions: 0644\n"), [("converted-scalar", "p1:4")]),
        (parts("write_files:\n- path: /a\n  permissions: '0644'\n"), []),
        (parts("release: 2024-01-02\n"), [("converted-scalar", "p1:2")]),
        (parts("zip: 01234\nmac: [12:34:56:12:34:56]\n"), [("converted-scalar", "p1:2"), ("converted-scalar", "p1:3")]),
        (parts("zip: 1234\nnone: 0\nfar: 0.5\nnear: '12:30'\nhex: 0x1f\n"), []),
        (parts("write_files:\n- content: yes\n"), [("converted-scalar", "p1:3")]),
        (parts("runcmd:\n- [confirm, yes]\n"), [("converted-scalar", "p1:3")]),
        (parts("runcmd: [[confirm, 'yes'], true]\nssh_pwauth: no\n"), []),
    ],
)
def test_user_data(given: list[tuple[str, str]], wanted: list[tuple[str, str]]) -> None:
    assert found(given) == wanted


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        (
            parts("hostname: a\nruncmd: [a]\n", "hostname: b\nruncmd: [b]\n"),
            "to append instead, add merge_how: list(append)+dict(no_replace,recurse_list,recurse_str)+str() to p2",
        ),
        (
            parts("package_update: true\nruncmd: [a]\n", "package_update: false\nruncmd: [b]\n"),
            "to append instead, move runcmd to a part of its own with "
            "merge_how: list(append)+dict(no_replace,recurse_list)+str(); "
            "in p2 the rule would also change package_update",
        ),
        (
            parts("apt: {conf: a}\nntp:\n", "apt: {proxy: b}\nntp: {enabled: true}\n"),
            "to keep both, repeat the earlier keys in p2",
        ),
        (
            parts("hostname: a\ntimezone: UTC\n", f"{JOIN}hostname: b\ntimezone: CET\n"),
            "to replace it, write merge_how: list(append)+dict(no_replace,recurse_list,recurse_str)+str() in p2 "
            "instead; it also changes timezone",
        ),
        (
            parts("hostname: a\n", "merge_how: dict(no_replace)\nhostname: b\n"),
            "to replace it, write merge_how: dict(no_replace,recurse_str)+str() in p2 instead",
        ),
        (
            parts("ntp: {enabled: true}\n", f"{JOIN}ntp: {{enabled: false}}\n"),
            "to replace it, write all of ntp in a part of its own without a merge rule",
        ),
    ],
)
def test_a_hint_names_what_else_it_changes(given: list[tuple[str, str]], hint: str) -> None:
    """Following the hints is tried in property/test_cloudinit_hints.py."""
    assert hint in [note.hint for note in lamina.lint(given, dialect="cloud-init")]


def test_explain_names_what_else_a_rule_changes_in_a_configuration_file() -> None:
    given = [("cloud.cfg", "l: [1]\nm: [1]\ns: a\n"), ("cloud.cfg.d/90.cfg", "l: [2]\nm: [2]\ns: b\n")]
    result = lamina.render(given, dialect="cloud-init", mode="confd")
    hints = {path: hints_for(result.explain(path), result) for path in ("l", "s")}
    rule = "list(append)+dict(no_replace,recurse_list)+str()"
    assert hints == {
        "l": [f"the first file wins; to append this list to it, add merge_how: {rule} to cloud.cfg; it also appends m"],
        "s": ["the first file wins; change the value there"],
    }
    followed = [("cloud.cfg", f"merge_how: {rule}\n{given[0][1]}"), given[1]]
    after = lamina.render(followed, dialect="cloud-init", mode="confd").value
    assert after == {"l": [2, 1], "m": [2, 1], "s": "b"}


def test_layers() -> None:
    given = [
        ("cloud.cfg", "vendor_data: {enabled: true}\nntp: x\n"),
        ("cloud.cfg.d/10.cfg", "l: [1]\n"),
        ("cloud.cfg.d/90.cfg", f"{JOIN}l: [2]\n"),
        ("vendor-data", "#cloud-config\nruncmd: [v]\n"),
        ("user-data", "#cloud-config\nruncmd: [u]\n"),
    ]
    assert found(given, "layers") == [
        ("rule-without-effect", "cloud.cfg.d/90.cfg:1"),
        ("hidden-by-layer", "vendor-data:2"),
    ]


def test_rendering_says_when_a_rule_cannot_join() -> None:
    given = parts("l: [1]\ns: a\n", "merge_how: list(append)+dict()+str(append)\nl: [2]\ns: b\n")
    result = lamina.render(given, dialect="cloud-init")
    printed = [(note.code, note.at.line) for note in result.notes if note.at]
    assert printed == [("lists-not-joined", 3), ("strings-not-joined", 4)]
    assert result.value == {"l": [1], "s": "a"}


@pytest.mark.parametrize(
    ("rule", "code", "severity"),
    [
        ("list(append)", "no-dict-merger", "error"),
        ("[{name: dict, settings: no_replace}]", "settings-as-string", "error"),
        ("[{name: dict, settings: recurse_list}]", "settings-as-string", "warning"),
        ("dict(overwrite)", "unknown-option", "warning"),
    ],
)
def test_rendering_says_what_is_odd_in_a_rule(rule: str, code: str, severity: str) -> None:
    result = lamina.render(parts("a: 1\n", f"merge_how: {rule}\nb: 1\n"), dialect="cloud-init")
    [note] = [note for note in result.notes if note.code == code]
    assert note.severity.word == severity
    assert note.at is not None
    assert (note.at.source, note.at.line) == ("p2", 2)


def test_a_document_that_a_rule_ignores_as_a_whole_can_be_explained() -> None:
    result = lamina.render([("one.yaml", "#cloud-config\nmerge_how: list()\n")])
    assert all(result.hint_on(event) is None for history in result.explain_all() for event in history.events)
    assert result.hint_on(result.explain(()).events[-1]) is None


def test_user_data_of_the_installed_system_is_checked_too() -> None:
    text = "#cloud-config\nautoinstall:\n  version: 1\n  user-data:\n    hostnme: x\n    packages: y\n"
    found = {(note.code, note.path) for note in lamina.lint([("user-data", text)])}
    assert ("config-unknown-key", ("autoinstall", "user-data", "hostnme")) in found
    assert ("config-wrong-type", ("autoinstall", "user-data", "packages")) in found
