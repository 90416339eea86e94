"""Which C extensions there are, and doing without them."""

from __future__ import annotations

import importlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import lamina
from lamina._support.native import EXTENSIONS
from support.c_extensions import extension

ROOT = Path(lamina.__file__).parent


def test_every_c_file_is_an_extension() -> None:
    files = {path.relative_to(ROOT.parent).with_suffix("") for path in ROOT.rglob("_*.c")}
    assert {".".join(path.parts) for path in files} == set(EXTENSIONS)


@pytest.mark.parametrize("pure", ["", "1"])
def test_the_version_shows_whether_they_are_there(pure: str) -> None:
    environment = {**os.environ, "LAMINA_PURE": pure}
    command = [sys.executable, "-m", "lamina", "--version"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    built = "from lamina._support.native import missing; print('pure Python' if missing() else 'compiled')"
    found = subprocess.run([sys.executable, "-c", built], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith(f"({found.stdout.strip()})")
    assert pure == "" or "pure Python" in done.stdout


@pytest.mark.parametrize("name", [pytest.param(name, marks=extension(name)[1]) for name in EXTENSIONS])
def test_an_extension_can_be_loaded_again(name: str) -> None:
    """Loaded a second time it is a module of its own: nothing is static, so that other interpreters can load it."""
    loaded = importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(name, loaded.__file__)
    assert spec is not None
    assert spec.loader is not None
    other = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(other)
    assert other is not loaded


MODULE, needs_compiled = extension("lamina.sources.yaml._yaml")


@needs_compiled
def test_the_yaml_module_has_two_functions() -> None:
    assert {name for name in dir(MODULE) if not name.startswith("__")} == {"read_yaml", "write_yaml"}
