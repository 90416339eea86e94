"""Templates and attachments: where the types of parameters come from."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.dialects.heat.template import (
    MAX_SIZE,
    Attachment,
    BadTemplateError,
    root_node,
    size_of,
    template_node,
    types_from,
)
from lamina.errors import LaminaError
from lamina.run import Run
from lamina.sources.source import Source

HOT = "heat_template_version: 2018-08-31\n"


def types(root: str | None, *attached: str) -> dict[str, str]:
    sources = [Source.of_text(f"a{number}.yaml", text) for number, text in enumerate(attached)]
    attachments = [Attachment(source, template_node(source, Run()), size_of(source)) for source in sources]
    found = types_from(root_node(Source.of_text("root.yaml", root), Run()) if root is not None else None, attachments)
    return {name: declared.kind for name, declared in found.items()}


def test_both_styles_name_the_same_types() -> None:
    hot = HOT + "parameters: {a: {type: string}, b: {type: json}, c: {type: comma_delimited_list}}\n"
    cfn = "AWSTemplateFormatVersion: 2010-09-09\nParameters: {d: {Type: Number}, e: {Type: CommaDelimitedList}}\n"
    assert types(hot, cfn) == {
        "a": "string",
        "b": "json",
        "c": "comma_delimited_list",
        "d": "number",
        "e": "comma_delimited_list",
    }


def test_later_attachments_win_and_the_root_wins_over_all() -> None:
    attached = [HOT + f"parameters: {{a: {{type: {kind}}}, b: {{type: {kind}}}}}\n" for kind in ("json", "number")]
    assert types(HOT + "parameters: {a: {type: string}}\n", *attached) == {"a": "string", "b": "number"}


def test_what_is_no_template_is_passed_over() -> None:
    assert types(HOT, "just text", "- a\n", "parameters: {a: {type: string}}\n", "a: [\n", "") == {}


@pytest.mark.parametrize(
    "text",
    [
        "parameters: {}\n",
        "- a\n",
        "a: [\n",
        "heat_template_version: 1999-01-01\n",
        "heat_template_version: [2018-08-31]\n",
        "heat_template_version: 2018-08-31\nAWSTemplateFormatVersion: 2010-09-09\n",
        HOT + "parameters: [a]\n",
        HOT + "parameters: {a: string}\n",
        HOT + "parameters: {a: {}}\n",
        HOT + "parameters: {a: {type: Json}}\n",
        HOT + "parameters: {a: {type: [json]}}\n",
        HOT + "parameters: {a: {type: json, defualt: {}}}\n",
        "heat_template_version: pike\nparameters: {a: {type: json, tags: [x]}}\n",
        HOT + "parameters: {a: {type: json, tags: x}}\n",
        HOT + "parameters: {a: {type: json, tags: ~}}\n",
        "AWSTemplateFormatVersion: 2010-09-09\nParameters: {a: {Type: Json, type: json}}\n",
        "AWSTemplateFormatVersion: 2010-09-09\nParameters: {a: {Type: Number, MinValue: x}}\n",
        "AWSTemplateFormatVersion: 2010-09-09\nParameters: {a: {Type: Number, MaxLength: ~}}\n",
        "AWSTemplateFormatVersion: 2010-09-09\nParameters: {a: {Type: String, AllowedPattern: '['}}\n",
        "newton".join(
            [
                "heat_template_version: ",
                "\nparameters: {a: {type: number, constraints: [modulo: {step: 2, offset: 1}]}}\n",
            ]
        ),
    ],
)
def test_a_template_that_heat_rejects(text: str) -> None:
    with pytest.raises(BadTemplateError) as caught:
        types(text)
    assert caught.value.finding.code == "invalid-template"
    assert caught.value.finding.subject == "root.yaml"


CONSTRAINTS_REJECTED = [
    "x",
    "{}",
    "[x]",
    "[{}]",
    "[{bogus: 1}]",
    "[{description: d}]",
    "[{range: x}]",
    "[{range: {}}]",
    "[{range: {min: ~}}]",
    "[{range: {mn: 1}}]",
    "[{range: {min: one}}]",
    "[{range: {min: [1]}}]",
    "[{length: {max: 1.5}}]",
    "[{length: {max: '7.0'}}]",
    "[{modulo: {step: 2}}]",
    "[{modulo: {step: 0, offset: 0}}]",
    "[{modulo: {step: 2, offset: 2}}]",
    "[{modulo: {step: 2, offset: -1}}]",
    "[{modulo: {step: 2.5, offset: 0}}]",
    "[{modulo: {step: .inf, offset: 0}}]",
    "[{allowed_values: x}]",
    "[{allowed_values: ~}]",
    "[{allowed_pattern: 5}]",
    "[{allowed_pattern: '['}]",
    "[{allowed_pattern: '(?L)a'}]",
    "[{allowed_pattern: 'a{99999999999999}'}]",
]
CONSTRAINTS_TAKEN = [
    "~",
    "[]",
    "[{range: {min: 1}}]",
    "[{range: {max: '5'}}]",
    "[{range: {min: ' 1_0 '}}]",
    "[{length: {max: '7', min: true}}]",
    "[{modulo: {step: -2, offset: -1}}]",
    "[{modulo: {step: '2.0', offset: 1}}]",
    "[{allowed_values: []}]",
    "[{allowed_pattern: 'a*', description: [1]}]",
    "[{custom_constraint: 5}]",
    "[{range: {min: 1}, length: x}]",
]


@pytest.mark.parametrize("constraints", CONSTRAINTS_REJECTED)
def test_constraints_that_heat_rejects(constraints: str) -> None:
    root = HOT + f"parameters:\n  a: {{type: string}}\n  b: {{type: string, constraints: {constraints}}}\n"
    with pytest.raises(BadTemplateError) as caught:
        types(root)
    (finding,) = caught.value.findings
    assert finding.code == "invalid-template"
    assert finding.at is not None and finding.at.line == 4 and finding.at.column > 20
    with pytest.raises(BadTemplateError):
        types(HOT, root)


@pytest.mark.parametrize("constraints", CONSTRAINTS_TAKEN)
def test_constraints_that_heat_takes(constraints: str) -> None:
    more = "hidden: maybe, immutable: 5, label: [a], description: {a: b}, default: [1], schema: x, tags: [5]"
    assert types(HOT + f"parameters: {{a: {{type: string, constraints: {constraints}, {more}}}}}\n") == {"a": "string"}


def test_all_that_is_wrong_is_reported_at_once() -> None:
    with pytest.raises(BadTemplateError) as caught:
        types(HOT + "parameters: {a: {type: x, bogus: 1}, b: 5}\n", HOT + "parameters: {a: {}}\n", "x" * (MAX_SIZE + 1))
    assert [finding.subject for finding in caught.value.findings] == ["a0.yaml", "a1.yaml", *["root.yaml"] * 3]


def test_a_pattern_beyond_lamina_s_limit_is_rejected() -> None:
    text = HOT + "parameters: {a: {type: string, constraints: [{allowed_pattern: " + "a" * 10_001 + "}]}}\n"
    with pytest.raises(BadTemplateError, match="Lamina's limit"):
        types(text)


def test_warnings_of_the_host_do_not_reject_a_pattern() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert types(HOT + "parameters: {a: {type: string, constraints: [{allowed_pattern: '[[a]'}]}}\n")


@pytest.mark.parametrize("text", ["{nest}", '{{"heat_template_version": "rocky", "outputs": {nest}}}'])
def test_a_template_nested_too_deep_is_not_ignored(text: str) -> None:
    deep = text.format(nest="[" * 300 + "]" * 300)
    deep = deep if deep.startswith("{") else HOT + f"outputs: {deep}\n"
    for root, attached in ((deep, ()), (HOT, (deep,))):
        with pytest.raises(BadTemplateError) as caught:
            types(root, *attached)
        assert caught.value.finding.code == "too-deep"
        assert caught.value.finding.at is not None
    assert types(HOT, "[" * 300 + "]" * 300) == {}


def test_json_may_hold_what_yaml_may_not() -> None:
    parameters = '"parameters": {"a": {"type": "json"}}'
    assert types('{"heat_template_version": "rocky", "description": "\x7f", ' + parameters + "}") == {"a": "json"}
    yaml = HOT + 'description: "\x7f"\n' + parameters.replace('"', "") + "\n"
    with pytest.raises(BadTemplateError):
        types(yaml)
    assert types(HOT, yaml) == {}
    assert types("{heat_template_version: rocky, parameters: {a: {type: json}}}") == {"a": "json"}


def test_an_attached_file_may_be_too_large() -> None:
    with pytest.raises(BadTemplateError, match="512 KiB"):
        types(HOT, "# " + "x" * MAX_SIZE)
    assert types(HOT, "# " + "ü" * (MAX_SIZE - 2)) == {}


@pytest.fixture
def cloud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a template, what it names, and environments that name more."""
    files = {
        "root.yaml": HOT + "resources: {g: {properties: {resource_def: {type: nested/group.yaml}}}}\n",
        "nested/group.yaml": HOT + "parameters: {a: {type: json}}\nresources: {s: {type: server.yaml}}\n",
        "nested/server.yaml": HOT + "parameters: {b: {type: comma_delimited_list}}\n",
        "nested/port.template": HOT + "parameters: {c: {type: string}}\n",
        "nested/vip.yaml": HOT + "parameters: {d: {type: json}}\n",
        "environments/one.yaml": (
            "resource_registry:\n  A::B: ../nested/port.template\n  A::C: OS::Heat::None\n"
            "  A::D: https://example.org/x.yaml\n"
            "  resources: {web: {hooks: pre-create, 'A::E': ../nested/vip.yaml}}\n"
            "parameter_merge_strategies: {default: merge}\n"
            "parameter_defaults: {a: {x: 1}, b: [1], c: q, d: {x: 1}}\n"
        ),
        "environments/two.yaml": "parameter_defaults: {a: {y: 2}, b: [2], c: r, d: {y: 2}}\n",
    }
    for name, text in files.items():
        path = tmp_path / "cloud" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "outside.yaml").write_text(HOT + "parameters: {e: {type: string}}\n")
    monkeypatch.chdir(tmp_path / "cloud")
    return tmp_path / "cloud"


def render(*paths: str, **options: Any) -> lamina.Result:
    return lamina.render(list(paths), dialect="heat", template="root.yaml", **options)


def test_nested_templates_are_found_on_disk(cloud: Path) -> None:
    result = render("environments/one.yaml", "environments/two.yaml")
    assert result.value["parameter_defaults"] == {"a": {"x": 1, "y": 2}, "b": [1, 2], "c": "qr", "d": {"x": 1, "y": 2}}
    (note,) = (note for note in result.notes if note.code == "template-not-found")
    assert "https://example.org/x.yaml" in note.message


def test_nothing_is_read_outside_the_folder_of_the_inputs(cloud: Path) -> None:
    (cloud / "environments/one.yaml").write_text("resource_registry: {A: ../../outside.yaml}\nparameters: {z: 1}\n")
    (cloud / "environments/two.yaml").write_text("parameters: {e: 1}\n")
    result = render("environments/one.yaml", "environments/two.yaml")
    assert result.value["parameters"] == {"z": 1}
    assert "template-not-found" in {note.code for note in result.notes}


def test_a_loop_of_templates_ends(cloud: Path) -> None:
    (cloud / "nested/server.yaml").write_text(HOT + "resources: {g: {type: group.yaml}}\n")
    assert render("environments/two.yaml").value


def test_a_missing_root_template_is_rejected(cloud: Path) -> None:
    with pytest.raises(LaminaError) as caught:
        lamina.render(["environments/one.yaml"], dialect="heat", template="rot.yaml")
    assert caught.value.diagnostic.code == "missing-file"
    assert caught.value.diagnostic.hint == "did you mean root.yaml?"


def test_environments_are_recognised(cloud: Path) -> None:
    assert lamina.render(["environments/two.yaml"]).dialect.name == "heat"
    assert lamina.render([("e.json", '{"parameter_defaults": {"a": 1}}')]).dialect.name == "heat"


@pytest.mark.parametrize(
    "text", ["parameters:\n  size: 1\n", '{"parameters": {"size": 1}}', '"parameters": {size: 1}\n']
)
def test_a_key_parameters_alone_is_no_environment(text: str) -> None:
    override = ("override.yaml", "parameters: {size: 2}\n")
    layered = lamina.render([("values.yaml", text), override])
    assert (layered.dialect.name, layered.value) == ("layers", {"parameters": {"size": 2}})
    assert lamina.render([("a.yaml", text), ("b.yaml", "parameter_defaults: {}\n")]).dialect.name == "heat"
    with pytest.raises(LaminaError, match="do not look like any known dialect"):
        lamina.render([("values.yaml", text)])
