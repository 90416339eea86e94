"""The tests of the package: golden cases, and a comparison with a program that does the same."""

import json
import random
from pathlib import Path

import pytest
from my_package import flat, overlay

from lamina.testing import Outcome, Sample, cases, check_case, differences

CASES = Path(__file__).parents[1] / "cases.json"


@pytest.mark.parametrize("case", cases(CASES), ids=lambda case: case.id)
def test_golden_cases(case):
    assert not check_case(case, overlay.DIALECT), case.about


def by_the_program(folder, sample):
    """What the real program makes of the files; here it is one of a few lines."""
    result = {}
    for name in sample.inputs:
        result = merged(result, json.loads((folder / name).read_text()))
    return Outcome(result)


def merged(old, new):
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **{key: merged(old.get(key), each) for key, each in new.items()}}
    return new


def grown(seed):
    """Random files."""
    source = random.Random(seed)

    def value(depth):
        if depth and source.random() < 0.6:
            return {key: value(depth - 1) for key in source.sample("abcd", source.randint(1, 3))}
        return source.choice((1, True, None, "text", [1, 2], {}))

    files = {f"{number}.yaml": json.dumps({"a": value(3), "b": value(2)}) for number in range(3)}
    return Sample(files, inputs=tuple(files))


def test_random_files_are_merged_as_the_program_merges_them():
    assert not differences(flat.DIALECT, by_the_program, grown, count=200)
