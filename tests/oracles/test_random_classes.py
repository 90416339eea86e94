"""Random nodes and classes give what kapicorp-reclass makes of them."""

from __future__ import annotations

import contextlib
import io
import os
import warnings
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.errors import LaminaError
from oracles.random_classes import grown

pytest.importorskip("reclass", reason="kapicorp-reclass is not installed")

COUNT = 5_000 if os.environ.get("LAMINA_FUZZ") == "long" else 200
FIRST = int(os.environ.get("LAMINA_RECLASS_SEED", "0"))


def by_reclass(folder: Path, node: str) -> dict[str, Any]:
    from reclass import get_storage
    from reclass.core import Core
    from reclass.settings import Settings

    storage = get_storage("yaml_fs", str(folder / "nodes"), str(folder / "classes"), False)
    try:
        with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it uses names that its parser is going to drop
            found = Core(storage, None, Settings({})).nodeinfo(node)
    except Exception as error:  # whatever the real one raises
        return {"error": f"{type(error).__name__}: {error}"[:200]}
    # Below a key with a mark, other keys become strings only if something is merged there later.
    result: dict[str, Any] = with_text_keys(
        {field: found[field] for field in ("applications", "classes", "parameters")}
    )
    return result


def with_text_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): with_text_keys(each) for key, each in value.items()}
    return value


def by_lamina(folder: Path, node: str) -> dict[str, Any]:
    try:
        value = lamina.render(str(folder), "reclass", node=node).value
    except LaminaError as error:
        return {"error": str(error)}
    return {field: value[field] for field in ("applications", "classes", "parameters")}


def is_known(files: str, theirs: dict[str, Any], ours: dict[str, Any]) -> str | None:
    """Why the two may differ; None if they may not."""
    if "reclass.values" in str(theirs):
        return "reclass leaves an object of its own in the result"
    if "${d}" in files:
        return "reclass merges into the mapping that a reference leads to, which changes it too"
    if "[different-types]" in ours.get("error", "") and "~" in files:
        return "reclass does not look at what is replaced later"
    return None


def test_random_classes_are_merged_as_reclass_merges_them(tmp_path: Path) -> None:
    wrong, given, known, by_reference = [], 0, 0, 0
    for seed in range(FIRST, FIRST + COUNT):
        folder, files = tmp_path / str(seed), grown(seed)
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for node in ("n1", "n2.example"):
            theirs, ours = by_reclass(folder, node), by_lamina(folder, node)
            given += "error" not in theirs
            by_reference += "${d}" in str(files)
            if theirs == ours or ("error" in theirs and "error" in ours):
                continue
            if is_known(str(files), theirs, ours):
                known += 1
            else:
                wrong.append(f"seed {seed}, {node}: reclass gives {theirs}, Lamina {ours}")
    assert not wrong, f"{len(wrong)} of {2 * COUNT}\n" + "\n".join(wrong[:20])
    assert given > COUNT  # most are not refused
    assert known < COUNT * 0.1 < by_reference
