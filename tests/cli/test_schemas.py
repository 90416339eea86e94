"""What the commands print as JSON is what their schemas say."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jsonschema_rs
import pytest
from click.testing import CliRunner

from lamina.cli.group import lamina
from lamina.views.schemas import names, schema_of, text_of
from lamina.workspace.workspace import Workspace

EXAMPLES = Path(__file__).parents[2] / "examples"
HARDENING = ("cloud-init/hardening", "hardening.yaml web.yaml")
HEAT = ("heat/services", "-t template.yaml -e one-merging.yaml -e two.yaml")
SITES = ("deckhand/pull-request", "after")
NODE = ("datum/data", "--node DevSRV01 .")

MOVED = "Firewall.Profile --to source/Environments/Dev.yml --to source/Environments/Prod.yml"
OUTPUTS = [
    *((name, *case) for name in ("render", "plan", "lint") for case in (HARDENING, HEAT, SITES, NODE)),
    ("plan", HARDENING[0], f"--boot {HARDENING[1]}"),
    ("explain", HARDENING[0], f"packages {HARDENING[1]}"),
    ("explain", HEAT[0], f"--all {HEAT[1]}"),
    ("explain", SITES[0], "data.replicas after --document lyon"),
    ("explain", NODE[0], f"--all {NODE[1]}"),
    ("diff", HARDENING[0], "hardening.yaml web-joining.yaml"),
    ("diff", SITES[0], "before after"),
    ("targets", NODE[0], "."),
    ("explain-key", "repositories/datum", "Environment"),
    ("where", "repositories/datum", "source/Baselines/Server.yml:2"),
    ("where", "repositories/datum", "source/Datum.yml:1"),
    ("find", "repositories/pegleg", "replicas"),
    ("set", "repositories/datum", "Firewall.Profile strict"),
    ("move", "repositories/datum", MOVED),
    ("set", "repositories/datum", "Environment Test --target ProdWeb01 --in source/Baselines/Server.yml"),
]


def printed(name: str, folder: str, arguments: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(EXAMPLES / folder)
    command = ["explain", "--all"] if name == "explain-key" else [name]
    given = [*command, "--format", "json", *arguments.split()]
    return CliRunner().invoke(lamina, given, standalone_mode=False, catch_exceptions=False).stdout


@pytest.mark.parametrize(("name", "folder", "arguments"), OUTPUTS)
def test_real_output_is_as_its_schema_says(
    name: str, folder: str, arguments: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = json.loads(printed(name, folder, arguments, monkeypatch))
    jsonschema_rs.validate(json.loads(text_of(name)), data)


def test_the_data_of_an_impact_is_as_its_schema_says(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "repositories/datum", tmp_path, dirs_exist_ok=True)
    with Workspace(tmp_path) as workspace:
        path = "source/Baselines/Server.yml"
        found = workspace.update({path: workspace.source(path).data.decode() + "a: {b: 1\n"})
        broken = workspace.update({path: "Firewall: 1\n"})
    for impact in (found, broken):
        assert impact.targets
        jsonschema_rs.validate(schema_of("impact"), impact.as_data())
    assert found.findings
    assert broken.changes or broken.resolved


ANSWERS = {
    "impact",
    "store-impact",
    "explore-changes",
    "explore-outputs",
    "explore-search",
    "explore-stack",
    "explore-targets",
    "explore-tree",
}
"""Schemas of what functions return and a server answers; `tests/service` has answers."""
FILES = {"project"}
"""Schemas of what people write."""


def test_every_schema_meets_real_output() -> None:
    assert {name for name, _, _ in OUTPUTS} | ANSWERS | FILES == set(names())


@pytest.mark.parametrize("name", [name for name in names() if name != "render"])
def test_a_schema_rejects_another_version_and_members_that_are_missing(name: str) -> None:
    schema = json.loads(text_of(name))
    assert not jsonschema_rs.is_valid(schema, {})
    assert not jsonschema_rs.is_valid(schema, {"version": 2})
    assert schema["$id"] == f"urn:lamina:schema:{name}:1"


def test_a_misspelt_name_gets_the_nearest_one() -> None:
    with pytest.raises(Exception, match="did you mean 'explain'"):
        text_of("explian")
