"""Hiera trees without facts: what can be read is read, and what is wrong in it is found."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from test_hiera import written

import lamina
from lamina.sources.inputs import gather
from lamina.views.lint.api import lint

LEVELS = """
version: 5
defaults: {data_hash: yaml_data}
hierarchy:
- {name: nodes, path: "nodes/%{trusted.certname}.yaml"}
- {name: roles, mapped_paths: [facts.roles, role, "role/%{role}.yaml"]}
- {name: site, glob: "site/%{facts.site}/*.yaml"}
- {name: environment, path: "env/%{environment}.yaml"}
- {name: json, path: "%{facts.os.family}.json", data_hash: json_data}
- {name: common, path: common.yaml}
"""


def places_of_findings(folder: Path, files: dict[str, str], **options: Any) -> set[tuple[str, str]]:
    """The code and the place of each finding, but for the one that there are no facts."""
    notes = lint(written(folder, files), dialect="hiera", **options)
    places = {
        (note.code, f"{os.path.relpath(note.at.source, folder)}:{note.at.line}" if note.at else "") for note in notes
    }
    assert ("no-facts", "hiera.yaml:1") in places
    return places - {("no-facts", "hiera.yaml:1")}


@pytest.mark.parametrize(
    "file",
    ["nodes/a.b.yaml", "role/web.yaml", "site/ams/one.yaml", "env/production.yaml", "Debian.json", "common.yaml"],
)
def test_every_file_that_a_level_may_have_is_parsed(tmp_path: Path, file: str) -> None:
    files = {"hiera.yaml": LEVELS, "data/common.yaml": "a: 1\n", f"data/{file}": "{"}
    # Where a level names a node, it is also known that another one has no file for any.
    assert {code for code, _ in places_of_findings(tmp_path, files)} - {"never-used"} == {"parse"}


@pytest.mark.parametrize(
    "file", ["nodes/deeper/a.yaml", "other/a.yaml", "site/one.yaml", "env/test.yaml", "Debian.yaml", "common.yml"]
)
def test_a_file_that_no_level_may_have_is_not_read(tmp_path: Path, file: str) -> None:
    assert not places_of_findings(tmp_path, {"hiera.yaml": LEVELS, "data/common.yaml": "a: 1\n", f"data/{file}": "{"})


def test_the_environment_may_be_another(tmp_path: Path) -> None:
    files = {"hiera.yaml": LEVELS, "data/common.yaml": "a: 1\n", "data/env/test.yaml": "{"}
    assert {code for code, _ in places_of_findings(tmp_path, files, environment="test")} == {"parse"}


def test_what_is_wrong_in_files_is_found(tmp_path: Path) -> None:
    options = "lookup_options:\n  'a':\n    merge: unique\n  b:\n    merge: deep\n  '^c':\n    merge: bogus\n  a2: []\n"
    files = {
        "data/common.yaml": f"a: 1\nb: 2\na: 3\n{options}  d:\n    merge: hash\n",
        "data/role/web.yaml": "c: {true: 1}\npassword: hunter2hunter2\nother_password: \"%{lookup('b')}\"\n",
        "modules/ntp/hiera.yaml": "version: 5\nhierarchy: [{name: all, path: all.yaml}]\n",
        "modules/ntp/data/all.yaml": "ntp::x: 1\n",
        "modules/bad/hiera.yaml": "version: 5\nhierachy: []\n",
    }
    assert places_of_findings(tmp_path, files) == {
        ("duplicate-key", "data/common.yaml:3"),
        ("unknown-merge", "data/common.yaml:10"),
        ("lookup-options", "data/common.yaml:11"),
        ("unused-lookup-option", "data/common.yaml:11"),
        ("unused-lookup-option", "data/common.yaml:12"),
        ("value-type", "data/role/web.yaml:1"),
        ("cleartext-secret", "data/role/web.yaml:2"),
        ("hiera-config", "modules/bad/hiera.yaml:2"),
    }


@pytest.mark.parametrize(
    ("entry", "hint"),
    [
        ("{convert_too: Integer}", "did you mean convert_to?"),
        ("{strategy: deep}", "known: merge, convert_to"),
        ("deep", "write {merge: deep}"),
        ("depp", "did you mean deep?"),
    ],
)
def test_what_puppet_ignores_in_lookup_options_is_said(tmp_path: Path, entry: str, hint: str) -> None:
    files = {"data/common.yaml": f"lookup_options: {{x: {entry}}}\nx: 1\n"}
    notes = lint(written(tmp_path, files), dialect="hiera")
    assert [note.hint for note in notes if note.code == "ignored-lookup-option"] == [hint]


def test_keys_of_a_module_that_cannot_be_read_may_be_set_there(tmp_path: Path) -> None:
    files = {
        "data/common.yaml": "lookup_options:\n  ntp::x: {merge: unique}\n  web::x: {merge: unique}\n",
        "modules/ntp/hiera.yaml": "version: 5\nhierarchy: [{name: all, path: all.yaml}]\n",
        "modules/ntp/data/all.yaml": "{",
    }
    assert {place for code, place in places_of_findings(tmp_path, files) if code == "unused-lookup-option"} == {
        "data/common.yaml:3"
    }


def test_a_file_that_cannot_be_read_may_have_any_key(tmp_path: Path) -> None:
    files = {"data/common.yaml": "lookup_options:\n  x: {merge: unique}\n", "data/role/web.yaml": "{"}
    assert {code for code, _ in places_of_findings(tmp_path, files)} == {"parse"}


def test_a_tree_without_data_is_an_error(tmp_path: Path) -> None:
    assert places_of_findings(tmp_path, {}) == {("no-data", "hiera.yaml:3")}


def test_a_pattern_is_wrong_in_the_line_of_its_key(tmp_path: Path) -> None:
    files = {"data/common.yaml": "a: 1\nlookup_options:\n  '^b':\n    merge: deep\n", "facts/web1.yaml": "role: web\n"}
    notes = lint(written(tmp_path, files), dialect="hiera", select=["unused-lookup-option"])
    assert [note.at.line for note in notes if note.at] == [3]


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("ntp::server", "did you mean ntp::servers?"),
        ("ntpd::servers", "did you mean ntp::servers?"),
        ("sudo::configs", "correct the key, or remove the entry if no other data has it"),
        ("sudo::config", "correct the key, or remove the entry if no other data has it"),
        ("ntp::owners", "correct the key, or remove the entry if no other data has it"),
    ],
)
def test_a_key_of_another_class_is_not_suggested(tmp_path: Path, key: str, hint: str) -> None:
    files = {"data/common.yaml": f"ntp::servers: []\nntp::config: 1\nlookup_options:\n  {key}: {{merge: deep}}\n"}
    notes = lint(written(tmp_path, files), dialect="hiera", select=["unused-lookup-option"])
    assert [note.hint for note in notes] == [hint]


def test_what_plan_hierarchy_reads_is_used(tmp_path: Path) -> None:
    config = "version: 5\nhierarchy: [{name: c, path: c.yaml}]\nplan_hierarchy: [{name: p, path: static.yaml}]\n"
    files = {"data/c.yaml": "a: 1\n", "data/static.yaml": "b: 1\n", "data/unread.yaml": "c: 1\n"}
    folder = written(tmp_path, {"hiera.yaml": config, "facts/web1.yaml": "role: web\n", **files})
    notes = lint(folder, dialect="hiera", select=["never-used"])
    assert [note.message for note in notes] == ["nothing uses data/unread.yaml"]


FACTS = "role: web\nserver_facts: {servername: puppet.example, serverversion: 7.23.0}\nserverversion: own\n"


def test_server_facts_are_those_of_the_facts_file(tmp_path: Path) -> None:
    text = "a: '%{server_facts.servername} %{server_facts.environment} %{servername} %{serverversion}'\n"
    files = {"data/common.yaml": text, "facts/web1.yaml": FACTS}
    folder = written(tmp_path, files)
    result = lamina.render(folder, dialect="hiera", node="web1", environment="test")
    assert result.value == {"a": "puppet.example test puppet.example own"}
    assert [f"{Path(at.source).name}:{at.line}" for at in result.explain("a").origins][:2] == [
        "common.yaml:1",
        "web1.yaml:2",
    ]
    assert not lint(folder, dialect="hiera", select=["unknown-fact"])


def test_what_only_a_server_sets_can_be_put_into_the_facts(tmp_path: Path) -> None:
    files = {"data/common.yaml": "a: '%{server_facts.servername}'\n", "facts/web1.yaml": "role: web\n"}
    (note,) = lint(written(tmp_path, files), dialect="hiera", select=["unknown-fact"])
    assert note.hint is not None
    edit = re.search(r"add (server_facts: .*) to the facts", note.hint)
    assert edit is not None
    folder = written(tmp_path, {**files, "facts/web1.yaml": f"role: web\n{edit[1]}\n"})
    assert not lint(folder, dialect="hiera", select=["unknown-fact"])
    assert lamina.render(folder, dialect="hiera", node="web1").value == {"a": "VALUE"}


# What is not in the tree


def outside(folder: str, **options: Any) -> list[str]:
    """The hints of the levels that lead out of a tree."""
    result = lamina.render(gather([folder]), dialect="hiera", node="web1", **options)
    return [note.hint or "" for note in result.notes if note.code == "outside-tree"]


ABOVE = "version: 5\nhierarchy: [{name: c, path: c.yaml, datadir: ../../data}]\n"


@pytest.mark.parametrize("here", [".", "spec/fixtures", "spec"])
def test_a_datadir_above_the_root_is_read_as_the_hint_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, here: str
) -> None:
    written(tmp_path, {"spec/fixtures/hiera.yaml": ABOVE, "data/c.yaml": "a: 1\n"})
    (tmp_path / "hiera.yaml").unlink()
    monkeypatch.chdir(tmp_path / here)
    (hint,) = outside(os.path.relpath(tmp_path / "spec/fixtures"))
    option = re.fullmatch(r"read it from the folder above: (\S+) as the input, and --hiera-config (\S+)", hint)
    assert option is not None
    assert lamina.render(option[1], dialect="hiera", node="web1", hiera_config=option[2]).value == {"a": 1}


@pytest.mark.parametrize("level", ["path: /srv/hiera/data/c.yaml", "path: c.yaml, datadir: /srv/hiera/data"])
@pytest.mark.parametrize("there", ["data", "elsewhere"])
def test_an_absolute_path_is_read_as_the_hint_says(tmp_path: Path, level: str, there: str) -> None:
    config = f"version: 5\nhierarchy: [{{name: c, {level}}}]\n"
    folder = written(tmp_path, {"hiera.yaml": config, f"{there}/c.yaml": "a: 1\n"})
    (hint,) = outside(folder)
    option = re.search(r"--map-path (\S+)$", hint)
    assert option is not None
    mapping = option[1]
    if there != "data":
        assert hint.startswith("the input has no such folder; copy it there")
        copied = "copied" if "datadir" not in level else "copied/data"
        written(tmp_path, {"hiera.yaml": config, f"{copied}/c.yaml": "a: 1\n"})
        mapping = mapping.replace("FOLDER", "copied")
    assert lamina.render(folder, dialect="hiera", node="web1", map_path=(mapping,)).value == {"a": 1}


def test_a_path_that_starts_with_an_empty_variable_needs_a_fact(tmp_path: Path) -> None:
    config = 'version: 5\nhierarchy: [{name: c, path: "%{facts.site}/c.yaml"}, {name: o, path: o.yaml}]\n'
    folder = written(tmp_path, {"hiera.yaml": config, "data/ams/c.yaml": "a: 1\n", "data/o.yaml": "b: 1\n"})
    assert outside(folder, facts={"x": 1}) == [
        "what %{facts.site}/c.yaml starts with is empty for this node; set it in the facts of the node"
    ]
    assert outside(folder, facts={"site": "ams"}) == []


@pytest.mark.parametrize("name", ["common.yaml", "common"])
def test_a_link_that_leads_nowhere_is_a_missing_file(tmp_path: Path, name: str) -> None:
    config = "version: 5\nhierarchy: [{name: all, paths: [common/x.yaml, common.yaml, o.yaml]}]\n"
    folder = written(tmp_path / "in", {"hiera.yaml": config, "data/o.yaml": "a: 1\n"})
    (tmp_path / "in/data" / name).symlink_to("/nothing/here")
    result = lamina.render(folder, dialect="hiera", node="web1")
    assert result.value == {"a": 1}
    (note,) = result.notes
    assert (note.code, note.severity.name) == ("broken-link", "WARNING")
    assert f"data/{name} is a link to /nothing/here, which does not exist" in note.message


def test_what_a_link_leads_to_is_read_as_the_hint_says(tmp_path: Path) -> None:
    folder = written(tmp_path / "in", {"data/o.yaml": "a: 1\n"})
    (tmp_path / "private").mkdir()
    (tmp_path / "private/common.yaml").write_text("b: 1\n")
    (tmp_path / "in/data/common.yaml").symlink_to(tmp_path / "private/common.yaml")
    with pytest.raises(lamina.InputError, match=r"outside-folder") as raised:
        lamina.render(folder, dialect="hiera", node="web1")
    option = re.search(r"--allow-path (\S+)$", raised.value.diagnostic.hint or "")
    assert option is not None
    assert lamina.render(folder, dialect="hiera", node="web1", allow_paths=[option[1]]).value == {"b": 1}
