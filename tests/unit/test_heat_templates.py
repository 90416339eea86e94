"""Templates and attachments: where the types of parameters come from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.dialects.heat.template import MAX_SIZE, BadTemplateError, types_from
from lamina.errors import LaminaError
from lamina.sources.source import Source

HOT = "heat_template_version: 2018-08-31\n"


def types(root: str | None, *attached: str) -> dict[str, str]:
    sources = [Source.of_text(f"a{number}.yaml", text) for number, text in enumerate(attached)]
    found = types_from(Source.of_text("root.yaml", root) if root is not None else None, sources)
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
    ],
)
def test_a_template_that_heat_refuses(text: str) -> None:
    with pytest.raises(BadTemplateError) as caught:
        types(text)
    assert caught.value.finding.code == "invalid-template"
    assert caught.value.finding.subject == "root.yaml"


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


def test_a_missing_root_template_is_refused(cloud: Path) -> None:
    with pytest.raises(LaminaError) as caught:
        lamina.render(["environments/one.yaml"], dialect="heat", template="rot.yaml")
    assert caught.value.diagnostic.code == "missing-file"
    assert caught.value.diagnostic.hint == "there is root.yaml"


def test_environments_are_recognised(cloud: Path) -> None:
    assert lamina.render(["environments/two.yaml"]).dialect.name == "heat"
    assert lamina.render([("e.json", '{"parameters": {"a": 1}}')]).dialect.name == "heat"
