"""The pre-commit hook starts a command that exists."""

from __future__ import annotations

import re
import tomllib

import pytest
import yaml

from lamina.cli.group import COMMANDS
from support.transcripts import ROOT


def test_the_hook_runs_a_console_script_and_a_command_of_it() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert [hook["id"] for hook in hooks] == ["lamina-lint"]
    (hook,) = hooks
    assert {"id", "name", "entry", "language"} <= hook.keys()
    assert hook["language"] == "python"
    script, command = hook["entry"].split()
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert scripts[script] == "lamina.cli.main:main"
    assert command in COMMANDS


@pytest.mark.parametrize(
    "name",
    [
        "user-data",
        "images/user-data.web",
        "nocloud/vendor_data",
        "etc/cloud/cloud.cfg",
        "data/common.yaml",
        "rules.toml",
        "site/values.json",
        "templates/web.tpl",
        "AllNodes/web.psd1",
        "inventory/hosts",
    ],
)
def test_a_commit_of_a_layer_alone_runs_the_hook(name: str) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert re.search(hook["files"], name)


@pytest.mark.parametrize(
    "name", ["README.md", "src/program.py", "logo.png", "known_hosts_file", "user-data-sources.py"]
)
def test_a_commit_of_something_else_does_not(name: str) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert not re.search(hook["files"], name)
