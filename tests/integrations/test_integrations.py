"""Lamina in other tools: the plug-ins run in the real ones, and Terraform's protocol is spoken as Terraform does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from support.installed import cannot_install, failure_of

ROOT = Path(__file__).parents[2]
INTEGRATIONS = ROOT / "integrations"
BIN = Path(sys.executable).parent

PROJECT = """\
[patterns.hosts]
dialect = "layers"
each = "hosts/*.yaml"
name = "{1}"
inputs = ["common.yaml", "{path}"]
"""
FILES = {
    "lamina.toml": PROJECT,
    "common.yaml": "timezone: Etc/UTC\nntp: {servers: [a, b]}\n",
    "hosts/web1.yaml": "timezone: Europe/Oslo\n",
    "hosts/db1.yaml": "ports: [5432]\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


class TestAnsible:
    """The collection, with ansible-core."""

    @pytest.fixture
    def environment(self, tmp_path: Path, project: Path) -> dict[str, str]:
        place = tmp_path / "collections/ansible_collections/lamina"
        place.mkdir(parents=True)
        (place / "config").symlink_to(INTEGRATIONS / "ansible")
        inventory = tmp_path / "inventory"
        inventory.write_text("web1\ndb1\nother\n")
        return {
            **os.environ,
            "ANSIBLE_COLLECTIONS_PATH": str(tmp_path / "collections"),
            "ANSIBLE_INVENTORY": str(inventory),
            "ANSIBLE_VARS_ENABLED": "host_group_vars,lamina.config.layers",
            "ANSIBLE_LOCAL_TEMP": str(tmp_path / "local"),
            "ANSIBLE_HOME": str(tmp_path / "home"),
            "LAMINA_PROJECT": str(project),
        }

    def run(self, environment: dict[str, str], *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", *command], env=environment, capture_output=True, text=True, check=False
        )

    def test_hosts_get_the_result_of_the_target_of_their_name(self, environment: dict[str, str]) -> None:
        done = self.run(environment, "ansible.cli.inventory", "--list")
        assert done.returncode == 0, done.stderr
        # Ansible marks strings that are no templates of its own.
        hosts = json.loads(done.stdout, object_hook=lambda each: each.get("__ansible_unsafe", each))["_meta"][
            "hostvars"
        ]
        assert hosts["web1"] == {"timezone": "Europe/Oslo", "ntp": {"servers": ["a", "b"]}}
        assert hosts["db1"] == {"timezone": "Etc/UTC", "ntp": {"servers": ["a", "b"]}, "ports": [5432]}
        assert "other" not in hosts

    def looked_up(self, environment: dict[str, str], project: Path, arguments: str) -> subprocess.CompletedProcess[str]:
        text = "{{ lookup('lamina.config.value', %s, project='%s') | to_json }}" % (arguments, project)  # noqa: UP031
        return self.run(
            {**environment, "ANSIBLE_VARS_ENABLED": "host_group_vars"},
            *("ansible.cli.adhoc", "localhost", "-c", "local", "-m", "debug", "-a", f"msg={text}"),
        )

    def test_a_lookup_gives_a_value(self, environment: dict[str, str], project: Path) -> None:
        done = self.looked_up(environment, project, "'ntp.servers[1]', target='web1'")
        assert done.returncode == 0, done.stdout + done.stderr
        assert '"b"' in done.stdout.replace("\\", "")

    def test_what_is_not_there_is_an_error_or_the_default(self, environment: dict[str, str], project: Path) -> None:
        done = self.looked_up(environment, project, "'nothing', target='web1'")
        assert done.returncode != 0
        assert "no layer sets nothing" in done.stdout + done.stderr
        done = self.looked_up(environment, project, "'nothing', target='web1', default='none'")
        assert done.returncode == 0, done.stdout + done.stderr
        done = self.looked_up(environment, project, "'timezone'")
        assert "target is needed; there are db1, web1" in done.stdout + done.stderr


_SALT = """
import json, sys
import salt.config, salt.pillar
options = salt.config.minion_config(None)
options.update(
    file_client="local", root_dir=sys.argv[1], cachedir=sys.argv[1], id=sys.argv[2], pillar_roots={"base": []},
    extension_modules=sys.argv[1] + "/modules", ext_pillar=[{"lamina_pillar": {"project": sys.argv[3]}}],
)
pillar = salt.pillar.get_pillar(options, {}, sys.argv[2]).compile_pillar()
print(json.dumps(pillar))
"""


@pytest.mark.slow
class TestSalt:
    """The external pillar, with Salt in an environment of its own: its libraries are of other versions."""

    @pytest.fixture
    def python(self) -> Path:
        folder = Path(sys.prefix) / "salt"
        python = folder / "bin/python"
        if not (folder / ".installed").exists():
            venv.create(folder, with_pip=True, clear=True)
            pip = (str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
            failure = failure_of(*pip, "salt==3008.3", str(ROOT))
            if failure is not None:
                cannot_install("Salt", failure)
            (folder / ".installed").touch()
        return python

    def pillar(self, python: Path, place: Path, minion: str, project: Path) -> dict[str, object]:
        modules = place / "modules/pillar"
        modules.mkdir(parents=True, exist_ok=True)
        (modules / "lamina_pillar.py").write_text((INTEGRATIONS / "salt/lamina_pillar.py").read_text())
        command = [str(python), "-c", _SALT, str(place), minion, str(project)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
        return found

    def test_a_minion_gets_the_result_of_its_target(self, python: Path, tmp_path: Path, project: Path) -> None:
        assert self.pillar(python, tmp_path, "web1", project) == {
            "timezone": "Europe/Oslo",
            "ntp": {"servers": ["a", "b"]},
        }

    def test_a_minion_without_a_target_gets_nothing(self, python: Path, tmp_path: Path, project: Path) -> None:
        assert self.pillar(python, tmp_path, "other", project) == {}


class TestTerraform:
    """The protocol of the data source `external`: a query on standard input, a mapping of strings as the answer."""

    def run(self, project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "lamina", "render", "-q", "--format", "external", *arguments]
        return subprocess.run(command, cwd=project, input="{}", capture_output=True, text=True, check=False)

    def test_values_are_strings(self, project: Path) -> None:
        done = self.run(project, "--target", "db1")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == {
            "timezone": "Etc/UTC",
            "ntp": '{"servers":["a","b"]}',
            "ports": "[5432]",
        }

    def test_several_targets_are_refused(self, project: Path) -> None:
        done = self.run(project)
        assert (done.returncode, done.stdout) == (2, "")
        assert "--target" in done.stderr

    def test_a_list_is_refused(self) -> None:
        done = self.run(ROOT / "examples/deckhand/pull-request", "before")
        assert (done.returncode, done.stdout) == (2, "")
        assert "[not-a-mapping]" in done.stderr

    def test_what_is_not_known_is_an_error(self, tmp_path: Path) -> None:
        (tmp_path / "a.yaml").write_text('## template: jinja\n#cloud-config\nhostname: "{{ ds.meta_data.name }}"\n')
        done = self.run(tmp_path, "a.yaml")
        assert done.stdout == ""
        assert done.returncode == 3

    def test_the_example_asks_for_what_there_is(self) -> None:
        text = (INTEGRATIONS / "terraform/main.tf").read_text()
        assert '"render", "-q", "--format", "external"' in text
