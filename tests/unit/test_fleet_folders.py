"""Fleets of folders: the nodes of a Datum tree, the sites of a Deckhand repository."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import lamina
from lamina.project.folder_project import project_at
from lamina.project.target import Target
from support.fleet_files import lamina as command
from support.fleet_files import texts

EXAMPLE = Path(__file__).parents[2] / "examples/datum/data"


def values(place: Path) -> dict[str, Any]:
    """The values of all nodes, by their names."""
    done = command("render", place, "--target", "*", "--format", "jsonl", "-q", folder=place.parent)
    assert done.returncode == 0, done.stderr
    return by_target(done.stdout)


def by_target(printed: str) -> dict[str, Any]:
    """Lines of JSON by target; the documents of a Deckhand site as a list."""
    found: dict[str, Any] = {}
    for line in map(json.loads, printed.splitlines()):
        found.setdefault(line["target"], []).append(line["value"])
    return found


def render_into(tree: Path, output: str, *arguments: str) -> str:
    """What is said of rendering a tree into a folder beside it."""
    done = command("render", tree.name, "--output-dir", output, *arguments, folder=tree.parent)
    assert done.returncode == 0, done.stderr
    return done.stderr


def nodes(place: Path, dialect: str | None = None) -> list[Target]:
    return list(project_at(str(place), dialect, {}).selected())


def test_every_node_of_a_datum_tree_is_rendered_as_by_itself() -> None:
    everything = lamina.render(EXAMPLE, "datum", all_nodes=True).value
    found = values(EXAMPLE)
    assert len(found) == len(everything) == 40
    for name, value in found.items():
        assert value == [everything[name]]


def test_a_datum_run_is_resumed_as_long_as_no_file_changes(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(EXAMPLE, tree)
    render_into(tree, "out")
    assert "40 targets: 0 rendered, 40 up to date" in render_into(tree, "out", "--resume")
    (tree / "Environments/Dev.yml").write_text("Description: changed\n")
    assert "40 targets: 40 rendered" in render_into(tree, "out", "--resume")
    render_into(tree, "fresh")
    assert texts(tmp_path / "out") == texts(tmp_path / "fresh")


def test_files_of_one_name_are_distinguished_by_their_folders(tmp_path: Path) -> None:
    (tmp_path / "Datum.yml").write_text("ResolutionPrecedence: ['AllNodes\\$($Node.Env)\\$($Node.Name)']\n")
    for folder in ("a", "b"):
        (tmp_path / f"AllNodes/{folder}").mkdir(parents=True)
        node = f"Name: web\nEnv: {folder}\nConfigurations: [C]\nC: {{from: {folder}}}\n"
        (tmp_path / f"AllNodes/{folder}/web.yml").write_text(node)
    (tmp_path / "AllNodes/db.yml").write_text("Name: db\nConfigurations: [C]\n")
    (tmp_path / "AllNodes/README.md").write_text("no node\n")
    assert [node.name for node in nodes(tmp_path)] == ["a/web", "b/web", "db"]
    done = command("render", ".", "--target", "*", "--format", "jsonl", folder=tmp_path)
    found = by_target(done.stdout)
    assert {name: value["C"] for name, [value] in found.items()} == {"a/web": {"from": "a"}, "b/web": {"from": "b"}}
    assert done.returncode == 3
    assert "[null-lookup]" in done.stderr
    assert "  in db\n" in done.stderr


POLICY = """\
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: layering-policy}
data: {layerOrder: [global, type, site]}
"""


def document(layer: str, name: str, data: str, more: str = "") -> str:
    return f"""\
---
schema: example/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: {name}
  storagePolicy: cleartext
  labels: {{layer: {layer}}}
  layeringDefinition: {{abstract: {"false" if layer == "site" else "true"}, layer: {layer}{more}}}
data: {data}
"""


def over(layer: str) -> str:
    return f", parentSelector: {{layer: {layer}}}, actions: [{{method: merge, path: .}}]"


def write_sites(root: Path) -> None:
    texts = {
        "global/policy.yaml": POLICY,
        "global/base.yaml": document("global", "base", "{from: global, a: 1}"),
        "type/small/base.yaml": document("type", "base-small", "{type: small}", over("global")),
        "type/large/base.yaml": document("type", "base-large", "{type: large}", over("global")),
    }
    for site, kind in (("north", "small"), ("south", "large"), ("east", "small")):
        texts[f"site/{site}/site-definition.yaml"] = document("site", site, f"{{site_type: {kind}}}")
        texts[f"site/{site}/base.yaml"] = document("site", f"base-{site}", f"{{site: {site}}}", over("type"))
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def test_every_site_is_rendered_from_what_it_shares_and_its_own(tmp_path: Path) -> None:
    write_sites(tmp_path)
    assert [(node.name, node.inputs) for node in nodes(tmp_path, "deckhand")] == [
        ("east", ("global", "type/small", "site/east")),
        ("north", ("global", "type/small", "site/north")),
        ("south", ("global", "type/large", "site/south")),
    ]
    found = values(tmp_path)
    for site, kind in (("north", "small"), ("south", "large"), ("east", "small")):
        folders = [tmp_path / "global", tmp_path / f"type/{kind}", tmp_path / f"site/{site}"]
        assert found[site] == lamina.render(folders, "deckhand").value
        data = [each["data"] for each in found[site] if each["metadata"]["name"] == f"base-{site}"]
        assert data == [{"from": "global", "a": 1, "type": kind, "site": site}]


def test_a_site_of_a_type_that_is_not_there_fails_alone(tmp_path: Path) -> None:
    write_sites(tmp_path)
    shutil.rmtree(tmp_path / "type/large")
    found = nodes(tmp_path, "deckhand")
    problems = {node.name: node.problem.message if node.problem else "" for node in found}
    assert sum("the folder type/large does not exist" in message for message in problems.values()) == 1
    assert "" in problems.values()


def test_a_folder_without_sites_is_one(tmp_path: Path) -> None:
    write_sites(tmp_path)
    site = tmp_path / "alone"
    site.mkdir()
    for part in ("global", "type/small", "site/north"):
        shutil.copytree(tmp_path / part, site, dirs_exist_ok=True)
    (site / "base.yaml").write_text(document("site", "base", "{alone: true}"))
    assert [node.name for node in nodes(site)] == ["alone"]
    done = command("render", "alone", "--json", "-q", folder=tmp_path)
    assert json.loads(done.stdout) == lamina.render(site, "deckhand").value
