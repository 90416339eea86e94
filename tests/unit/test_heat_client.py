"""Environments on their way through Heat's client: what arrives at the server, and what never leaves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.errors import Diagnostic, LaminaError
from lamina.sources.inputs import Inputs, MemoryFiles
from support.heat_runs import DEEP, MERGE, render

HOT = "heat_template_version: 2018-08-31\n"


def sent(*texts: str, **options: Any) -> lamina.Result:
    return render(*texts, via="client", **options)


def stops(*texts: str, **options: Any) -> tuple[Diagnostic, ...]:
    with pytest.raises(LaminaError) as caught:
        sent(*texts, **options)
    return caught.value.diagnostics


def place(finding: Diagnostic) -> tuple[str, int, int] | None:
    return (finding.at.source, finding.at.line, finding.at.column) if finding.at else None


def test_in_python_the_files_are_read_as_they_are() -> None:
    assert render("parameters: {extra: {80: a}}\n").value == {"parameters": {"extra": {80: "a"}}}


def test_on_the_command_line_the_client_sends_them(tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text("parameters: {extra: {80: a}}\n")
    command = [sys.executable, "-m", "lamina", "render", "--dialect", "heat", "-q", "--format", "json", "e.yaml"]
    for more, key in (([], '"80"'), (["--via", "server"], '"80"')):
        done = subprocess.run([*command, *more], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert key in done.stdout
    yaml = [*command[:-3], "e.yaml"]
    assert "'80': a" in subprocess.run(yaml, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    raw = subprocess.run([*yaml, "--via", "server"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert " 80: a" in raw


def test_keys_and_values_keep_their_places() -> None:
    text = (
        "parameters:\n  extra:\n    80: {yes: on}\n    1.5: [1.0e+16, .inf]\n    set: !!set {beta, alpha}\n"
        "    raw: !!binary aGk=\n    pairs: !!omap [one: 1]\n"
    )
    result = sent(text)
    extra = result.value["parameters"]["extra"]
    assert extra == {
        "80": {"true": True},
        "1.5": ["1e+16", "Infinity"],
        "set": ["alpha", "beta"],
        "raw": "hi",
        "pairs": [["one", 1]],
    }
    wanted = {
        ("80", "true"): (3, 15),
        ("1.5", 0): (4, 11),
        ("1.5", 1): (4, 20),
        ("set", 0): (5, 23),
        ("set", 1): (5, 17),
        ("raw",): (6, 10),
        ("pairs", 0, 1): (7, 25),
    }
    for path, (line, column) in wanted.items():
        (origin,) = result.explain(("parameters", "extra", *path)).origins
        assert (origin.source, origin.line, origin.column) == ("e1.yaml", line, column), path


def test_a_note_names_what_arrives_as_a_string() -> None:
    (note,) = (note for note in sent("parameters:\n  extra: {80: 1.0e+16}\n").notes if note.code == "changed-by-json")
    assert 'parameters.extra."80"' in note.message
    assert note.at is not None and (note.at.source, note.at.line) == ("e1.yaml", 2)
    assert not [note for note in sent("parameters: {extra: {a: 1.5}}\n").notes if note.code == "changed-by-json"]


def test_nothing_is_shared_any_more() -> None:
    texts = (f"{DEEP}parameters: {{zones: &z [a], dns: *z}}\n", "parameters: {zones: [b]}\n")
    assert render(*texts).value == {"parameters": {"zones": ["a", "b"], "dns": ["a", "b"]}}
    assert sent(*texts).value == {"parameters": {"zones": ["a", "b"], "dns": ["a"]}}


def test_strategies_and_parameters_with_numbers_for_names_meet() -> None:
    template = {"template.yaml": HOT + "parameters: {1: {type: json}}\n"}
    texts = ("parameter_merge_strategies: {1: merge}\nparameters: {1: {a: 1}}\n", 'parameters: {"1": {b: 2}}\n')
    assert sent(*texts, files=template).value == {"parameters": {"1": {"a": 1, "b": 2}}}


def test_a_mapping_over_anything_else_stops_the_client_where_the_server_overwrites() -> None:
    texts = ("parameters:\n  motd: x\n", "parameters:\n\n  motd: {k: 1}\n")
    assert render(*texts).value == {"parameters": {"motd": {"k": 1}}}
    (finding,) = stops(*texts)
    assert (finding.code, finding.path) == ("type-mismatch", ("parameters", "motd"))
    assert place(finding) == ("e2.yaml", 3, 9)
    assert [(origin.source, origin.line) for _, origin in finding.related] == [("e1.yaml", 2)]


@pytest.mark.parametrize(
    "second",
    ["{motd: {}}", "{motd: y}", "{motd: ~}", "{zones: {0: b}}", "{zones: {-1: b}}", "{extra: x}", "{extra: ~}"],
)
def test_what_the_clients_own_update_takes(second: str) -> None:
    assert sent("parameters: {motd: x, zones: [a], extra: {a: 1}}\n", f"parameters: {second}\n")


@pytest.mark.parametrize("second", ["{zones: {1: b}}", "{zones: {0: {a: b}}}", "{zones: {a: b}}", "{zones: {0: ~}}"])
def test_what_it_does_not_take(second: str) -> None:
    assert [finding.code for finding in stops("parameters: {zones: [a]}\n", f"parameters: {second}\n")] == [
        "type-mismatch"
    ]


def test_the_client_looks_at_all_files_before_the_server_sees_one() -> None:
    first = f"{MERGE}parameters: {{zones: [a]}}\n"
    conflict = "parameters: {zones: 5}\n"
    assert [finding.code for finding in stops(first, conflict)] == ["invalid-parameter-value"]
    found = stops(first, conflict, "nonsense: 1\n", "resource_registry: {A: ~, B: 5}\n", "[1]\n")
    assert [finding.code for finding in found] == ["unknown-section", "client-error", "client-error", "not-a-mapping"]


@pytest.mark.parametrize(
    ("registry", "column"),
    [
        ("[a]", 1),
        ("text", 1),
        ("0", 1),
        ("{A: ~}", 21),
        ("{A: 5}", 21),
        ("{A: [b]}", 21),
        ("{hooks: ~}", 21),
        ("{resources: ~}", 21),
        ("{resources: x}", 21),
        ("{resources: [x]}", 21),
        ("{resources: {web: x}}", 33),
        ("{resources: {web: {A: ~}}}", 39),
    ],
)
@pytest.mark.parametrize("options", [{"via": "client"}, {"rule_set": "deep-update"}])
def test_registries_the_client_stops_at(registry: str, column: int, options: dict[str, Any]) -> None:
    with pytest.raises(LaminaError) as caught:
        render(f"resource_registry: {registry}\nparameters: {{zones: [a]}}\n", **options)
    assert [finding.code for finding in caught.value.diagnostics] == ["client-error"]
    assert place(caught.value.diagnostic) == ("e1.yaml", 1, column)


@pytest.mark.parametrize(
    "registry",
    ["~", "{}", "{A: {b: c}}", "{A: 'OS::B'}", "{hooks: [a]}", "{resources: {}}", "{resources: {web: {B: {c: ~}}}}"],
)
def test_registries_the_client_takes(registry: str) -> None:
    text = f"resource_registry: {registry}\nparameters: {{zones: [a]}}\n"
    assert render(text, rule_set="deep-update").value["parameters"] == {"zones": ["a"]}
    if registry != "~":  # which the server rejects as an empty section
        assert sent(text).value["parameters"] == {"zones": ["a"]}


@pytest.mark.parametrize(
    ("mapping", "expected"),
    [
        ("{1: z}", ["x", "z"]),
        ("{0: [a], -1: b}", [["a"], "b"]),
        ("{1: a, -1: b}", ["x", "b"]),
        ("{true: z}", ["x", "z"]),
        ("{2: z}", None),
        ("{'1': z}", None),
        ("{1.0: z}", None),
        ("{1: ~}", None),
        ("{1: {}}", None),
    ],
)
def test_the_keys_of_a_mapping_over_a_list_are_positions(mapping: str, expected: list[Any] | None) -> None:
    files = ("parameters:\n  zones: [x, y]\n", f"parameters:\n  zones: {mapping}\n")
    if expected is None:
        assert stops(*files)[0].code == "type-mismatch"
        with pytest.raises(LaminaError, match="zones"):
            render(*files, rule_set="deep-update")
        return
    result = render(*files, rule_set="deep-update")
    assert result.value["parameters"]["zones"] == expected
    assert sent(*files).value  # the server overwrites the list
    layers = [result.explain(("parameters", "zones", at)).events[-1].layer for at in (0, 1)]
    assert layers == ["e1.yaml" if item == before else "e2.yaml" for item, before in zip(expected, "xy", strict=True)]


def test_an_attached_file_that_is_not_there_stops_the_client() -> None:
    files = {"template.yaml": HOT + "resources:\n  r: {type: gone.yaml, p: {get_file: gone.sh}}\n"}
    found = stops("resource_registry: {A: too.yaml, B: ''}\n", files=files, strict=True)
    assert [finding.code for finding in found] == ["missing-file"] * 4
    assert [place(finding) for finding in found] == [
        ("template.yaml", 3, 38),
        ("template.yaml", 3, 13),
        ("e1.yaml", 1, 24),
        ("e1.yaml", 1, 37),
    ]
    assert render("resource_registry: {A: too.yaml}\n", files=files).value


@pytest.mark.parametrize("name", ["http://[", "foo:bar.yaml", "a%00b.yaml", '"a\\0b.yaml"', "x" * 5000 + ".yaml"])
def test_names_that_lead_nowhere(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e.yaml").write_text(f"resource_registry:\n  A: {name}\nparameters: {{a: 1}}\n")
    with pytest.raises(LaminaError) as caught:
        lamina.render(["e.yaml"], dialect="heat", via="client", strict=True)
    assert caught.value.diagnostic.code == "missing-file"
    result = lamina.render(["e.yaml"], dialect="heat", via="client")
    assert result.value["parameters"] == {"a": 1}
    assert [note.severity.word for note in result.notes if note.code == "missing-file"] == ["error"]
    assert lamina.render(["e.yaml"], dialect="heat").value["parameters"] == {"a": 1}


def test_templates_that_name_each_other_stop_the_client() -> None:
    files = {
        "template.yaml": HOT + "resources: {r: {type: one.yaml}}\n",
        "one.yaml": HOT + "resources: {r: {type: two.yaml}}\n",
        "two.yaml": HOT + "resources: {r: {type: one.yaml}}\n",
    }
    (finding,) = stops("parameters: {a: 1}\n", files=files)
    assert finding.code == "client-error"
    assert place(finding) == ("two.yaml", 2, 17)


def test_a_chain_of_templates_may_be_long() -> None:
    files = {f"t{number}.yaml": HOT + f"resources: {{r: {{type: t{number + 1}.yaml}}}}\n" for number in range(3000)}
    files |= {"template.yaml": files["t0.yaml"], "t3000.yaml": HOT + "parameters: {zones: {type: json}}\n"}
    result = sent(f"{MERGE}parameters: {{zones: {{a: 1}}}}\n", "parameters: {zones: {b: 2}}\n", files=files)
    assert result.value["parameters"] == {"zones": {"a": 1, "b": 2}}


def test_the_outer_template_wins_and_inner_files_come_first() -> None:
    files = {
        "template.yaml": HOT + "resources: {r: {type: one.yaml, properties: {p: {get_file: three.yaml}}}}\n",
        "one.yaml": HOT + "parameters: {a: {type: string}}\nresources: {r: {type: two.yaml}}\n",
        "two.yaml": HOT + "parameters: {a: {type: json}, b: {type: string}}\n",
        "three.yaml": HOT + "parameters: {a: {type: number}, b: {type: json}}\n",
    }
    texts = (f"{MERGE}parameters: {{a: x, b: y}}\n", "parameters: {a: x, b: y}\n")
    assert sent(*texts, files=files).value["parameters"] == {"a": "xx", "b": "yy"}


def test_on_disk_the_outer_template_wins_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "root.yaml": HOT + "resources: {r: {type: sub/one.yaml}}\n",
        "sub/one.yaml": HOT + "parameters: {a: {type: string}}\nresources: {r: {get_file: ../two.yaml}}\n",
        "two.yaml": HOT + "parameters: {a: {type: json}, b: {type: string}}\n",
        "e1.yaml": f"{MERGE}parameters: {{a: x, b: y}}\n",
        "e2.yaml": "parameters: {a: x, b: y}\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    for via in ("client", "server"):
        result = lamina.render(["e1.yaml", "e2.yaml"], dialect="heat", template="root.yaml", via=via)
        assert result.value["parameters"] == {"a": "xx", "b": "yy"}


def test_a_root_template_in_braces_must_be_json_for_the_client() -> None:
    files = {"template.yaml": "{heat_template_version: rocky, parameters: {zones: {type: json}}}\n"}
    assert render("parameters: {zones: {a: 1}}\n", files=files).value
    (finding,) = stops("parameters: {zones: {a: 1}}\n", files=files)
    assert finding.code == "invalid-template"
    assert finding.hint is not None and "JSON" in finding.hint


@pytest.mark.parametrize("value", ["!!binary /w==", "{? !!binary aGk= : x}"])
@pytest.mark.parametrize("where", ["environment", "root", "attached"])
def test_what_json_cannot_hold_stops_the_client(value: str, where: str) -> None:
    texts = {
        "environment": (f"parameters:\n  extra: {value}\n", {}),
        "root": ("parameters: {a: 1}\n", {"template.yaml": f"{HOT}outputs:\n  extra: {value}\n"}),
        "attached": (
            "resource_registry: {A: a.yaml}\n",
            {"template.yaml": HOT, "a.yaml": f"{HOT}outputs:\n  extra: {value}\n"},
        ),
    }
    text, files = texts[where]
    (finding,) = stops(text, files=files)
    assert finding.code == "client-error"
    assert finding.at is not None
    assert finding.at.line == (2 if where == "environment" else 3)


def test_a_conflict_below_a_key_that_json_cannot_hold_is_reported() -> None:
    found = stops("parameters: {extra: {? !!binary aGk= : x}}\n", "parameters: {extra: {? !!binary aGk= : {a: 1}}}\n")
    assert [finding.code for finding in found] == ["client-error", "client-error", "type-mismatch"]


def test_a_long_key_cannot_be_read_by_the_server() -> None:
    for key, fits in (("k" * 1022, True), ("k" * 1023, False), ("é" * 170, True), ("é" * 171, False)):
        text = f"parameters:\n  extra: {{? {key} : 1}}\n"
        assert render(text).value
        if fits:
            assert sent(text).value["parameters"]["extra"] == {key: 1}
        else:
            (finding,) = stops(text)
            assert (finding.code, place(finding)) == ("malformed-yaml", ("e1.yaml", 2, 13))


def test_sizes_are_those_of_the_json_text() -> None:
    comment = "#" * 600_000 + "\n"
    assert "512 KiB" in _rejected(comment + "parameters: {a: 1}\n", via="server")
    assert sent(comment + "parameters: {a: 1}\n").value
    aliases = "parameters: {a: &a " + "x" * 10_000 + ", b: [" + ", ".join(["*a"] * 60) + "]}\n"
    assert render(aliases).value
    assert "512 KiB" in _rejected(aliases, via="client")


def test_aliases_that_expand_very_far_are_measured_in_no_time() -> None:
    text = "parameters: {a: &a " + "x" * 10_000 + ", b: [" + ", ".join(["*a"] * 5000) + "]}\n"
    assert "512 KiB" in _rejected(text, via="client")


def _rejected(text: str, **options: Any) -> str:
    with pytest.raises(LaminaError) as caught:
        render(text, **options)
    return caught.value.diagnostic.message


def test_the_specification_knows_no_client() -> None:
    text = "merge_strategy: {list: extend}\nparameters: {extra: {80: a}}\n"
    assert sent(text).value == {"parameters": {"extra": {80: "a"}}}


def test_files_in_memory_are_attached_only_if_named() -> None:
    memory = MemoryFiles(
        {"t.yaml": HOT, "one.yaml": HOT + "parameters: {a: {type: string}}\n", "e.yaml": "parameters: {a: 1}\n"}
    )
    source = memory.read("e.yaml")
    assert source is not None
    inputs = Inputs((source, source), memory)
    for via, declared in (("client", False), ("server", True)):
        result = lamina.render(inputs, dialect="heat", template="t.yaml", via=via)
        assert ("undeclared-parameter" not in {note.code for note in result.notes}) is declared
