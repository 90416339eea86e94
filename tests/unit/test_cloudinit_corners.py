"""Corners of cloud-init: what is shared and patched, messages inside messages, names, and what stops everything."""

from __future__ import annotations

import json
from typing import Any

import pytest

import lamina
from lamina.dialects.cloudinit import part_walker
from lamina.sources.inputs import Inputs, MemoryFiles

APPEND = "merge_how: list(append)+dict(recurse_list)"


def rendered(*payloads: str | bytes, **options: Any) -> lamina.Result:
    return layered({f"b{number}": payload for number, payload in enumerate(payloads)}, **options)


def layered(texts: dict[str, Any], **options: Any) -> lamina.Result:
    files = MemoryFiles(texts)
    sources = [source for name in texts if (source := files.read(name)) is not None]
    return lamina.render(Inputs(tuple(sources), files), dialect="cloud-init", **options)


def patch(*operations: dict[str, Any]) -> str:
    return "#cloud-config-jsonp\n" + json.dumps(operations)


def parts_of(result: lamina.Result, code: str) -> list[str | None]:
    return [note.subject for note in result.notes if note.code == code]


def message(*parts: str, kind: str = "mixed", boundary: str = "B") -> str:
    body = "".join(f"--{boundary}\n{part}\n" for part in parts)
    return f'MIME-Version: 1.0\nContent-Type: multipart/{kind}; boundary="{boundary}"\n\n{body}--{boundary}--\n'


SHARED = "#cloud-config\na: &x [1]\nb: *x\nc: {<<: &m {l: [1]}}\nd: {<<: *m}\n"


@pytest.mark.parametrize(
    ("operation", "changed"),
    [
        ({"op": "add", "path": "/a/-", "value": 2}, {"a": [1, 2], "b": [1, 2]}),
        ({"op": "replace", "path": "/b/0", "value": 2}, {"a": [2], "b": [2]}),
        ({"op": "remove", "path": "/a/0"}, {"a": [], "b": []}),
        ({"op": "replace", "path": "/a", "value": [2]}, {"a": [2]}),
        ({"op": "add", "path": "/c/l/-", "value": 2}, {"c": {"l": [1, 2]}, "d": {"l": [1, 2]}}),
        ({"op": "add", "path": "/c/k", "value": 2}, {"c": {"l": [1], "k": 2}}),
    ],
)
def test_a_patch_changes_what_is_shared_in_all_places(operation: dict[str, Any], changed: dict[str, Any]) -> None:
    before = {"a": [1], "b": [1], "c": {"l": [1]}, "d": {"l": [1]}}
    assert rendered(SHARED, patch(operation)).plain == before | changed


@pytest.mark.parametrize(
    ("first", "second", "path", "value"),
    [
        ("a: &x {}\nb: *x", "merge_how: dict()\na: {}", "/a/z", {"a": {"z": 9}, "b": {}}),
        ("a: &x {k: 1}\nb: *x", "merge_how: dict()\na: {k: 2}", "/b/k", {"a": {"k": 1}, "b": {"k": 9}}),
        ("a: &x [1]\nb: *x", "merge_how: dict(recurse_list)+list(no_replace)\na: [2]", "/a/-", {"a": [1, 9], "b": [1]}),
        ("a: &x [1]\nb: *x", "merge_how: dict()+list(no_replace)\na: [2]", "/a/-", {"a": [1, 9], "b": [1, 9]}),
        (
            "a: [&x {}]\nb: *x",
            "merge_how: dict(recurse_list)+list(append)\na: []",
            "/b/z",
            {"a": [{"z": 9}], "b": {"z": 9}},
        ),
    ],
)
def test_what_a_part_merged_is_no_longer_shared(first: str, second: str, path: str, value: Any) -> None:
    """The program copies the containers it merges, even where nothing in them changes."""
    change = patch({"op": "add", "path": path, "value": 9})
    assert rendered(f"#cloud-config\n{first}\n", f"#cloud-config\n{second}\n", change).plain == value


def test_a_copy_is_not_shared_and_what_is_moved_still_is() -> None:
    grow = {"op": "add", "path": "/a/-", "value": 2}
    assert rendered(SHARED, patch({"op": "copy", "from": "/b", "path": "/e"}, grow)).plain["e"] == [1]
    assert rendered(SHARED, patch({"op": "move", "from": "/b", "path": "/e"}, grow)).plain["e"] == [1, 2]


def test_both_places_of_a_patched_list_name_the_line_of_the_patch() -> None:
    result = rendered(SHARED, patch({"op": "add", "path": "/a/-", "value": 2}))
    for path in ("a[1]", "b[1]"):
        assert [str(origin) for origin in result.explain(path).origins] == ["b1:2:41"]


def test_data_that_would_hold_itself_is_a_limit_of_lamina() -> None:
    result = rendered(
        SHARED, patch({"op": "move", "from": "/c", "path": "/a/-"}, {"op": "add", "path": "/z", "value": 1})
    )
    assert result.plain["a"] == [1, {"l": [1]}]
    with pytest.raises(lamina.MergeError) as caught:
        rendered("#cloud-config\na: &x {k: {}}\nb: *x\n", patch({"op": "move", "from": "/a", "path": "/b/k/z"}))
    assert caught.value.diagnostic.code == "cyclic-alias"
    assert "Lamina does not support" in caught.value.diagnostic.message


NULL = patch({"op": "add", "path": "", "value": None})


@pytest.mark.parametrize(
    ("after", "value"),
    [
        (patch({"op": "add", "path": "/b", "value": 1}), {"b": 1}),
        (patch({"op": "add", "path": "/b/c", "value": 1}), {}),
        ("#cloud-config-jsonp\nnot json", {}),
        ("#cloud-config\n- no mapping\n", {}),
        ("#cloud-config\nb: 1\n", {"b": 1}),
    ],
)
def test_a_null_result_is_an_empty_mapping_for_the_next_part(after: str, value: Any) -> None:
    assert rendered("#cloud-config\na: 1\n", NULL).plain is None
    assert rendered("#cloud-config\na: 1\n", NULL, after).plain == value


@pytest.mark.parametrize("operation", [{"op": "test", "path": "/b"}, {"op": "test", "path": "/b/c", "value": 1}])
def test_a_test_of_a_missing_path_is_a_failed_test(operation: dict[str, Any]) -> None:
    result = rendered("#cloud-config\na: 1\n", patch(operation))
    assert parts_of(result, "json-patch-test-failed") == ["part-002"]


def test_bytes_that_are_not_utf_8_do_not_spoil_a_patch() -> None:
    result = rendered(b'#cloud-config-jsonp\n[{"op": "add", "path": "/a", "value": "x\xe9"}]')
    assert result.plain == {"a": "x\udce9"}


def test_a_part_that_cannot_be_merged_is_skipped_once() -> None:
    rule = "merge_how: list(append)+dict(recurse_list,recurse_str)+str(append)"
    result = rendered("#cloud-config\na: x\nb: y\nc: z\n", f"#cloud-config\n{rule}\na: [1]\nb: [1]\nc: {{d: 1}}\n")
    [note] = [note for note in result.notes if note.code == "merge-type-error"]
    assert note.path == ("a",)
    assert [str(place) for label, place in note.related if place and label.startswith("also at")] == [
        "b1:4:4",
        "b1:5:4",
    ]


INNER = f"Content-Type: text/cloud-config\n\n{APPEND}\nl: [1]"
SCRIPT = "Content-Type: text/x-shellscript\n\n#!/bin/sh"


@pytest.mark.parametrize(
    ("payload", "value", "scripts"),
    [
        (message("Content-Type: message/rfc822\n\n" + INNER), [1, 1], []),
        (message("Content-Type: message/rfc822\n\n" + message(INNER, SCRIPT, boundary="C")), [1, 1], ["part-003"] * 2),
        (message("Content-Type: message/rfc822\n\nContent-Type: message/rfc822\n\n" + INNER), [1, 1, 1], []),
        (message("\n" + INNER, kind="digest"), [1, 1], []),
        (message(INNER, kind="digest"), [1], []),
        (message(INNER, "Content-Type: message/rfc822\n\n" + SCRIPT, INNER), [1, 1], ["part-003"] * 2),
    ],
)
def test_what_is_in_a_message_is_handled_with_it_and_in_its_turn(payload: str, value: Any, scripts: list[str]) -> None:
    result = rendered(payload)
    assert result.plain == {"l": value}
    assert parts_of(result, "script") == scripts


def test_what_is_opened_inside_a_message_is_opened_once() -> None:
    archive = f"Content-Type: text/cloud-config-archive\n\n- |\n  {APPEND}\n  l: [1]"
    result = rendered(message("Content-Type: message/rfc822\n\n" + archive))
    assert result.plain == {"l": [1]}
    assert parts_of(result, "unhandled-content-type") == ["part-001"]


def test_messages_inside_one_another_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_walker, "MAX_PARTS", 100)
    nested = "Content-Type: message/rfc822\n\n" * 12 + message(*[SCRIPT] * 12, boundary="C")
    with pytest.raises(lamina.MergeError) as caught:
        rendered(message(nested))
    assert caught.value.diagnostic.code == "too-many-parts"
    assert "Lamina's limit" in caught.value.diagnostic.message


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("text/cloud-config; charset=utf-8", "é"),
        ("text/Cloud-Config", "é"),
        ("Text/Cloud-Config", None),
        ("TEXT/cloud-config;x", None),
    ],
)
def test_the_type_of_an_archive_entry_may_have_parameters_and_capitals(kind: str, value: str | None) -> None:
    archive = f'#cloud-config-archive\n- {{content: "a: %", type: "{kind}"}}\n'
    assert rendered(archive.replace("%", "e")).plain == {"a": "e"}
    assert rendered(archive.replace("%", "é")).plain == ({"a": value} if value else {})


def test_the_type_of_an_archive_entry_may_name_it() -> None:
    entry = "#cloud-config-archive\n- {content: '#!', type: text/x-shellscript; name=n.sh}\n"
    assert parts_of(rendered(entry), "script") == ["n.sh"]


@pytest.mark.parametrize(("first", "second"), [("merge-type", "Merge-Type"), ("Merge-Type", "merge-type")])
def test_of_merge_headers_that_differ_in_case_the_first_counts(first: str, second: str) -> None:
    entry = f"- content: 'a: [2]'\n  {first}: list(append)+dict(recurse_list)\n  {second}: dict(replace)\n"
    assert rendered(f"#cloud-config-archive\n- content: 'a: [1]'\n{entry}").plain == {"a": [1, 2]}


@pytest.mark.parametrize(
    ("headers", "name"),
    [
        ('-per-boot\nContent-Disposition: attachment; filename="x/y.sh"', "y.sh"),
        ('-per-instance\nContent-Disposition: attachment; filename="x/y.sh"', "y.sh"),
        ('-per-once\nContent-Disposition: attachment; filename="x/y.sh"', "y.sh"),
        ('\nContent-Disposition: attachment; filename="x/y.sh"', "x_y.sh"),
        ('; name="n.sh"', "n.sh"),
        ('; name="n.sh"\nContent-Disposition: attachment; filename=""', "part-001"),
    ],
)
def test_the_names_scripts_are_stored_under(headers: str, name: str) -> None:
    payload = message(f"Content-Type: text/x-shellscript{headers}\n\n#!/bin/sh")
    assert parts_of(rendered(payload), "script") == [name]


@pytest.mark.parametrize(
    "template",
    ["b: {{ v1.region + 1 }}\n", "b: {{ nope.deep }}\n", "{%- if 0 %}\nb: 1\n{%- endif %}", "", "b: {{ 1 / 0 }}\n"],
)
@pytest.mark.parametrize("name", ["cloud.cfg", "cloud.cfg.d/10.cfg"])
def test_a_template_of_configuration_that_fails_stops_everything(template: str, name: str) -> None:
    files = {"cloud.cfg": "a: 1\n", "cloud.cfg.d/10.cfg": "c: 1\n", name: f"## template: jinja\n{template}"}
    for mode in ("confd", "layers"):
        with pytest.raises(lamina.MergeError) as caught:
            layered(files, mode=mode, instance_data={"v1": {"region": "eu"}})
        assert caught.value.diagnostic.code == "template-error"
        assert caught.value.diagnostic.at
        assert caught.value.diagnostic.at.source == name
        assert layered(files, mode=mode).plain is not None  # without instance data the first line is a comment


def test_an_unknown_engine_stops_and_a_syntax_error_does_not() -> None:
    def confd(text: str) -> lamina.Result:
        return layered({"cloud.cfg": text}, mode="confd", instance_data={"v1": {}})

    with pytest.raises(lamina.MergeError):
        confd("## template: jinja2\nb: 1\n")
    assert confd("## template: basic\nb: $x\n").plain == {"b": "$x"}
    result = confd("## template: jinja\nb: '{{'\n")
    assert result.plain == {"b": "{{"}
    assert parts_of(result, "template-error") == ["cloud.cfg"]


CRASHES = ["!!bool x", "!!int", "!!float", '!!timestamp "1"']


@pytest.mark.parametrize("scalar", CRASHES)
def test_yaml_that_crashes_the_parser_stops_all_but_parts(scalar: str) -> None:
    text = f"a: {scalar}\n"
    for files, mode in (
        ({"cloud.cfg": "b: 1\n", "cloud.cfg.d/1.cfg": text}, "confd"),
        ({"cloud.cfg": text}, "layers"),
        ({"one": text, "two": "b: 1\n"}, "fold"),
        ({"u": f"#cloud-config-archive\n- content: {scalar}\n"}, "user-data"),
    ):
        with pytest.raises(lamina.LaminaError) as caught:
            layered(files, mode=mode)
        assert caught.value.diagnostic.code == "invalid-yaml"
        assert "cloud-init stops here" in caught.value.diagnostic.message
    result = rendered(f"#cloud-config\n{text}", "#cloud-config\nb: 1\n")
    assert result.plain == {"b": 1}
    assert parts_of(result, "invalid-yaml") == ["part-001"]


def test_other_bad_yaml_in_configuration_counts_as_empty() -> None:
    for text in ("a: !!int x\n", "a: [\n", "a: !y x\n"):
        assert layered({"cloud.cfg": "b: 1\n", "cloud.cfg.d/1.cfg": text}, mode="confd").plain == {"b": 1}
    with pytest.raises(lamina.MergeError):
        layered({"cloud.cfg": "b: 1\n", "cloud.cfg.d/1.cfg": b"a: \xe9\n"}, mode="confd")


def test_the_mode_instance_takes_all_layers_of_the_files() -> None:
    files = MemoryFiles(
        {
            "etc/cloud/cloud.cfg": "a: 1\nb: 1\n",
            "etc/cloud/cloud.cfg.d/10.cfg": "b: 2\n",
            "proc/cmdline": "root=/dev/sda cc: c: 3 end_cc",
            "var/lib/cloud/instance/user-data.txt": "#cloud-config\nd: 4\n",
        }
    )
    value = lamina.render(Inputs((), files), dialect="cloud-init", mode="instance").plain
    built_in = {"enabled": True, "prefix": []}
    assert value == {"a": 1, "b": 2, "c": 3, "d": 4, "vendor_data": built_in, "vendor_data2": built_in}


def test_limits_of_our_own_say_so() -> None:
    files = {f"n{number}": f"#include file:///bundle/n{number + 1}\n" for number in range(60)}
    with pytest.raises(lamina.MergeError) as caught:
        layered({**files, "n60": "#!"})
    assert "Lamina (unlike cloud-init) allows at most" in caught.value.diagnostic.message
    # The program accepts both: without the part the result would be wrong.
    for text, said in (("a: &a [*a]", "Lamina does not support"), (f"a: {'[' * 250}{']' * 250}", "Lamina's limit")):
        with pytest.raises(lamina.InputError) as rejected:
            rendered("#cloud-config\nb: 1\n", f"#cloud-config\n{text}\n")
        assert said in rejected.value.diagnostic.message
