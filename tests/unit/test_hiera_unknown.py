"""Hiera without all facts, and with levels that Lamina cannot read: what is known, what is not, and what is assumed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.values import Unknown

CONFIG = """
version: 5
defaults: {datadir: data, data_hash: yaml_data}
hierarchy:
- {name: Vault, lookup_key: vault_lookup}
- {name: nodes, path: "nodes/%{trusted.certname}.yaml"}
- {name: roles, path: "roles/%{facts.role}.yaml"}
- {name: common, path: common.yaml}
"""
WITHOUT_VAULT = CONFIG.replace("- {name: Vault, lookup_key: vault_lookup}\n", "")
DATA = {
    "data/nodes/web1.example.org.yaml": "own: 1\n",
    "data/nodes/db1.example.org.yaml": "own: 2\nport: 5432\n",
    "data/roles/web.yaml": "port: 80\n",
    "data/roles/db.yaml": "size: 3\n",
    "data/common.yaml": (
        'port: 0\nname: "%{facts.networking.hostname} of %{facts.role}"\nfqdn: "%{facts.networking.fqdn}"\n'
    ),
}


def written(folder: Path, files: dict[str, str], config: str = WITHOUT_VAULT) -> str:
    for name, text in {"hiera.yaml": config, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(folder)


def rendered(folder: Path, files: dict[str, str], config: str = WITHOUT_VAULT, **options: Any) -> lamina.Result:
    return lamina.render(written(folder, files, config), dialect="hiera", **options)


def unknown_in(value: dict[str, Any]) -> set[str]:
    return {key for key, each in value.items() if isinstance(each, Unknown)}


def test_levels_name_the_nodes_of_which_there_are_no_facts(tmp_path: Path) -> None:
    nodes = rendered(tmp_path, DATA, all_nodes=True).value
    assert list(nodes) == ["db1.example.org", "web1.example.org"]
    web, database = nodes["web1.example.org"], nodes["db1.example.org"]
    assert unknown_in(web) == {"port", "size", "name"}  # what a file of a role sets, and what the role is part of
    assert unknown_in(database) == {"size", "name"}  # its own file decides about the port
    assert (database["port"], web["own"], web["fqdn"]) == (5432, 1, "web1.example.org")
    assert web["name"].text == "%{facts.networking.hostname} of %{facts.role}"


KINDS = {
    "data/roles/web.yaml": "port: 80\n",
    "data/roles/db.yaml": "size: 3\n",
    "data/os/Debian.yaml": "service: ssh\n",
    "data/common.yaml": 'port: 0\nservice: sshd\nrole: "%{facts.role}"\nname: "%{trusted.certname}"\n',
}
OF_KINDS = """
version: 5
hierarchy:
- {name: roles, path: "roles/%{facts.role}.yaml"}
- {name: systems, path: "os/%{facts.os.family}.yaml"}
- {name: common, path: common.yaml}
"""


def test_where_no_level_names_nodes_there_are_nodes_of_each_kind(tmp_path: Path) -> None:
    nodes = rendered(tmp_path, KINDS, OF_KINDS, all_nodes=True).value
    assert list(nodes) == ["role=db", "role=web"]
    assert unknown_in(nodes["role=web"]) == {"service", "name"}
    assert (nodes["role=web"]["port"], nodes["role=web"]["role"], nodes["role=db"]["port"]) == (80, "web", 0)
    of_systems = {name: text for name, text in KINDS.items() if "roles" not in name}
    assert list(rendered(tmp_path / "systems", of_systems, OF_KINDS, all_nodes=True).value) == ["os.family=Debian"]
    common = {"data/common.yaml": KINDS["data/common.yaml"]}
    nodes = rendered(tmp_path / "common", common, OF_KINDS, all_nodes=True).value
    assert list(nodes) == ["any node"]
    assert unknown_in(nodes["any node"]) == {"role", "name"}
    assert nodes["any node"]["port"] == 0


def test_a_level_with_a_function_of_its_own_may_lead_to_a_folder(tmp_path: Path) -> None:
    config = CONFIG.replace("lookup_key: vault_lookup", "lookup_key: expand, path: nodes")
    files = {**DATA, "data/other/unused.yaml": "a: 1\n"}
    nodes = rendered(tmp_path, files, config, all_nodes=True).value
    assert nodes["db1.example.org"]["port"] == 5432
    codes = {note.code for note in lamina.lint([str(tmp_path)], dialect="hiera")}
    assert codes == {"no-facts", "unsupported-backend", "not-known"}  # what the function reads is not known


def test_a_fact_that_is_given_makes_known_what_depends_on_it(tmp_path: Path) -> None:
    result = rendered(tmp_path, DATA, node="web1.example.org", fact=("role=web",))
    assert result.value == {"own": 1, "port": 80, "name": "web1 of web", "fqdn": "web1.example.org"}
    assert not [note for note in result.notes if note.code == "not-known"]
    assert rendered(tmp_path, DATA, node="new", fact=("facts.role=db",)).value["size"] == 3
    with pytest.raises(lamina.UsageError, match="expected NAME=VALUE"):
        rendered(tmp_path, DATA, node="new", fact=("role",))


def test_files_of_facts_are_complete(tmp_path: Path) -> None:
    result = rendered(tmp_path, {**DATA, "facts/web1.example.org.yaml": "os: x\n"}, all_nodes=True)
    assert list(result.value) == ["web1.example.org"]
    assert result.value["web1.example.org"]["port"] == 0  # Puppet has an empty text for a fact that a node lacks


@pytest.mark.parametrize(
    "export",
    [
        [{"certname": "web1.example.org", "name": "role", "value": "web", "environment": "production"}],
        [{"certname": "web1.example.org", "facts": {"role": "web"}, "trusted": {"certname": "web1.example.org"}}],
        [{"certname": "web1.example.org", "facts": {"data": [{"name": "role", "value": "web"}], "href": "/"}}],
    ],
)
def test_facts_are_taken_from_an_export_of_puppetdb(tmp_path: Path, export: list[Any]) -> None:
    (tmp_path / "facts.json").write_text(json.dumps(export))
    facts = str(tmp_path / "facts.json")
    nodes = rendered(tmp_path / "tree", DATA, all_nodes=True, facts=facts).value
    assert list(nodes) == ["web1.example.org"]
    assert nodes["web1.example.org"]["port"] == 80
    with pytest.raises(lamina.UsageError, match="has no facts of it"):
        rendered(tmp_path / "tree", DATA, node="db1.example.org", facts=facts)


def test_facts_of_facter_are_those_of_one_node(tmp_path: Path) -> None:
    (tmp_path / "facter.json").write_text('{"role": "web"}')
    assert rendered(tmp_path / "tree", DATA, node="x", facts=str(tmp_path / "facter.json")).value["port"] == 80


def test_values_assume_that_a_level_that_cannot_be_read_does_not_set_them(tmp_path: Path) -> None:
    facts = {"facts/web1.example.org.yaml": "role: web\n"}
    result = rendered(tmp_path, {**DATA, **facts}, CONFIG, node="web1.example.org")
    assert result.value["port"] == 80
    [note] = [note for note in result.notes if note.code == "unsupported-backend"]
    assert "so it was not read: 4 values assume that it does not set them" in note.message
    assert note.severity is lamina.Severity.WARNING
    with pytest.raises(lamina.MergeError, match="unsupported-backend"):
        rendered(tmp_path, {**DATA, **facts}, CONFIG, node="web1.example.org", strict=True)


def test_a_lower_level_that_cannot_be_read_decides_less(tmp_path: Path) -> None:
    config = WITHOUT_VAULT + "- {name: Vault, lookup_key: vault_lookup}\n"
    files = {"data/common.yaml": "a: 1\nb: \"%{lookup('c')}\"\n", "facts/n.yaml": "{}\n"}
    result = rendered(tmp_path, files, config, node="n")
    assert (result.value["a"], type(result.value["b"])) == (1, Unknown)
    [note] = [note for note in result.notes if note.code == "unsupported-backend"]
    assert "so it was not read: what only it sets is missing" in note.message


def test_a_file_can_stand_for_a_level(tmp_path: Path) -> None:
    facts = {"facts/web1.example.org.yaml": "role: web\n"}
    (tmp_path / "vault.yaml").write_text("port: 8443\n")
    stub = (f"Vault={tmp_path}/vault.yaml",)
    result = rendered(
        tmp_path / "tree", {**DATA, **facts}, CONFIG, node="web1.example.org", stub_level=stub, strict=True
    )
    assert result.value["port"] == 8443
    with pytest.raises(lamina.UsageError, match="there is no level 'Valt'"):
        rendered(tmp_path / "tree", DATA, CONFIG, node="web1.example.org", stub_level=(f"Valt={tmp_path}/vault.yaml",))


def test_lookup_options_of_a_file_that_a_node_may_have_make_their_keys_unknown(tmp_path: Path) -> None:
    files = {
        "data/nodes/n.yaml": "l: [1]\nm: 2\n",
        "data/roles/web.yaml": "lookup_options: {l: {merge: unique}}\n",
        "data/common.yaml": "l: [3]\n",
    }
    value = rendered(tmp_path, files, node="n").value
    assert (type(value["l"]), value["m"]) == (Unknown, 2)


def test_what_is_secret_is_not_in_the_text_of_what_is_unknown(tmp_path: Path) -> None:
    files = {
        "data/common.yaml": "lookup_options: {p: {convert_to: Sensitive}}\np: 'abc %{facts.role}'\n",
        "data/nodes/n.yaml": "{}\n",
    }
    result = rendered(tmp_path, files, node="n")
    assert isinstance(result.value["p"], Unknown)
    assert "abc" not in result.to_yaml()


def test_other_variables_in_the_path_of_a_node_are_known_of_it(tmp_path: Path) -> None:
    config = WITHOUT_VAULT.replace("nodes/%{trusted.certname}.yaml", "nodes/%{::site}/%{::our_host}.yaml")
    files = {
        "data/nodes/ams/web1.yaml": "own: 1\n",
        "data/common.yaml": 'site: "%{site} %{our_host}"\nname: "%{trusted.certname}"\n',
    }
    nodes = rendered(tmp_path, files, config, all_nodes=True).value
    assert nodes["web1"]["site"] == "ams web1"
    assert isinstance(nodes["web1"]["name"], Unknown)


def test_the_folder_of_an_environment_on_a_server_is_the_input_folder(tmp_path: Path) -> None:
    config = WITHOUT_VAULT.replace("datadir: data", 'datadir: "/etc/puppetlabs/code/environments/%{environment}/data"')
    result = rendered(tmp_path, DATA, config, node="web1.example.org", fact=("role=web",))
    assert result.value["port"] == 80
    assert "guessed-folder" in {note.code for note in result.notes}
