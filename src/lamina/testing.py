"""For authors of dialects: golden cases, and comparison with the real program on random inputs.

from lamina.testing import cases, check_case, differences

@pytest.mark.parametrize("case", cases("cases"), ids=lambda case: case.id)
def test_golden(case):
    assert not check_case(case, DIALECT), case.about

def test_random_inputs():
    assert not differences(DIALECT, by_the_real_program, random_sample, count=200)
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lamina.conformance.case import Case, find, load
from lamina.conformance.check import check, listed
from lamina.dialects import registry as dialects
from lamina.errors import LaminaError, Severity
from lamina.values import same
from lamina.views.render import render

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lamina.protocol.dialect import Dialect

__all__ = ["Case", "Outcome", "Sample", "cases", "check_case", "differences", "outcome_of"]

_SHOWN = 600


@dataclass(frozen=True, slots=True)
class Sample:
    """Files by name, and how they are rendered: names of inputs, or none for the folder, and the dialect's options."""

    files: Mapping[str, str]
    inputs: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a program makes of a sample: a value, or why there is none."""

    value: Any = None
    error: str | None = None

    def __str__(self) -> str:
        text = f"the error {self.error}" if self.error is not None else repr(self.value)
        return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def cases(*paths: str | Path) -> list[Case]:
    """The golden cases in files and folders; docs/reference/case-format.md describes them."""
    return [case for path in find(paths) for case in load(path)]


def check_case(case: Case, dialect: Dialect[Any] | str | None = None) -> list[str]:
    """What is wrong with the outcome of a case, in words; nothing if it passes."""
    return check(case, None if dialect is None else dialects.find(dialect))


def outcome_of(dialect: Dialect[Any] | str, folder: Path, sample: Sample) -> Outcome:
    """What Lamina makes of a sample in a folder; an error of any part of it is one of the whole."""
    inputs = [str(folder / name) for name in sample.inputs] or [str(folder)]
    try:
        result = render(inputs, dialect, **sample.options)
    except LaminaError as error:
        return Outcome(error=str(error))
    errors = [note for note in result.notes if note.severity is Severity.ERROR]
    return Outcome(error=str(errors[0])) if errors else Outcome(result.value)


def differences(
    dialect: Dialect[Any] | str,
    oracle: Callable[[Path, Sample], Outcome],
    generate: Callable[[int], Sample],
    *,
    count: int,
    first: int = 0,
    known: Callable[[Sample, Outcome, Outcome], bool] = lambda sample, theirs, ours: False,  # noqa: ARG005
    of_value: Callable[[Any], Any] = lambda value: value,
) -> list[str]:
    """The samples of which the real program and Lamina make different things, by their seeds.

    `generate` makes the sample of a seed, and `oracle` is what the real program makes of it, in a folder that has its
    files. Two errors are no difference, whatever they say. `known` is true for a difference that is meant, and
    `of_value` takes what is to be compared out of Lamina's value. It is an error if most samples are refused, since
    then hardly anything is compared.
    """
    found: list[str] = []
    given = 0
    for seed in range(first, first + count):
        sample = generate(seed)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for file, text in sample.files.items():
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                (folder / file).write_text(text)
            theirs, ours = oracle(folder, sample), outcome_of(dialect, folder, sample)
        if ours.error is None:
            ours = Outcome(of_value(ours.value))
        given += theirs.error is None
        if not _agree(theirs, ours) and not known(sample, theirs, ours):
            found.append(f"seed {seed}: the real program gives {theirs}, Lamina {ours}")
    if 2 * given < count:
        raise AssertionError(f"the real program refuses {count - given} of {count} samples; make more of them valid")
    return found


def _agree(theirs: Outcome, ours: Outcome) -> bool:
    if theirs.error is not None or ours.error is not None:
        return theirs.error is not None and ours.error is not None
    return same(listed(theirs.value), listed(ours.value))
