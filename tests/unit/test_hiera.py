"""Hiera beyond the golden cases: where values come from, secrets, facts files, lint rules, and hostile input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.dialects.hiera.glob_patterns import expand
from lamina.dialects.hiera.ruby_text import float_text, inspect
from lamina.errors import LaminaError
from lamina.plugin.hierarchy import Tree
from lamina.sources.inputs import Inputs, MemoryFiles, gather
from lamina.views.lint.api import lint

CONFIG = "version: 5\nhierarchy:\n- {name: role, path: 'role/%{role}.yaml'}\n- {name: common, path: common.yaml}\n"


def written(folder: Path, files: dict[str, str]) -> str:
    for name, text in {"hiera.yaml": CONFIG, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(folder)


def rendered(folder: Path, files: dict[str, str], **options: Any) -> Any:
    return lamina.render(written(folder, files), dialect="hiera", **{"node": "web1", **options})


def places(result: Any, path: str) -> list[str]:
    return [f"{Path(origin.source).name}:{origin.line}" for origin in result.explain(path).origins]


def test_each_part_of_a_deep_merge_knows_its_line(tmp_path: Path) -> None:
    files = {
        "data/role/web.yaml": "h: {x: 1, l: [a]}\n",
        "data/common.yaml": "lookup_options: {h: {merge: deep}}\nh:\n  y: 2\n  l: [b, a]\n",
        "facts/web1.yaml": "role: web\n",
    }
    result = rendered(tmp_path, files)
    assert result.value == {"h": {"y": 2, "l": ["b", "a"], "x": 1}}
    assert places(result, "h.x") == ["web.yaml:1"]
    assert places(result, "h.l[0]") == ["common.yaml:4"]


def test_what_is_filled_in_names_the_fact_and_the_key(tmp_path: Path) -> None:
    files = {"data/common.yaml": "a: \"%{role} %{lookup('b')}\"\nb: x\n", "facts/web1.yaml": "\nrole: web\n"}
    result = rendered(tmp_path, files)
    assert result.value["a"] == "web x"
    assert places(result, "a") == ["common.yaml:1", "web1.yaml:2", "common.yaml:2"]


def test_parts_of_an_alias_come_from_parts_of_what_it_names(tmp_path: Path) -> None:
    files = {"data/common.yaml": "a: \"%{alias('b')}\"\nb:\n- x\n- y\n", "facts/web1.yaml": "role: web\n"}
    result = rendered(tmp_path, files)
    assert places(result, "a[1]") == ["common.yaml:1", "common.yaml:4"]


SECRETS = {
    "data/common.yaml": "t: hush\nu: \"%{lookup('e')}\"\nlookup_options: {t: {convert_to: Sensitive}}\n",
    "data/secret.yaml": "e: {x: 'ENC[PKCS7,MIIB]', y: 1}\n",
    "hiera.yaml": CONFIG + "- {name: s, lookup_key: eyaml_lookup_key, path: secret.yaml}\n",
    "facts/web1.yaml": "role: web\n",
}


def test_secrets_are_left_out_of_results_and_explanations(tmp_path: Path) -> None:
    result = rendered(tmp_path, SECRETS)
    assert result.value == {"t": "(secret)", "u": "(secret)", "e": {"x": "(secret)", "y": 1}}
    for path in ("t", "u", "e"):
        shown = str(result.explain(path))
        assert "hush" not in shown
        assert "MIIB" not in shown


def test_secrets_are_written_where_that_is_asked_for(tmp_path: Path) -> None:
    result = rendered(tmp_path, SECRETS, cleartext_secrets=True)
    assert result.value["t"] == "hush"
    assert result.value["e"]["x"] == "ENC[PKCS7,MIIB]"


@pytest.mark.parametrize(
    "facts",
    [
        "role: web\n",
        "name: web1\nvalues: {role: web}\n",
        "--- !ruby/object:Puppet::Node::Facts\nname: web1\nvalues:\n  role: web\n",
    ],
)
def test_facts_are_read_as_puppet_writes_them(tmp_path: Path, facts: str) -> None:
    files = {"data/role/web.yaml": "a: 1\n", "facts/web1.yaml": facts}
    assert rendered(tmp_path, files).value == {"a": 1}


def test_facts_of_a_file_may_say_what_is_trusted(tmp_path: Path) -> None:
    files = {
        "data/common.yaml": "a: '%{trusted.extensions.pp_role} %{trusted.certname}'\n",
        "facts/web1.yaml": "trusted: {extensions: {pp_role: db}}\n",
    }
    assert rendered(tmp_path, files).value == {"a": "db web1"}


def test_facts_may_be_in_a_folder_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "web1.json").write_text('{"role": "web"}')
    result = rendered(tmp_path / "tree", {"data/role/web.yaml": "a: 1\n"}, facts=str(tmp_path / "else"))
    assert result.value == {"a": 1}


def test_an_absolute_path_is_read_only_where_it_is_mapped(tmp_path: Path) -> None:
    files = {
        "hiera.yaml": "version: 5\ndefaults: {datadir: /srv/data, data_hash: yaml_data}\n",
        "d/common.yaml": "a: 1\n",
    }
    with pytest.raises(LaminaError) as caught:
        rendered(tmp_path, files, key="a")
    assert caught.value.diagnostic.code == "not-found"
    assert rendered(tmp_path, files, key="a", map_path=("/srv/data=d",)).value == 1


def test_a_path_does_not_leave_the_tree(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("a: 1\n")
    files = {"hiera.yaml": "version: 5\nhierarchy: [{name: x, path: ../../secret.yaml}]\n"}
    with pytest.raises(LaminaError) as caught:
        rendered(tmp_path / "tree", files, key="a")
    assert caught.value.diagnostic.code == "not-found"


def test_texts_that_double_one_another_end_with_an_error(tmp_path: Path) -> None:
    lines = [f"k{at}: \"%{{lookup('k{at + 1}')}}%{{lookup('k{at + 1}')}}\"" for at in range(36)]
    files = {"data/common.yaml": "\n".join([*lines, "k36: x"]) + "\n"}
    with pytest.raises(LaminaError) as caught:
        rendered(tmp_path, files, key="k0")
    assert caught.value.diagnostic.code == "result-too-large"


def test_a_key_that_is_rejected_does_not_stop_the_others(tmp_path: Path) -> None:
    result = rendered(tmp_path, {"data/common.yaml": "a: \"%{nope('x')}\"\nb: 1\n"})
    assert result.value == {"b": 1}
    assert [note.code for note in result.notes] == ["unknown-method"]


def test_a_module_that_cannot_be_read_does_not_stop_lint(tmp_path: Path) -> None:
    files = {
        "data/common.yaml": (
            "lookup_options: {vault::a: {merge: deep}, gone: {merge: deep}}\na: \"%{lookup('vault::a')}\"\n"
        ),
        "modules/vault/hiera.yaml": "version: 5\nhierarchy:\n- {name: vault, lookup_key: hiera_vault}\n",
        "facts/web1.yaml": "role: web\n",
    }
    found = lint(written(tmp_path, files), dialect="hiera", select=["unused-lookup-option", "unsupported-backend"])
    assert sorted((note.code, note.subject) for note in found) == [
        ("unsupported-backend", None),
        ("unused-lookup-option", "gone"),
    ]


def test_lint_finds_what_is_asked_for_and_not_there_and_what_is_never_used(tmp_path: Path) -> None:
    files = {
        "data/common.yaml": "a: '%{facts.rle}'\nb: \"%{lookup('aa')}\"\nlookup_options: {c: {merge: deep}}\n",
        "data/role/web.yaml": "a: 2\n",
        "data/role/db.yaml": "a: 3\n",
        "facts/web1.yaml": "role: web\n",
        "facts/web2.yaml": "role: other\n",
    }
    findings = lint([written(tmp_path, files)])
    assert {finding.code for finding in findings} == {
        "unknown-fact",
        "unset-key",
        "unused-lookup-option",
        "never-used",
    }
    unused = next(each for each in findings if each.code == "never-used")
    assert str(unused.at).endswith("role/db.yaml:1:1")


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.yaml", ["a.yaml", "b.yaml"]),
        ("**/*.yaml", ["a/z.yaml", "a.yaml", "b.yaml"]),
        ("{b,a}.yaml", ["b.yaml", "a.yaml"]),
        ("[^a].yaml", ["b.yaml"]),
        ("../x.yaml", []),
    ],
)
def test_globs_are_in_the_order_of_ruby(pattern: str, found: list[str]) -> None:
    files = MemoryFiles({f"d/{name}": "" for name in ("b.yaml", "a.yaml", "a/z.yaml", ".h.yaml")})
    assert list(expand(Tree(Inputs((), files)), "d", pattern)) == [f"d/{name}" for name in found]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e20, "1.0e+20"),
        (1e15, "1000000000000000.0"),
        (1e-7, "1.0e-07"),
        (0.0001, "0.0001"),
        (-0.0, "-0.0"),
        (1.5, "1.5"),
    ],
)
def test_floats_are_written_as_by_ruby(value: float, text: str) -> None:
    assert float_text(value) == text


def test_texts_are_inspected_as_by_ruby() -> None:
    assert inspect({"x": [1, None, 'q"#{'], 5: True}) == '{"x"=>[1, nil, "q\\"\\#{"], 5=>true}'


def test_the_example_has_two_nodes() -> None:
    tree = Path(__file__).parents[2] / "examples/hiera"
    assert list(lamina.render(gather([str(tree)]), dialect="hiera", all_nodes=True).value) == [
        "rye.bakery.example",
        "spelt.bakery.example",
    ]


THREE = {
    "hiera.yaml": "version: 5\nhierarchy:\n- {name: all, paths: [a.yaml, b.yaml, c.yaml]}\n",
    "data/a.yaml": "k: {l: [a, --b, c], s: '--q'}\n",
    "data/b.yaml": "k: {l: [b, z], s: r}\n",
    "data/c.yaml": "k: {l: [--a, 1], n: [--k, m]}\n",
}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("overwrite_arrays: true, knockout_prefix: '--'", {"l": ["a", "--b", "c"], "n": ["--k", "m"], "s": ""}),
        ("overwrite_arrays: 0", {"l": ["a", "--b", "c"], "n": ["--k", "m"], "s": "--q"}),
        ("knockout_prefix: false", {"l": ["--a", 1, "b", "z", "a", "--b", "c"], "n": ["--k", "m"], "s": "--q"}),
        ("unpack_arrays: false, foo: 1", {"l": ["--a", 1, "b", "z", "a", "--b", "c"], "n": ["--k", "m"], "s": "--q"}),
    ],
)
def test_options_of_unconstrained_deep_do_what_puppet_does(tmp_path: Path, options: str, expected: Any) -> None:
    merge = f"lookup_options: {{k: {{merge: {{strategy: unconstrained_deep, {options}}}}}}}\n"
    files = {**THREE, "data/c.yaml": THREE["data/c.yaml"] + merge}
    assert rendered(tmp_path, files, key="k", facts={}).value == expected


@pytest.mark.parametrize("strategy", ["unconstrained_deep", "reverse_deep"])
@pytest.mark.parametrize(
    "option",
    [
        "unpack_arrays: ','",
        "extend_existing_arrays: true",
        "preserve_unmergeables: true",
        "'': 1",
        "knockout_prefix: 5",
    ],
)
def test_options_that_lamina_does_not_build_are_rejected(tmp_path: Path, strategy: str, option: str) -> None:
    merge = f"lookup_options: {{k: {{merge: {{strategy: {strategy}, {option}}}}}}}\n"
    files = {**THREE, "data/c.yaml": THREE["data/c.yaml"] + merge}
    with pytest.raises(LaminaError) as caught:
        rendered(tmp_path, files, key="k", facts={})
    assert caught.value.diagnostic.code == "merge-option"
