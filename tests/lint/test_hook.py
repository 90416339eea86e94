"""The pre-commit hook starts a command that exists."""

from __future__ import annotations

import tomllib

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
