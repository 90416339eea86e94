"""Reading YAML: the rules, probed against PyYAML itself."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import pytest
import yaml

import lamina
from lamina.errors import InputError, Severity
from lamina.sources.limits import Limits
from lamina.sources.source import Shift, Source
from lamina.sources.yaml.reader import read, read_one
from lamina.sources.yaml.scalars import PYYAML, PYYAML_TEXT_DATES, YAMLDOTNET

if TYPE_CHECKING:
    from pathlib import Path

    from lamina.sources.document import Document

Loader = Literal["pure", "c"]
LOADERS: dict[Loader, type[yaml.SafeLoader] | type[yaml.CSafeLoader]] = {"pure": yaml.SafeLoader, "c": yaml.CSafeLoader}

PROBES = [
    "",
    "# only a comment\n",
    "a: yes\nb: No\nc: ON\nd: off\ne: y\nf: n\ng: 'yes'",
    "[0644, 0o644, 08, 0x1F, 0b11, 1_000, +12, -0, 0]",
    "[1:30, 22:22, 1:30:00, 8080:80, 1:60, 1:30.5, 12:30:45]",
    "[1e3, 1.5e3, 12e03, 1.0e+3, 1., .5, 1.10, .inf, -.INF, .nan, 685.230_15e+03]",
    "[~, null, Null, NULL, nULL, '']",
    "{a: , b: ~}",
    "[2024-01-02, 2024-01-02T03:04:05Z, 2001-12-14t21:59:43.10-05:00, 2001-12-14 21:59:43.10 -5, 2024-1-2]",
    "a: 1\nb: 2\na: 3",
    "1: a\nyes: b\n1.0: c",
    "a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}",
    "a: &x {p: 1, q: 2}\nb: {q: 3, <<: *x, r: 4}",
    "- &x {p: 1}\n- &y {p: 2, q: 2}\n- {<<: [*x, *y], z: 0}\n- {<<: *x, <<: *y}",
    "- &x {p: 1}\n- &y {<<: *x, q: 2}\n- {<<: *y, r: 3}\n- {<<: {<<: *y}, p: 9}",
    "{<<: {a: 1, a: 2}, b: 1, b: 2, a: 3}",
    "{<<: []}",
    "&a {b: 1, <<: *a}",
    "- {'<<': 1}\n- {!!str <<: 1}",
    "- <<",
    "a: <<",
    "- {=: 1}\n",
    "a: =",
    "[=]",
    "{<<: 1}",
    "{<<: [1]}",
    "{<<: [[a]]}",
    "&m <<: {a: 1}",
    "a: &x [1, 2]\nb: *x",
    "a: &x hello\nb: *x\n*x : 3",
    "a: *nope",
    "[&a 1, &a 2]",
    "a: !!binary aGVsbG8=\nb: !!binary |\n  aGVs\n  bG8=\n",
    "!!binary '***'",
    "!!binary é",
    "!!set {a, b, c}",
    "!!set {a, <<: {b: 1}, =}",
    "!!omap [{a: 1}, {b: 2}]",
    "!!omap [a]",
    "!!omap [{a: 1, b: 2}]",
    "!!pairs [a: 1, a: 2]",
    "!!pairs [[a]: 1]",
    "x: !!timestamp 2024-01-02",
    "x: !!timestamp soon",
    "[!!int '12', !!int 0x1f, !!float '1', !!str 12, !!null '', !!bool yes]",
    "[!!int x]",
    "[!!int '']",
    "[!!bool maybe]",
    "!!map {a: 1}",
    "!!seq [a]",
    "!!seq {a: 1}",
    "!!map [a]",
    "!!str [a]",
    "!!str {=: a}",
    "[! 12, ! '12', ! x]",
    "a: !custom x",
    "a: !custom {}",
    "a: !!python/object/apply:os.system [x]",
    "2024-13-45",
    "a:\n  - x\n  - 2024-99-99",
    "{[a]: b}",
    "? [a]\n: b",
    "? {a: b}\n: c",
    "? a\n? b\n",
    "a: b\tc",
    "a:\tb",
    "- a\t# c",
    "[b\t,c]",
    "a: |\n  tab\there\n",
    "a:\n\tb: 1",
    "[http://x/?a=b]",
    "{a?: b}",
    "[?a]",
    "[? a : b]",
    "a: http://x/?a=b",
    "|# no comment\n  x",
    "--- |-\n  x\n",
    "%YAML 1.1\n---\na: 1",
    "%YAML 1.3\n---\na: 1",
    "%TAG !e! tag:yaml.org,2002:\n---\n!e!str 12",
    "\ufeffa: 1",
    "a: 1\n\ufeffb: 2",
    "\n\ufeff",
    "a: 1\r\nb: 2\r\n",
    "a: 1\rb: 2",
    "a: x\x85b: 2",
    'a: "\\ud800"',
    'a: "\\U00110000"',
    'a: "\\x41\\u00e9\\n"',
    'a: "\\q"',
    "a: 'it''s'",
    "a: >\n  folded\n  text\n\n  more\n",
    "a: b: c",
    "a: [1, 2",
    "a: {1, 2",
    "a: 'open",
    "a\nb: c",
    "- a\nb: c",
    "a: @x",
    "a: `x`",
    "a: %x",
    "---\na: 1\n---\nb: 2\n",
    "---\n---\n",
    "a: 1\n...\nb: 2",
    "--- x\n--- !bad y\n",
    "x" * 2000 + ": 1",
    "?",
    "-",
    ":",
    "é: ü\n😀: x",
]
BYTES = [
    b"a: \xff",
    b"ok: 1\nb: x\xc3",
    b"a: \x00",
    b"a: 1\nb: \x01x",
    b"a: \x7f",
    "a: é".encode("utf-16"),
    "a: é".encode("utf-16-be"),
    b"\xef\xbb\xbfa: 1",
    b"\xef\xbb\xbf\xef\xbb\xbfa: 1",
]


def expected(data: bytes, loader: Loader, one: bool) -> tuple[Any, Exception | None]:
    try:
        if one:
            return yaml.load(data, Loader=LOADERS[loader]), None
        return list(yaml.load_all(data, Loader=LOADERS[loader])), None
    except Exception as fault:  # PyYAML lets bad dates crash with ValueError and more
        return None, fault


def check_against_pyyaml(data: bytes, loader: Loader, one: bool) -> None:
    value, fault = expected(data, loader, one)
    source = Source("s.yaml", data)
    if fault is None:
        got = read_one(source, loader=loader).value if one else [doc.value for doc in read(source, loader=loader)]
        assert repr(got) == repr(value)
        return
    with pytest.raises(InputError) as caught:
        _ = read_one(source, loader=loader) if one else read(source, loader=loader)
    finding = caught.value.diagnostic
    assert finding.code == "invalid-yaml"
    assert finding.hint
    assert finding.at
    if (mark := getattr(fault, "problem_mark", None)) is not None:
        assert (finding.at.line, finding.at.column) == (mark.line + 1, mark.column + 1)


@pytest.mark.parametrize("one", [True, False])
@pytest.mark.parametrize("loader", ["pure", "c"])
@pytest.mark.parametrize("data", [*(probe.encode() for probe in PROBES), *BYTES])
def test_as_pyyaml(data: bytes, loader: Loader, one: bool) -> None:
    check_against_pyyaml(data, loader, one)


def test_the_wording_is_the_loaders() -> None:
    text = "a: 1\n b: 2"
    with pytest.raises(yaml.YAMLError) as theirs:
        yaml.safe_load(text)
    with pytest.raises(InputError) as ours:
        read(Source.of_text("s", text))
    assert isinstance(theirs.value, yaml.MarkedYAMLError)
    assert str(theirs.value.problem) in ours.value.diagnostic.message


def one(text: str) -> Document:
    return read_one(Source.of_text("s.yaml", text))


def places(document: Document, *keys: Any) -> tuple[tuple[int, int], tuple[int, int]]:
    """Line and column of the key and of the value at the end of a path of keys and positions."""
    positions, value = document.positions, document.value
    index = key_index = 0
    for key in keys:
        if isinstance(value, dict):
            key_index, index = positions.member(index, value, key)
        else:
            key_index = index = positions.item(index, key)
        value = value[key]
    origins = positions.origin(key_index), positions.origin(index)
    return (origins[0].line, origins[0].column), (origins[1].line, origins[1].column)


def test_places_of_keys_and_values() -> None:
    document = one("a:\n  - x\n  - {k: v}\nb: |\n  text\n")
    assert places(document, "a") == ((1, 1), (2, 3))
    assert places(document, "a", 1, "k") == ((3, 6), (3, 9))
    assert places(document, "b") == ((4, 1), (4, 4))
    assert document.origin.line == 1


@pytest.mark.parametrize("tag", ["", "!!map\n"])
def test_places_through_merge_keys_and_aliases(tag: str) -> None:
    document = one(tag + "base: &b\n  p: 1\n  q: [2]\nuse:\n  <<: *b\n  p: 3\nagain: *b\n")
    first = 1 + tag.count("\n")
    assert document.value["use"] == {"p": 3, "q": [2]}
    assert list(document.value["use"]) == ["p", "q"]
    assert places(document, "use", "p") == ((first + 5, 3), (first + 5, 6))
    assert places(document, "use", "q", 0) == ((first + 2, 7), (first + 2, 7))
    assert places(document, "again", "p") == ((first + 1, 3), (first + 1, 6))
    assert document.value["again"] is document.value["base"]


@pytest.mark.parametrize("tag", ["", "!!map\n"])
def test_a_repeated_key_is_noted_and_the_last_counts(tag: str) -> None:
    document = one(tag + "a: 1\nb: 2\na: 3\n")
    first = 1 + tag.count("\n")
    (note,) = document.notes
    assert (note.code, note.severity) == ("duplicate-key", Severity.WARNING)
    assert f"lines {first} and {first + 2}" in note.message
    assert places(document, "a") == ((first + 2, 1), (first + 2, 4))
    assert list(document.value.items()) == [("a", 3), ("b", 2)]


@pytest.mark.parametrize("odd", ["", "!!str "], ids=["as people write", "with a tag, which PyYAML reads"])
def test_repeated_keys_are_noted_in_the_order_of_lines_each_with_the_first(odd: str) -> None:
    text = f"a: {{b: {odd}x, b: y}}\na:\n  c: 1\n  c: 2\na: 3\n"
    notes = read_one(Source.of_text("x.yaml", text)).notes
    assert [(note.at.line, note.related[0][1].line) for note in notes if note.at] == [(1, 1), (2, 1), (4, 3), (5, 1)]


def test_own_keys_over_merged_ones_are_no_repetition() -> None:
    assert one("a: &a {x: 1}\nb: {<<: *a, x: 2}").notes == []


def test_places_in_sets_and_ordered_maps() -> None:
    document = one("s: !!set\n  ? b\n  ? a\no: !!omap\n- k: 1\n- l: [2]\n")
    positions = document.positions
    _, at = positions.member(0, document.value, "s")
    key, _ = positions.member(at, document.value["s"], "a")
    assert positions.origin(key).line == 3
    _, at = positions.member(0, document.value, "o")
    pair = positions.item(at, 1)
    assert positions.origin(positions.item(pair, 0)).line == 6
    assert positions.origin(positions.item(positions.item(pair, 1), 0)).column == 7


def test_errors_in_a_piece_point_into_the_file() -> None:
    piece = Source.of_text("mail.txt", "...").inner_source("part-002", b"a: [", Shift(10, 0))
    with pytest.raises(InputError) as caught:
        read(piece)
    assert caught.value.diagnostic.at
    assert str(caught.value.diagnostic.at) == "mail.txt:11:5 (part-002)"


def test_a_second_document_is_rejected_where_one_is_wanted() -> None:
    with pytest.raises(InputError, match="another document"):
        one("a: 1\n---\nb: 2")


def test_nothing_is_null() -> None:
    assert one("").value is None
    assert one("").origin.line == 1


@pytest.mark.parametrize("text", ["&a [*a]", "a: &a {b: *a}", "a: &a\n- [*a]", "&a !!omap [x: *a]"])
@pytest.mark.parametrize("loader", ["pure", "c"])
def test_data_that_would_hold_itself_is_rejected(text: str, loader: Loader) -> None:
    with pytest.raises(InputError) as caught:
        read(Source.of_text("s", text), loader=loader)
    assert caught.value.diagnostic.code == "cyclic-alias"
    assert caught.value.diagnostic.at
    assert caught.value.diagnostic.at.column == text.splitlines()[-1].index("*") + 1


def bomb(first: str, layer: str) -> str:
    names = "abcdefghijkl"
    lines = [f"{names[0]}: &{names[0]} {first}"]
    for older, newer in pairwise(names):
        lines.append(f"{newer}: &{newer} {layer.format(', '.join([f'*{older}'] * 10))}")
    return "\n".join(lines)


HOSTILE = {
    "brackets": ("[" * 100_000, "too-deep"),
    "braces": ("{a: " * 100_000, "too-deep"),
    "dashes": ("- " * 100_000, "too-deep"),
    "block": ("\n".join(" " * at + "a:" for at in range(2_000)), "too-deep"),
    "brackets after a tag": ("!!map {a: " + "[" * 100_000, "too-deep"),
    "brackets after what only the pure parser takes": ('"\\ud800": ' + "[" * 3_000, "too-deep"),
    "a chain of aliases": (
        "a0: &a0 [x]\n" + "".join(f"a{at}: &a{at} [*a{at - 1}]\n" for at in range(1, 2_000)),
        "too-deep",
    ),
    "billion laughs": (bomb("[x, x]", "[{}]"), "too-many-aliases"),
    "billion laughs in merge keys": (bomb("{x: 1}", "{{<<: [{}]}}"), "too-many-aliases"),
    "billion laughs under a tag": ("!!map\n" + bomb("{x: 1}", "{{<<: [{}]}}"), "too-many-aliases"),
    "a mapping merged into itself": (
        "&a {<<: [" + "*a, " * 5_000 + "]" + "".join(f", k{at}: 1" for at in range(5_000)) + "}",
        "too-many-aliases",
    ),
    "digits": ("1" * 100_000, "number-too-long"),
    "tagged digits": (f"!!int '{'1' * 100_000}'", "number-too-long"),
    "hexadecimal digits": ("0x" + "f" * 4_000, "number-too-long"),
    "base 60": ("1" + ":59" * 50_000, "number-too-long"),
    "fraction": ("1." + "1" * 100_000, "number-too-long"),
}


@pytest.mark.parametrize("loader", ["pure", "c"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_ends_in_a_clear_error(name: str, loader: Loader) -> None:
    text, code = HOSTILE[name]
    if loader == "c" and "pure" in name:
        code = "invalid-yaml"
    for table in (PYYAML, YAMLDOTNET):
        if table is YAMLDOTNET and ("merge" in name or code == "number-too-long" or "tag" in name):
            continue
        with pytest.raises(InputError) as caught:
            read(Source.of_text("s", text), table, loader)
        assert caught.value.diagnostic.code == code
        assert caught.value.diagnostic.at


def test_long_text_of_digits_and_characters_is_text() -> None:
    text = "1a" * 5_000
    assert one(text).value == text
    assert one("&" + "a" * 100_000 + " x").value == "x"


def test_limits_can_be_set() -> None:
    source = Source.of_text("s", "[[1111111111111111111111111111111111111111111111111111111111111111111111]]")
    for limits, code in (
        (Limits(depth=1), "too-deep"),
        (Limits(size=10), "input-too-large"),
        (Limits(digits=65), "number-too-long"),
    ):
        with pytest.raises(InputError) as caught:
            read(source, limits=limits)
        assert caught.value.diagnostic.code == code
    with pytest.raises(InputError) as caught:
        read(Source.of_text("s", "[&a [1, 2], *a]"), limits=Limits(alias_nodes=2))
    assert caught.value.diagnostic.code == "too-many-aliases"
    assert read(source, limits=Limits(depth=2))


def test_heat_reads_dates_as_text() -> None:
    text = "a: 2024-01-02\nb: !!timestamp 2024-01-02T03:04:05Z\nc: 12:30:45\n"
    document = read_one(Source.of_text("s", text), PYYAML_TEXT_DATES, "c")
    assert document.value == {"a": "2024-01-02", "b": "2024-01-02T03:04:05Z", "c": 45045}


def test_datum_reads_scalars_as_dotnet_does() -> None:
    texts = ["1", "-5", "+5", "00123", "017", "1e3", "1.5", "true", "TRUE", "~", "NULL", "yes", "0x1F", "0o17", "1_000"]
    values = [1, -5, 5, 123, 17, 1000, 1.5, True, True, None, None, "yes", "0x1F", "0o17", "1_000"]
    texts += [
        "12:30:45",
        "1.2.3",
        "2024-01-02",
        "=",
        "'1'",
        "!!str 1",
        "!!int '7'",
        "!x 7",
        "1,5",
        "99999999999999999999",
    ]
    values += ["12:30:45", "1.2.3", "2024-01-02", "=", "1", "1", 7, 7, "1,5", 99999999999999999999]
    text = "".join(f"- {text}\n" for text in texts)
    document = read_one(Source.of_text("s", text), YAMLDOTNET, "c")
    assert repr(document.value) == repr(values)


def test_datum_keys_are_text_and_merge_keys_plain() -> None:
    document = read_one(Source.of_text("s", "1: a\ntrue: b\n'': c\nx: &x {y: 1}\nz: {<<: *x}"), YAMLDOTNET, "c")
    assert document.value == {"1": "a", "true": "b", "": "c", "x": {"y": 1}, "z": {"<<": {"y": 1}}}
    assert places(document, "true")[1] == (2, 7)


@pytest.mark.parametrize("text", ["a: 1\na: 2", "1: a\n1: b", "- {x: 1, x: 2}", "!t {x: 1, x: 2}"])
def test_datum_rejects_a_key_written_twice(text: str) -> None:
    with pytest.raises(InputError) as caught:
        read(Source.of_text("s", text), YAMLDOTNET, "c")
    assert caught.value.diagnostic.code == "duplicate-key"
    assert caught.value.diagnostic.related


def test_the_quick_test_for_text_follows_pyyaml() -> None:
    starts = {start for start in yaml.SafeLoader.yaml_implicit_resolvers if start}
    assert starts == set(PYYAML.starts)
    assert None not in yaml.SafeLoader.yaml_implicit_resolvers


def test_the_cache_is_bounded() -> None:
    for at in range(70_000):
        assert PYYAML.cache[f"x{at}"] == f"x{at}"
    assert len(PYYAML.cache) <= 1 << 16
    PYYAML.cache.clear()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("users:\n%{ for u in users ~}\n  - name: ${u}\n%{ endfor ~}\n", "%{ for"),
        ("a:\n  - x\n${indent(2, more)}\nb: 1\n", "${indent(2,"),
        ("{{- if .Values.x }}\na: 1\n{{- end }}\n", "{{- if"),
        ("a: {{ .Host }}\n", "{{ .Host"),
        ("{% if x %}\na: 1\n{% endif %}\n", "{% if"),
        ("a: 1\n<% if x %>\nb: 1\n<% end %>\n", "<% if"),
        ("a: 1\n$(cat more)\nb: 1\n", "$(cat"),
        ("a:\n$ITEMS\n", "$ITEMS"),
    ],
)
def test_a_template_is_to_be_rendered_first(text: str, shown: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"#cloud-config\n{text}")
    wanted = f"this looks like a template ({shown} …): render it first, or quote it if it should be a string"
    found = lamina.lint(tmp_path / "a.yaml", "layers", select=["invalid-yaml"])
    assert [note.hint for note in found] == [wanted]
    found = lamina.lint(tmp_path / "a.yaml", "cloud-init", select=["invalid-yaml", "foreign-template"])
    known = shown.startswith(("%{", "${", "{"))  # cloud-config of other programs' templates is read as far as it goes
    assert [note.code if known else note.hint for note in found] == ["foreign-template" if known else wanted]
