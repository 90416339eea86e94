"""Ansible: what golden cases do not say: links, hosts that fail alone, secrets, and how it is explained."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import lamina
from lamina.errors import LaminaError, Severity

CONFIG = "[defaults]\ninventory = inv/hosts\n"


def written(folder: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(folder)


def test_a_broken_file_harms_only_the_hosts_that_read_it(tmp_path: Path) -> None:
    files = {"ansible.cfg": CONFIG, "inv/hosts": "[web]\nw1\n[db]\nd1\n", "inv/group_vars/db.yml": "a: {{ b }}\n"}
    result = lamina.render(written(tmp_path, files), "ansible")
    assert result.value == {"w1": {}}
    (fault,) = [note for note in result.notes if note.severity is Severity.ERROR]
    assert (fault.code, fault.subject) == ("invalid-yaml", "d1")


def test_links_to_folders_are_followed_inside_the_input_folder(tmp_path: Path) -> None:
    files = {"ansible.cfg": CONFIG, "inv/hosts": "w1\n", "common/group_vars/all.yml": "a: 1\n"}
    root = tmp_path / "site"
    written(root, files)
    (root / "inv/group_vars").symlink_to("../common/group_vars")
    assert lamina.render(str(root), "ansible").value == {"w1": {"a": 1}}
    (root / "inv/group_vars").unlink()
    written(tmp_path / "elsewhere", {"all.yml": "a: 2\n"})
    (root / "inv/group_vars").symlink_to("../../elsewhere")
    assert lamina.render(str(root), "ansible").value == {"w1": {}}


def test_a_name_does_not_lead_out_of_the_folder_of_variables(tmp_path: Path) -> None:
    files = {"ansible.cfg": CONFIG, "inv/hosts": "../secret\n", "inv/secret.yml": "a: 1\n", "inv/host_vars/x.yml": ""}
    assert lamina.render(written(tmp_path, files), "ansible").value == {"../secret": {}}


def test_encrypted_values_are_hidden_unless_they_are_asked_for(tmp_path: Path) -> None:
    text = "$ANSIBLE_VAULT;1.1;AES256\n6162\n"
    variables = f"a: !vault |\n  {text[:-5]}  6162\nb: 1\n"
    files = {"ansible.cfg": CONFIG, "inv/hosts": "w1\n", "group_vars/all.yml": variables}
    folder = written(tmp_path, files)
    assert lamina.render(folder, "ansible").value == {"w1": {"a": "(secret)", "b": 1}}
    assert lamina.render(folder, "ansible", cleartext_secrets=True).value == {"w1": {"a": text, "b": 1}}


def test_a_file_encrypted_as_a_whole_is_left_out_and_said(tmp_path: Path) -> None:
    files = {
        "ansible.cfg": CONFIG,
        "inv/hosts": "w1\n",
        "group_vars/all/a.yml": "a: 1\n",
        "group_vars/all/b.yml": "$ANSIBLE_VAULT;1.1;AES256\n",
    }
    folder = written(tmp_path, files)
    result = lamina.render(folder, "ansible", node="w1")
    assert result.value == {"a": 1}
    assert "encrypted-file" in [note.code for note in result.notes]
    with pytest.raises(LaminaError) as caught:
        lamina.render(folder, "ansible", node="w1", strict=True)
    assert caught.value.diagnostic.code == "encrypted-file"


def test_an_explanation_names_the_step_and_the_rank_of_the_group(tmp_path: Path) -> None:
    files = {
        "ansible.cfg": CONFIG,
        "inv/hosts": "[web]\nw1\n[site:children]\nweb\n[web:vars]\na=1\nansible_group_priority=3\n",
        "inv/group_vars/site.yml": "a: 2\n",
        "inv/group_vars/web.yml": "a: 3\n",
    }
    events = lamina.render(written(tmp_path, files), "ansible", node="w1").explain("a").events
    assert [str(event.directive) for event in events] == [
        "groups_inventory, group web (depth 2, priority 3)",
        "groups_plugins_inventory, group site (depth 1, priority 1)",
        "groups_plugins_inventory, group web (depth 2, priority 3)",
    ]


def test_merged_mappings_keep_their_history(tmp_path: Path) -> None:
    files = {
        "ansible.cfg": f"{CONFIG}hash_behaviour = merge\n",
        "inv/hosts": "[web]\nw1\n",
        "group_vars/all.yml": "m: {a: 1, b: 1}\n",
        "group_vars/web/one.yml": "m: {b: 2}\n",
        "group_vars/web/two.yml": "m: {b: 3, c: 3}\n",
    }
    result = lamina.render(written(tmp_path, files), "ansible", node="w1")
    assert result.value == {"m": {"a": 1, "b": 3, "c": 3}}
    events = result.explain("m.b").events
    lines = [str(event.origin).rpartition("/")[2] for event in events]
    assert lines == ["all.yml:1:14", "one.yml:1:8", "two.yml:1:8", "two.yml:1:8"]
    assert str(events[-1].directive) == "all of groups_plugins_play in ."


def test_many_hosts_from_a_short_pattern_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LaminaError) as caught:
        lamina.render(written(tmp_path, {"ansible.cfg": CONFIG, "inv/hosts": "w[1:99999]x[1:99999]\n"}), "ansible")
    assert caught.value.diagnostic.code == "no-inventory"


def test_inventories_are_found_for_a_project_file(tmp_path: Path) -> None:
    files = {
        "ansible/inventory/one": "w1\n",
        "ansible/inventory/multinode": "w1\n",
        "ansible/inventory/all-in-one": "w2\n",
        "ansible/group_vars/all.yml": "a: 1\n",
        "other/ansible.cfg": CONFIG,
        "roles/x/group_vars/all.yml": "a: 1\n",
    }
    found = lamina_init(written(tmp_path, files))
    assert [line for line in found.splitlines() if line.startswith("[")] == [
        "[patterns.other]",
        "[patterns.all-in-one]",
        "[patterns.multinode]",
    ]


def lamina_init(folder: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", "lamina", "init", "--print", folder], capture_output=True, text=True, check=True
    ).stdout
