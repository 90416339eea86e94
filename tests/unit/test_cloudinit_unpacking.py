"""Unpacking user-data: places, includes, limits, and what is said of everything dropped or ignored."""

from __future__ import annotations

import base64
import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.dialects.cloudinit import gunzip, includes
from lamina.sources.inputs import Inputs, MemoryFiles
from lamina.sources.source import Source

MESSAGE = """Content-Type: multipart/mixed; boundary="B"
MIME-Version: 1.0

--B
Content-Type: text/cloud-config
Content-Disposition: attachment; filename="base.cfg"

#cloud-config
a: 1
l:
- x
--B
Content-Type: text/x-shellscript
Content-Disposition: attachment; filename="dir/go now.sh"

#!/bin/sh
--B
Content-Type: text/cloud-config
Merge-Type: list(append)+
 dict(no_replace,recurse_list)

#cloud-config
l: [y]
b: {c: 2}
--B--
"""


def rendered(payload: str | bytes, files: dict[str, Any] | None = None, **options: Any) -> lamina.Result:
    texts = {"user-data": payload, **(files or {})}
    source = MemoryFiles(texts).read("user-data")
    assert source is not None
    return lamina.render(Inputs((source,), MemoryFiles(texts)), dialect="cloud-init", **options)


def note(result: lamina.Result, code: str) -> lamina.Note:
    [found] = [note for note in result.notes if note.code == code]
    return found


def place(origin: lamina.Origin | None) -> str:
    return str(origin)


def test_places_in_a_message_are_places_of_the_file() -> None:
    result = rendered(MESSAGE)
    assert result.value == {"a": 1, "l": ["x", "y"], "b": {"c": 2}}
    assert place(result.explain("a").origins[0]) == "user-data:9:4 (base.cfg)"
    assert place(result.explain("l[1]").origins[0]) == "user-data:23:5 (part-003)"
    assert place(result.explain("b.c").origins[0]) == "user-data:24:8 (part-003)"
    directive = result.explain("l").events[-1].directive
    assert directive is not None
    assert place(directive.origin) == "user-data:19:1"


def test_a_script_is_listed_by_the_name_its_file_gets() -> None:
    script = note(rendered(MESSAGE), "script")
    assert script.subject == "dir_gonow.sh"
    assert place(script.at) == "user-data:16:1 (dir/go now.sh)"


def test_an_encoded_part_names_the_line_inside_it() -> None:
    body = base64.encodebytes(b"#cloud-config\na: 1\nb: 2\n").decode()
    text = f"MIME-Version: 1.0\nContent-Type: text/cloud-config\nContent-Transfer-Encoding: base64\n\n{body}"
    [origin] = rendered(text).explain("b").origins
    assert place(origin) == "user-data:5:1 (part-001:3)"


def test_a_wrong_line_is_shown_in_the_file_and_in_the_part() -> None:
    dropped = note(rendered(MESSAGE.replace("b: {c: 2}", "b: [")), "invalid-yaml")
    assert place(dropped.at).startswith("user-data:24:")
    assert "line 3 of part-003" in dropped.message


def test_two_documents_name_both_lines() -> None:
    dropped = note(rendered("#cloud-config\na: 1\n---\nb: 2\n"), "invalid-yaml")
    assert "line 3 of part-001 (inside the value that starts on line 2)" in dropped.message


def test_an_anchor_defined_twice_is_not_inside_the_first_one() -> None:
    dropped = note(rendered("#cloud-config\na: &x 1\nb: &x 2\n"), "invalid-yaml")
    assert dropped.message == "part-001 is dropped: line 3 of part-001: the anchor 'x' is defined twice"


def test_an_included_file_speaks_for_itself() -> None:
    result = rendered("#include\nfile:///bundle/conf/one\n", {"conf/one": "#cloud-config\na: 1\n"})
    assert place(result.explain("a").origins[0]) == "conf/one:2:4"


@pytest.mark.parametrize(
    ("files", "words", "where"),
    [
        ({}, "no such file", "user-data:3:1"),
        ({"x": "#include\nfile:///bundle/y\n", "y": "#include file:///bundle/x\n"}, "includes itself", "y:1:10"),
    ],
)
def test_an_include_that_fails_names_the_line_that_includes(files: dict[str, Any], words: str, where: str) -> None:
    with pytest.raises(lamina.MergeError) as caught:
        rendered("#include\n# comment\nfile:///bundle/x\n", files, strict=True)
    assert caught.value.diagnostic.code == "include-failed"
    assert words in caught.value.diagnostic.message
    assert place(caught.value.diagnostic.at) == where


def test_includes_that_multiply_end() -> None:
    files = {f"n{i}": f"#include\nfile:///bundle/n{i + 1}\nfile:///bundle/n{i + 1}\n" for i in range(40)}
    files["n40"] = "#!/bin/sh\n"
    with pytest.raises(lamina.MergeError) as caught:
        rendered("#include file:///bundle/n0\n", files)
    assert caught.value.diagnostic.code == "include-failed"
    assert "Lamina (unlike cloud-init) allows at most" in caught.value.diagnostic.message


def test_nothing_outside_the_folder_is_included(tmp_path: Path) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    (tmp_path / "secret").write_text("#cloud-config\na: 1\n")
    (inside / "beside").write_text("#cloud-config\nb: 1\n")
    for url in (f"file://{tmp_path}/secret", "file:../secret", f"{tmp_path}/secret", "file:///etc/hostname"):
        (inside / "user-data").write_text(f"#include\n{url}\n")
        with pytest.raises(lamina.MergeError, match="does not read files outside the input"):
            lamina.render([inside / "user-data"], dialect="cloud-init", strict=True)
        assert lamina.render([inside / "user-data"], dialect="cloud-init").value is None
    for url in (f"file://{inside}/beside", "file:beside", "file:///bundle/beside"):
        (inside / "user-data").write_text(f"#include\n{url}\n")
        assert lamina.render([inside / "user-data"], dialect="cloud-init").value == {"b": 1}
    mapped = [f"file:///bundle/beside={tmp_path}/secret"]
    assert lamina.render([inside / "user-data"], dialect="cloud-init", urls=mapped).value == {"a": 1}


class Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/none":
            self.send_error(404)
            return
        self.send_response(200)
        self.end_headers()
        if self.path == "/large":
            self.wfile.write(b"#" * 200_000)
        else:
            self.wfile.write(b"#cloud-config\na: 1\n")

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Answers) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{running.server_port}"
        finally:
            running.shutdown()
            thread.join()


def test_the_network_is_used_only_if_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(includes, "MAX_BYTES", 100_000)
    with server() as url:
        with pytest.raises(lamina.MergeError, match="does not use the network without permission"):
            rendered(f"#include\n{url}/x\n", strict=True)
        assert rendered(f"#include\n{url}/x\n").value is None
        result = rendered(f"#include\n{url}/x\n", allow_net=True)
        assert place(result.explain("a").origins[0]) == f"{url}/x:2:4"
        for path, words in (("none", "Not Found"), ("large", "larger than")):
            with pytest.raises(lamina.MergeError, match=words):
                rendered(f"#include\n{url}/{path}\n", allow_net=True, strict=True)


def test_a_gzip_bomb_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gunzip, "LIMIT", 100_000)
    monkeypatch.setattr(gunzip.Unzipper.__init__, "__defaults__", (100_000,))
    bomb = gzip.compress(b"#cloud-config\n" + b"#" * 60_000)
    assert rendered(bomb).value == {}
    coded = base64.encodebytes(bomb).decode()
    part = f"Content-Type: application/gzip\nContent-Transfer-Encoding: base64\n\n{coded}"
    text = f"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n--B\n{part}\n--B\n{part}\n--B--\n"
    with pytest.raises(lamina.InputError) as caught:
        rendered(text)
    assert caught.value.diagnostic.code == "gzip-too-large"


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ("a: 1\n", "known first lines"),
        ("\ufeff#cloud-config\na: 1\n", "byte-order mark"),
        (base64.b64encode(b"#cloud-config\na: 1\n").decode(), "looks like base64"),
        ("Content-Type: text/cloud-config\n\na: 1\n", "MIME-Version"),
    ],
)
def test_what_is_ignored_gets_a_hint(payload: str, words: str) -> None:
    result = rendered(payload)
    ignored = note(result, "unhandled-content-type")
    assert result.value is None
    assert ignored.severity is lamina.Severity.ERROR
    assert words in (ignored.hint or "")


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (MESSAGE.replace("Merge-Type", "merge-type"), "header-case", 19),
        (MESSAGE.replace("text/cloud-config\nMerge", "text/x-include-url\nMerge").replace("l: [y]\nb: {c: 2}", ""),
         "header-ignored", 19),
        (MESSAGE.replace("a: 1", "a: é"), "garbled-characters", 8),
        (MESSAGE.replace('boundary="B"', 'boundary="C"'), "empty-multipart", 1),
        ("#cloud-config-archive\n- 5\n- 'a: 1'\n", "unexpected-archive-entry", 2),
        ("#cloud-config-archive\na: 1\n", "unreadable-archive", 2),
        ("#cloud-config-archive\n- a: [\n", "unreadable-archive", 3),
        ("#part-handler\n", "part-handler", 1),
        ("#cloud-boothook\n", "boothook", 1),
    ],
)  # fmt: skip
def test_everything_swallowed_is_reported_with_its_line(text: str, code: str, line: int) -> None:
    found = note(rendered(text), code)
    assert found.at is not None
    assert found.at.line == line


def test_strict_turns_all_that_is_dropped_into_failure() -> None:
    payloads = [("one", "#cloud-config\na: ["), ("two", "nothing known"), ("three", "#cloud-config\nb: 1\n")]
    assert lamina.render(payloads, dialect="cloud-init").value == {"b": 1}
    with pytest.raises(lamina.MergeError) as caught:
        lamina.render(payloads, dialect="cloud-init", strict=True)
    assert [found.code for found in caught.value.diagnostics] == ["unhandled-content-type", "invalid-yaml"]


def test_strict_passes_what_is_whole() -> None:
    assert rendered(MESSAGE, strict=True).value == rendered(MESSAGE).value


@pytest.mark.parametrize(
    "entry", ["{content: 5}", "{content: x, type: plain}", "{content: x, Merge-Type: 5}", "{1: 2}"]
)
def test_an_archive_entry_the_program_crashes_on_is_rejected(entry: str) -> None:
    with pytest.raises(lamina.MergeError) as caught:
        rendered(f"#cloud-config-archive\n- {entry}\n")
    assert caught.value.diagnostic.code == "bad-archive-entry"
    assert caught.value.diagnostic.at is not None
    assert caught.value.diagnostic.at.line == 2


@pytest.mark.parametrize(
    ("entry", "hint"),
    [
        ('- "#cloud-config\\na: \\ud83d\\ude00\\n"\n', "write the character itself, or as \\U and eight digits"),
        ('- content: "a: \\udc80"\n  type: text/plain\n', "write the character itself, or as \\U and eight digits"),
        ('- content: "a: é\\udc80"\n  type: TEXT/plain\n', "write the character itself, or as \\U and eight digits"),
        (
            "- content: !!binary gIA=\n  type: text/cloud-config\n",
            "save the text as UTF-8, or give the entry its real type",
        ),
    ],
)
def test_an_archive_entry_that_the_program_cannot_encode_stops_it(entry: str, hint: str) -> None:
    """Tried with Debian's cloud-init: a UnicodeError that nothing catches."""
    with pytest.raises(lamina.MergeError) as caught:
        rendered("#cloud-config-archive\n" + entry)
    assert caught.value.diagnostic.code == "bad-archive-entry"
    assert caught.value.diagnostic.hint == hint


def test_a_surrogate_that_stands_for_a_byte_passes_under_a_type_that_is_no_text() -> None:
    result = rendered('#cloud-config-archive\n- content: "a: \\udc80"\n  type: application/json\n- "a: 1"\n')
    assert result.plain == {"a": 1}


def test_a_name_with_the_content_type_is_lost_when_the_type_is_found_out() -> None:
    text = (
        "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n"
        "--B\nContent-Type: text/plain; name=one\n\n#cloud-config\na: 1\n"
        "--B\nContent-Type: text/cloud-config; name=two\n\nb: 2\n--B--\n"
    )
    result = rendered(text)
    assert [step.subject for step in result.plan.stages[0].outputs[0].steps[1:]] == ["part-001", "two"]


@pytest.mark.parametrize(("wanted", "value"), [(None, {"a": 3}), (0, {"a": 1}), (1, {"a": 3}), (2, {"b": 2})])
def test_the_header_counts_before_the_body(wanted: int | None, value: dict[str, int]) -> None:
    text = (
        "#cloud-config-archive\n"
        "- {content: 'a: 1', launch-index: 0}\n"
        "- {content: 'b: 2', launch-index: 2}\n"
        '- {content: "launch-index: 0\\na: 3", launch-index: 1}\n'
    )
    result = rendered(text, launch_index=wanted).value
    assert {key: result[key] for key in value} == value
    assert ("b" in result) == (wanted in (None, 2))


def test_a_patch_that_empties_the_result_lets_the_next_part_start_again() -> None:
    patch = '#cloud-config-jsonp\n[{"op": "replace", "path": "", "value": null}]\n'
    parts = [("one", "#cloud-config\na: 1\n"), ("two", patch)]
    assert lamina.render(parts, dialect="cloud-init").value is None
    more = [*parts, ("three", "#cloud-config\nb: {c: 1}\nd:\n"), ("four", "#cloud-config\nd: {e: 1}\n")]
    result = lamina.render(more, dialect="cloud-init")
    assert result.value == {"b": {"c": 1}, "d": {"e": 1}}
    assert place(result.explain("b.c").origins[0]) == "three:2:8"


def test_a_value_a_patch_removed_is_explained() -> None:
    patch = '#cloud-config-jsonp\n[\n {"op": "remove", "path": "/a/b"}\n]\n'
    result = lamina.render([("one", "#cloud-config\na: {b: 1}\n"), ("two", patch)], dialect="cloud-init")
    events = result.explain("a.b").events
    assert [(event.verdict, place(event.origin)) for event in events] == [("set", "one:2:8"), ("removed", "two:3:2")]


def test_copies_that_double_are_rejected() -> None:
    doubling = ", ".join(f'{{"op": "copy", "from": "", "path": "/{name}"}}' for name in "ab" * 30)
    parts = [("one", "#cloud-config\nx: 1\n"), ("two", f"#cloud-config-jsonp\n[{doubling}]")]
    with pytest.raises(lamina.MergeError, match="Lamina's limit") as rejected:
        lamina.render(parts, dialect="cloud-init")
    assert rejected.value.diagnostic.code == "result-too-large"


def test_copies_that_nest_are_rejected() -> None:
    nesting = ", ".join('{"op": "copy", "from": "", "path": "/a"}' for _ in range(2000))
    parts = [("one", "#cloud-config\nx: 1\n"), ("two", f"#cloud-config-jsonp\n[{nesting}]")]
    with pytest.raises(lamina.MergeError, match="400 nested collections, which is Lamina's limit"):
        lamina.render(parts, dialect="cloud-init")


def test_bytes_that_are_no_text_are_dropped() -> None:
    assert note(rendered(b"#cloud-config\na: \xff\n"), "invalid-yaml").subject == "part-001"
    utf16 = base64.encodebytes("a: 1\n".encode("utf-16")).decode()
    text = f"MIME-Version: 1.0\nContent-Type: text/cloud-config\nContent-Transfer-Encoding: base64\n\n{utf16}"
    assert note(rendered(text), "invalid-yaml").subject == "part-001"


def test_the_content_of_a_source_without_name_is_read() -> None:
    assert lamina.render([Source("-", b"#cloud-config\na: 1\n")], dialect="cloud-init").value == {"a": 1}


def test_nothing_is_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    from lamina.sources.yaml import reader as yaml_reader

    read: list[bytes] = []
    one = yaml_reader.read_one

    def counted(source: Source, *args: Any, **kwargs: Any) -> Any:
        read.append(source.data)
        return one(source, *args, **kwargs)

    monkeypatch.setattr(yaml_reader, "read_one", counted)
    archive = "#cloud-config-archive\n- |\n  once: 1\n- content: 'once: 2'\n"
    for payload in (MESSAGE.replace("a: 1", "once: 3"), archive, archive):
        rendered(payload)
    bodies = [data for data in read if b"once" in data]
    assert len(bodies) == len(set(bodies)) == 4
