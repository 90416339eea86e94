"""A hint is a promise: what it says is done, the finding is gone, and no value changes but those the hint names."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.errors import Severity
from support.hint_edits import LINT, NO_EDIT
from support.planted import HERE, PLANTED, RULES


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every leaf of a value, by its path."""
    if isinstance(value, Mapping) and value:
        for key, child in value.items():
            yield from leaves(child, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value:
        for index, child in enumerate(value):
            yield from leaves(child, f"{path}[{index}]")
    else:
        yield path, value


def rendered(inputs: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
    """The leaves of the result, of all nodes where the input has nodes."""
    settings = {name: value for name, value in options.items() if name != "select"}
    if Path("Datum.yml").exists() or Path("hiera.yaml").exists():
        settings["all_nodes"] = True
    value = lamina.render(inputs, **settings).value
    if isinstance(value, list):
        value = {document["metadata"]["name"]: document for document in value}
    return dict(leaves(value))


def test_every_rule_has_an_edit_or_the_reason_why_not() -> None:
    assert LINT.keys() | NO_EDIT.keys() == RULES.keys()
    assert not LINT.keys() & NO_EDIT.keys()


@pytest.mark.parametrize("code", LINT)
def test_following_the_hint_removes_the_finding_and_changes_only_what_it_names(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted, followed = PLANTED[code], LINT[code]
    shutil.copytree(HERE / code / "bad", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    (finding,) = lamina.lint(planted.inputs, **planted.options)
    assert followed.says in (finding.hint or "")
    before = rendered(planted.inputs, planted.options)
    options = {"inputs": planted.inputs, **planted.options, **(followed.edit(finding) or {})}
    inputs = options.pop("inputs")
    found = lamina.lint(inputs, **options)
    assert followed.stays or code not in [note.code for note in found]
    assert followed.stays or all(note.severity is Severity.INFO for note in found)
    after = rendered(inputs, options)
    changed = {path for path in before.keys() | after.keys() if before.get(path, ...) != after.get(path, ...)}
    unnamed = {path for path in changed if not path.startswith(followed.changes or "\0")}
    assert not unnamed, f"the hint of {code} does not say that these change: {sorted(unnamed)}"
