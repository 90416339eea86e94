"""`lamina convert`: every target of the examples, what is carried over, what is reported, and what is never written."""

from __future__ import annotations

from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.cli.main import main
from lamina.dialects.conversion import ConversionRemark, ConvertedFile, pattern_of
from lamina.dialects.fitted_rules import fitted_rules
from lamina.sources.source import Source
from support.transcripts import ROOT

EXAMPLES = ROOT / "examples"


def run(*arguments: object) -> tuple[int, str]:
    """The exit status of `lamina convert`, and all that it prints."""
    printed = StringIO()
    with redirect_stdout(printed), redirect_stderr(printed), pytest.raises(SystemExit) as ended:
        main(["convert", *map(str, arguments)])
    return int(ended.value.code or 0), printed.getvalue()


def write(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.parametrize(
    ("example", "equal"), [("cloud-init", "4 of 4"), ("tripleo", "1 of 1"), ("pegleg", "3 of 3"), ("datum", "4 of 4")]
)
def test_every_target_of_the_repository_examples_is_equal(example: str, equal: str, tmp_path: Path) -> None:
    status, output = run("--project", EXAMPLES / "repositories" / example, "-o", tmp_path / "out")
    assert status == 0, output
    assert f"{equal} targets equal" in output
    assert (tmp_path / "out/lamina.toml").exists()
    assert (tmp_path / "out/conversion.txt").read_text() in output


@pytest.mark.parametrize(
    ("inputs", "total"),
    [
        (["cloud-init/overview/one.yaml", "cloud-init/overview/two.yaml", "cloud-init/overview/joining.yaml"], 1),
        (["datum/data"], 40),
        (["hiera"], 2),
        (["deckhand/site"], 4),
    ],
)
def test_all_differences_of_the_other_examples_are_named(inputs: list[str], total: int, tmp_path: Path) -> None:
    status, output = run(*(EXAMPLES / each for each in inputs), "-o", tmp_path / "out")
    assert status == 0, output
    assert f" of {total} targets equal" in output
    assert "differ otherwise" not in output


def test_datum_to_hiera_is_equal(tmp_path: Path) -> None:
    status, output = run(EXAMPLES / "repositories/datum/source", "--to", "hiera", "-o", tmp_path / "out")
    assert (status, output.splitlines()[0]) == (0, "4 of 4 targets equal")


def test_hiera_to_datum_names_all_that_differs(tmp_path: Path) -> None:
    status, output = run(EXAMPLES / "hiera", "--to", "datum", "-o", tmp_path / "out")
    assert status == 0, output
    assert "2 differ only as reported above" in output
    assert (tmp_path / "out/Datum.yml").exists()


def hiera_tree(root: Path, **files: str) -> Path:
    hierarchy = """version: 5
defaults: {datadir: data, data_hash: yaml_data}
hierarchy:
  - {name: role, path: "role/%{facts.role}.yaml"}
  - {name: common, path: common.yaml}
"""
    return write(root, **{"hiera.yaml": hierarchy, "facts__web1.yaml": "role: web\n", **files})


def test_comments_and_layout_are_kept_and_lookups_become_references(tmp_path: Path) -> None:
    common = """# Of all nodes
lookup_options:
  users: {merge: unique}

# the domain
domain: shop.example   # ours
url: "https://%{lookup('domain')}/"
users: [al]
"""
    root = hiera_tree(tmp_path / "in", **{"data__common.yaml": common, "data__role__web.yaml": "users: [bo, al]\n"})
    status, output = run(root, "-o", tmp_path / "out")
    assert (status, output.splitlines()[0]) == (0, "1 of 1 targets equal")
    assert (tmp_path / "out/data/common.yaml").read_text() == (
        '# Of all nodes\n\n# the domain\ndomain: shop.example   # ours\nurl: "https://${domain}/"\nusers: [al]\n'
    )
    result = lamina.render(str(tmp_path / "out"), dialect="layers", node="web1")
    assert result.plain == {"domain": "shop.example", "url": "https://shop.example/", "users": ["bo", "al"]}


def test_what_cannot_be_expressed_is_named_with_its_line(tmp_path: Path) -> None:
    root = hiera_tree(tmp_path / "in", **{"data__common.yaml": 'a: 1\nmotd: "role %{facts.role}"\n'})
    status, output = run(root, "-o", tmp_path / "out")
    assert status == 0
    assert "data/common.yaml:2: motd: %{facts.role} is a variable of the node" in output
    assert "0 of 1 targets equal\n1 differ only as reported above: web1" in output


def test_a_difference_that_nothing_names_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_rules(*_: Any) -> tuple[list[Any], list[Any]]:
        return [], []

    monkeypatch.setattr("lamina.dialects.hiera.conversion_source.rules_of_keys", no_rules)
    files = {"data__common.yaml": "a: {x: 1}\n", "data__role__web.yaml": "a: {y: 2}\n"}
    status, output = run(hiera_tree(tmp_path / "in", **files), "-o", tmp_path / "out")
    assert status == 1
    assert "differences that nothing above explains:\n  web1: a.x: nothing became a number" in output
    assert "1 differ otherwise: web1" in output


def test_rules_of_parts_become_rules_by_path(tmp_path: Path) -> None:
    files = {
        "a.yaml": "#cloud-config\nruncmd: [one]\nntp: {servers: [a]}\n",
        "b.yaml": "#cloud-config\nmerge_how: list(append)+dict(recurse_array)\nruncmd: [two]\nntp: {pools: [b]}\n",
    }
    root = write(tmp_path / "in", **files)
    status, output = run(root / "a.yaml", root / "b.yaml", "-o", tmp_path / "out")
    assert (status, output.splitlines()[0]) == (0, "1 of 1 targets equal")
    assert "path: runcmd\n  merge: append" in (tmp_path / "out/rules.yaml").read_text()
    assert "merge_how" not in (tmp_path / "out/b.yaml").read_text()
    assert (tmp_path / "out/a.yaml").read_text() == files["a.yaml"]


def test_datum_strategies_become_rules(tmp_path: Path) -> None:
    definition = """ResolutionPrecedence: ['AllNodes\\$($Node.NodeName)', 'Roles\\$($Node.Role)', Base\\All]
lookup_options:
  Packages: {merge_hash_array: DeepTuple, merge_options: {tuple_keys: [Name]}}
  Users: {merge_baseType_array: Unique}
  Paths: {merge_hash: deep}
"""
    files = {
        "Datum.yml": definition,
        "AllNodes__N1.yml": "NodeName: N1\nRole: Web\nConfigurations: [Packages, Users, Paths]\n",
        "Roles__Web.yml": "Packages: [{Name: a, V: 2}, {Name: b, V: 1}]\nUsers: [x, y]\nPaths: {p: {q: 1}}\n",
        "Base__All.yml": "Packages: [{Name: c, V: 3}, {Name: a, W: 1}]\nUsers: [z, x]\nPaths: {p: {r: 2}}\n",
    }
    status, output = run(write(tmp_path / "in", **files), "-o", tmp_path / "out")
    assert (status, output.splitlines()[0]) == (0, "1 of 1 targets equal")
    rules = (tmp_path / "out/layers.yaml").read_text()
    assert "merge: by-key\n  key:\n  - Name\n  first: later" in rules


def test_nothing_is_written_outside_of_the_folder(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    out = tmp_path / "out"
    out.mkdir()
    (out / "data").symlink_to(outside)
    root = hiera_tree(tmp_path / "in", **{"data__common.yaml": "a: 1\n"})
    status, output = run(root, "-o", out, "--force")
    assert status == 2
    assert "leads out of" in output
    assert not list(outside.iterdir())
    assert [path.name for path in out.iterdir()] == ["data"]


def test_facts_that_lead_out_of_the_tree_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("stolen: 1\n")
    files = {
        "facts__odd.yaml": "role: ../../../secret\n",
        "data__common.yaml": "a: 1\n",
        "data__role__web.yaml": "b: 2\n",
    }
    status, output = run(hiera_tree(tmp_path / "in", **files), "-o", tmp_path / "out")
    assert status == 0, output
    assert "2 of 2 targets equal" in output
    assert not [path for path in (tmp_path / "out").rglob("*") if path.is_file() and "stolen" in path.read_text()]


def test_names_that_lead_upwards_stay_below_the_folder(tmp_path: Path) -> None:
    from lamina.project.conversion import safe_name

    assert safe_name("../../etc/passwd") == "etc/passwd"
    assert safe_name("/etc\\..\\x") == "etc/x"
    assert safe_name("..") == "layer"


def test_files_of_the_same_name_and_other_content_are_kept_apart(tmp_path: Path) -> None:
    project = """[targets.one]
dialect = "cloud-init"
inputs = ["a/x.yaml"]
[targets.two]
dialect = "cloud-init"
inputs = ["b/x.yaml", "b/archive.txt"]
"""
    archive = (
        "#cloud-config-archive\n- {type: text/cloud-config, content: 'x: 1'}\n- {content: \"#cloud-config\\ny: 2\"}\n"
    )
    files = {
        "lamina.toml": project,
        "a__x.yaml": "#cloud-config\na: 1\n",
        "b__x.yaml": "#cloud-config\nb: 1\n",
        "b__archive.txt": archive,
    }
    status, output = run("--project", write(tmp_path / "in", **files), "-o", tmp_path / "out")
    assert status == 0, output
    assert "2 of 2 targets equal" in output


def test_words_are_found_from_what_happens() -> None:
    fitted = fitted_rules([{"a": [1], "b": "x"}, {"a": [2], "b": "y"}], {"a": [1, 2], "b": "x"})
    assert {each["path"]: each["merge"] for each in fitted.rules} == {"a": "append", "b": "keep"}
    assert not fitted.misses


def test_layers_that_win_by_being_first_are_laid_the_other_way_round() -> None:
    layers = [{"a": {"x": 1, "z": 1}}, {"a": {"x": 2, "y": 3, "z": 2}}]
    fitted = fitted_rules(layers, {"a": {"x": 1, "y": 3, "z": 1}})
    assert (fitted.backwards, fitted.all_rules, fitted.misses) == (True, [], [])


def test_a_value_that_no_word_gives_is_a_miss() -> None:
    assert fitted_rules([{"a": 1}, {"a": 2}], {"a": 7}).misses == [("a",)]


def test_text_is_kept_without_keys_that_are_not_data() -> None:
    file = ConvertedFile("x", {"b": 1}, Source("x", b"# top\na:\n  c: 1\n# of b\nb: 1\n"))

    def value_of(_: str, data: bytes) -> Any:
        return {"b": 1} if b"a:" not in data else None

    assert file.kept(value_of) == b"# top\n# of b\nb: 1\n"
    assert ConvertedFile("x", {"b": 2}, file.source).kept(value_of) is None
    assert ConvertedFile("x", {"b": 2}).kept(value_of) is None


def test_a_remark_names_what_is_at_its_path_and_below() -> None:
    remark = ConversionRemark(what="", why="", path=("a", "b"), targets=frozenset({"one"}))
    assert remark.names("one", ("a", 0, "b", "c"))
    assert remark.names("one", ("a",))
    assert not remark.names("two", ("a", "b"))
    assert not remark.names("one", ("x",))
    assert not ConversionRemark(what="", why="").names("one", ("a",))


def test_odd_keys_are_quoted_in_patterns() -> None:
    assert pattern_of(("a", 0, "b.c", 'd"', "e*")) == 'a."b.c"."d\\""."e*"'
