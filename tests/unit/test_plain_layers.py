"""Plain layers: how they are detected, what the command line sets, hierarchies on disk, and hostile inputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.cli.main import main
from lamina.dialects.data_options import Bounds, options_from_data
from lamina.dialects.layers.dialect import DIALECT
from lamina.dialects.layers.options import PRESETS
from lamina.dialects.layers.settings import preset_settings
from lamina.dialects.registry import detect
from lamina.errors import MergeError, UsageError
from lamina.run import Run
from lamina.sources.inputs import gather


def test_two_plain_files_that_nobody_claims_are_layers() -> None:
    assert detect(gather([("a.yaml", "a: 1\n"), ("b.toml", "[t]\nb = 2\n"), ("c.json", '{"c": 3}')])).name == "layers"
    assert detect(gather([("a.yaml", "# only\n"), ("b.yaml", "b: 2\n")])).name == "layers"


@pytest.mark.parametrize(
    "empty", ["---\n", "---", "---\n# nothing yet\n", "--- # nothing\n...\n", "%YAML 1.1\n---\n#\n"]
)
def test_a_file_with_marks_and_comments_only_is_an_empty_layer(empty: str) -> None:
    result = lamina.render([("all.yml", empty), ("group.yml", "---\nb: 2\n"), ("host.yml", "--- !!map\nc: 3\n")])
    assert (result.dialect.name, result.value) == ("layers", {"b": 2, "c": 3})


@pytest.mark.parametrize(
    "files",
    [
        [("a.yaml", "a: 1\n")],
        [("a.yaml", "# nothing\n"), ("b.yaml", "")],
        [("a.yaml", "---\n# nothing\n"), ("b.yaml", "---\n")],
        [("a.yaml", "a: 1\n"), ("b.txt", "b: 1\n")],
        [("a.yaml", "a: 1\n"), ("b.yaml", "- 1\n")],
    ],
)
def test_other_inputs_stay_unknown(files: list[tuple[str, str]]) -> None:
    with pytest.raises(UsageError, match="unknown-dialect"):
        detect(gather(files))


def test_a_misspelt_header_keeps_the_message_of_its_system() -> None:
    files = [("a.yaml", "#cloud-conifg\na: 1\n"), ("b.yaml", "#cloud-conifg\nb: 1\n")]
    assert detect(gather(files)).name == "cloud-init"


def test_presets_are_the_files_of_their_folder() -> None:
    folder = Path(lamina.__file__).parent / "dialects/layers/presets"
    assert sorted(path.stem for path in folder.iterdir()) == list(PRESETS)
    for name in PRESETS:
        assert preset_settings(name, Run()).references is False


def test_data_cannot_ask_for_the_environment() -> None:
    with pytest.raises(UsageError, match="environment variables"):
        options_from_data(DIALECT, {"env_prefix": "X__"}, Bounds("."), lambda _: None)


def test_paths_in_options_that_data_sets_stay_in_its_folder(tmp_path: Path) -> None:
    def resolved(**given: Any) -> dict[str, Any]:
        return options_from_data(DIALECT, given, Bounds(str(tmp_path)), lambda _: None)

    assert resolved(rules="r.toml") == {"rules": str(tmp_path / "r.toml")}
    assert resolved(rules={"schema": "s.json", "lists": "append"})["rules"]["schema"] == str(tmp_path / "s.json")
    assert resolved(set_file=["a=b.txt"]) == {"set_file": (f"a={tmp_path / 'b.txt'}",)}
    for given in ({"rules": "../r.toml"}, {"rules": {"schema": "../s.json"}}, {"set_file": ["a=../b"]}):
        with pytest.raises(UsageError, match="outside-folder"):
            resolved(**given)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    with pytest.raises(SystemExit):
        main(["render", "--format", "json", *arguments])
    return json.loads(capsys.readouterr().out)


def test_the_command_line_sets_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text("a: {b: 1}\n")
    Path("b.yaml").write_text("c: 1\n")
    Path("motd").write_text("hello\n")
    monkeypatch.setenv("LAMINA__a__b", "5")
    files = ("a.yaml", "b.yaml")
    assert run(capsys, *files) == {"a": {"b": 1}, "c": 1}
    assert run(capsys, *files, "--env-prefix", "LAMINA__") == {"a": {"b": 5}, "c": 1}
    # Datum has --set as the second name of an option; both read it the same way.
    assert run(capsys, *files, "--set", "a.b=2", "--set", "d=[x]") == {"a": {"b": 2}, "c": 1, "d": ["x"]}
    assert run(capsys, *files, "--set-file", "m=motd") == {"a": {"b": 1}, "c": 1, "m": "hello\n"}
    # A single file is not detected, but an option that only this dialect has says enough.
    assert run(capsys, "a.yaml", "--env-prefix", "LAMINA__") == {"a": {"b": 5}}


def test_datum_takes_both_names_of_its_option() -> None:
    from lamina.cli.dialect_options import given_options
    from lamina.dialects.registry import find

    given = {"--node-property": ("A=1",), "--set": ("B=2",)}
    assert given_options(find("datum"), given) == {"node_property": ("A=1", "B=2")}
    assert given_options(find("layers"), {"--set": ("B=2",)}) == {"set": ("B=2",)}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "role").mkdir()
    (tmp_path / "layers.toml").write_text(
        'layers = ["common.yaml", "role/{role}.yaml"]\n[nodes]\nweb1 = {role = "web"}\nweb2 = {role = "../../x"}\n'
    )
    (tmp_path / "common.yaml").write_text("a: 1\n")
    (tmp_path / "role/web.yaml").write_text("b: 2\n")
    return tmp_path


def test_a_folder_with_a_hierarchy_has_nodes(tree: Path) -> None:
    assert detect(gather(tree)).name == "layers"
    assert lamina.render(tree, node="web1").value == {"a": 1, "b": 2}


def test_a_file_that_no_node_uses_is_found(tree: Path) -> None:
    (tree / "layers.toml").write_text('layers = ["common.yaml", "role/{role}.yaml"]\n[nodes]\nweb1 = {role = "web"}\n')
    (tree / "role/wbe.yaml").write_text("b: 3\n")
    found = lamina.lint(tree, select=["never-used"])
    assert [note.at and Path(note.at.source).name for note in found] == ["wbe.yaml"]


def test_a_fact_cannot_lead_out_of_the_folder_and_spoils_no_other_node(tree: Path) -> None:
    with pytest.raises(MergeError, match="is outside the folder"):
        lamina.render(tree, node="web2")
    result = lamina.render(tree)
    assert [output.output.name for output in result.outputs] == ["web1"]
    assert [note.code for note in result.notes] == ["outside-folder"]


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"k{n}: ${{k{n + 1}}}${{k{n + 1}}}\n" for n in range(60)) + "k60: xxxxxxxxxx\n",
        "".join(f"k{n}: ['${{k{n + 1}}}', '${{k{n + 1}}}']\n" for n in range(60)) + "k60: x\n",
    ],
)
def test_references_that_grow_without_end_are_stopped(text: str) -> None:
    with pytest.raises(lamina.LaminaError) as caught:
        lamina.render([("a.yaml", text)], dialect="layers")
    assert {each.code for each in caught.value.diagnostics} == {"result-too-large"}


def test_many_rules_and_stars_take_hardly_any_time() -> None:
    rules = [{"path": ".".join(["**", "*a*a*a*"] * 15), "merge": "keep"}] * 20
    body = "".join("  " * depth + "a" * 60 + ":\n" for depth in range(100)) + "  " * 100 + "a: 1\n"
    result = lamina.render([("a.yaml", body), ("b.yaml", body)], dialect="layers", rules={"rules": rules})
    assert result.value
