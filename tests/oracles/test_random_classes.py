"""Random nodes and classes give what kapicorp-reclass makes of them."""

from __future__ import annotations

import contextlib
import io
import os
import warnings
from pathlib import Path
from typing import Any

import pytest

from lamina.testing import Outcome, Sample, differences
from oracles.random_classes import grown

pytest.importorskip("reclass", reason="kapicorp-reclass is not installed")

COUNT = 5_000 if os.environ.get("LAMINA_FUZZ") == "long" else 200
FIRST = int(os.environ.get("LAMINA_RECLASS_SEED", "0"))
NODES = ("n1", "n2.example")
FIELDS = ("applications", "classes", "parameters")


def sample(seed: int) -> Sample:
    return Sample(grown(seed // 2), options={"node": NODES[seed % 2]})


def by_reclass(folder: Path, sample: Sample) -> Outcome:
    from reclass import get_storage
    from reclass.core import Core
    from reclass.settings import Settings

    storage = get_storage("yaml_fs", str(folder / "nodes"), str(folder / "classes"), False)
    try:
        with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it uses names that its parser is going to drop
            found = Core(storage, None, Settings({})).nodeinfo(sample.options["node"])
    except Exception as error:  # whatever the real one raises
        return Outcome(error=f"{type(error).__name__}: {error}")
    # Below a key with a mark, other keys become strings only if something is merged there later.
    return Outcome(with_text_keys({field: found[field] for field in FIELDS}))


def with_text_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): with_text_keys(each) for key, each in value.items()}
    return value


class Known:
    """Differences that are meant, counted."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, sample: Sample, theirs: Outcome, _: Outcome) -> bool:
        text = str(sample.files)
        found = (
            "reclass.values" in str(theirs.value)  # it leaves an object of its own in the result
            or "${d}" in text  # it merges into the mapping that a reference leads to, which changes it too
        )
        self.count += found
        return found


def test_random_classes_are_merged_as_reclass_merges_them() -> None:
    known = Known()
    wrong = differences(
        "reclass",
        by_reclass,
        sample,
        count=2 * COUNT,
        first=2 * FIRST,
        known=known,
        of_value=lambda value: {field: value[field] for field in FIELDS},
    )
    assert not wrong, "\n".join(wrong[:20])
    assert known.count < COUNT * 0.1
    assert sum("${d}" in str(grown(FIRST + number)) for number in range(COUNT)) > COUNT * 0.1
