"""Deployments: trees of templates, and orders that are written down in a repository."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import lamina
from lamina.cli.group import lamina as command_line
from lamina.dialects.heat.template_tree import INSTALLED

FIRST = "overcloud-resource-registry-puppet.yaml"
VERSION = "heat_template_version: rocky\n"


def declares(*names: str) -> str:
    return f"{VERSION}parameters:\n" + "".join(f"  {name}: {{type: number}}\n" for name in names)


TREE = {
    "overcloud.yaml": declares("Root"),
    FIRST: "resource_registry: {'OS::A': deployment/a.yaml}\nparameter_defaults: {Root: 1}\n",
    "deployment/a.yaml": declares("CinderWorkers"),
    "deployment/b.yaml": declares("NovaWorkers"),
    "environments/b.yaml": "resource_registry: {'OS::B': ../deployment/b.yaml}\nparameter_defaults: {NovaWorkers: 1}\n",
    "environments/deployed-server-environment.yaml": "parameter_defaults: {CinderWorkers: 1}\n",
}
SITE = "parameter_defaults: {CinderWorkers: 3, NovaWorker: 4}\n"


def written(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def merged(inputs: list[Any], **options: Any) -> lamina.Result:
    return lamina.render(inputs, dialect="heat", via="client", **options)


def defaults(result: lamina.Result) -> Any:
    return result.value["parameter_defaults"]


def test_a_tree_gives_the_root_template_and_the_types_of_nested_ones(tmp_path: Path) -> None:
    tree = written(tmp_path / "tht", TREE)
    site = written(tmp_path, {"site.yaml": SITE}) / "site.yaml"
    result = merged([tree / FIRST, tree / "environments/b.yaml", site], templates=str(tree))
    assert defaults(result) == {"Root": 1, "NovaWorkers": 1, "CinderWorkers": 3}
    [note] = result.notes
    assert (note.code, note.at and note.at.line) == ("undeclared-parameter", 1)
    assert (note.hint or "").startswith("did you mean NovaWorkers?")


def test_a_registry_may_name_the_tree_by_where_packages_install_it(tmp_path: Path) -> None:
    tree = written(tmp_path / "tht", TREE)
    text = f"resource_registry: {{'OS::B': {INSTALLED}/deployment/b.yaml}}\nparameter_defaults: {{NovaWorkers: 7}}\n"
    site = written(tmp_path / "site", {"site.yaml": text}) / "site.yaml"
    result = merged([tree / FIRST, site], templates=str(tree))
    assert defaults(result) == {"Root": 1, "NovaWorkers": 7}
    assert not result.notes


DEPLOY = """#!/bin/bash
# openstack overcloud deploy -e not/this.yaml
. stackrc; openstack overcloud deploy --templates \\
  --stack $NAME -e "$HOME/environments/b.yaml" --environment-directory more \\
  --environment-file=site.yaml -eenvironments/deployed-server-environment.yaml \\
  --environment gone.yaml > log # -e never.yaml
echo -e done
"""


def init_in(root: Path, files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(written(root, {**TREE, "site.yaml": SITE, **files}))
    done = CliRunner().invoke(command_line, ["init", "--print"], standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return done.stdout


def inputs_of(entry: str, target: str) -> Any:
    return tomllib.loads(entry)["targets"][target]["inputs"]


def test_init_finds_the_order_behind_e_in_a_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = init_in(tmp_path, {"deploy.sh": DEPLOY}, monkeypatch)
    assert inputs_of(entry, "deploy") == [
        "environments/b.yaml",
        "site.yaml",
        "environments/deployed-server-environment.yaml",
    ]
    assert "# deploy.sh also names these, which are not in the repository: gone.yaml\n" in entry


def test_init_finds_no_order_where_a_script_has_several_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "order of deploy.sh" not in init_in(tmp_path, {"deploy.sh": DEPLOY + DEPLOY}, monkeypatch)


def test_init_finds_the_order_of_a_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = "template: overcloud.yaml\nenvironments:\n- path: environments/b.yaml\n- site.yaml\n- path: 'a\n  b'\n"
    entry = init_in(tmp_path, {"plan-environment.yaml": plan}, monkeypatch)
    assert inputs_of(entry, "plan-environment") == ["environments/b.yaml", "site.yaml"]
    assert "not in the repository: a b\n" in entry


def test_what_is_generated_is_reported_as_such(tmp_path: Path) -> None:
    files = {name: text for name, text in TREE.items() if name not in ("overcloud.yaml", "deployment/b.yaml")}
    tree = written(tmp_path, {**files, "overcloud.j2.yaml": "", "deployment/b.j2.yaml": ""})
    result = merged([tree / FIRST], templates=str(tree))
    [note] = result.notes
    assert (note.code, note.severity.word) == ("jinja-template", "error")
    with pytest.raises(lamina.MergeError) as caught:
        merged([tree / "environments/b.yaml"], templates=str(tree), strict=True)
    [missing] = [each for each in caught.value.diagnostics if each.code == "missing-file"]
    assert "it may be generated from b.j2.yaml" in (missing.hint or "")
    with pytest.raises(lamina.MergeError, match="jinja-template"):
        lamina.render([tree / "overcloud.j2.yaml"])
