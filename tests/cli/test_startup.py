"""Starting stays cheap: what is not needed is not imported, and a small render costs a few interpreter starts."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import pytest

import lamina.cli.main


def modules_after(code: str) -> set[str]:
    out = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint('\\n'.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(out.stdout.split())


HELP = """
import sys
from lamina.cli.main import main
try:
    main({arguments!r})
except SystemExit:
    pass
"""


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["render", "--help"]])
def test_help_imports_neither_yaml_nor_rich(arguments: list[str]) -> None:
    loaded = modules_after(HELP.format(arguments=arguments))
    assert not loaded & {"yaml", "rich", "jinja2", "jsonpatch", "jsonschema_rs"}


def test_rendering_plain_parts_imports_only_what_it_needs(tmp_path: Path) -> None:
    part = tmp_path / "part.yaml"
    part.write_text("#cloud-config\na: 1\n")
    loaded = modules_after(HELP.format(arguments=["render", str(part)]))
    assert not any(name.startswith("lamina.views.lint") or name.endswith(".lint") for name in loaded)
    unneeded = {"yaml", "difflib", "rapidfuzz", "rich", "jinja2", "jsonpatch", "jsonschema_rs"}
    assert not loaded & {*unneeded, "importlib.metadata", "asyncio", "email", "lamina.engine.history"}


def test_rendering_two_parts_enters_few_modules_and_one_dialect(tmp_path: Path) -> None:
    parts = [tmp_path / "a.yaml", tmp_path / "b.yaml"]
    for part in parts:
        part.write_text(f"#cloud-config\nruncmd: [{part.stem}]\n")
    loaded = modules_after(HELP.format(arguments=["render", *map(str, parts)]))
    entered = {name for name in loaded if name == "lamina" or name.startswith("lamina.")}
    dialects = {name.split(".")[2] for name in entered if name.count(".") > 2 and name.startswith("lamina.dialects.")}
    assert dialects == {"cloudinit"}
    assert len(entered) <= 72, sorted(entered)


@pytest.mark.parametrize(
    ("arguments", "collects"),
    [(["render", "a.yaml"], False), (["diff", "--watch"], True), (["set", "a=1"], True), (["store", "serve"], True)],
)
def test_what_works_on_one_result_after_the_other_collects_garbage(
    arguments: list[str], collects: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    monkeypatch.setattr(lamina.cli.main, "_run", lambda given: seen.append(gc.isenabled()))  # noqa: ARG005 - any command
    with pytest.raises(SystemExit):
        lamina.cli.main.main(arguments)
    assert seen == [collects]
    assert gc.isenabled()
