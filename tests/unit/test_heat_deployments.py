"""Deployments: trees of templates, deploy commands and plans."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.dialects.heat.deploy_command import BadCommandError, read_command
from lamina.dialects.heat.template_tree import FIRST, INSTALLED
from lamina.sources.source import Source

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


DEPLOY = f"""#!/bin/bash
# don't run this twice
. stackrc; openstack overcloud deploy --templates \\
  --stack $NAME -e {INSTALLED}/environments/b.yaml \\
  --environment-file=site.yaml --deployed-server \\
  --environment-directory more > log # -e never.yaml
echo done
"""


def test_a_deploy_command_gives_the_order_of_environments(tmp_path: Path) -> None:
    tree = written(tmp_path / "tht", TREE)
    more = {"more/2.yaml": "parameter_defaults: {CinderWorkers: 2}\n", "more/1.yaml": "parameter_defaults: {Root: 9}\n"}
    here = written(tmp_path / "here", {"deploy.sh": DEPLOY, "site.yaml": SITE, **more})
    last = written(tmp_path, {"last.yaml": "parameter_defaults: {Root: 5}\n"}) / "last.yaml"
    result = merged([last], from_command=str(here / "deploy.sh"), templates=str(tree))
    assert defaults(result) == {"Root": 5, "NovaWorkers": 1, "CinderWorkers": 3}
    layers = [Path(str(event.layer)).name for event in result.explain("parameter_defaults.Root").events]
    assert layers == [FIRST, "1.yaml", "last.yaml"]
    layers = [Path(str(event.layer)).name for event in result.explain("parameter_defaults.CinderWorkers").events]
    assert layers == ["2.yaml", "deployed-server-environment.yaml", "site.yaml"]


def test_a_tree_beside_the_script_is_found_by_the_command(tmp_path: Path) -> None:
    written(tmp_path / "tht", TREE)
    script = "openstack overcloud deploy --templates ./tht -e tht/environments/b.yaml -e site.yaml\n"
    written(tmp_path, {"deploy.sh": script, "site.yaml": SITE})
    result = merged([], from_command=str(tmp_path / "deploy.sh"))
    assert defaults(result) == {"Root": 1, "NovaWorkers": 1, "CinderWorkers": 3}


def test_a_command_may_create_a_stack(tmp_path: Path) -> None:
    script = "openstack stack create -t root.yaml -ea.yaml --environment b.yaml name\n"
    files = {"root.yaml": declares("A"), "a.yaml": "parameters: {A: 1}\n", "b.yaml": "parameters: {A: 2}\n"}
    written(tmp_path, {"create.sh": script, **files})
    assert merged([], from_command=str(tmp_path / "create.sh")).value["parameters"] == {"A": 2}


def test_files_elsewhere_need_the_callers_permission(tmp_path: Path) -> None:
    elsewhere = written(tmp_path / "elsewhere", {"a.yaml": "parameter_defaults: {A: 1}\n"})
    script = f"openstack stack create -e {elsewhere}/a.yaml name\n"
    command = written(tmp_path / "here", {"create.sh": script}) / "create.sh"
    with pytest.raises(lamina.InputError) as caught:
        merged([], from_command=str(command))
    assert caught.value.diagnostic.code == "outside-folder"
    assert caught.value.diagnostic.at is not None
    assert caught.value.diagnostic.at.line == 1
    result = lamina.render([], dialect="heat", from_command=str(command), allow_paths=[elsewhere])
    assert defaults(result) == {"A": 1}


def test_a_plan_gives_the_order_of_environments(tmp_path: Path) -> None:
    plan = (
        "template: overcloud.yaml\nenvironments:\n- path: environments/b.yaml\n- path: site.yaml\npasswords: {A: b}\n"
    )
    tree = written(tmp_path, {**TREE, "plan-environment.yaml": plan, "site.yaml": "parameter_defaults: {Root: 2}\n"})
    result = merged([], plan_environment=str(tree / "plan-environment.yaml"))
    assert defaults(result) == {"NovaWorkers": 1, "Root": 2}
    assert [note.code for note in result.notes] == ["command-parameter"]


def test_what_is_generated_is_reported_as_such(tmp_path: Path) -> None:
    files = {name: text for name, text in TREE.items() if name not in ("overcloud.yaml", "deployment/b.yaml")}
    tree = written(tmp_path, {**files, "overcloud.j2.yaml": "", "deployment/b.j2.yaml": ""})
    result = merged([tree / FIRST], templates=str(tree))
    [note] = result.notes
    assert (note.code, note.severity.word) == ("jinja-template", "error")
    with pytest.raises(lamina.MergeError) as caught:
        merged([tree / "environments/b.yaml"], templates=str(tree))
    assert caught.value.diagnostic.code == "missing-file"
    assert "it may be generated from b.j2.yaml" in (caught.value.diagnostic.hint or "")
    with pytest.raises(lamina.MergeError, match="jinja-template"):
        lamina.render([tree / "overcloud.j2.yaml"])


@pytest.mark.parametrize(
    ("script", "line", "part"),
    [
        ("openstack overcloud deploy \\\n -e $THT/a.yaml\n", 2, "$THT/a.yaml"),
        ("openstack overcloud deploy \\\n -e ~/a.yaml\n", 2, "~/a.yaml"),
        ("openstack overcloud deploy -e env/*.yaml\n", 1, "env/*.yaml"),
        ('openstack overcloud deploy --stack $S \\\n "${ARGS[@]}"\n', 2, "${ARGS[@]}"),
        ("openstack overcloud deploy --answers-file a.yaml\n", 1, "--answers-file"),
        ("openstack overcloud deploy -e\n", 1, "needs a file name"),
        ("openstack overcloud deploy -e 'a\n", 1, "quote"),
        ("echo deploy\n", 1, "no deploy command"),
        ("openstack overcloud deploy\nopenstack overcloud deploy\n", 2, "2 deploy commands"),
    ],
)
def test_what_only_a_shell_knows_is_a_finding_with_its_line(script: str, line: int, part: str) -> None:
    with pytest.raises(BadCommandError) as caught:
        read_command(Source("deploy.sh", script.encode()))
    [finding] = caught.value.findings
    assert finding.at is not None
    assert (finding.code, finding.at.line) == ("bad-deploy-command", line)
    assert part in finding.message


def test_a_comment_ends_a_command() -> None:
    script = "openstack overcloud deploy -e a \\\n# -e b \\\n -e c\n"
    command = read_command(Source("deploy.sh", script.encode()))
    assert [word.text for word in command.environments] == ["a"]
