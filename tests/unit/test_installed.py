"""What tests install: where that fails they are skipped with one line, and in CI they fail with the whole output."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.installed import need


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "install"
    path.write_text("#!/bin/sh\necho reading lists >&2\necho no route to host >&2\nexit $1\n")
    path.chmod(0o755)
    return path


def test_what_is_installed_is_used(script: Path) -> None:
    need("a thing", script, "0")


def test_a_test_is_skipped_with_one_line(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception) as skipped:
        need("a thing", script, "1")
    assert str(skipped.value) == "a thing cannot be installed here: no route to host"


def test_in_ci_it_fails_with_the_output_of_the_tool(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception) as failed:
        need("a thing", script, "1")
    assert "reading lists\nno route to host" in str(failed.value)
